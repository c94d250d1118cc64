#include "candidates.h"

#include "check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

// What the function must give, the plain way: every token, sorted.
static std::vector<llama_token_data> by_sorting(const std::vector<float> & logits, int32_t n_top) {
    std::vector<llama_token_data> all;
    for (size_t i = 0; i < logits.size(); i++) {
        if (!std::isnan(logits[i])) {
            all.push_back({ (llama_token) i, logits[i], 0.0f });
        }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const llama_token_data & a, const llama_token_data & b) { return a.logit > b.logit; });
    all.resize(std::min(all.size(), (size_t) n_top));
    return all;
}

static void check_same(const std::vector<float> & logits, int32_t n_top) {
    std::vector<llama_token_data> out = { { 7, 7.0f, 7.0f } };  // left over from another row
    top_candidates(logits.data(), (int32_t) logits.size(), n_top, out);
    const std::vector<llama_token_data> expected = by_sorting(logits, n_top);
    CHECK_EQUAL(out.size(), expected.size());
    for (size_t i = 0; i < out.size(); i++) {
        CHECK_EQUAL(out[i].id, expected[i].id);
        CHECK_EQUAL(out[i].logit, expected[i].logit);
        CHECK_EQUAL(out[i].p, 0.0f);
    }
}

static void test_random_rows() {
    std::mt19937                    random(1);
    std::normal_distribution<float> normal;
    for (int32_t round = 0; round < 3000; round++) {
        std::vector<float> logits(1 + random() % 700);
        for (float & logit : logits) {
            logit = normal(random);
            // few distinct values, so that there are ties
            logit = round % 2 == 0 ? std::round(logit) : logit;
        }
        check_same(logits, 1 + (int32_t) (random() % 60));
        check_same(logits, 1);
    }
}

static void test_rising_and_falling_rows() {
    std::vector<float> logits(5000);
    for (size_t i = 0; i < logits.size(); i++) {
        logits[i] = (float) i;
    }
    for (const int32_t n_top : { 1, 2, 40, 4999, 5000, 6000 }) {
        check_same(logits, n_top);
    }
    std::reverse(logits.begin(), logits.end());
    for (const int32_t n_top : { 1, 2, 40, 4999, 5000, 6000 }) {
        check_same(logits, n_top);
    }
}

static void test_values_that_are_no_numbers() {
    const float        infinity = std::numeric_limits<float>::infinity();
    const float        nan      = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> logits(100, -infinity);
    check_same(logits, 3);
    logits[50] = 1.0f;
    logits[60] = nan;
    logits[99] = infinity;
    check_same(logits, 1);
    check_same(logits, 3);
    check_same(std::vector<float>(40, nan), 5);
}

int main() {
    RUN(test_random_rows);
    RUN(test_rising_and_falling_rows);
    RUN(test_values_that_are_no_numbers);
}
