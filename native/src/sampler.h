#pragma once

#include "llama.h"
#include "request.h"
#include "token_grammar.h"

#include <memory>
#include <vector>

// One sequence's sampler: OpenAI's parameters as a llama.cpp sampler chain, in llama.cpp's own order: logit bias,
// penalties, top-k, top-p, min-p, temperature, draw. Penalties look at the answer so far and not at the prompt.
// A grammar stands beside the chain: it looks at the drawn token only, and where that is wrong at the whole vocabulary.
// Owned and used by the decode thread.
class Sampler {
  public:
    // params: completed by Model::complete.
    // grammar: none where null.
    Sampler(const llama_model * model, const SamplingParams & params, std::unique_ptr<TokenGrammar> grammar = nullptr);

    struct Draw {
        llama_token token = LLAMA_TOKEN_NULL;  // none: the grammar's text is complete and nothing can follow
        // Where asked for: the token itself, then the most likely ones; id and logprob.
        std::vector<std::pair<llama_token, float>> logprobs;
    };

    // Draws the next token from logits (n_vocab floats, not changed) and takes it into account for the next call.
    // Several samplers may draw at the same time. Throws RequestError where no token is left.
    Draw sample(const float * logits);

  private:
    struct ChainDeleter {
        void operator()(llama_sampler * chain) const { llama_sampler_free(chain); }
    };

    std::unique_ptr<llama_sampler, ChainDeleter> chain_;
    std::vector<llama_token_data>                candidates_;  // reused between calls
    int32_t                                      n_top_ = 0;   // only so many of the most likely matter; 0: all
    int32_t                                      n_vocab_;
    int32_t                                      n_logprobs_;
    std::unique_ptr<TokenGrammar>                grammar_;

    void        collect(const float * logits);
    void        collect_all(const float * logits);
    llama_token draw_candidate(bool is_sorted);
    llama_token draw_by_grammar(const float * logits);
};
