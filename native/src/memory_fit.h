#pragma once

#include "memory_use.h"

#include <cstdint>
#include <functional>

// How much context, how many sequences and how many layers on the GPU fit into memory. Pure: what a plan takes is
// measured by the caller.

// KV cache: a stream of its own for each sequence, or one that all share. Auto: see fit_memory.
enum class KvLayout { Auto, Split, Unified };

struct FitRequest {
    int32_t  n_ctx_train  = 0;
    int32_t  n_layers     = 0;   // that can lie on a GPU, the output layer included
    int32_t  n_ctx        = 0;   // asked for; 0: automatic
    int32_t  n_parallel   = 1;   // asked for
    int32_t  n_gpu_layers = -1;  // asked for; -1: automatic
    KvLayout kv_layout    = KvLayout::Auto;
};

struct MemoryPlan {
    int32_t n_ctx        = 0;   // tokens that each sequence may have
    int32_t n_parallel   = 1;   // sequences at the same time
    int32_t n_gpu_layers = -1;  // -1: all
    bool    is_unified   = false;
    int32_t n_cells      = 0;  // KV cache, in tokens over all sequences; n_ctx * n_parallel unless unified
};

struct FitResult {
    bool       fits = true;  // false: plan is the smallest one allowed, and use what it would take
    MemoryPlan plan;
    MemoryUse  use;
    size_t     short_of = 0;  // where it does not fit: index into use
};

// What a plan would take, with budgets. May throw.
using MeasurePlan = std::function<MemoryUse(const MemoryPlan &)>;

// Bytes over the budget of use[device]; negative: bytes left. Memory of shared devices counts against main memory too.
double bytes_over(const MemoryUse & use, size_t device);

// An explicit context and explicit layers are kept or refused; sequences are as many as fit, up to those asked for.
//
// Layers: all, if then at least the smallest context fits; else as many as leave room on the devices for the wanted
// one, and main memory has the rest. Context: an automatic one is the trained context up to 8,192 tokens, and shrinks
// down to 2,048 once a single sequence no longer fits. Its KV cache takes a quarter of a device's memory at most (1 to
// 4 GiB). Streams: split, which computes fastest; unified where memory has room for fewer than four split streams (or
// those asked for), and more sequences than that can share one.
FitResult fit_memory(const FitRequest & request, const MeasurePlan & measure);
