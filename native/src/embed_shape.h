#pragma once

#include "context_shape.h"
#include "model_kind.h"

#include <cstdint>
#include <string>

// Several inputs share a batch up to this many tokens: enough to keep the kernels busy, while attention, which every
// token of a batch pays for all of them, stays a small part of the work.
constexpr int32_t N_EMBED_SHARED = 512;

// Most inputs that share a batch.
constexpr int32_t N_EMBED_SEQ_MAX = 64;

// Without flash attention a text has the same vector alone and beside others, within 1e-4; with it, they differ by some
// thousandths (docs/decisions). It is on only where the scores of attention would take more than this, bytes.
constexpr uint64_t EMBED_SCORES_MAX = 256ull << 20;

// What the memory of an embedder's context depends on. The estimate and the embedder make their contexts from the same
// shape.
struct EmbedShape {
    int32_t                 n_ctx           = 0;  // tokens of the longest input, special tokens included
    int32_t                 n_batch         = 0;  // tokens that can go through the model at once
    FlashAttention          flash_attention = FlashAttention::Off;
    enum llama_pooling_type pooling         = LLAMA_POOLING_TYPE_MEAN;
    int32_t                 n_threads       = 1;
};

// n_head: attention heads of the model. flash_attention: Auto follows EMBED_SCORES_MAX.
EmbedShape to_embed_shape(const ModelPurpose & purpose, int32_t n_head, int32_t n_ctx, FlashAttention flash_attention);

llama_context_params to_context_params(const EmbedShape & shape);

// "inputs of 512 tokens"
std::string to_words(const EmbedShape & shape);
