#include "prompt_logprobs.h"

#include "request.h"

#include <algorithm>

// Entries of one step's message, where a single token has no more: 12 bytes each, so less than a megabyte. A token of
// the largest vocabularies has four times as many.
static constexpr int32_t N_ENTRIES_STEP = 65'536;

// Entries of one token at most.
static int32_t n_entries(int32_t n_top, int32_t n_vocab) {
    return n_top < n_vocab ? n_top + 1 : n_vocab;
}

void check_prompt_logprobs(size_t n_prompt, int32_t n_top, int32_t n_vocab) {
    const int64_t n_tokens = (int64_t) n_prompt - 1;
    const int64_t n_each   = n_entries(n_top, n_vocab);
    if (n_tokens * n_each > N_PROMPT_LOGPROBS_MAX) {
        throw RequestError(ErrorCode::TooManyPromptLogprobs,
                           "Too many log probabilities of the prompt: " + std::to_string(n_tokens) + " tokens with " +
                               std::to_string(n_each) + " each are " + std::to_string(n_tokens * n_each) + " > " +
                               std::to_string(N_PROMPT_LOGPROBS_MAX) +
                               " maximum. Ask for fewer of the most likely "
                               "tokens, or about a shorter prompt.");
    }
}

PromptLogprobs::PromptLogprobs(int32_t n_prompt, int32_t n_top, int32_t n_vocab)
    : n_prompt_(n_prompt), n_top_(std::min(n_top, n_vocab)), is_named_((size_t) n_vocab) {}

int32_t PromptLogprobs::n_rows_max() const {
    return std::max(1, N_ENTRIES_STEP / n_entries(n_top_, (int32_t) is_named_.size()));
}

std::shared_ptr<const PromptPart> PromptLogprobs::tell(const std::vector<std::vector<RankedToken>> &   tokens,
                                                       const std::function<std::string(llama_token)> & piece) {
    auto out   = std::make_shared<PromptPart>();
    out->first = n_told_;
    n_told_ += (int32_t) tokens.size();
    for (const std::vector<RankedToken> & ranked : tokens) {
        is_broken_        = is_broken_ || ranked.empty();
        const size_t from = out->token_ids.size();
        for (size_t i = 0; i < ranked.size(); i++) {
            const llama_token token = ranked[i].token;
            if (i > 0 && token == ranked[0].token) {
                continue;
            }
            out->token_ids.push_back(token);
            out->logprobs.push_back(ranked[i].logprob);
            out->ranks.push_back(ranked[i].rank);
            if (!is_named_[(size_t) token]) {
                is_named_[(size_t) token] = true;
                const std::string bytes   = piece(token);
                out->named_ids.push_back(token);
                out->n_bytes.push_back((int32_t) bytes.size());
                out->bytes += bytes;
            }
        }
        out->n_entries.push_back((int32_t) (out->token_ids.size() - from));
    }
    return out;
}
