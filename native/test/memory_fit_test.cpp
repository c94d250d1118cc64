// What fits, on made-up devices: no GPU is needed, and none is there where most of these tests run.
#include "memory_fit.h"

#include "check.h"

#include <algorithm>
#include <optional>
#include <random>

namespace {

// A machine and a model, with memory that grows as real ones do.
struct World {
    uint64_t                main_bytes = 0;  // budget; 0: no limit
    std::optional<uint64_t> gpu_bytes;       // none: no GPU
    bool                    is_shared       = false;
    uint64_t                layer_bytes     = 40'000'000;
    int32_t                 n_layers        = 25;  // output included
    uint64_t                kv_per_token    = 100'000;
    uint64_t                compute         = 50'000'000;
    uint64_t                compute_per_seq = 600'000;
    mutable int32_t         n_measured      = 0;

    MemoryUse measure(const MemoryPlan & plan) const {
        n_measured++;
        const int32_t  n_layers_on_gpu = !gpu_bytes ? 0 : plan.n_gpu_layers < 0 ? n_layers : plan.n_gpu_layers;
        const auto     part    = [&](uint64_t bytes, int32_t n) { return bytes * (uint64_t) n / (uint64_t) n_layers; };
        const uint64_t kv      = kv_per_token * (uint64_t) plan.n_cells;
        const uint64_t buffers = compute + compute_per_seq * (uint64_t) plan.n_parallel + (uint64_t) plan.n_cells;

        MemoryUse use(1);
        use[0].name    = "CPU";
        use[0].budget  = main_bytes;
        use[0].weights = layer_bytes * (uint64_t) (n_layers - n_layers_on_gpu);
        use[0].kv      = part(kv, n_layers - n_layers_on_gpu);
        use[0].compute = buffers;
        if (gpu_bytes) {
            DeviceMemory gpu;
            gpu.name      = "GPU";
            gpu.is_shared = is_shared;
            gpu.budget    = *gpu_bytes;
            gpu.weights   = layer_bytes * (uint64_t) n_layers_on_gpu;
            gpu.kv        = part(kv, n_layers_on_gpu);
            gpu.compute   = n_layers_on_gpu > 0 ? buffers : 0;
            use.push_back(gpu);
        }
        return use;
    }

    FitRequest request() const {
        FitRequest out;
        out.n_ctx_train = 32768;
        out.n_layers    = gpu_bytes ? n_layers : 0;
        out.n_parallel  = 16;
        out.kv_layout   = KvLayout::Split;
        return out;
    }

    FitResult fit(const FitRequest & request) const {
        n_measured = 0;
        return fit_memory(request, [this](const MemoryPlan & plan) { return measure(plan); });
    }

    bool has_room_for(const MemoryPlan & plan) const {
        const MemoryUse use = measure(plan);
        for (size_t i = 0; i < use.size(); i++) {
            if (bytes_over(use, i) > 0) {
                return false;
            }
        }
        return true;
    }
};

}  // namespace

static void keeps_everything_without_a_limit() {
    const World     world;
    const FitResult fit = world.fit(world.request());
    CHECK(fit.fits);
    CHECK_EQUAL(fit.plan.n_ctx, 8192);
    CHECK_EQUAL(fit.plan.n_parallel, 16);
    CHECK_EQUAL(fit.plan.n_gpu_layers, -1);
    CHECK(!fit.plan.is_unified);
}

static void gives_up_slots_before_context() {
    World world;
    world.main_bytes    = 8'000'000'000;  // a quarter, 2 GB, for the KV cache: 20,000 tokens
    const FitResult fit = world.fit(world.request());
    CHECK(fit.fits);
    CHECK_EQUAL(fit.plan.n_ctx, 8192);
    CHECK_EQUAL(fit.plan.n_parallel, 2);
    CHECK_EQUAL(fit.plan.n_cells, 2 * 8192);
}

static void leaves_most_of_a_large_memory_alone() {
    World world;
    world.main_bytes   = 100'000'000'000;
    world.kv_per_token = 20'000;
    CHECK_EQUAL(world.fit(world.request()).plan.n_parallel, 16);  // 2.6 GB
    world.kv_per_token = 100'000;
    CHECK_EQUAL(world.fit(world.request()).plan.n_ctx, 8192);
    CHECK_EQUAL(world.fit(world.request()).plan.n_parallel, 5);  // 4 GiB
    FitRequest asked = world.request();
    asked.n_ctx      = 8192;
    CHECK_EQUAL(world.fit(asked).plan.n_parallel, 16);
}

// From the second sequence on the cache counts against what an automatic one may take, as a step in the cost.
static void gives_a_small_model_in_a_large_memory_all_slots() {
    World world;
    world.main_bytes    = 20'000'000'000;
    world.layer_bytes   = 40'000;
    world.kv_per_token  = 640;
    FitRequest request  = world.request();
    request.n_ctx_train = 512;
    const FitResult fit = world.fit(request);
    CHECK(fit.fits);
    CHECK_EQUAL(fit.plan.n_parallel, 16);
    CHECK_EQUAL(fit.plan.n_ctx, 512);
}

static void shrinks_an_automatic_context() {
    World world;
    world.main_bytes    = 1'500'000'000;  // less weights and buffers: 4,400 tokens
    const FitResult fit = world.fit(world.request());
    CHECK(fit.fits);
    CHECK_EQUAL(fit.plan.n_ctx, 4352);
    CHECK_EQUAL(fit.plan.n_parallel, 1);
    CHECK(world.has_room_for(fit.plan));

    world.main_bytes     = 1'200'000'000;
    const FitResult none = world.fit(world.request());
    CHECK(!none.fits);
    CHECK_EQUAL(none.plan.n_ctx, 2048);
    CHECK_EQUAL(none.short_of, 0u);
    CHECK_EQUAL(none.use[0].budget, 1'200'000'000u);
    CHECK(none.use[0].total() > none.use[0].budget);
}

static void takes_a_short_trained_context_as_it_is() {
    World world;
    world.main_bytes    = 1'200'000'000;
    FitRequest request  = world.request();
    request.n_ctx_train = 512;
    CHECK(world.fit(request).fits);
    CHECK_EQUAL(world.fit(request).plan.n_ctx, 512);
    CHECK_EQUAL(world.fit(request).plan.n_parallel, 2);
}

static void goes_no_further_than_the_model_was_trained_for() {
    World      world;
    FitRequest request = world.request();
    request.n_ctx      = request.n_ctx_train + 1;
    CHECK_EQUAL(world.fit(request).plan.n_ctx, request.n_ctx_train);
    request.n_ctx_train = 0;  // the file does not say
    CHECK_EQUAL(world.fit(request).plan.n_ctx, request.n_ctx);
}

static void keeps_an_explicit_context_or_refuses() {
    World world;
    world.main_bytes   = 1'500'000'000;
    FitRequest request = world.request();
    request.n_ctx      = 16384;
    CHECK(!world.fit(request).fits);
    CHECK_EQUAL(world.fit(request).plan.n_ctx, 16384);
    world.main_bytes = 4'000'000'000;
    CHECK_EQUAL(world.fit(request).plan.n_ctx, 16384);
    CHECK_EQUAL(world.fit(request).plan.n_parallel, 1);
    request.n_ctx = 300;
    CHECK_EQUAL(world.fit(request).plan.n_ctx, 300);
    CHECK_EQUAL(world.fit(request).plan.n_parallel, 16);
    request.n_ctx       = 2'147'483'647;
    request.n_ctx_train = 2'147'483'647;
    request.n_parallel  = 256;
    CHECK(!world.fit(request).fits);
    world.main_bytes = 0;
    CHECK(world.fit(request).fits);
    CHECK_EQUAL(world.fit(request).plan.n_parallel, 1);
}

static void puts_everything_on_a_gpu_that_holds_it() {
    World world;
    world.main_bytes    = 16'000'000'000;
    world.gpu_bytes     = 24'000'000'000;
    const FitResult fit = world.fit(world.request());
    CHECK_EQUAL(fit.plan.n_gpu_layers, -1);
    CHECK_EQUAL(fit.plan.n_ctx, 8192);
    CHECK_EQUAL(fit.plan.n_parallel, 5);  // 4 GiB
}

static void rather_shortens_the_context_than_leaves_the_gpu() {
    World world;
    world.main_bytes    = 16'000'000'000;
    world.gpu_bytes     = 1'400'000'000;  // weights: 1 GB
    const FitResult fit = world.fit(world.request());
    CHECK_EQUAL(fit.plan.n_gpu_layers, -1);
    CHECK_EQUAL(fit.plan.n_ctx, 3328);
    CHECK(world.has_room_for(fit.plan));
}

static void splits_a_model_that_is_larger_than_the_gpu() {
    World world;
    world.main_bytes    = 16'000'000'000;
    world.gpu_bytes     = 900'000'000;
    const FitResult fit = world.fit(world.request());
    CHECK(fit.fits);
    CHECK_EQUAL(fit.plan.n_ctx, 8192);
    CHECK(fit.plan.n_gpu_layers > 5 && fit.plan.n_gpu_layers < 22);
    MemoryPlan more = fit.plan;
    more.n_parallel = 1;
    more.n_cells    = more.n_ctx;
    CHECK(world.has_room_for(more));
    more.n_gpu_layers++;
    CHECK(!world.has_room_for(more));
    CHECK(world.n_measured < 24);
}

static void fills_the_device_where_neither_holds_the_model_alone() {
    World world;
    world.main_bytes    = 800'000'000;  // weights: 1 GB
    world.gpu_bytes     = 900'000'000;
    const FitResult fit = world.fit(world.request());
    CHECK(fit.fits);
    CHECK(fit.plan.n_gpu_layers > 0 && fit.plan.n_gpu_layers < world.n_layers);
    CHECK(world.has_room_for(fit.plan));
    MemoryPlan more = fit.plan;
    more.n_gpu_layers++;
    more.n_parallel = 1;
    more.n_cells    = more.n_ctx;
    CHECK(bytes_over(world.measure(more), 1) > 0);

    world.main_bytes = 200'000'000;
    CHECK(!world.fit(world.request()).fits);
}

static void leaves_a_gpu_alone_that_is_too_small() {
    World world;
    world.main_bytes    = 16'000'000'000;
    world.gpu_bytes     = 1;
    const FitResult fit = world.fit(world.request());
    CHECK(fit.fits);
    CHECK_EQUAL(fit.plan.n_gpu_layers, 0);
}

static void keeps_explicit_layers_or_refuses() {
    World world;
    world.main_bytes     = 16'000'000'000;
    world.gpu_bytes      = 900'000'000;
    FitRequest request   = world.request();
    request.n_gpu_layers = 4;
    CHECK_EQUAL(world.fit(request).plan.n_gpu_layers, 4);
    request.n_gpu_layers = 25;
    const FitResult none = world.fit(request);
    CHECK(!none.fits);
    CHECK_EQUAL(none.short_of, 1u);
    request.n_gpu_layers = 0;
    CHECK_EQUAL(world.fit(request).plan.n_gpu_layers, 0);
}

static void counts_shared_memory_once() {
    World world;
    world.is_shared     = true;
    world.gpu_bytes     = 6'000'000'000;
    world.main_bytes    = 1'300'000'000;
    const FitResult fit = world.fit(world.request());
    CHECK(fit.fits);
    CHECK_EQUAL(fit.plan.n_parallel, 1);
    CHECK(fit.plan.n_ctx < 8192);
    world.main_bytes = 1'100'000'000;
    CHECK(!world.fit(world.request()).fits);
    CHECK_EQUAL(world.fit(world.request()).short_of, 0u);
}

static void shares_one_cache_where_few_streams_fit() {
    World world;
    world.main_bytes   = 6'400'000'000;  // a quarter, 1.6 GB, for the KV cache: 16,000 tokens
    FitRequest request = world.request();
    CHECK_EQUAL(world.fit(request).plan.n_parallel, 1);
    request.kv_layout   = KvLayout::Auto;
    const FitResult fit = world.fit(request);
    CHECK(fit.plan.is_unified);
    CHECK_EQUAL(fit.plan.n_parallel, 16);
    CHECK_EQUAL(fit.plan.n_ctx, 8192);
    CHECK_EQUAL(fit.plan.n_cells, 15872);
    CHECK(world.has_room_for(fit.plan));

    world.main_bytes = 16'000'000'000;  // 4 GB: four streams and more
    CHECK(!world.fit(request).plan.is_unified);
    CHECK_EQUAL(world.fit(request).plan.n_parallel, 4);

    world.main_bytes   = 6'400'000'000;
    request.n_parallel = 1;
    CHECK(!world.fit(request).plan.is_unified);
}

static void shares_one_cache_when_asked() {
    World      world;
    FitRequest request  = world.request();
    request.kv_layout   = KvLayout::Unified;
    const FitResult all = world.fit(request);
    CHECK(all.plan.is_unified);
    CHECK_EQUAL(all.plan.n_cells, 16 * 8192);
    world.main_bytes    = 1'500'000'000;
    const FitResult fit = world.fit(request);
    CHECK(fit.plan.is_unified);
    CHECK_EQUAL(fit.plan.n_parallel, 16);
    CHECK(fit.plan.n_cells >= fit.plan.n_ctx);
    CHECK(world.has_room_for(fit.plan));
}

// Over random machines, models and wishes: what fits does fit, nothing asked for is changed, what is refused could not
// have been had, and one more sequence would not have fitted.
static void holds_over_random_worlds() {
    std::mt19937 random(7);
    const auto   between = [&](uint64_t low, uint64_t high) {
        return std::uniform_int_distribution<uint64_t>(low, high)(random);
    };
    int32_t n_fit = 0;
    for (int32_t trial = 0; trial < 3000; trial++) {
        World world;
        world.main_bytes      = between(0, 4) == 0 ? 0 : between(100'000'000, 40'000'000'000);
        world.is_shared       = between(0, 2) == 0;
        world.layer_bytes     = between(1'000'000, 600'000'000);
        world.n_layers        = (int32_t) between(2, 80);
        world.kv_per_token    = between(200, 400'000);
        world.compute         = between(1'000'000, 500'000'000);
        world.compute_per_seq = between(0, 2'000'000);
        if (between(0, 1) == 0) {
            world.gpu_bytes = between(1, 40'000'000'000);
        }
        FitRequest request   = world.request();
        request.n_ctx_train  = (int32_t) between(1, 131072);
        request.n_ctx        = between(0, 1) == 0 ? 0 : (int32_t) between(1, 65536);
        request.n_parallel   = (int32_t) between(1, 64);
        request.n_gpu_layers = between(0, 1) == 0 ? -1 : (int32_t) between(0, (uint64_t) world.n_layers);
        request.kv_layout    = (KvLayout) between(0, 2);

        const FitResult fit = world.fit(request);
        CHECK(world.n_measured < 60);
        CHECK_EQUAL(world.has_room_for(fit.plan), fit.fits);
        CHECK(request.n_ctx == 0 || fit.plan.n_ctx == std::min(request.n_ctx, request.n_ctx_train));
        CHECK(request.n_gpu_layers < 0 || fit.plan.n_gpu_layers == request.n_gpu_layers);
        CHECK(fit.plan.n_parallel >= 1 && fit.plan.n_parallel <= request.n_parallel);
        CHECK(fit.plan.n_ctx >= 1 && fit.plan.n_cells >= fit.plan.n_ctx);
        CHECK(request.kv_layout != KvLayout::Split || !fit.plan.is_unified);
        if (request.n_ctx == 0) {
            CHECK(fit.plan.n_ctx >= std::min(request.n_ctx_train, 2048));
            CHECK(fit.plan.n_ctx <= request.n_ctx_train);
        }
        if (!fit.fits) {
            CHECK(bytes_over(fit.use, fit.short_of) > 0);
            CHECK(request.n_gpu_layers >= 0 || !world.has_room_for({ fit.plan.n_ctx, 1, 0, false, fit.plan.n_ctx }));
            continue;
        }
        n_fit++;
        if (!fit.plan.is_unified && request.n_ctx > 0 && request.kv_layout == KvLayout::Split &&
            fit.plan.n_parallel < request.n_parallel) {
            MemoryPlan more = fit.plan;
            more.n_parallel++;
            more.n_cells = more.n_ctx * more.n_parallel;
            CHECK(!world.has_room_for(more));
        }
    }
    CHECK(n_fit > 500 && n_fit < 2900);
}

int main() {
    RUN(keeps_everything_without_a_limit);
    RUN(gives_up_slots_before_context);
    RUN(leaves_most_of_a_large_memory_alone);
    RUN(gives_a_small_model_in_a_large_memory_all_slots);
    RUN(shrinks_an_automatic_context);
    RUN(takes_a_short_trained_context_as_it_is);
    RUN(goes_no_further_than_the_model_was_trained_for);
    RUN(keeps_an_explicit_context_or_refuses);
    RUN(puts_everything_on_a_gpu_that_holds_it);
    RUN(rather_shortens_the_context_than_leaves_the_gpu);
    RUN(splits_a_model_that_is_larger_than_the_gpu);
    RUN(fills_the_device_where_neither_holds_the_model_alone);
    RUN(leaves_a_gpu_alone_that_is_too_small);
    RUN(keeps_explicit_layers_or_refuses);
    RUN(counts_shared_memory_once);
    RUN(shares_one_cache_where_few_streams_fit);
    RUN(shares_one_cache_when_asked);
    RUN(holds_over_random_worlds);
}
