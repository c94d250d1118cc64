#pragma once

#include "embedder.h"
#include "engine.h"

#include <memory>

// A model in memory and what serves it: one of the two. All empty: nothing is loaded.
struct LoadedModel {
    std::shared_ptr<const Model> model;
    std::shared_ptr<Engine>      engine;    // where it writes text
    std::shared_ptr<Embedder>    embedder;  // where it makes embeddings or scores

    // The model's, with the context as it really is.
    const ModelInfo & info() const { return embedder ? embedder->info() : engine->info(); }

    // Of an embedder: requests in a batch and waiting, one slot, batches, and the most inputs that shared one.
    EngineStats stats() const;

    // Ends every request, frees the context. Blocks until the threads are gone.
    void close() const;
};

// Loads a model and starts what serves it. Blocks. on_progress gets 0..1 and returns false to give up, also after the
// last weight and after the context: then everything is freed again (LoadError Cancelled). sink: of an engine. Throws
// LoadError.
LoadedModel load_model(const LoadOptions & options, const LoadProgress & on_progress, Engine::Sink sink);
