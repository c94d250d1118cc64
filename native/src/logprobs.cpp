#include "logprobs.h"

#include "candidates.h"

#include <algorithm>
#include <cmath>

static float largest_of(const float * logits, int32_t n_vocab) {
    float largest = -INFINITY;
    for (int32_t i = 0; i < n_vocab; i++) {
        largest = logits[i] > largest ? logits[i] : largest;  // false for NaN
    }
    return largest;
}

// The logarithm of the sum of their exponentials.
static float log_sum(const float * logits, int32_t n_vocab, float largest) {
    double sum = 0.0;
    for (int32_t i = 0; i < n_vocab; i++) {
        sum += std::isnan(logits[i]) ? 0.0 : std::exp((double) (logits[i] - largest));
    }
    return largest + (float) std::log(sum);
}

static int32_t rank_of(const float * logits, int32_t n_vocab, llama_token token, float logit) {
    int32_t n_before = 0;
    for (int32_t i = 0; i < n_vocab; i++) {
        n_before += logits[i] > logit || (i < token && logits[i] == logit) ? 1 : 0;
    }
    return n_before + 1;
}

void rank_tokens(const float * logits, int32_t n_vocab, llama_token token, int32_t n_top,
                 std::vector<RankedToken> & out) {
    out.clear();
    const float largest = largest_of(logits, n_vocab);
    if (!std::isfinite(largest)) {
        return;
    }
    const float total = log_sum(logits, n_vocab, largest);
    const float own   = std::isnan(logits[token]) ? -INFINITY : logits[token];
    out.push_back({ token, own - total, rank_of(logits, n_vocab, token, own) });
    if (n_top == 0) {
        return;
    }
    std::vector<llama_token_data> top;
    top_candidates(logits, n_vocab, n_top, top);
    out.reserve(top.size() + 1);
    for (const llama_token_data & candidate : top) {
        out.push_back({ candidate.id, candidate.logit - total, (int32_t) out.size() });
    }
}
