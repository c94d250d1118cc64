#include "embed_limits.h"

#include <algorithm>

static constexpr int32_t N_CTX_AUTO = 8192;

// Shortest automatic context, tokens.
static constexpr int32_t N_CTX_MIN = 128;

static constexpr double   AUTO_SHARE = 0.25;
static constexpr uint64_t AUTO_MIN   = 1ull << 30;
static constexpr uint64_t AUTO_MAX   = 4ull << 30;

// Share of the memory after the weights that may be used; the rest is for activations.
static constexpr double USABLE_SHARE = 0.8;

// Of attention, for the largest batch.
static double score_bytes(const EmbedLimitsInput & input, const EmbedLimits & limits) {
    return (double) input.n_head * limits.n_batch * std::max(limits.n_ctx, limits.n_batch) * sizeof(float);
}

// llama.cpp keeps a row of logits for every token of a batch, although an embedding model has none to give, and the
// mask of attention in 32 and in 16 bits.
static double bytes_of(const EmbedLimitsInput & input, const EmbedLimits & limits) {
    const double n_cache = std::max(limits.n_ctx, limits.n_batch);
    return (double) limits.n_batch * input.n_vocab * sizeof(float) + n_cache * (double) input.kv_bytes_per_token +
           n_cache * limits.n_batch * (sizeof(float) + sizeof(uint16_t)) +
           (limits.flash_attention ? 0.0 : score_bytes(input, limits));
}

static void set_context(EmbedLimits & limits, const EmbedLimitsInput & input, int32_t n_ctx) {
    limits.n_ctx           = n_ctx;
    limits.n_batch         = input.is_whole ? std::max(n_ctx, N_EMBED_SHARED) : N_EMBED_SHARED;
    limits.flash_attention = input.flash_attention.value_or(score_bytes(input, limits) > (double) N_SCORE_BYTES);
}

EmbedLimits fit_embedding(const EmbedLimitsInput & input) {
    const int32_t n_ctx_train = std::max(1, input.n_ctx_train);

    EmbedLimits result;
    set_context(result, input, std::min(n_ctx_train, input.n_ctx > 0 ? input.n_ctx : N_CTX_AUTO));
    if (input.memory_bytes == 0) {
        return result;
    }
    if (input.model_bytes >= input.memory_bytes) {
        result.fits = false;
        return result;
    }

    double usable = (double) (input.memory_bytes - input.model_bytes) * USABLE_SHARE;
    if (input.n_ctx == 0) {
        const auto share = (uint64_t) ((double) input.memory_bytes * AUTO_SHARE);
        usable           = std::min(usable, (double) std::clamp(share, AUTO_MIN, AUTO_MAX));
    }
    const int32_t n_ctx_min = input.n_ctx > 0 ? result.n_ctx : std::min(N_CTX_MIN, result.n_ctx);
    while (bytes_of(input, result) > usable) {
        if (result.n_ctx <= n_ctx_min) {
            result.fits = false;
            return result;
        }
        set_context(result, input, std::max(n_ctx_min, result.n_ctx / 2));
    }
    return result;
}
