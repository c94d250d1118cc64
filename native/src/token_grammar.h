#pragma once

#include "llama.h"
#include "thinking_span.h"

#include <memory>
#include <regex>
#include <string>
#include <unordered_set>
#include <vector>

struct llama_grammar;

// What an output must look like, and from where on.
struct GrammarSpec {
    std::string gbnf;     // llama.cpp's notation with the start symbol root; empty: no grammar
    std::string prefill;  // end of the prompt with which the grammar's texts begin; not lazy only

    // Lazy: nothing is constrained until a trigger occurs outside the reasoning; the grammar's texts begin with it, or
    // with what the pattern's first group holds.
    bool                     is_lazy = false;
    std::vector<std::string> trigger_words;
    std::vector<std::string> trigger_patterns;  // ECMAScript; ^ is the beginning of the output

    // lazy only: the reasoning's tags, and what of the prompt belongs to the answer (it may have begun the reasoning)
    std::string              thinking_start;
    std::vector<std::string> thinking_ends;
    std::string              generation_prompt;
};

// A grammar on its way through one sequence's tokens. One thread at a time; several sequences may run at once.
class TokenGrammar {
  public:
    // shown: control tokens whose text is part of the output; no other control token may be drawn while the grammar
    // holds. Throws RequestError(InvalidGrammar) with what is wrong with the grammar or its prefill.
    TokenGrammar(const llama_vocab * vocab, const GrammarSpec & spec, std::unordered_set<llama_token> shown);
    ~TokenGrammar();

    // Whether the token may come next.
    bool allows(llama_token token) const;

    // Drops from candidates what may not come next.
    void filter(std::vector<llama_token_data> & candidates) const;

    // Whether the output is complete and could end here.
    bool may_end() const;

    // Takes a token that is allowed. Throws nothing: a lazy grammar that the text after its trigger does not fit is
    // given up, and the output goes on unconstrained.
    void accept(llama_token token);

  private:
    struct Deleter {
        void operator()(llama_grammar * grammar) const;
    };

    const llama_vocab *                     vocab_;
    std::unordered_set<llama_token>         shown_;
    std::unique_ptr<llama_grammar, Deleter> grammar_;
    bool                                    is_awaiting_;  // no trigger yet
    std::vector<std::string>                words_;
    std::vector<std::regex>                 patterns_;
    ThinkingSpan                            thinking_;
    std::string                             text_;             // since when a trigger may begin
    bool                                    is_whole_ = true;  // text_ is the whole output outside the reasoning

    bool        is_active() const { return grammar_ && !is_awaiting_; }
    bool        is_hidden(llama_token token) const;
    std::string piece(llama_token token) const;
    size_t      find_trigger(size_t n_old) const;
    void        await_trigger(const std::string & text);
};
