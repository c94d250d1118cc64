#pragma once

#include "llama.h"

#include <string>
#include <vector>

// A vocabulary's way from text to tokens and back. Immutable, a view of the model's vocabulary; any thread.
class Tokenizer {
  public:
    explicit Tokenizer(const llama_vocab * vocab) : vocab_(vocab) {}

    // add_special: the tokens that the model wants around a text (begin, end, separator). parse_special: control tokens
    // that are written out in the text are taken as such. Throws std::exception where the text is longer than 2 GB.
    std::vector<llama_token> tokenize(const std::string & text, bool add_special, bool parse_special) const;

    // The bytes of all tokens, control tokens as their names. Not necessarily whole characters. Throws
    // RequestError(InvalidPrompt) for an id outside the vocabulary.
    std::string detokenize(const std::vector<llama_token> & tokens) const;

    // The bytes of one token of the vocabulary, a control token as its name.
    std::string piece(llama_token token) const;

    // Throws RequestError(InvalidPrompt) with the first id outside the vocabulary; input: see RequestError.
    void check(const std::vector<llama_token> & tokens, int32_t input = -1) const;

    bool is_control(llama_token token) const;

    const llama_vocab * vocab() const { return vocab_; }

  private:
    const llama_vocab * vocab_;
};
