#include "model_kind.h"

#include "load_error.h"

#include <array>
#include <cstdlib>
#include <string>

static std::string meta(const llama_model * model, const std::string & key) {
    std::array<char, 256> buffer = {};
    const int32_t         n      = llama_model_meta_val_str(model, key.c_str(), buffer.data(), buffer.size());
    return n < 0 ? std::string() : std::string(buffer.data());
}

// A model whose tokens all see each other cannot write from left to right. The files of most such architectures say so;
// the names of the others are BERT's relatives.
static bool is_bidirectional(const std::string & architecture, const std::string & causal) {
    return causal == "false" || architecture.find("bert") != std::string::npos || architecture == "gemma-embedding";
}

static void refuse_other_kinds(const llama_model * model, const std::string & architecture) {
    if (llama_vocab_type(llama_model_get_vocab(model)) == LLAMA_VOCAB_TYPE_NONE) {
        throw LoadError(LoadErrorCode::UnsupportedArchitecture,
                        "This file (" + architecture + ") has no vocabulary: it is a part of another model.");
    }
    if (llama_model_has_encoder(model)) {
        throw LoadError(LoadErrorCode::UnsupportedArchitecture,
                        "Models with an encoder (" + architecture + ") are not supported.");
    }
    if (llama_model_is_diffusion(model)) {
        throw LoadError(LoadErrorCode::UnsupportedArchitecture,
                        "Models that write by diffusion (" + architecture + ") are not supported.");
    }
}

// The pooling of the file decides, because converters write it for embedding and rerank models only, causal ones too
// (docs/decisions).
ModelPurpose purpose_of(const llama_model * model) {
    const std::string architecture = meta(model, "general.architecture");
    refuse_other_kinds(model, architecture);

    const bool   bidirectional = is_bidirectional(architecture, meta(model, architecture + ".attention.causal"));
    ModelPurpose purpose;
    const long   pooling = strtol(meta(model, architecture + ".pooling_type").c_str(), nullptr, 10);
    switch (pooling) {
        case LLAMA_POOLING_TYPE_MEAN:
        case LLAMA_POOLING_TYPE_CLS:
        case LLAMA_POOLING_TYPE_LAST:
            purpose.kind    = ModelKind::Embedding;
            purpose.pooling = (enum llama_pooling_type) pooling;
            break;
        case LLAMA_POOLING_TYPE_RANK:
            purpose.kind    = ModelKind::Rerank;
            purpose.pooling = LLAMA_POOLING_TYPE_RANK;
            break;
        default:
            if (bidirectional) {
                purpose.kind    = ModelKind::Embedding;
                purpose.pooling = LLAMA_POOLING_TYPE_MEAN;  // one vector for each token is no answer
            }
            break;
    }
    purpose.is_whole = bidirectional || purpose.pooling != LLAMA_POOLING_TYPE_LAST;
    return purpose;
}
