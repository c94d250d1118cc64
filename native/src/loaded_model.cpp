#include "loaded_model.h"

EngineStats LoadedModel::stats() const {
    if (engine) {
        return engine->stats();
    }
    const EmbedStats embed = embedder->stats();
    EngineStats      out;
    out.n_requests             = embed.n_running + embed.n_waiting;
    out.n_running              = embed.n_running;
    out.n_waiting              = embed.n_waiting;
    out.n_slots                = 1;
    out.n_steps                = embed.n_batches;
    out.n_peak_batch_sequences = embed.n_peak_batch_inputs;
    return out;
}

void LoadedModel::close() const {
    if (engine) {
        engine->close();
    }
    if (embedder) {
        embedder->close();
    }
}

LoadedModel load_model(const LoadOptions & options, const LoadProgress & on_progress, Engine::Sink sink) {
    const auto give_up_where_asked = [&](float fraction) {
        if (!on_progress(fraction)) {
            throw LoadError(LoadErrorCode::Cancelled, "Loading was cancelled.");
        }
    };
    give_up_where_asked(0.0f);
    LoadedModel loaded;
    loaded.model = Model::load(options, on_progress);
    give_up_where_asked(1.0f);
    if (loaded.model->info().kind == ModelKind::Generative) {
        loaded.engine = std::make_shared<Engine>(loaded.model, std::move(sink));
    } else {
        loaded.embedder = std::make_shared<Embedder>(loaded.model);
    }
    give_up_where_asked(1.0f);
    return loaded;
}
