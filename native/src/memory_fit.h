#pragma once

#include <cstdint>

// How much context and how many sequences fit into memory. Pure.

struct FitInput {
    uint64_t memory_bytes       = 0;  // what weights and KV cache may take; 0: no limit
    uint64_t model_bytes        = 0;
    uint64_t kv_bytes_per_token = 0;
    int32_t  n_ctx_train        = 0;
    int32_t  n_ctx              = 0;  // asked for; 0: automatic
    int32_t  n_parallel         = 1;  // asked for
};

struct FitResult {
    bool    fits       = true;  // false: not even one sequence of the smallest context
    int32_t n_ctx      = 0;     // tokens of each sequence
    int32_t n_parallel = 0;
};

// An explicit context is kept and costs slots. An automatic one is the trained context up to 8,192 tokens, with as many
// slots as fit into a quarter of the memory (1 to 4 GiB); it shrinks (down to 512) once a single slot no longer fits.
FitResult fit_memory(const FitInput & input);
