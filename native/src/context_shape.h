#pragma once

#include "ggml.h"
#include "llama.h"

#include <optional>
#include <string>
#include <vector>

enum class FlashAttention { Auto, On, Off };

llama_flash_attn_type to_llama(FlashAttention flash_attention);

// What the memory of a context depends on. The estimate and the engine make their contexts from the same shape, so that
// the one tells what the other takes.
struct ContextShape {
    int32_t        n_ctx           = 0;      // tokens of each sequence
    int32_t        n_parallel      = 1;      // sequences
    bool           is_unified      = false;  // one KV cache of n_cells tokens for all sequences, else one for each
    int32_t        n_cells         = 0;
    ggml_type      type_k          = GGML_TYPE_F16;
    ggml_type      type_v          = GGML_TYPE_F16;
    FlashAttention flash_attention = FlashAttention::Auto;
    int32_t        n_threads       = 1;

    // Guessed tokens that one step checks at most, all sequences together; or in their place, prompt tokens whose
    // logits are read. Each needs a row of logits, which a large vocabulary makes a megabyte.
    int32_t n_draft_max = 32;
};

llama_context_params to_context_params(const ContextShape & shape);

// "2048 tokens for 4 requests"
std::string to_words(const ContextShape & shape);

// Rows of logits that one step gives at most: one for each sequence, and one for each guessed token or prompt token
// whose logits are read.
int32_t n_rows_max(const ContextShape & shape);

// Tokens of one logical batch.
int32_t batch_size(const ContextShape & shape);

// The element types a KV cache can have, by the name ggml gives them, such as "f16" or "q8_0"; none for any other name.
std::optional<ggml_type> kv_type_from_name(const std::string & name);
