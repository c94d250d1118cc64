#pragma once

#include "llama.h"
#include "load_error.h"

#include <functional>
#include <memory>
#include <string>

// Gets the part of the weights that is loaded, 0..1; false: give up. Called on the loading thread.
using LoadProgress = std::function<bool(float)>;

struct ModelDeleter {
    void operator()(llama_model * model) const { llama_model_free(model); }
};
using ModelWeights = std::unique_ptr<llama_model, ModelDeleter>;

// Loads one GGUF file that check_model_file let pass. Blocks. n_gpu_layers: -1: all. Throws LoadError, Cancelled where
// on_progress gives up.
ModelWeights load_weights(const std::string & path, int32_t n_gpu_layers, const LoadProgress & on_progress);

// Throws LoadError for what is no model at first sight, see check_model_file.
void check_draft_file(const std::string & path);

// The same for a model that is to guess for another one. Throws LoadError also where it cannot.
ModelWeights load_draft_weights(const std::string & path, const llama_model * main, int32_t n_gpu_layers,
                                const LoadProgress & on_progress);
