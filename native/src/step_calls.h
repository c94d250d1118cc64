#pragma once

#include "scheduler.h"

#include <cstdint>
#include <optional>
#include <vector>

// How a step is divided among calls of llama_decode. Pure.
//
// Where every sequence has a KV stream of its own, llama.cpp computes the attention of a call over as many cells as the
// longest of its sequences has, for all of them; and it takes sequences into one pass over the weights only where their
// ids follow each other. So prefill has a call of its own, and so have running sequences of very different lengths.

// Prefill and what runs beside it: at most two parts, each with its own account of time. One where all sequences share
// one KV cache, which a call computes over as a whole. Then each image, whose embeddings cannot be among tokens.
std::vector<BatchPlan> parts_of(const BatchPlan & plan, bool is_unified);

// Divides a part of running sequences into calls that together read least: for each call the weights once a run of
// neighbouring slots, and for each sequence as many cells as the longest of the call has. Slots stay in order. A part
// with prefill in it is one call.
// n_cells: tokens of each slot. n_cells_per_pass: cells that are read in the time of one pass over the weights, > 0;
// none where no part is to be divided.
std::vector<BatchPlan> calls_of(const BatchPlan & part, const std::vector<int32_t> & n_cells,
                                std::optional<double> n_cells_per_pass);
