#pragma once

#include "event.h"
#include "logprobs.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

// Log probabilities of one prompt at most: some 12 MB on their way to the server, and 80 MB of JSON.
constexpr int64_t N_PROMPT_LOGPROBS_MAX = 1'000'000;

// Throws RequestError(TooManyPromptLogprobs) beyond that. n_top: as in Request, not negative.
void check_prompt_logprobs(size_t n_prompt, int32_t n_top, int32_t n_vocab);

// How likely the tokens of one request's prompt were, told while the prompt is computed. The logits behind a token tell
// of the next one, so nothing tells of the first. Decode thread only.
class PromptLogprobs {
  public:
    // n_top: as in Request, not negative.
    PromptLogprobs(int32_t n_prompt, int32_t n_top, int32_t n_vocab);

    // The logits behind the token at this position are to be read. Not so where what they tell has been told already,
    // because the prompt is computed for the second time.
    bool wants(int32_t position) const { return position + 1 >= n_told_ && position + 1 < n_prompt_; }

    bool is_complete() const { return n_told_ >= n_prompt_; }

    // Positions that one step may read, >= 1: they fit into a message to the server.
    int32_t n_rows_max() const;

    int32_t n_top() const { return n_top_; }

    // Tells of the next tokens, in order, what rank_tokens gave for each. piece: the bytes of a token.
    std::shared_ptr<const PromptPart> tell(const std::vector<std::vector<RankedToken>> &   tokens,
                                           const std::function<std::string(llama_token)> & piece);

    // For some token the model computed no numbers.
    bool is_broken() const { return is_broken_; }

  private:
    int32_t           n_prompt_;
    int32_t           n_top_;
    int32_t           n_told_    = 1;
    bool              is_broken_ = false;
    std::vector<bool> is_named_;  // by token id: its bytes have been told
};
