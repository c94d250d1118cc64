#pragma once

#include "llama.h"

enum class ModelKind {
    Generative,
    Embedding,  // a vector for a text
    Rerank,     // a score for a query and a document
};

// What a model is for.
struct ModelPurpose {
    ModelKind               kind     = ModelKind::Generative;
    enum llama_pooling_type pooling  = LLAMA_POOLING_TYPE_NONE;  // None where generative
    bool                    is_whole = false;  // embeddings and rerank: an input must go through in one piece
};

// From the metadata in the model's file; the model may be loaded without its weights. Throws LoadError for what is none
// of the three kinds.
ModelPurpose purpose_of(const llama_model * model);
