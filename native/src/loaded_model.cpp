#include "loaded_model.h"

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
