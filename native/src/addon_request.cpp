#include "addon_fields.h"
#include "addon_values.h"

#include <string>
#include <vector>

static std::string optional_string(const Napi::Object & object, const char * name) {
    const Napi::Value value = object.Get(name);
    return value.IsString() ? value.As<Napi::String>().Utf8Value() : std::string();
}

static ContentPart to_part(const Napi::Value & value) {
    const auto object = value.As<Napi::Object>();
    if (string_field(object, "type") != "image") {
        return string_field(object, "text");
    }
    const Napi::Value data = field(object, "data");
    if (!data.IsTypedArray()) {
        throw Napi::TypeError::New(object.Env(), "expected a Uint8Array for data");
    }
    const auto bytes = data.As<Napi::Uint8Array>();
    return std::make_shared<const ImageBytes>(bytes.Data(), bytes.Data() + bytes.ByteLength());
}

static ChatMessage to_message(const Napi::Value & value) {
    const auto  object = value.As<Napi::Object>();
    ChatMessage message;
    message.role              = string_field(object, "role");
    message.reasoning_content = optional_string(object, "reasoningContent");
    message.tool_call_id      = optional_string(object, "toolCallId");
    message.tool_name         = optional_string(object, "name");
    if (field(object, "content").IsArray()) {
        message.content_parts = array_field<ContentPart>(object, "content", to_part);
    } else {
        message.content = string_field(object, "content");
    }
    if (object.Get("toolCalls").IsArray()) {
        message.tool_calls = array_field<ToolCall>(object, "toolCalls", [](const Napi::Value & item) {
            const auto call = item.As<Napi::Object>();
            return ToolCall{ string_field(call, "id"), string_field(call, "name"), string_field(call, "arguments") };
        });
    }
    return message;
}

static ChatInput to_chat(const Napi::Object & object) {
    ChatInput chat;
    chat.messages               = array_field<ChatMessage>(object, "messages", to_message);
    chat.enable_thinking        = field(object, "enableThinking").ToBoolean();
    chat.continue_final_message = field(object, "continueFinalMessage").ToBoolean();
    chat.parallel_tool_calls    = field(object, "parallelToolCalls").ToBoolean();

    chat.tools = array_field<Tool>(object, "tools", [](const Napi::Value & item) {
        const auto tool = item.As<Napi::Object>();
        return Tool{ string_field(tool, "name"), string_field(tool, "description"), string_field(tool, "parameters"),
                     field(tool, "strict").ToBoolean() };
    });

    const Napi::Value choice = field(object, "toolChoice");
    if (choice.IsString()) {
        const std::string word = choice.As<Napi::String>().Utf8Value();
        chat.tool_choice       = word == "required" ? ToolChoice::Required
                                 : word == "none"   ? ToolChoice::None
                                                    : ToolChoice::Auto;
    } else {
        chat.tool_choice   = ToolChoice::Required;
        chat.required_tool = string_field(choice.As<Napi::Object>(), "name");
    }

    const auto kwargs = field(object, "templateKwargs").As<Napi::Object>();
    for (const auto & entry : kwargs) {
        const std::string name     = entry.first.ToString().Utf8Value();
        chat.template_kwargs[name] = string_field(kwargs, name.c_str());
    }
    return chat;
}

PromptInput to_prompt(const Napi::Object & object) {
    PromptInput       prompt;
    const std::string kind = string_field(object, "kind");
    if (kind == "tokens") {
        prompt.kind   = PromptKind::Tokens;
        prompt.tokens = array_field<int32_t>(
            object, "tokenIds", [](const Napi::Value & value) { return value.As<Napi::Number>().Int32Value(); });
    } else if (kind == "chat") {
        prompt.kind = PromptKind::Chat;
        prompt.chat = to_chat(object);
    } else {
        prompt.kind = PromptKind::Text;
        prompt.text = string_field(object, "text");
    }
    return prompt;
}

static Constraint to_constraint(const Napi::Value & value) {
    if (!value.IsObject()) {
        return {};
    }
    const auto        object = value.As<Napi::Object>();
    const std::string kind   = string_field(object, "kind");
    if (kind == "json_schema") {
        return { ConstraintKind::JsonSchema, string_field(object, "schema") };
    }
    if (kind == "json_object") {
        return { ConstraintKind::JsonObject, {} };
    }
    return { ConstraintKind::Gbnf, string_field(object, "text") };
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
    params.n_penalized       = optional_number<int32_t>(object, "penalizedTokens");

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

static Speculation to_speculation(const Napi::Value & value) {
    const std::string name = value.As<Napi::String>().Utf8Value();
    return name == "ngram" ? Speculation::Ngram : name == "draft" ? Speculation::Draft : Speculation::Off;
}

Request to_request(const Napi::Object & object) {
    Request request;
    request.seq      = (int64_t) number_field(object, "seq");
    request.prompt   = to_prompt(field(object, "prompt").As<Napi::Object>());
    request.sampling = to_sampling(field(object, "sampling").As<Napi::Object>());

    request.constraint = to_constraint(field(object, "grammar"));

    const std::string priority = string_field(object, "priority");
    request.priority           = priority == "interactive"  ? Priority::Interactive
                                 : priority == "background" ? Priority::Background
                                                            : Priority::Normal;

    const Napi::Value speculation = field(object, "speculation");
    if (!speculation.IsNull()) {
        request.speculation = to_speculation(speculation);
    }
    request.forks = array_field<int64_t>(
        object, "forks", [](const Napi::Value & value) { return value.As<Napi::Number>().Int64Value(); });

    const Napi::Value max_tokens = field(object, "maxTokens");
    request.n_max_tokens         = max_tokens.IsNumber() ? max_tokens.As<Napi::Number>().Int32Value() : -1;
    request.stop                 = array_field<std::string>(
        object, "stop", [](const Napi::Value & value) { return value.As<Napi::String>().Utf8Value(); });
    if (object.Get("stopTokenIds").IsArray()) {
        request.stop_token_ids = array_field<int32_t>(
            object, "stopTokenIds", [](const Napi::Value & value) { return value.As<Napi::Number>().Int32Value(); });
    }
    request.ignore_eog   = object.Get("ignoreEog").ToBoolean();
    request.shows_prompt = object.Get("showPrompt").ToBoolean();

    const Napi::Value prompt_logprobs = object.Get("promptLogprobs");
    if (prompt_logprobs.IsString()) {
        request.n_prompt_logprobs = INT32_MAX;
    } else if (prompt_logprobs.IsNumber()) {
        request.n_prompt_logprobs = prompt_logprobs.As<Napi::Number>().Int32Value();
    }
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

static KvLayout to_kv_layout(const std::string & value) {
    return value == "on" ? KvLayout::Unified : value == "off" ? KvLayout::Split : KvLayout::Auto;
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
    options.kv_layout       = to_kv_layout(string_field(object, "unifiedKv"));
    options.flash_attention = to_flash_attention(string_field(object, "flashAttention"));
    options.projector_path  = string_field(object, "projectorPath");
    options.draft_path      = string_field(object, "draftModelPath");
    options.speculation     = to_speculation(field(object, "speculation"));
    return options;
}
