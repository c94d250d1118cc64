// From a model to a context to compute in. Loading thread only.
#include "common.h"  // llama.cpp common
#include "engine.h"
#include "load_log.h"

ContextShape Engine::shape() const {
    ContextShape shape;
    shape.n_ctx           = info_.n_ctx;
    shape.n_parallel      = info_.n_parallel;
    shape.is_unified      = info_.is_unified;
    shape.n_cells         = info_.n_cells;
    shape.type_k          = info_.type_k;
    shape.type_v          = info_.type_v;
    shape.flash_attention = info_.flash_attention;
    shape.n_threads       = info_.n_threads;
    return shape;
}

void Engine::create_context() {
    load_log::begin();

    context_.reset(llama_init_from_model(model_->get(), to_context_params(shape())));
    if (!context_) {
        throw context_error(load_log::errors(), to_words(shape()));
    }
    info_.flash_attention = info_.flash_attention == FlashAttention::Off || load_log::refused_flash_attention()
                                ? FlashAttention::Off
                                : FlashAttention::On;
    info_.n_cells         = (int32_t) llama_n_ctx(context_.get());
    if (!info_.is_unified) {
        info_.n_ctx = (int32_t) llama_n_ctx_seq(context_.get());
    }
    MemoryUse memory = memory_use(context_.get(), n_rows_max(shape()));

    // guesses that do not hold are taken out of the memory again: a recurrent state cannot be
    info_.can_speculate = common_context_can_seq_rm(context_.get()) == COMMON_CONTEXT_SEQ_RM_TYPE_PART;
    if (!info_.can_speculate) {
        info_.speculation = Speculation::Off;
    } else if (model_->draft() != nullptr) {
        draft_model_ = std::make_unique<DraftModel>(model_->draft(), shape(), info_.n_vocab);
        add_memory(memory, memory_use(draft_model_->context(), info_.n_parallel));
    }
    if (model_->projector() != nullptr) {
        add_memory(memory, Projector::memory(model_->projector()->options()), model_->get());
    }
    for (size_t i = 0; i < info_.memory.size() && i < memory.size(); i++) {
        memory[i].weights = info_.memory[i].weights;
    }
    info_.memory = std::move(memory);
    llama_set_abort_callback(context_.get(), should_abort, this);

    compute_threads_.attach(context_.get(), info_.n_threads);
    if (draft_model_) {
        compute_threads_.share(draft_model_->context());
    }
}
