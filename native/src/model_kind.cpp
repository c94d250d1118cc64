// Model: what a file is for (writing, embeddings, rerank), and what follows from it when it is loaded.

#include "embed_limits.h"
#include "model.h"

#include <algorithm>

// A model whose tokens all see each other cannot write from left to right. The files of most such architectures say so;
// the names of the others are BERT's relatives.
static bool is_bidirectional(const std::string & architecture, const std::string & causal) {
    return causal == "false" || architecture.find("bert") != std::string::npos || architecture == "gemma-embedding";
}

// The pooling of the file decides, because converters write it for embedding and rerank models only, causal ones too
// (docs/decisions). Throws LoadError for what is none of the three kinds.
void Model::find_kind() {
    const std::string & arch = info_.architecture;
    if (llama_vocab_type(vocab_) == LLAMA_VOCAB_TYPE_NONE) {
        throw LoadError(LoadErrorCode::UnsupportedArchitecture,
                        "This file (" + arch + ") has no vocabulary: it is a part of another model.");
    }
    if (llama_model_has_encoder(get())) {
        throw LoadError(LoadErrorCode::UnsupportedArchitecture,
                        "Models with an encoder (" + arch + ") are not supported.");
    }
    if (llama_model_is_diffusion(get())) {
        throw LoadError(LoadErrorCode::UnsupportedArchitecture,
                        "Models that write by diffusion (" + arch + ") are not supported.");
    }

    const int32_t pooling = meta_int(arch + ".pooling_type", LLAMA_POOLING_TYPE_NONE);
    switch (pooling) {
        case LLAMA_POOLING_TYPE_MEAN:
        case LLAMA_POOLING_TYPE_CLS:
        case LLAMA_POOLING_TYPE_LAST:
            info_.kind    = ModelKind::Embedding;
            info_.pooling = (enum llama_pooling_type) pooling;
            break;
        case LLAMA_POOLING_TYPE_RANK:
            info_.kind    = ModelKind::Rerank;
            info_.pooling = LLAMA_POOLING_TYPE_RANK;
            break;
        default:
            if (is_bidirectional(arch, meta(arch + ".attention.causal"))) {
                info_.kind    = ModelKind::Embedding;
                info_.pooling = LLAMA_POOLING_TYPE_MEAN;  // one vector for each token is no answer
            }
            break;
    }
    if (info_.kind == ModelKind::Embedding) {
        info_.n_embd_out = llama_model_n_embd_out(get());
    }
}

void Model::load_template() {
    try {
        chat_template_ = std::make_unique<ChatTemplate>(get());
    } catch (const std::exception &) {
        if (info_.kind != ModelKind::Generative) {
            return;  // nobody chats with it
        }
        // llama.cpp throws a sliced exception without words here
        throw LoadError(LoadErrorCode::BadChatTemplate, "The chat template inside the file has a syntax error.");
    }
    info_.has_chat_template = chat_template_->is_own();
    info_.supports_thinking = info_.kind == ModelKind::Generative && chat_template_->supports_thinking();
}

// Of a KV cache in 16 bits; models that need none have activations of about that size.
uint64_t Model::kv_bytes_per_token() const {
    const std::string & arch   = info_.architecture;
    const int32_t       n_head = std::max(1, llama_model_n_head(get()));
    const int32_t       n_embd = llama_model_n_embd(get()) / n_head;
    const int32_t       n_k    = meta_int(arch + ".attention.key_length", n_embd);
    const int32_t       n_v    = meta_int(arch + ".attention.value_length", n_embd);
    return (uint64_t) llama_model_n_layer(get()) * (uint64_t) std::max(1, llama_model_n_head_kv(get())) *
           (uint64_t) (n_k + n_v) * sizeof(uint16_t);
}

// Throws LoadError where it does not fit.
void Model::fit_embedding(const LoadOptions & options) {
    EmbedLimitsInput input;
    input.memory_bytes       = options.memory_bytes;
    input.model_bytes        = info_.size_bytes;
    input.kv_bytes_per_token = kv_bytes_per_token();
    input.n_vocab            = info_.n_vocab;
    input.n_head             = llama_model_n_head(get());
    input.n_ctx_train        = info_.n_ctx_train;
    input.n_ctx              = options.n_ctx;
    if (options.flash_attention != FlashAttention::Auto) {
        input.flash_attention = options.flash_attention == FlashAttention::On;
    }
    input.is_whole = info_.pooling != LLAMA_POOLING_TYPE_LAST ||
                     is_bidirectional(info_.architecture, meta(info_.architecture + ".attention.causal"));

    const EmbedLimits limits = ::fit_embedding(input);
    if (!limits.fits) {
        throw LoadError(LoadErrorCode::OutOfMemory, "The model needs more memory for inputs of " +
                                                        std::to_string(limits.n_ctx) +
                                                        " tokens than there is. Choose a smaller " +
                                                        (options.n_ctx > 0 ? "context or a smaller model." : "model."));
    }
    info_.n_ctx           = limits.n_ctx;
    info_.n_batch         = limits.n_batch;
    info_.flash_attention = limits.flash_attention ? FlashAttention::Auto : FlashAttention::Off;
}

std::string Model::render(const ChatInput & input) const {
    if (!chat_template_) {
        throw RequestError(ErrorCode::TemplateFailed, "The chat template inside the model's file has a syntax error.");
    }
    return chat_template_->render(input).prompt;
}
