#include "model.h"

#include "common.h"  // llama.cpp common
#include "compute_threads.h"
#include "ggml-backend.h"
#include "json_schema.h"
#include "load_log.h"
#include "memory_estimate.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <limits>

// Of the progress of a load with a draft model, the model's own; and of one with an image part.
static constexpr double MAIN_SHARE = 0.9;

void begin_load(const LoadOptions & options) {
    load_log::install();
    load_log::begin();
    llama_backend_init();

    if (ggml_is_quantized(options.type_v) && options.flash_attention == FlashAttention::Off) {
        throw LoadError(LoadErrorCode::InvalidOptions, std::string("A quantised KV cache for values (") +
                                                           ggml_type_name(options.type_v) +
                                                           ") needs flash attention, which is switched off.");
    }
    if (options.speculation == Speculation::Draft && options.draft_path.empty()) {
        throw LoadError(LoadErrorCode::InvalidOptions, "Speculation with a draft model needs one.");
    }
    check_model_file(options.path);
}

std::unique_ptr<Model> Model::load(const LoadOptions & options, const LoadProgress & on_progress) {
    begin_load(options);
    std::optional<MemoryPlan> plan;
    MemoryUse                 planned;
    uint64_t                  n_left = std::numeric_limits<uint64_t>::max();
    if (options.memory_bytes > 0 || has_gpu()) {
        const MemoryEstimate estimate = estimate_memory(options);
        if (!estimate.fit.fits) {
            throw LoadError(LoadErrorCode::OutOfMemory, estimate.reason);
        }
        // prefixes in host memory take what the model leaves
        n_left  = options.memory_bytes > 0 ? (uint64_t) -bytes_over(estimate.fit.use, 0) : n_left;
        plan    = estimate.fit.plan;
        planned = estimate.fit.use;
    }

    const double       main_share = options.draft_path.empty() && options.projector_path.empty() ? 1.0 : MAIN_SHARE;
    const LoadProgress on_main    = [&](float fraction) { return on_progress((float) (fraction * main_share)); };
    auto               model      = std::make_unique<Model>();
    model->model_     = load_weights(options.path, plan ? plan->n_gpu_layers : options.n_gpu_layers, on_main);
    model->vocab_     = llama_model_get_vocab(model->get());
    model->tokenizer_ = std::make_unique<Tokenizer>(model->vocab_);
    model->describe();

    ModelInfo &        info    = model->info_;
    const ModelPurpose purpose = purpose_of(model->get());
    info.kind                  = purpose.kind;
    info.pooling               = purpose.pooling;
    info.n_embd_out            = purpose.kind == ModelKind::Embedding ? llama_model_n_embd_out(model->get()) : 0;
    model->load_template();

    if (!plan) {
        plan = unlimited_plan(options, purpose, model->get());
    }
    const int32_t n_layers = llama_model_n_layer(model->get()) + 1;
    info.n_gpu_layers = !has_gpu() ? 0 : plan->n_gpu_layers < 0 ? n_layers : std::min(plan->n_gpu_layers, n_layers);
    info.memory       = std::move(planned);
    info.n_queue_max  = options.n_queue_max;
    info.n_threads    = choose_threads(options.n_threads);
    if (!options.draft_path.empty() && info.kind == ModelKind::Generative) {
        const LoadProgress on_draft = [&](float fraction) {
            return on_progress((float) (MAIN_SHARE + fraction * (1.0 - MAIN_SHARE)));
        };
        model->draft_ = load_draft_weights(options.draft_path, model->get(), options.n_gpu_layers, on_draft);
    }
    if (!options.projector_path.empty() && info.kind == ModelKind::Generative) {
        model->projector_ = std::make_unique<Projector>(projector_options(options), model->get(),
                                                        [&](float) { return on_progress((float) MAIN_SHARE); });
    }
    info.sees            = model->projector() != nullptr;
    info.has_draft_model = model->draft() != nullptr;
    info.speculation     = options.speculation;
    info.n_ctx           = plan->n_ctx;
    info.n_parallel      = plan->n_parallel;
    info.is_unified      = plan->is_unified;
    info.n_cells         = plan->n_cells;
    info.store_bytes     = std::min(options.store_bytes, n_left);
    info.target_itl_ms   = options.target_itl_ms;
    info.type_k          = options.type_k;
    info.type_v          = options.type_v;
    info.flash_attention = options.flash_attention;
    return model;
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
    info_.supports_tools    = info_.kind == ModelKind::Generative && chat_template_->supports_tools();
    info_.supports_thinking = info_.kind == ModelKind::Generative && chat_template_->supports_thinking();
}

std::string Model::meta(const std::string & key) const {
    std::array<char, 256> buffer = {};
    const int32_t         n      = llama_model_meta_val_str(get(), key.c_str(), buffer.data(), buffer.size());
    return n < 0 ? std::string() : std::string(buffer.data());
}

int32_t Model::meta_int(const std::string & key, int32_t fallback) const {
    const std::string value = meta(key);
    return value.empty() ? fallback : (int32_t) strtol(value.c_str(), nullptr, 10);
}

// A recommendation outside its range is none.
float Model::meta_float(const std::string & key, float lowest, float highest, float fallback) const {
    const std::string value = meta(key);
    const float       out   = value.empty() ? fallback : strtof(value.c_str(), nullptr);
    return out >= lowest && out <= highest ? out : fallback;
}

void Model::describe() {
    std::array<char, 256> description = {};
    llama_model_desc(get(), description.data(), description.size());

    info_.name         = meta("general.name");
    info_.architecture = meta("general.architecture");
    info_.description  = description.data();
    info_.n_params     = llama_model_n_params(get());
    info_.size_bytes   = llama_model_size(get());
    info_.n_vocab      = llama_vocab_n_tokens(vocab_);
    info_.n_ctx_train  = llama_model_n_ctx_train(get());

    // a token's text in the vocabulary is never shorter than the bytes it stands for
    for (llama_token token = 0; token < info_.n_vocab; token++) {
        n_token_bytes_max_ = std::max(n_token_bytes_max_, strlen(llama_vocab_get_text(vocab_, token)));
    }

    for (size_t i = 0; i < ggml_backend_dev_count(); i++) {
        info_.devices.push_back(device_name(ggml_backend_dev_get(i)));
    }
}

// In words by which clients know that a conversation has to be shortened.
[[noreturn]] static void refuse_length(const char * bound, size_t n_tokens, const ModelInfo & info) {
    const std::string advice = info.n_ctx < info.n_ctx_train
                                   ? "Shorten it, or load the model with a larger context: up to " +
                                         std::to_string(info.n_ctx_train) + " tokens."
                                   : "Shorten it: the model was trained for no longer context.";
    throw RequestError(ErrorCode::ContextLengthExceeded, "The prompt is too long: " + std::string(bound) +
                                                             std::to_string(n_tokens) + " tokens > " +
                                                             std::to_string(info.n_ctx) + " maximum. " + advice);
}

// Refuses at once what no tokenization could make fit: rendering and tokenizing it would take long and help nobody.
void Model::check_length(const PromptInput & input) const {
    size_t n_bytes = input.text.size();
    for (const ChatMessage & message : input.chat.messages) {
        n_bytes += message.content.size() + message.reasoning_content.size();
        for (const ContentPart & part : message.content_parts) {
            n_bytes += part.text.size();
        }
    }
    const size_t n_ctx = (size_t) info_.n_ctx;
    if (n_bytes <= n_ctx * n_token_bytes_max_ && input.chat.messages.size() <= n_ctx && input.tokens.size() <= n_ctx) {
        return;
    }
    const size_t n_least = (n_bytes + n_token_bytes_max_ - 1) / n_token_bytes_max_;
    refuse_length(input.tokens.empty() ? "at least " : "",
                  std::max({ n_least, input.chat.messages.size(), input.tokens.size() }), info_);
}

// A chat's constraint is the template's business, because it knows where the answer begins.
static GrammarSpec grammar_of(const Constraint & constraint) {
    GrammarSpec spec;
    switch (constraint.kind) {
        case ConstraintKind::None:
            break;
        case ConstraintKind::JsonSchema:
            spec.gbnf = schema_to_gbnf(constraint.text, "The JSON schema", true);
            break;
        case ConstraintKind::JsonObject:
            spec.gbnf = schema_to_gbnf(R"({"type":"object"})", "The JSON schema", true);
            break;
        case ConstraintKind::Gbnf:
            spec.gbnf = constraint.text;
            break;
    }
    return spec;
}

ProjectorOptions projector_options(const LoadOptions & options) {
    ProjectorOptions out;
    out.path            = options.projector_path;
    out.n_threads       = choose_threads(options.n_threads);
    out.may_use_gpu     = options.n_gpu_layers != 0;
    out.flash_attention = options.flash_attention;
    return out;
}

static std::vector<std::shared_ptr<const ImageBytes>> images_of(const ChatInput & input) {
    std::vector<std::shared_ptr<const ImageBytes>> out;
    for (const ChatMessage & message : input.messages) {
        for (const ContentPart & part : message.content_parts) {
            if (part.image) {
                out.push_back(part.image);
            }
        }
    }
    return out;
}

// What the template writes where images are. Throws RequestError(NoVision).
ChatInput Model::with_markers(ChatInput input) const {
    size_t index = 0;
    for (ChatMessage & message : input.messages) {
        for (ContentPart & part : message.content_parts) {
            if (!part.image) {
                continue;
            }
            if (!projector_) {
                throw RequestError(ErrorCode::NoVision, "This model reads text only: it cannot see images.");
            }
            part.text = projector_->marker(index++);
        }
    }
    return input;
}

ImagePrompt Model::tokenize_chat(const ChatInput & input, const std::string & rendered) const {
    const std::vector<std::shared_ptr<const ImageBytes>> images = images_of(input);
    if (images.empty()) {
        return { common_tokenize(vocab_, rendered, true, true), {}, rendered };
    }
    ImagePrompt out = projector_->tokenize(rendered, images);
    if (out.tokens.empty() || out.tokens.back() < 0) {
        // the logits behind a prompt are those of a token
        throw RequestError(ErrorCode::InvalidPrompt,
                           "The model's chat template ends with an image: put a text behind it.");
    }
    return out;
}

PreparedPrompt Model::prepare(const PromptInput & input, const Constraint & constraint,
                              const PreparedPrompt * same) const {
    check_length(input);

    PreparedPrompt out;
    if (input.kind != PromptKind::Chat) {
        out.grammar = grammar_of(constraint);
    }
    switch (input.kind) {
        case PromptKind::Tokens:
            tokenizer_->check(input.tokens);
            out.tokens = input.tokens;
            break;
        case PromptKind::Text:
            out.tokens = common_tokenize(vocab_, input.text, true, true);
            out.text   = input.text;
            break;
        case PromptKind::Chat: {
            RenderedChat rendered = chat_template_->render(with_markers(input.chat), constraint);
            ImagePrompt  prompt   = same != nullptr ? ImagePrompt{ same->tokens, same->images, {} }
                                                    : tokenize_chat(input.chat, rendered.prompt);
            out.tokens            = std::move(prompt.tokens);
            out.images            = std::move(prompt.images);
            out.text              = std::move(prompt.text);
            out.stops             = std::move(rendered.stops);
            out.parser            = std::move(rendered.parser);
            out.grammar           = std::move(rendered.grammar);
            out.is_chat           = true;
            for (const std::string & text : rendered.preserved) {
                const std::vector<llama_token> ids = common_tokenize(vocab_, text, false, true);
                if (ids.size() == 1) {
                    out.preserved.insert(ids[0]);
                }
            }
            break;
        }
    }
    if (out.tokens.empty()) {
        const llama_token bos = llama_vocab_bos(vocab_);
        if (bos == LLAMA_TOKEN_NULL) {
            throw RequestError(ErrorCode::InvalidPrompt, "The prompt is empty.");
        }
        out.tokens.push_back(bos);
    }
    if ((int32_t) out.tokens.size() >= info_.n_ctx) {
        refuse_length("", out.tokens.size(), info_);
    }
    return out;
}

RenderedPrompt Model::render(const ChatInput & input) const {
    if (!chat_template_) {
        throw RequestError(ErrorCode::TemplateFailed, "The chat template inside the model's file has a syntax error.");
    }
    const ImagePrompt prompt = tokenize_chat(input, chat_template_->render(with_markers(input)).prompt);
    return { prompt.text, prompt.tokens.size() };
}

void Model::complete(SamplingParams & params) const {
    const auto fill = [](auto & value, auto recommended) {
        if (!value) {
            value = recommended;
        }
    };
    fill(params.temperature, meta_float("general.sampling.temp", 0.0f, 2.0f, 0.8f));
    fill(params.top_p, meta_float("general.sampling.top_p", 0.0f, 1.0f, 0.95f));
    fill(params.top_k, std::max(0, meta_int("general.sampling.top_k", 40)));
    fill(params.min_p, meta_float("general.sampling.min_p", 0.0f, 1.0f, 0.05f));

    for (const auto & [token, bias] : params.logit_bias) {
        if (token < 0 || token >= info_.n_vocab) {
            throw RequestError(ErrorCode::InvalidLogitBias, "logit_bias names token id " + std::to_string(token) +
                                                                "; this model's vocabulary has ids 0 to " +
                                                                std::to_string(info_.n_vocab - 1) + ".");
        }
    }
}

std::string Model::piece(llama_token token, bool special) const {
    return common_token_to_piece(vocab_, token, special);
}

bool Model::is_eog(llama_token token) const {
    return llama_vocab_is_eog(vocab_, token);
}
