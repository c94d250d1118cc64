#include "embed_fit.h"

#include "embed_shape.h"

#include <algorithm>
#include <vector>

// Bounds of an automatic context, tokens.
static constexpr int32_t N_CTX_AUTO = 8192;
static constexpr int32_t N_CTX_MIN  = 512;

// What an automatic context may take of a device, bytes.
static constexpr double   AUTO_SHARE = 0.25;
static constexpr uint64_t AUTO_MIN   = 1ull << 30;
static constexpr uint64_t AUTO_MAX   = 4ull << 30;

static bool fits(const MemoryUse & use) {
    for (size_t i = 0; i < use.size(); i++) {
        if (bytes_over(use, i) > 0) {
            return false;
        }
    }
    return true;
}

static bool is_modest(const MemoryUse & use) {
    return std::all_of(use.begin(), use.end(), [](const DeviceMemory & memory) {
        const auto share = (uint64_t) ((double) memory.budget * AUTO_SHARE);
        return memory.budget == 0 || memory.kv + memory.compute <= std::clamp(share, AUTO_MIN, AUTO_MAX);
    });
}

FitResult fit_embedding(const FitRequest & request, const MeasurePlan & measure) {
    const int32_t n_ctx_train = std::max(1, request.n_ctx_train);
    const int32_t n_ctx       = std::min(n_ctx_train, request.n_ctx > 0 ? request.n_ctx : N_CTX_AUTO);
    const int32_t n_ctx_min   = request.n_ctx > 0 ? n_ctx : std::min(n_ctx, N_CTX_MIN);

    std::vector<int32_t> layers = { request.n_gpu_layers };
    if (request.n_gpu_layers < 0 && request.n_layers > 0) {
        layers.push_back(0);  // a part on each side would wait for both
    }
    FitResult result;
    for (const int32_t n_gpu_layers : layers) {
        for (int32_t n = n_ctx;; n = std::max(n_ctx_min, n / 2)) {
            result.plan = { n, N_EMBED_SEQ_MAX, n_gpu_layers, true, n };
            result.use  = measure(result.plan);
            result.fits = fits(result.use) && (n == n_ctx_min || is_modest(result.use));
            if (result.fits) {
                return result;
            }
            if (n == n_ctx_min) {
                break;
            }
        }
    }
    for (size_t i = 0; i < result.use.size(); i++) {
        if (bytes_over(result.use, i) > bytes_over(result.use, result.short_of)) {
            result.short_of = i;
        }
    }
    return result;
}
