#pragma once

#include "chat_template.h"
#include "context_shape.h"
#include "llama.h"
#include "load_error.h"
#include "memory_fit.h"
#include "model_kind.h"
#include "model_weights.h"
#include "projector.h"
#include "request.h"
#include "tokenizer.h"

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

struct LoadOptions {
    std::string path;                 // UTF-8
    int32_t     n_ctx         = 0;    // tokens of each sequence; 0: automatic
    int32_t     n_parallel    = 16;   // 1..256
    int32_t     n_threads     = 0;    // 0: the physical cores, leaving one logical core free; at most all logical cores
    int32_t     n_gpu_layers  = -1;   // -1: all
    uint64_t    memory_bytes  = 0;    // main memory that weights, KV cache and buffers may take; 0: no limit
    uint64_t    store_bytes   = 0;    // host memory for prefixes that had to leave the KV cache, within memory_bytes
    int32_t     n_queue_max   = 512;  // requests that may wait for a slot
    double      target_itl_ms = 0.0;  // see SchedulerConfig

    ggml_type      type_k          = GGML_TYPE_F16;         // of the KV cache's elements, see kv_type_from_name
    ggml_type      type_v          = GGML_TYPE_F16;         // a quantised one needs flash attention
    FlashAttention flash_attention = FlashAttention::Auto;  // Auto: where the device has it
    KvLayout       kv_layout       = KvLayout::Auto;        // see fit_memory

    std::string projector_path;                  // UTF-8; the part of the model that sees, see Projector; empty: none
    std::string draft_path;                      // UTF-8; a small model that guesses ahead, see DraftModel; empty: none
    Speculation speculation = Speculation::Off;  // of requests that leave it open
};

struct ModelInfo {
    std::string              name;
    std::string              architecture;
    std::string              description;
    ModelKind                kind         = ModelKind::Generative;
    enum llama_pooling_type  pooling      = LLAMA_POOLING_TYPE_NONE;  // None where generative
    int32_t                  n_embd_out   = 0;                        // length of an embedding
    uint64_t                 n_params     = 0;
    uint64_t                 size_bytes   = 0;
    int32_t                  n_vocab      = 0;
    int32_t                  n_ctx_train  = 0;
    int32_t                  n_ctx        = 0;      // as loaded, of each sequence
    int32_t                  n_parallel   = 0;      // as loaded
    int32_t                  n_gpu_layers = 0;      // as loaded
    bool                     is_unified   = false;  // one KV cache for all sequences
    int32_t                  n_cells      = 0;      // of it, in tokens
    MemoryUse                memory;                // as loaded
    int32_t                  n_threads         = 0;
    ggml_type                type_k            = GGML_TYPE_F16;
    ggml_type                type_v            = GGML_TYPE_F16;
    FlashAttention           flash_attention   = FlashAttention::Auto;  // once loaded: On or Off
    uint64_t                 store_bytes       = 0;
    int32_t                  n_queue_max       = 0;
    double                   target_itl_ms     = 0.0;
    bool                     has_chat_template = false;
    bool                     supports_thinking = false;
    bool                     sees              = false;  // it takes images
    bool                     has_draft_model   = false;
    bool                     can_speculate     = false;             // its memory can give guessed tokens back
    Speculation              speculation       = Speculation::Off;  // of requests that leave it open
    bool                     supports_tools    = false;             // the chat template shows tools to the model
    std::vector<std::string> devices;
};

// Of the image part.
ProjectorOptions projector_options(const LoadOptions & options);

// Makes llama.cpp ready and checks the options and the file. Throws LoadError.
void begin_load(const LoadOptions & options);

// A prompt that is ready for the KV cache.
struct PreparedPrompt {
    std::vector<llama_token>        tokens;     // at least one
    std::vector<PromptImage>        images;     // in order
    std::string                     text;       // they were made of it; empty for token ids
    std::vector<std::string>        stops;      // the template's, to be added to the caller's
    std::unordered_set<llama_token> preserved;  // control tokens that are shown as text
    std::unique_ptr<ChatParser>     parser;     // chat only, and only where not all text is content
    GrammarSpec                     grammar;    // of the answer
    bool                            is_chat = false;
};

// A chat as the model reads it.
struct RenderedPrompt {
    std::string text;
    size_t      n_tokens = 0;
};

// The weights, vocabulary and template of one GGUF file, its image part, and the weights of its draft model. Immutable
// once loaded; prepare() and piece() from any thread.
class Model {
  public:
    // Blocks. LoadError Cancelled where on_progress gives up. Throws LoadError.
    static std::unique_ptr<Model> load(const LoadOptions & options, const LoadProgress & on_progress);

    // Renders, tokenizes and checks ids; turns the constraint into a grammar. same: what the same input gave before, of
    // which images need not be read again. Throws RequestError.
    PreparedPrompt prepare(const PromptInput & input, const Constraint & constraint = {},
                           const PreparedPrompt * same = nullptr) const;

    // The vocabulary's way between text and tokens.
    const Tokenizer & tokenizer() const { return *tokenizer_; }

    // Bytes that one token can stand for, at most.
    size_t n_token_bytes_max() const { return n_token_bytes_max_; }

    // The chat as the model's template renders it, and its tokens. Throws RequestError.
    RenderedPrompt render(const ChatInput & input) const;

    // Fills what the request leaves open. Throws RequestError(InvalidLogitBias) where an id is not in the vocabulary.
    void complete(SamplingParams & params) const;

    // Bytes of a token; control tokens give nothing unless special is set. Not necessarily whole characters.
    std::string piece(llama_token token, bool special) const;

    bool is_eog(llama_token token) const;

    llama_model *     get() const { return model_.get(); }
    const Projector * projector() const { return projector_.get(); }  // nullptr: it takes no images
    llama_model *     draft() const { return draft_.get(); }          // nullptr where none was asked for
    const ModelInfo & info() const { return info_; }

  private:
    ModelWeights                  model_;
    ModelWeights                  draft_;
    std::unique_ptr<Projector>    projector_;
    const llama_vocab *           vocab_ = nullptr;
    std::unique_ptr<Tokenizer>    tokenizer_;
    std::unique_ptr<ChatTemplate> chat_template_;  // none: not generative, and the file's has errors
    ModelInfo                     info_;
    size_t                        n_token_bytes_max_ = 1;  // longest token of the vocabulary

    float       meta_float(const std::string & key, float lowest, float highest, float fallback) const;
    int32_t     meta_int(const std::string & key, int32_t fallback) const;
    std::string meta(const std::string & key) const;
    void        describe();
    void        load_template();
    void        check_length(const PromptInput & input) const;
    ImagePrompt tokenize_chat(const ChatInput & input, const std::string & rendered) const;
    ChatInput   with_markers(ChatInput input) const;
};
