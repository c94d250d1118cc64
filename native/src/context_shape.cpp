#include "context_shape.h"

#include <algorithm>
#include <array>

// Tokens of one logical batch and of one pass through the graph.
static constexpr int32_t N_BATCH  = 2048;
static constexpr int32_t N_UBATCH = 512;

// Those that llama.cpp's attention kernels read on every backend that has flash attention.
static constexpr std::array<ggml_type, 9> KV_TYPES = {
    GGML_TYPE_F32,  GGML_TYPE_F16,  GGML_TYPE_BF16, GGML_TYPE_Q8_0,   GGML_TYPE_Q4_0,
    GGML_TYPE_Q4_1, GGML_TYPE_Q5_0, GGML_TYPE_Q5_1, GGML_TYPE_IQ4_NL,
};

llama_flash_attn_type to_llama(FlashAttention flash_attention) {
    switch (flash_attention) {
        case FlashAttention::On:
            return LLAMA_FLASH_ATTN_TYPE_ENABLED;
        case FlashAttention::Off:
            return LLAMA_FLASH_ATTN_TYPE_DISABLED;
        case FlashAttention::Auto:
            break;
    }
    return LLAMA_FLASH_ATTN_TYPE_AUTO;
}

int32_t n_rows_max(const ContextShape & shape) {
    return shape.n_parallel + shape.n_draft_max;
}

int32_t batch_size(const ContextShape & shape) {
    return std::max(N_BATCH, shape.n_parallel);
}

llama_context_params to_context_params(const ContextShape & shape) {
    llama_context_params params = llama_context_default_params();
    params.n_ctx                = (uint32_t) (shape.is_unified ? shape.n_cells : shape.n_ctx * shape.n_parallel);
    params.n_batch              = (uint32_t) batch_size(shape);
    params.n_ubatch             = N_UBATCH;
    params.n_seq_max            = (uint32_t) shape.n_parallel;
    params.n_outputs_max        = (uint32_t) n_rows_max(shape);
    params.n_threads            = shape.n_threads;
    params.n_threads_batch      = shape.n_threads;
    params.type_k               = shape.type_k;
    params.type_v               = shape.type_v;
    params.flash_attn_type      = to_llama(shape.flash_attention);
    params.swa_full             = false;  // a window's layers keep the window only: checkpoints do the rest
    params.kv_unified           = shape.is_unified;
    params.no_perf              = true;
    return params;
}

std::string to_words(const ContextShape & shape) {
    return std::to_string(shape.is_unified ? shape.n_cells : shape.n_ctx) + " tokens for " +
           std::to_string(shape.n_parallel) + (shape.n_parallel == 1 ? " request" : " requests");
}

std::optional<ggml_type> kv_type_from_name(const std::string & name) {
    const auto * found =
        std::find_if(KV_TYPES.begin(), KV_TYPES.end(), [&](ggml_type type) { return name == ggml_type_name(type); });
    return found == KV_TYPES.end() ? std::nullopt : std::optional<ggml_type>(*found);
}
