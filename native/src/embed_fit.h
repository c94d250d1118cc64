#pragma once

#include "memory_fit.h"

// How long an input of an embedding or rerank model may be, and whether its layers fit onto the GPU. Pure: what a plan
// takes is measured by the caller.
//
// No context is longer than the trained one, because positions beyond it do not exist in many of these models. An
// automatic one is at most 8,192 tokens, and takes a quarter of a device's memory at most (1 to 4 GiB): llama.cpp keeps
// a row of logits for every token of a batch, although there are none, which makes long inputs dear for large
// vocabularies. It shrinks down to 512. An explicit one is kept or refused.
FitResult fit_embedding(const FitRequest & request, const MeasurePlan & measure);
