#include "memory_fit.h"

#include "check.h"

static FitInput small() {
    FitInput input;
    input.model_bytes        = 1'000'000'000;
    input.kv_bytes_per_token = 100'000;
    input.n_ctx_train        = 32768;
    input.n_parallel         = 16;
    return input;
}

static void keeps_everything_without_a_limit() {
    const FitResult fit = fit_memory(small());
    CHECK(fit.fits);
    CHECK_EQUAL(fit.n_ctx, 8192);
    CHECK_EQUAL(fit.n_parallel, 16);
}

static void gives_up_slots_before_context() {
    FitInput input      = small();
    input.memory_bytes  = 8'000'000'000;  // a quarter, 2 GB, for the KV cache: 20,000 tokens
    const FitResult fit = fit_memory(input);
    CHECK(fit.fits);
    CHECK_EQUAL(fit.n_ctx, 8192);
    CHECK_EQUAL(fit.n_parallel, 2);
}

static void leaves_most_of_a_large_memory_alone() {
    FitInput input           = small();
    input.kv_bytes_per_token = 20'000;
    input.memory_bytes       = 100'000'000'000;
    CHECK_EQUAL(fit_memory(input).n_parallel, 16);  // 2.6 GB
    input.kv_bytes_per_token = 100'000;
    CHECK_EQUAL(fit_memory(input).n_ctx, 8192);
    CHECK_EQUAL(fit_memory(input).n_parallel, 5);  // 4 GiB
    input.n_ctx = 8192;
    CHECK_EQUAL(fit_memory(input).n_parallel, 16);  // asked for
}

static void shrinks_an_automatic_context() {
    FitInput input      = small();
    input.memory_bytes  = 1'500'000'000;  // 4,000 tokens
    const FitResult fit = fit_memory(input);
    CHECK(fit.fits);
    CHECK_EQUAL(fit.n_ctx, 4000);
    CHECK_EQUAL(fit.n_parallel, 1);
}

static void keeps_an_explicit_context_or_refuses() {
    FitInput input     = small();
    input.n_ctx        = 16384;
    input.memory_bytes = 1'500'000'000;
    CHECK(!fit_memory(input).fits);
    input.memory_bytes = 4'000'000'000;
    CHECK_EQUAL(fit_memory(input).n_ctx, 16384);
    CHECK_EQUAL(fit_memory(input).n_parallel, 1);
}

static void refuses_weights_that_do_not_fit() {
    FitInput input     = small();
    input.memory_bytes = 900'000'000;
    CHECK(!fit_memory(input).fits);
    input.memory_bytes = 1'010'000'000;
    CHECK(!fit_memory(input).fits);
}

int main() {
    RUN(keeps_everything_without_a_limit);
    RUN(gives_up_slots_before_context);
    RUN(leaves_most_of_a_large_memory_alone);
    RUN(shrinks_an_automatic_context);
    RUN(keeps_an_explicit_context_or_refuses);
    RUN(refuses_weights_that_do_not_fit);
}
