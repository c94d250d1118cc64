#pragma once

#include "memory_fit.h"
#include "model.h"

#include <memory>
#include <string>

struct MemoryEstimate {
    FitResult   fit;
    std::string reason;  // a sentence for people where it does not fit
};

// What a model takes, exactly, and what of it fits: from the file's metadata, without reading its weights. Takes
// milliseconds, for the largest vocabularies about a second; recurrent states are allocated meanwhile, because
// llama.cpp cannot tell their size otherwise. Throws LoadError where the file or the options cannot be loaded at all.
MemoryEstimate estimate_memory(const LoadOptions & options);

// A plan that takes what is asked for, whatever is free.
MemoryPlan unlimited_plan(const LoadOptions & options, const ModelPurpose & purpose, const llama_model * model);

ContextShape to_shape(const MemoryPlan & plan, const LoadOptions & options);
