#include "embed_fit.h"

#include "check.h"
#include "embed_shape.h"

#include <random>

static constexpr uint64_t GIB = 1ull << 30;

static const ModelPurpose WHOLE = { ModelKind::Embedding, LLAMA_POOLING_TYPE_MEAN, true };
static const ModelPurpose CUT   = { ModelKind::Embedding, LLAMA_POOLING_TYPE_LAST, false };

// A model as it might be measured, main memory first and a GPU after it where it has a budget.
struct Sample {
    uint64_t cpu_budget  = 16 * GIB;
    uint64_t gpu_budget  = 0;
    uint64_t weights     = 200'000'000;
    int32_t  n_vocab     = 30'522;
    int32_t  n_ctx_train = 512;
    int32_t  n_ctx       = 0;

    FitResult fit() const {
        FitRequest request;
        request.n_ctx_train = n_ctx_train;
        request.n_ctx       = n_ctx;
        request.n_layers    = gpu_budget > 0 ? 13 : 0;
        return fit_embedding(request, [this](const MemoryPlan & plan) {
            const EmbedShape shape  = to_embed_shape(WHOLE, 12, plan.n_ctx, FlashAttention::Auto);
            const bool       on_gpu = gpu_budget > 0 && plan.n_gpu_layers != 0;
            MemoryUse        use(gpu_budget > 0 ? 2 : 1);
            use[0].budget = cpu_budget;
            if (gpu_budget > 0) {
                use[1].budget = gpu_budget;
            }
            DeviceMemory & memory = use[on_gpu ? 1 : 0];
            memory.weights        = weights;
            memory.compute        = (uint64_t) shape.n_batch * (uint64_t) n_vocab * sizeof(float);
            return use;
        });
    }
};

static void never_exceeds_the_trained_context() {
    Sample sample;
    CHECK_EQUAL(sample.fit().plan.n_ctx, 512);
    sample.n_ctx = 8192;
    CHECK_EQUAL(sample.fit().plan.n_ctx, 512);
    sample.n_ctx = 100;
    CHECK_EQUAL(sample.fit().plan.n_ctx, 100);
    CHECK(sample.fit().plan.is_unified);
}

static void a_large_vocabulary_costs_context() {
    Sample sample;
    sample.n_ctx_train = 32'768;
    CHECK_EQUAL(sample.fit().plan.n_ctx, 8192);
    sample.n_vocab = 250'002;
    CHECK(sample.fit().fits);
    CHECK_EQUAL(sample.fit().plan.n_ctx, 4096);
    sample.cpu_budget = 4 * GIB;
    CHECK_EQUAL(sample.fit().plan.n_ctx, 1024);
    sample.cpu_budget = 0;
    CHECK_EQUAL(sample.fit().plan.n_ctx, 8192);
}

static void refuses_what_does_not_fit() {
    Sample sample;
    sample.cpu_budget = 100'000'000;
    CHECK(!sample.fit().fits);
    CHECK_EQUAL(sample.fit().plan.n_ctx, 512);
    sample             = {};
    sample.n_ctx_train = 8192;
    sample.n_ctx       = 8192;
    sample.n_vocab     = 250'002;
    sample.cpu_budget  = 4 * GIB;
    CHECK(!sample.fit().fits);
    CHECK_EQUAL(sample.fit().plan.n_ctx, 8192);
}

static void takes_the_gpu_where_the_model_fits_there() {
    Sample sample;
    sample.gpu_budget = 2 * GIB;
    CHECK_EQUAL(sample.fit().plan.n_gpu_layers, -1);
    sample.gpu_budget = 100'000'000;
    CHECK(sample.fit().fits);
    CHECK_EQUAL(sample.fit().plan.n_gpu_layers, 0);
}

static void holds_for_random_models() {
    std::mt19937 random(7);
    const auto   between = [&](int64_t low, int64_t high) {
        return std::uniform_int_distribution<int64_t>(low, high)(random);
    };
    for (int i = 0; i < 2000; i++) {
        Sample sample;
        sample.cpu_budget      = between(0, 3) == 0 ? 0 : (uint64_t) between(1, 64) * GIB / 2;
        sample.gpu_budget      = between(0, 1) == 0 ? 0 : (uint64_t) between(1, 64) * GIB / 2;
        sample.weights         = (uint64_t) between(1'000'000, 20'000'000'000);
        sample.n_vocab         = (int32_t) between(100, 260'000);
        sample.n_ctx_train     = (int32_t) between(1, 131'072);
        sample.n_ctx           = between(0, 1) == 0 ? 0 : (int32_t) between(1, 40'000);
        const FitResult result = sample.fit();
        CHECK(result.plan.n_ctx >= 1 && result.plan.n_ctx <= sample.n_ctx_train);
        CHECK(!result.fits || sample.n_ctx == 0 || result.plan.n_ctx == std::min(sample.n_ctx, sample.n_ctx_train));
        for (size_t k = 0; result.fits && k < result.use.size(); k++) {
            CHECK(result.use[k].budget == 0 || result.use[k].total() <= result.use[k].budget);
        }
        CHECK(result.fits || bytes_over(result.use, result.short_of) > 0);
    }
}

static void a_whole_input_fits_into_a_batch() {
    CHECK_EQUAL(to_embed_shape(WHOLE, 12, 2048, FlashAttention::Auto).n_batch, 2048);
    CHECK_EQUAL(to_embed_shape(WHOLE, 12, 100, FlashAttention::Auto).n_batch, N_EMBED_SHARED);
    CHECK_EQUAL(to_embed_shape(CUT, 12, 2048, FlashAttention::Auto).n_batch, N_EMBED_SHARED);
}

static void takes_flash_attention_only_for_long_inputs() {
    const auto chosen = [](const ModelPurpose & purpose, int32_t n_ctx, FlashAttention asked) {
        return to_embed_shape(purpose, 12, n_ctx, asked).flash_attention;
    };
    CHECK(chosen(WHOLE, 512, FlashAttention::Auto) == FlashAttention::Off);
    CHECK(chosen(WHOLE, 8192, FlashAttention::Auto) == FlashAttention::Auto);
    CHECK(chosen(CUT, 8192, FlashAttention::Auto) == FlashAttention::Off);
    CHECK(chosen(WHOLE, 512, FlashAttention::On) == FlashAttention::On);
    CHECK(chosen(WHOLE, 8192, FlashAttention::Off) == FlashAttention::Off);
}

int main() {
    RUN(never_exceeds_the_trained_context);
    RUN(a_large_vocabulary_costs_context);
    RUN(refuses_what_does_not_fit);
    RUN(takes_the_gpu_where_the_model_fits_there);
    RUN(holds_for_random_models);
    RUN(a_whole_input_fits_into_a_batch);
    RUN(takes_flash_attention_only_for_long_inputs);
    return 0;
}
