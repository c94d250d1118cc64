#include "embed_limits.h"

#include "check.h"

#include <random>

static constexpr uint64_t GIB = 1ull << 30;

static EmbedLimitsInput bert() {
    EmbedLimitsInput input;
    input.memory_bytes       = 16 * GIB;
    input.model_bytes        = 200'000'000;
    input.kv_bytes_per_token = 36'864;
    input.n_vocab            = 30'522;
    input.n_ctx_train        = 512;
    return input;
}

static void never_exceeds_the_trained_context() {
    EmbedLimitsInput input = bert();
    CHECK_EQUAL(fit_embedding(input).n_ctx, 512);
    input.n_ctx = 8192;
    CHECK_EQUAL(fit_embedding(input).n_ctx, 512);
    input.n_ctx = 100;
    CHECK_EQUAL(fit_embedding(input).n_ctx, 100);
}

static void a_whole_input_fits_into_a_batch() {
    EmbedLimitsInput input = bert();
    input.n_ctx_train      = 2048;
    CHECK_EQUAL(fit_embedding(input).n_batch, 2048);
    input.is_whole = false;
    CHECK_EQUAL(fit_embedding(input).n_ctx, 2048);
    CHECK_EQUAL(fit_embedding(input).n_batch, N_EMBED_SHARED);
}

static void a_large_vocabulary_costs_context() {
    EmbedLimitsInput input  = bert();
    input.n_ctx_train       = 8192;
    input.n_vocab           = 250'002;
    const EmbedLimits small = fit_embedding(input);
    CHECK(small.fits && small.n_ctx < 8192 && small.n_ctx >= 2048);
    input.memory_bytes = 0;
    CHECK_EQUAL(fit_embedding(input).n_ctx, 8192);
}

static void takes_flash_attention_only_for_long_inputs() {
    EmbedLimitsInput input = bert();
    input.n_head           = 12;
    CHECK(!fit_embedding(input).flash_attention);
    input.n_ctx_train = 8192;
    CHECK(fit_embedding(input).flash_attention);
    input.is_whole = false;
    CHECK(!fit_embedding(input).flash_attention);
}

static void refuses_what_does_not_fit() {
    EmbedLimitsInput input = bert();
    input.memory_bytes     = 100'000'000;
    CHECK(!fit_embedding(input).fits);
    input              = bert();
    input.n_ctx_train  = 8192;
    input.n_ctx        = 8192;
    input.n_vocab      = 250'002;
    input.memory_bytes = 4 * GIB;
    CHECK(!fit_embedding(input).fits);
}

static void holds_for_random_models() {
    std::mt19937 random(7);
    const auto   between = [&](int64_t low, int64_t high) {
        return std::uniform_int_distribution<int64_t>(low, high)(random);
    };
    for (int i = 0; i < 2000; i++) {
        EmbedLimitsInput input;
        input.memory_bytes       = between(0, 3) == 0 ? 0 : (uint64_t) between(1, 64) * GIB / 2;
        input.model_bytes        = (uint64_t) between(1'000'000, 20'000'000'000);
        input.kv_bytes_per_token = (uint64_t) between(0, 500'000);
        input.n_vocab            = (int32_t) between(100, 260'000);
        input.n_ctx_train        = (int32_t) between(1, 131'072);
        input.n_ctx              = between(0, 1) == 0 ? 0 : (int32_t) between(1, 40'000);
        input.is_whole           = between(0, 1) == 0;
        const EmbedLimits limits = fit_embedding(input);
        CHECK(limits.n_ctx >= 1 && limits.n_ctx <= input.n_ctx_train);
        CHECK(limits.n_batch >= N_EMBED_SHARED);
        CHECK(!input.is_whole || limits.n_batch >= limits.n_ctx);
        CHECK(!limits.fits || input.n_ctx == 0 || limits.n_ctx == std::min(input.n_ctx, input.n_ctx_train));
        EmbedLimitsInput more = input;
        more.memory_bytes     = input.memory_bytes * 2;
        CHECK(!limits.fits || fit_embedding(more).n_ctx >= limits.n_ctx);
    }
}

int main() {
    RUN(never_exceeds_the_trained_context);
    RUN(a_whole_input_fits_into_a_batch);
    RUN(a_large_vocabulary_costs_context);
    RUN(takes_flash_attention_only_for_long_inputs);
    RUN(refuses_what_does_not_fit);
    RUN(holds_for_random_models);
    return 0;
}
