#include "addon_values.h"

#include <string>
#include <vector>

static const char * to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::ContextLengthExceeded:
            return "context_length_exceeded";
        case ErrorCode::InvalidPrompt:
            return "invalid_prompt";
        case ErrorCode::InvalidLogitBias:
            return "invalid_logit_bias";
        case ErrorCode::TemplateFailed:
            return "template_failed";
        case ErrorCode::QueueFull:
            return "queue_full";
        case ErrorCode::OutOfMemory:
            return "out_of_memory";
        case ErrorCode::EngineFailed:
            return "engine_failed";
        case ErrorCode::ShuttingDown:
            return "shutting_down";
    }
    return "engine_failed";
}

const char * to_string(LoadErrorCode code) {
    switch (code) {
        case LoadErrorCode::NotAGguf:
            return "not_a_gguf";
        case LoadErrorCode::NotAModel:
            return "not_a_model";
        case LoadErrorCode::MissingPart:
            return "missing_part";
        case LoadErrorCode::Truncated:
            return "truncated";
        case LoadErrorCode::UnsupportedArchitecture:
            return "unsupported_architecture";
        case LoadErrorCode::BadChatTemplate:
            return "bad_chat_template";
        case LoadErrorCode::NotGenerative:
            return "not_generative";
        case LoadErrorCode::InvalidOptions:
            return "invalid_options";
        case LoadErrorCode::OutOfMemory:
            return "out_of_memory";
        case LoadErrorCode::FileUnreadable:
            return "file_unreadable";
        case LoadErrorCode::Cancelled:
            return "cancelled";
        case LoadErrorCode::LoadFailed:
            return "load_failed";
    }
    return "load_failed";
}

static const char * to_string(FinishReason reason) {
    switch (reason) {
        case FinishReason::Eog:
            return "eog";
        case FinishReason::StopString:
            return "stop_string";
        case FinishReason::Length:
            return "length";
        case FinishReason::ToolCalls:
            return "tool_calls";
        case FinishReason::Cancelled:
            return "cancelled";
    }
    return "eog";
}

static Napi::Value field(const Napi::Object & object, const char * name) {
    Napi::Value value = object.Get(name);
    if (value.IsUndefined()) {
        throw Napi::TypeError::New(object.Env(),
                                   std::string("expected a value for ") + name + " but received undefined");
    }
    return value;
}

static std::string string_field(const Napi::Object & object, const char * name) {
    return field(object, name).As<Napi::String>().Utf8Value();
}

static double number_field(const Napi::Object & object, const char * name) {
    return field(object, name).As<Napi::Number>().DoubleValue();
}

template <typename T>
static std::optional<T> optional_number(const Napi::Object & object, const char * name) {
    const Napi::Value value = field(object, name);
    return value.IsNumber() ? std::optional<T>((T) value.As<Napi::Number>().DoubleValue()) : std::nullopt;
}

template <typename T, typename Convert>
static std::vector<T> array_field(const Napi::Object & object, const char * name, Convert convert) {
    const auto     array = field(object, name).As<Napi::Array>();
    std::vector<T> out;
    out.reserve(array.Length());
    for (uint32_t i = 0; i < array.Length(); i++) {
        const Napi::HandleScope scope(object.Env());
        out.push_back(convert(array.Get(i)));
    }
    return out;
}

static PromptInput to_prompt(const Napi::Object & object) {
    PromptInput       prompt;
    const std::string kind = string_field(object, "kind");
    if (kind == "tokens") {
        prompt.kind   = PromptKind::Tokens;
        prompt.tokens = array_field<int32_t>(
            object, "tokenIds", [](const Napi::Value & value) { return value.As<Napi::Number>().Int32Value(); });
    } else if (kind == "chat") {
        prompt.kind                        = PromptKind::Chat;
        prompt.chat.enable_thinking        = field(object, "enableThinking").ToBoolean();
        prompt.chat.continue_final_message = field(object, "continueFinalMessage").ToBoolean();
        prompt.chat.messages = array_field<ChatMessage>(object, "messages", [](const Napi::Value & value) {
            const auto        message   = value.As<Napi::Object>();
            const Napi::Value reasoning = message.Get("reasoningContent");
            return ChatMessage{ string_field(message, "role"), string_field(message, "content"),
                                reasoning.IsString() ? reasoning.As<Napi::String>().Utf8Value() : std::string() };
        });
    } else {
        prompt.kind = PromptKind::Text;
        prompt.text = string_field(object, "text");
    }
    return prompt;
}

static SamplingParams to_sampling(const Napi::Object & object) {
    SamplingParams params;
    params.temperature = optional_number<float>(object, "temperature");
    params.top_p       = optional_number<float>(object, "topP");
    params.top_k       = optional_number<int32_t>(object, "topK");
    params.min_p       = optional_number<float>(object, "minP");

    params.presence_penalty  = (float) number_field(object, "presencePenalty");
    params.frequency_penalty = (float) number_field(object, "frequencyPenalty");
    params.repeat_penalty    = (float) number_field(object, "repeatPenalty");

    const Napi::Value seed = field(object, "seed");
    if (seed.IsNumber()) {
        params.seed = seed.As<Napi::Number>().Uint32Value();
    }
    const Napi::Value logprobs = field(object, "logprobs");
    params.n_logprobs          = logprobs.IsNumber() ? logprobs.As<Napi::Number>().Int32Value() : -1;
    params.logit_bias = array_field<std::pair<int32_t, float>>(object, "logitBias", [](const Napi::Value & value) {
        const auto pair = value.As<Napi::Array>();
        return std::make_pair(pair.Get(0u).As<Napi::Number>().Int32Value(),
                              pair.Get(1u).As<Napi::Number>().FloatValue());
    });
    return params;
}

Request to_request(const Napi::Object & object) {
    Request request;
    request.seq      = (int64_t) number_field(object, "seq");
    request.prompt   = to_prompt(field(object, "prompt").As<Napi::Object>());
    request.sampling = to_sampling(field(object, "sampling").As<Napi::Object>());

    const std::string priority = string_field(object, "priority");
    request.priority           = priority == "interactive"  ? Priority::Interactive
                                 : priority == "background" ? Priority::Background
                                                            : Priority::Normal;

    request.forks = array_field<int64_t>(
        object, "forks", [](const Napi::Value & value) { return value.As<Napi::Number>().Int64Value(); });

    const Napi::Value max_tokens = field(object, "maxTokens");
    request.n_max_tokens         = max_tokens.IsNumber() ? max_tokens.As<Napi::Number>().Int32Value() : -1;
    request.stop                 = array_field<std::string>(
        object, "stop", [](const Napi::Value & value) { return value.As<Napi::String>().Utf8Value(); });
    return request;
}

static ggml_type kv_type_field(const Napi::Object & object, const char * name) {
    const std::string              value = string_field(object, name);
    const std::optional<ggml_type> type  = kv_type_from_name(value);
    if (!type) {
        throw Napi::TypeError::New(object.Env(), "expected a KV cache type for " + std::string(name) +
                                                     " but received '" + value + "'");
    }
    return *type;
}

static FlashAttention to_flash_attention(const std::string & value) {
    return value == "on" ? FlashAttention::On : value == "off" ? FlashAttention::Off : FlashAttention::Auto;
}

LoadOptions to_load_options(const Napi::Object & object) {
    LoadOptions options;
    options.path          = string_field(object, "path");
    options.n_ctx         = (int32_t) number_field(object, "contextLength");
    options.n_parallel    = (int32_t) number_field(object, "parallel");
    options.n_threads     = (int32_t) number_field(object, "threads");
    options.n_gpu_layers  = (int32_t) number_field(object, "gpuLayers");
    options.store_bytes   = (uint64_t) number_field(object, "prefixStoreBytes");
    options.n_queue_max   = (int32_t) number_field(object, "queueMax");
    options.target_itl_ms = number_field(object, "targetItlMs");
    options.memory_bytes  = (uint64_t) number_field(object, "memoryBytes");

    options.type_k          = kv_type_field(object, "kvTypeK");
    options.type_v          = kv_type_field(object, "kvTypeV");
    options.flash_attention = to_flash_attention(string_field(object, "flashAttention"));
    return options;
}

static Napi::Object to_js(Napi::Env env, const Timings & timings) {
    Napi::Object out = Napi::Object::New(env);
    out.Set("queueMs", timings.queue_ms);
    out.Set("prefillMs", timings.prefill_ms);
    out.Set("ttftMs", timings.ttft_ms);
    out.Set("totalMs", timings.total_ms);
    out.Set("tokensPerSecond", timings.tokens_per_s);
    return out;
}

static Napi::Array to_js(Napi::Env env, const std::vector<TokenLogprob> & logprobs) {
    Napi::Array out = Napi::Array::New(env, logprobs.size());
    for (size_t i = 0; i < logprobs.size(); i++) {
        Napi::Object entry = Napi::Object::New(env);
        entry.Set("tokenId", logprobs[i].token_id);
        entry.Set("logprob", logprobs[i].logprob);
        entry.Set("bytes", Napi::Buffer<char>::Copy(env, logprobs[i].bytes.data(), logprobs[i].bytes.size()));
        out.Set((uint32_t) i, entry);
    }
    return out;
}

Napi::Object to_js(Napi::Env env, const Event & event) {
    Napi::Object out = Napi::Object::New(env);
    out.Set("seq", (double) event.seq);
    switch (event.type) {
        case EventType::Accepted:
            out.Set("type", "accepted");
            out.Set("promptTokens", event.n_prompt);
            break;
        case EventType::Progress:
            out.Set("type", "progress");
            out.Set("queued", event.n_queued);
            out.Set("prefilled", event.n_prefilled);
            out.Set("promptTokens", event.n_prompt);
            break;
        case EventType::Token:
            out.Set("type", "token");
            out.Set("index", event.index);
            out.Set("tokenId", event.token_id);
            out.Set("text", event.text);
            if (!event.logprobs.empty()) {
                out.Set("logprobs", to_js(env, event.logprobs));
            }
            break;
        case EventType::Delta:
            out.Set("type", "delta");
            out.Set("content", event.text);
            out.Set("reasoning", event.reasoning);
            break;
        case EventType::Done:
            out.Set("type", "done");
            out.Set("finishReason", to_string(event.finish_reason));
            out.Set("promptTokens", event.n_prompt);
            out.Set("cachedTokens", event.n_cached);
            out.Set("outputTokens", event.n_output);
            out.Set("timings", to_js(env, event.timings));
            break;
        case EventType::Error:
            out.Set("type", "error");
            out.Set("code", to_string(event.code));
            out.Set("message", event.text);
            break;
    }
    return out;
}

Napi::Object to_js(Napi::Env env, const ModelInfo & info) {
    Napi::Array devices = Napi::Array::New(env, info.devices.size());
    for (size_t i = 0; i < info.devices.size(); i++) {
        devices.Set((uint32_t) i, info.devices[i]);
    }
    Napi::Object out = Napi::Object::New(env);
    out.Set("name", info.name);
    out.Set("architecture", info.architecture);
    out.Set("parameters", (double) info.n_params);
    out.Set("description", info.description);
    out.Set("sizeBytes", (double) info.size_bytes);
    out.Set("vocabularySize", info.n_vocab);
    out.Set("trainedContextLength", info.n_ctx_train);
    out.Set("contextLength", info.n_ctx);
    out.Set("parallel", info.n_parallel);
    out.Set("threads", info.n_threads);
    out.Set("kvTypeK", ggml_type_name(info.type_k));
    out.Set("kvTypeV", ggml_type_name(info.type_v));
    out.Set("flashAttention", info.flash_attention == FlashAttention::On);
    out.Set("hasChatTemplate", info.has_chat_template);
    out.Set("supportsThinking", info.supports_thinking);
    out.Set("devices", devices);
    return out;
}

Napi::Object to_js(Napi::Env env, const EngineStats & stats) {
    Napi::Object out = Napi::Object::New(env);
    out.Set("running", stats.n_running);
    out.Set("waiting", stats.n_waiting);
    out.Set("slots", stats.n_slots);
    out.Set("steps", (double) stats.n_steps);
    out.Set("peakBatchSequences", stats.n_peak_batch_sequences);
    return out;
}
