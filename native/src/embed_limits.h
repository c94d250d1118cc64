#pragma once

#include <cstdint>
#include <optional>

// How long an input may be, and how many tokens share a batch, within the memory there is. Pure.

struct EmbedLimitsInput {
    uint64_t            memory_bytes       = 0;  // what weights, cache and buffers may take; 0: no limit
    uint64_t            model_bytes        = 0;
    uint64_t            kv_bytes_per_token = 0;
    int32_t             n_vocab            = 0;
    int32_t             n_head             = 1;
    int32_t             n_ctx_train        = 0;
    int32_t             n_ctx              = 0;     // asked for; 0: automatic
    bool                is_whole           = true;  // an input must go through the model in one piece
    std::optional<bool> flash_attention;            // asked for; none: automatic
};

struct EmbedLimits {
    bool    fits            = true;   // false: not even the shortest context, or not the one that was asked for
    int32_t n_ctx           = 0;      // tokens of the longest input, special tokens included
    int32_t n_batch         = 0;      // tokens that can go through the model at once
    bool    flash_attention = false;  // see N_SCORE_BYTES
};

// Several inputs share a batch up to this many tokens: enough to keep the kernels busy, while attention, which every
// token of a batch pays for all of them, stays a small part of the work.
constexpr int32_t N_EMBED_SHARED = 512;

// Most inputs that share a batch.
constexpr int32_t N_EMBED_SEQ_MAX = 64;

// Without flash attention a text has the same vector alone and beside others, within 1e-4; with it, they differ by some
// thousandths (docs/decisions). It is on only where the scores of attention would take more than this.
constexpr uint64_t N_SCORE_BYTES = 256ull << 20;

// An automatic context is the trained one up to 8,192 tokens, cut to a quarter of the memory (1 to 4 GiB). No context
// is longer than the trained one, because positions beyond it do not exist in many of these models.
EmbedLimits fit_embedding(const EmbedLimitsInput & input);
