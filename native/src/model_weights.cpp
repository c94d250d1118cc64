#include "model_weights.h"

#include "load_log.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

ModelWeights load_weights(const std::string & path, int32_t n_gpu_layers, const LoadProgress & on_progress) {
    load_log::begin();

    struct Progress {
        const LoadProgress & on_progress;
        bool                 cancelled = false;
    } progress{ on_progress };

    llama_model_params params          = llama_model_default_params();
    params.n_gpu_layers                = n_gpu_layers;
    params.progress_callback_user_data = &progress;
    params.progress_callback           = [](float fraction, void * user_data) {
        Progress & p = *static_cast<Progress *>(user_data);
        p.cancelled  = p.cancelled || !p.on_progress(fraction);
        return !p.cancelled;
    };

    ModelWeights weights(llama_model_load_from_file(path.c_str(), params));
    if (progress.cancelled) {
        throw LoadError(LoadErrorCode::Cancelled, "Loading was cancelled.");
    }
    if (!weights) {
        throw model_load_error(path, load_log::errors());
    }
    return weights;
}

static std::string meta(const llama_model * model, const std::string & key) {
    std::array<char, 256> buffer = {};
    const int32_t         n      = llama_model_meta_val_str(model, key.c_str(), buffer.data(), buffer.size());
    return n < 0 ? std::string() : std::string(buffer.data());
}

// Has a decoder that looks only at what came before: no model that makes embeddings.
static bool writes_text(const llama_model * model) {
    return llama_model_has_decoder(model) &&
           meta(model, meta(model, "general.architecture") + ".attention.causal") != "false";
}

// Tokens by which two vocabularies may differ in size: some files pad theirs.
static constexpr int32_t N_PADDING_MAX = 128;

// What makes a model unfit to guess for another: a sentence for people; empty where it fits.
static std::string draft_mismatch(const llama_model * draft, const llama_model * main) {
    const llama_vocab * a   = llama_model_get_vocab(draft);
    const llama_vocab * b   = llama_model_get_vocab(main);
    const int32_t       n_a = llama_vocab_n_tokens(a);
    const int32_t       n_b = llama_vocab_n_tokens(b);

    if (llama_model_is_recurrent(draft) || llama_model_is_hybrid(draft)) {
        return "It keeps a recurrent state, from which wrong guesses cannot be taken back.";
    }
    if (!writes_text(draft) || llama_model_has_encoder(draft)) {
        return "It does not write text.";
    }
    if (llama_vocab_type(a) != llama_vocab_type(b) || std::abs(n_a - n_b) > N_PADDING_MAX) {
        return "Its vocabulary has " + std::to_string(n_a) + " tokens, the model's " + std::to_string(n_b) +
               ". Take one of the same family.";
    }
    for (llama_token token = 0; token < std::min(n_a, n_b); token++) {
        if (strcmp(llama_vocab_get_text(a, token), llama_vocab_get_text(b, token)) != 0) {
            return "Its vocabulary is another one: token " + std::to_string(token) + " is \"" +
                   llama_vocab_get_text(a, token) + "\" there and \"" + llama_vocab_get_text(b, token) +
                   "\" in the model. Take one of the same family.";
        }
    }
    return {};
}

static LoadError of_draft(const LoadError & error) {
    const bool cancelled = error.code == LoadErrorCode::Cancelled;
    return { error.code, cancelled ? error.what() : std::string("The draft model cannot be loaded. ") + error.what() };
}

void check_draft_file(const std::string & path) {
    try {
        check_model_file(path);
    } catch (const LoadError & error) {
        throw of_draft(error);
    }
}

ModelWeights load_draft_weights(const std::string & path, const llama_model * main, int32_t n_gpu_layers,
                                const LoadProgress & on_progress) {
    check_draft_file(path);
    ModelWeights weights;
    try {
        weights = load_weights(path, n_gpu_layers, on_progress);
    } catch (const LoadError & error) {
        throw of_draft(error);
    }
    const std::string mismatch = draft_mismatch(weights.get(), main);
    if (!mismatch.empty()) {
        throw LoadError(LoadErrorCode::InvalidOptions, "This draft model cannot guess for this model. " + mismatch);
    }
    return weights;
}
