#include "memory_fit.h"

#include <algorithm>

// Longest automatic context, tokens: enough for long chats, and 16 of them still fit for small models.
static constexpr int32_t N_CTX_AUTO = 8192;

// Shortest automatic context, tokens.
static constexpr int32_t N_CTX_MIN = 512;

// What an automatic context may take for the KV cache of all slots: a quarter of the memory, within these bounds,
// bytes. A small model could fill the whole machine with slots that nobody uses, and take long to load because of them.
static constexpr double   KV_AUTO_SHARE = 0.25;
static constexpr uint64_t KV_AUTO_MIN   = 1ull << 30;
static constexpr uint64_t KV_AUTO_MAX   = 4ull << 30;

// Share of the memory after the weights that the KV cache may take; the rest is for compute buffers.
static constexpr double KV_SHARE = 0.8;

FitResult fit_memory(const FitInput & input) {
    FitResult result;
    result.n_ctx      = input.n_ctx > 0 ? input.n_ctx : std::clamp(input.n_ctx_train, 1, N_CTX_AUTO);
    result.n_parallel = std::max(1, input.n_parallel);
    if (input.memory_bytes == 0 || input.kv_bytes_per_token == 0) {
        return result;
    }
    if (input.model_bytes >= input.memory_bytes) {
        result.fits = false;
        return result;
    }

    double kv_bytes = (double) (input.memory_bytes - input.model_bytes) * KV_SHARE;
    if (input.n_ctx == 0) {
        const auto share = (uint64_t) ((double) input.memory_bytes * KV_AUTO_SHARE);
        kv_bytes         = std::min(kv_bytes, (double) std::clamp(share, KV_AUTO_MIN, KV_AUTO_MAX));
    }
    const int64_t n_tokens = (int64_t) (kv_bytes / (double) input.kv_bytes_per_token);

    if (n_tokens >= result.n_ctx) {
        result.n_parallel = (int32_t) std::min<int64_t>(result.n_parallel, n_tokens / result.n_ctx);
        return result;
    }
    if (input.n_ctx > 0 || n_tokens < std::min(N_CTX_MIN, result.n_ctx)) {
        result.fits = false;
        return result;
    }
    result.n_ctx      = (int32_t) n_tokens;
    result.n_parallel = 1;
    return result;
}
