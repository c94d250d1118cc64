#include "logprobs.h"

#include "check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

static constexpr float NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();

// What the function must give, the plain way: the softmax of all, sorted.
static std::vector<RankedToken> by_sorting(const std::vector<float> & logits) {
    long double sum = 0.0L;
    for (const float logit : logits) {
        sum += std::isnan(logit) ? 0.0L : std::exp((long double) logit);
    }
    std::vector<RankedToken> all;
    for (size_t i = 0; i < logits.size(); i++) {
        const float logit = std::isnan(logits[i]) ? -INFINITY : logits[i];
        all.push_back({ (llama_token) i, (float) (logit - std::log(sum)), 0 });
    }
    std::stable_sort(all.begin(), all.end(), [&](const RankedToken & a, const RankedToken & b) {
        return logits[(size_t) a.token] > logits[(size_t) b.token];
    });
    for (size_t i = 0; i < all.size(); i++) {
        all[i].rank = (int32_t) i + 1;
    }
    return all;
}

static void check_entry(const RankedToken & actual, const RankedToken & expected) {
    CHECK_EQUAL(actual.token, expected.token);
    CHECK_EQUAL(actual.rank, expected.rank);
    CHECK(actual.logprob == expected.logprob || std::fabs(actual.logprob - expected.logprob) < 1e-4f);
}

static void gives_the_token_and_the_most_likely_ones() {
    std::mt19937                    random(7);
    std::normal_distribution<float> normal(0.0f, 3.0f);
    for (int32_t round = 0; round < 2000; round++) {
        std::vector<float> logits(1 + random() % 500);
        for (float & logit : logits) {
            logit = normal(random);
            // few distinct values, so that there are ties
            logit = round % 2 == 0 ? std::round(logit) : logit;
        }
        const std::vector<RankedToken> expected = by_sorting(logits);
        const auto                     token    = (llama_token) (random() % logits.size());
        // none, few, all there are, and more than there are
        const auto n_vocab = (int32_t) logits.size();
        for (const int32_t n_top : { 0, 1, 5, n_vocab, n_vocab + 7, INT32_MAX }) {
            std::vector<RankedToken> out = { { 3, 3.0f, 3 } };  // left over from another row
            rank_tokens(logits.data(), n_vocab, token, n_top, out);
            CHECK_EQUAL(out.size(), (size_t) std::min(n_top, n_vocab) + 1);
            const auto own = std::find_if(expected.begin(), expected.end(),
                                          [&](const RankedToken & entry) { return entry.token == token; });
            check_entry(out[0], *own);
            for (size_t i = 1; i < out.size(); i++) {
                check_entry(out[i], expected[i - 1]);
            }
        }
    }
}

static void gives_probabilities_of_large_values_too() {
    const std::vector<float> logits = { 30'000.0f, 29'999.0f, -30'000.0f };
    std::vector<RankedToken> out;
    rank_tokens(logits.data(), 3, 1, 3, out);
    CHECK(std::fabs(out[0].logprob + 1.3133f) < 1e-2f);
    CHECK_EQUAL(out[0].rank, 2);
    CHECK(std::fabs(out[1].logprob + 0.3133f) < 1e-2f);
    CHECK_EQUAL(out[3].token, 2);
}

static void passes_over_what_is_no_number() {
    const std::vector<float> logits = { NOT_A_NUMBER, 1.0f, -INFINITY, 1.0f };
    std::vector<RankedToken> out;
    rank_tokens(logits.data(), 4, 0, 4, out);
    CHECK_EQUAL(out[0].logprob, -INFINITY);
    CHECK_EQUAL(out.size(), (size_t) 4);
    CHECK_EQUAL(out[1].token, 1);
    CHECK_EQUAL(out[2].token, 3);
    CHECK(std::fabs(out[2].logprob - std::log(0.5f)) < 1e-6f);
    CHECK_EQUAL(out[3].logprob, -INFINITY);

    const std::vector<float> nothing = { NOT_A_NUMBER, -INFINITY, NOT_A_NUMBER };
    rank_tokens(nothing.data(), 3, 1, 2, out);
    CHECK(out.empty());
}

int main() {
    RUN(gives_the_token_and_the_most_likely_ones);
    RUN(gives_probabilities_of_large_values_too);
    RUN(passes_over_what_is_no_number);
    return 0;
}
