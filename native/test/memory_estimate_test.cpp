// The estimate against what llama.cpp really allocates, byte for byte, over every kind of model and context.
#include "memory_estimate.h"

#include "embed_shape.h"
#include "engine_fixture.h"
#include "loaded_model.h"
#include "model_file.h"

#include <filesystem>

namespace fs = std::filesystem;

static void check_same(const MemoryUse & estimated, const MemoryUse & loaded) {
    CHECK_EQUAL(estimated.size(), loaded.size());
    for (size_t i = 0; i < loaded.size(); i++) {
        CHECK_EQUAL(estimated[i].name, loaded[i].name);
        CHECK_EQUAL(estimated[i].weights, loaded[i].weights);
        CHECK_EQUAL(estimated[i].kv, loaded[i].kv);
        CHECK_EQUAL(estimated[i].compute, loaded[i].compute);
    }
}

// What llama.cpp says it allocated. The file is read, not mapped: a mapping also spans tensors that were copied out of
// it into the order in which the processor multiplies fastest.
static MemoryUse allocated(const LoadOptions & load_options, const MemoryPlan & plan) {
    llama_model_params params = llama_model_default_params();
    params.load_mode          = LLAMA_LOAD_MODE_NONE;
    const std::unique_ptr<llama_model, void (*)(llama_model *)> model(
        llama_model_load_from_file(load_options.path.c_str(), params), llama_model_free);
    CHECK(model != nullptr);
    const ContextShape   context_shape  = to_shape(plan, load_options);
    llama_context_params context_params = to_context_params(context_shape);
    int32_t              n_outputs      = n_rows_max(context_shape);
    const ModelPurpose   purpose        = purpose_of(model.get());
    if (purpose.kind != ModelKind::Generative) {
        const EmbedShape shape =
            to_embed_shape(purpose, llama_model_n_head(model.get()), plan.n_ctx, load_options.flash_attention);
        context_params = to_context_params(shape);
        n_outputs      = shape.n_batch;
    }
    const std::unique_ptr<llama_context, void (*)(llama_context *)> context(
        llama_init_from_model(model.get(), context_params), llama_free);
    CHECK(context != nullptr);
    return memory_use(context.get(), n_outputs);
}

static void check_exact(LoadOptions load_options) {
    load_options.memory_bytes     = 64ull << 30;
    const MemoryEstimate estimate = estimate_memory(load_options);
    CHECK(estimate.fit.fits && estimate.reason.empty());
    check_same(estimate.fit.use, allocated(load_options, estimate.fit.plan));
    const LoadedModel loaded = load_model(
        load_options, [](float) { return true; }, [](std::vector<Event> &&) {});
    check_same(estimate.fit.use, loaded.info().memory);
    CHECK_EQUAL(estimate.fit.plan.n_parallel, loaded.info().n_parallel);
}

static void is_exact_for_every_test_model() {
    int32_t n_models = 0;
    for (const auto & entry : fs::directory_iterator(fs::path(model_path("random")).parent_path())) {
        LoadOptions load_options = options("random", 3, 1024);
        load_options.path        = entry.path().string();
        try {
            Model::load(load_options, [](float) { return true; });
        } catch (const LoadError &) {
            continue;  // made to fail
        }
        check_exact(load_options);
        n_models++;
    }
    CHECK(n_models >= 14);
}

static void counts_the_draft_model() {
    LoadOptions load_options      = options("slow", 4, 2048);
    load_options.memory_bytes     = 64ull << 30;
    const MemoryEstimate without  = estimate_memory(load_options);
    load_options.draft_path       = model_path("random");
    const MemoryEstimate estimate = estimate_memory(load_options);
    CHECK(estimate.fit.use[0].weights > without.fit.use[0].weights + 300'000);
    CHECK(estimate.fit.use[0].kv > without.fit.use[0].kv);
    Recorder   recorder;
    const auto engine = start(recorder, load_options);
    check_same(estimate.fit.use, engine->info().memory);
}

static void is_exact_for_every_shape() {
    for (const int32_t n_ctx : { 256, 1000, 8192, 30000 }) {
        for (const int32_t n_parallel : { 1, 2, 16 }) {
            check_exact(options("slow", n_parallel, n_ctx));
        }
    }
    LoadOptions other     = options("slow", 4, 2048);
    other.flash_attention = FlashAttention::Off;
    check_exact(other);
    other.flash_attention = FlashAttention::On;
    other.type_k          = GGML_TYPE_Q8_0;
    other.type_v          = GGML_TYPE_Q4_0;
    check_exact(other);
    other.kv_layout = KvLayout::Unified;
    check_exact(other);
}

// Its weights are all there, and nothing else: the tensors' bytes are known from the file.
static void counts_the_weights_without_reading_them() {
    const std::string path = (fs::temp_directory_path() / "pilotlight-estimate-test.gguf").string();
    write_large_model(path, model_path("random"));
    LoadOptions load_options = options("random", 1);
    load_options.path        = path;
    const uint64_t weights   = estimate_memory(load_options).fit.use[0].weights;
    CHECK(weights > 50'000'000 && weights <= fs::file_size(path));
    check_exact(load_options);
    fs::remove(path);
}

// Beyond what is measured the estimate follows a straight line: measured shapes lie on it.
static void follows_a_straight_line_for_long_contexts() {
    const std::string path = (fs::temp_directory_path() / "pilotlight-long-context-test.gguf").string();
    write_large_model(path, model_path("random"));
    LoadOptions load_options = options("random", 1);
    load_options.path        = path;
    const auto use_at        = [&](int32_t n_ctx) {
        load_options.n_ctx = n_ctx;
        return estimate_memory(load_options).fit.use[0];
    };
    const DeviceMemory half = use_at(1 << 19), whole = use_at(1 << 20), twice = use_at(1 << 21);
    CHECK_EQUAL(twice.kv, 2 * whole.kv);
    CHECK_EQUAL(whole.kv, 2 * half.kv);
    CHECK_EQUAL(twice.compute - whole.compute, 2 * (whole.compute - half.compute));
    // nothing of this size is ever allocated
    load_options.memory_bytes = 8ull << 30;
    load_options.n_ctx        = 2'000'000'000;
    const MemoryEstimate huge = estimate_memory(load_options);
    CHECK(!huge.fit.fits && huge.fit.use[0].kv > 1'000'000'000'000);
    fs::remove(path);
}

static void says_what_is_needed_and_what_is_free() {
    LoadOptions load_options  = options("slow", 4, 8192);
    load_options.memory_bytes = 14'000'000;
    const MemoryEstimate none = estimate_memory(load_options);
    CHECK(!none.fit.fits);
    for (const char * words : { " for its weights", "a context of 8192 tokens", " in all; 14 MB are free",
                                "Choose a smaller context or a smaller model." }) {
        CHECK(none.reason.find(words) != std::string::npos);
    }
    try {
        Model::load(load_options, [](float) { return true; });
        CHECK(false);
    } catch (const LoadError & error) {
        CHECK(error.code == LoadErrorCode::OutOfMemory);
        CHECK_EQUAL(std::string(error.what()), none.reason);
    }
}

static void loads_what_fits() {
    LoadOptions load_options  = options("slow", 16, 4096);
    load_options.kv_layout    = KvLayout::Split;
    load_options.n_parallel   = 3;
    const uint64_t three      = estimate_memory(load_options).fit.use[0].total();
    load_options.n_parallel   = 16;
    load_options.memory_bytes = three;
    Recorder   recorder;
    const auto engine = start(recorder, load_options);
    CHECK_EQUAL(engine->info().n_parallel, 3);
    CHECK_EQUAL(engine->info().n_ctx, 4096);
    CHECK(engine->info().memory[0].total() <= three);
    load_options.memory_bytes = three - 1;
    CHECK(start(recorder, load_options)->info().n_parallel == 2);
}

static void leaves_to_stored_prefixes_what_the_model_does_not_take() {
    LoadOptions load_options  = options("slow", 2, 4096);
    load_options.memory_bytes = 1ull << 30;
    const uint64_t taken      = estimate_memory(load_options).fit.use[0].total();
    load_options.store_bytes  = 1ull << 30;
    const auto store_bytes    = [&](uint64_t memory_bytes) {
        load_options.memory_bytes = memory_bytes;
        return Model::load(load_options, [](float) { return true; })->info().store_bytes;
    };
    CHECK_EQUAL(store_bytes(taken + 5000), 5000u);
    CHECK_EQUAL(store_bytes(taken), 0u);
    CHECK_EQUAL(store_bytes(taken + (2ull << 30)), 1ull << 30);
    CHECK_EQUAL(store_bytes(0), 1ull << 30);
}

int main() {
    RUN(is_exact_for_every_test_model);
    RUN(is_exact_for_every_shape);
    RUN(counts_the_draft_model);
    RUN(counts_the_weights_without_reading_them);
    RUN(follows_a_straight_line_for_long_contexts);
    RUN(says_what_is_needed_and_what_is_free);
    RUN(loads_what_fits);
    RUN(leaves_to_stored_prefixes_what_the_model_does_not_take);
}
