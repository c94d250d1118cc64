#include "embed_shape.h"

#include <algorithm>

EmbedShape to_embed_shape(const ModelPurpose & purpose, int32_t n_head, int32_t n_ctx, FlashAttention flash_attention) {
    EmbedShape shape;
    shape.n_ctx           = n_ctx;
    shape.n_batch         = purpose.is_whole ? std::max(n_ctx, N_EMBED_SHARED) : N_EMBED_SHARED;
    shape.flash_attention = flash_attention;
    shape.pooling         = purpose.pooling;

    const double scores = (double) n_head * shape.n_batch * std::max(n_ctx, shape.n_batch) * sizeof(float);
    if (flash_attention == FlashAttention::Auto && scores <= (double) EMBED_SCORES_MAX) {
        shape.flash_attention = FlashAttention::Off;
    }
    return shape;
}

llama_context_params to_context_params(const EmbedShape & shape) {
    llama_context_params params = llama_context_default_params();
    params.n_ctx                = (uint32_t) std::max(shape.n_ctx, shape.n_batch);
    params.n_batch              = (uint32_t) shape.n_batch;
    params.n_ubatch             = (uint32_t) shape.n_batch;
    params.n_seq_max            = (uint32_t) N_EMBED_SEQ_MAX;
    params.n_threads            = shape.n_threads;
    params.n_threads_batch      = shape.n_threads;
    params.flash_attn_type      = to_llama(shape.flash_attention);
    params.embeddings           = true;
    params.pooling_type         = shape.pooling;
    params.kv_unified           = true;  // cells are lent to whatever lengths share a batch
    params.no_perf              = true;
    return params;
}

std::string to_words(const EmbedShape & shape) {
    return "inputs of " + std::to_string(shape.n_ctx) + " tokens";
}
