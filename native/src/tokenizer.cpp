#include "tokenizer.h"

#include "common.h"  // llama.cpp common
#include "request.h"

std::vector<llama_token> Tokenizer::tokenize(const std::string & text, bool add_special, bool parse_special) const {
    return common_tokenize(vocab_, text, add_special, parse_special);
}

std::string Tokenizer::detokenize(const std::vector<llama_token> & tokens) const {
    check(tokens);
    if (tokens.empty()) {
        return {};
    }
    std::string text = common_detokenize(vocab_, tokens, true);
    // llama.cpp drops the space in front that the tokenizer has put there itself, except with WordPiece
    if (llama_vocab_type(vocab_) == LLAMA_VOCAB_TYPE_WPM && !text.empty() && text[0] == ' ') {
        text.erase(0, 1);
    }
    return text;
}

std::string Tokenizer::piece(llama_token token) const {
    return common_token_to_piece(vocab_, token, true);
}

void Tokenizer::check(const std::vector<llama_token> & tokens, int32_t input) const {
    const int32_t n_vocab = llama_vocab_n_tokens(vocab_);
    for (const llama_token token : tokens) {
        if (token < 0 || token >= n_vocab) {
            throw RequestError(ErrorCode::InvalidPrompt,
                               "Token id " + std::to_string(token) + " is not in this model's vocabulary of " +
                                   std::to_string(n_vocab) + ".",
                               input);
        }
    }
}

bool Tokenizer::is_control(llama_token token) const {
    return llama_vocab_is_control(vocab_, token);
}
