#include "addon_values.h"

#include <cstring>
#include <vector>

const char * to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::ContextLengthExceeded:
            return "context_length_exceeded";
        case ErrorCode::InvalidPrompt:
            return "invalid_prompt";
        case ErrorCode::InvalidImage:
            return "invalid_image";
        case ErrorCode::NoVision:
            return "no_vision";
        case ErrorCode::InvalidLogitBias:
            return "invalid_logit_bias";
        case ErrorCode::TooManyPromptLogprobs:
            return "too_many_prompt_logprobs";
        case ErrorCode::NoDraftModel:
            return "no_draft_model";
        case ErrorCode::TemplateFailed:
            return "template_failed";
        case ErrorCode::InvalidTool:
            return "invalid_tool";
        case ErrorCode::InvalidToolChoice:
            return "invalid_tool_choice";
        case ErrorCode::InvalidGrammar:
            return "invalid_grammar";
        case ErrorCode::QueueFull:
            return "queue_full";
        case ErrorCode::OutOfMemory:
            return "out_of_memory";
        case ErrorCode::EngineFailed:
            return "engine_failed";
        case ErrorCode::ShuttingDown:
            return "shutting_down";
        case ErrorCode::Cancelled:
            return "cancelled";
        case ErrorCode::NotGenerative:
            return "not_generative";
        case ErrorCode::NotEmbedding:
            return "not_embedding";
        case ErrorCode::NotRerank:
            return "not_rerank";
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
        case LoadErrorCode::NotAProjector:
            return "not_a_projector";
        case LoadErrorCode::ProjectorMismatch:
            return "projector_mismatch";
        case LoadErrorCode::Truncated:
            return "truncated";
        case LoadErrorCode::UnsupportedArchitecture:
            return "unsupported_architecture";
        case LoadErrorCode::BadChatTemplate:
            return "bad_chat_template";
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
        case FinishReason::StopToken:
            return "stop_token";
        case FinishReason::Length:
            return "length";
        case FinishReason::ToolCalls:
            return "tool_calls";
        case FinishReason::Cancelled:
            return "cancelled";
    }
    return "eog";
}

static Napi::Object to_js(Napi::Env env, const Timings & timings) {
    Napi::Object out = Napi::Object::New(env);
    out.Set("queueMs", timings.queue_ms);
    out.Set("prefillMs", timings.prefill_ms);
    out.Set("ttftMs", timings.ttft_ms);
    out.Set("totalMs", timings.total_ms);
    out.Set("tokensPerSecond", timings.tokens_per_s);
    out.Set("draftedTokens", timings.n_drafted);
    out.Set("acceptedTokens", timings.n_accepted);
    return out;
}

static Napi::Array to_js(Napi::Env env, const std::vector<ToolCallDelta> & pieces) {
    Napi::Array out = Napi::Array::New(env, pieces.size());
    for (size_t i = 0; i < pieces.size(); i++) {
        Napi::Object piece = Napi::Object::New(env);
        piece.Set("index", pieces[i].index);
        if (!pieces[i].name.empty()) {
            piece.Set("id", pieces[i].id);
            piece.Set("name", pieces[i].name);
        }
        piece.Set("arguments", pieces[i].arguments);
        out.Set((uint32_t) i, piece);
    }
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

// Array: a typed array with elements of the same size.
template <typename Array, typename Element>
static Array copy_to_js(Napi::Env env, const std::vector<Element> & elements) {
    static_assert(sizeof(Element) == sizeof(typename std::remove_pointer<decltype(Array().Data())>::type), "");
    Array out = Array::New(env, elements.size());
    if (!elements.empty()) {
        std::memcpy(out.Data(), elements.data(), elements.size() * sizeof(Element));
    }
    return out;
}

static void set_fields(Napi::Env env, Napi::Object out, const PromptPart & part) {
    out.Set("first", part.first);
    out.Set("entries", copy_to_js<Napi::Int32Array>(env, part.n_entries));
    out.Set("tokenIds", copy_to_js<Napi::Int32Array>(env, part.token_ids));
    out.Set("logprobs", copy_to_js<Napi::Float32Array>(env, part.logprobs));
    out.Set("ranks", copy_to_js<Napi::Int32Array>(env, part.ranks));
    out.Set("namedIds", copy_to_js<Napi::Int32Array>(env, part.named_ids));
    out.Set("byteLengths", copy_to_js<Napi::Int32Array>(env, part.n_bytes));
    out.Set("bytes", Napi::Buffer<char>::Copy(env, part.bytes.data(), part.bytes.size()));
}

static Napi::Object prompt_to_js(Napi::Env env, const Event & accepted) {
    Napi::Object out = Napi::Object::New(env);
    out.Set("text", accepted.text);
    out.Set("tokenIds", copy_to_js<Napi::Int32Array>(env, accepted.prompt_tokens));
    return out;
}

Napi::Object to_js(Napi::Env env, const Event & event) {
    Napi::Object out = Napi::Object::New(env);
    out.Set("seq", (double) event.seq);
    switch (event.type) {
        case EventType::Accepted:
            out.Set("type", "accepted");
            out.Set("promptTokens", event.n_prompt);
            if (!event.prompt_tokens.empty()) {
                out.Set("prompt", prompt_to_js(env, event));
            }
            break;
        case EventType::Progress:
            out.Set("type", "progress");
            out.Set("queued", event.n_queued);
            out.Set("prefilled", event.n_prefilled);
            out.Set("promptTokens", event.n_prompt);
            break;
        case EventType::PromptLogprobs:
            out.Set("type", "prompt-logprobs");
            set_fields(env, out, *event.prompt_part);
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
            out.Set("toolCalls", to_js(env, event.tool_calls));
            break;
        case EventType::Done:
            out.Set("type", "done");
            out.Set("finishReason", to_string(event.finish_reason));
            if (!event.stop_string.empty()) {
                out.Set("stopString", event.stop_string);
            }
            out.Set("promptTokens", event.n_prompt);
            out.Set("cachedTokens", event.n_cached);
            out.Set("outputTokens", event.n_output);
            out.Set("timings", to_js(env, event.timings));
            break;
        case EventType::Error:
            out.Set("type", "error");
            out.Set("code", to_string(event.code));
            out.Set("message", event.text);
            if (event.input >= 0) {
                out.Set("input", event.input);
            }
            break;
    }
    return out;
}

// Two events that JavaScript gets as one: a token of plain answer text.
static bool is_content(const Event & token, const Event & delta) {
    return token.type == EventType::Token && delta.type == EventType::Delta && token.seq == delta.seq &&
           token.logprobs.empty() && token.text == delta.text && delta.reasoning.empty() && delta.tool_calls.empty();
}

Napi::Array to_js(Napi::Env env, const std::vector<Event> & events) {
    Napi::Array out = Napi::Array::New(env);
    uint32_t    n   = 0;
    for (size_t i = 0; i < events.size(); i++) {
        const Event & event = events[i];
        if (i + 1 == events.size() || !is_content(event, events[i + 1])) {
            out.Set(n++, to_js(env, event));
            continue;
        }
        out.Set(n++, (double) event.seq);
        out.Set(n++, event.index);
        out.Set(n++, event.token_id);
        out.Set(n++, event.text);
        i++;
    }
    return out;
}

static const char * to_string(Speculation speculation) {
    switch (speculation) {
        case Speculation::Off:
            return "off";
        case Speculation::Ngram:
            return "ngram";
        case Speculation::Draft:
            return "draft";
    }
    return "off";
}

static Napi::Array to_js(Napi::Env env, const MemoryUse & use) {
    Napi::Array out = Napi::Array::New(env, use.size());
    for (size_t i = 0; i < use.size(); i++) {
        Napi::Object device = Napi::Object::New(env);
        device.Set("name", use[i].name);
        device.Set("isRemote", use[i].is_remote);
        device.Set("weightsBytes", (double) use[i].weights);
        device.Set("kvBytes", (double) use[i].kv);
        device.Set("computeBytes", (double) use[i].compute);
        out.Set((uint32_t) i, device);
    }
    return out;
}

Napi::Object to_js(Napi::Env env, const MemoryEstimate & estimate) {
    const MemoryPlan & plan = estimate.fit.plan;
    Napi::Object       out  = Napi::Object::New(env);
    out.Set("fits", estimate.fit.fits);
    out.Set("reason", estimate.fit.fits ? env.Null() : Napi::Value(Napi::String::New(env, estimate.reason)));
    out.Set("contextLength", plan.n_ctx);
    out.Set("parallel", plan.n_parallel);
    out.Set("gpuLayers", plan.n_gpu_layers);
    out.Set("unifiedKv", plan.is_unified);
    out.Set("kvCells", plan.n_cells);
    out.Set("memory", to_js(env, estimate.fit.use));
    double n_free = 0;
    for (const DeviceMemory & device : estimate.fit.use) {
        n_free += device.is_shared ? 0.0 : (double) device.budget;
    }
    out.Set("freeBytes", n_free);
    return out;
}

static const char * to_string(ModelKind kind) {
    switch (kind) {
        case ModelKind::Generative:
            return "generative";
        case ModelKind::Embedding:
            return "embedding";
        case ModelKind::Rerank:
            return "rerank";
    }
    return "generative";
}

static Napi::Value pooling_to_js(Napi::Env env, enum llama_pooling_type pooling) {
    switch (pooling) {
        case LLAMA_POOLING_TYPE_MEAN:
            return Napi::String::New(env, "mean");
        case LLAMA_POOLING_TYPE_CLS:
            return Napi::String::New(env, "cls");
        case LLAMA_POOLING_TYPE_LAST:
            return Napi::String::New(env, "last");
        case LLAMA_POOLING_TYPE_RANK:
            return Napi::String::New(env, "rank");
        default:
            return env.Null();
    }
}

Napi::Object to_js(Napi::Env env, const ModelInfo & info) {
    Napi::Array devices = Napi::Array::New(env, info.devices.size());
    for (size_t i = 0; i < info.devices.size(); i++) {
        devices.Set((uint32_t) i, info.devices[i]);
    }
    Napi::Object out = Napi::Object::New(env);
    out.Set("kind", to_string(info.kind));
    out.Set("pooling", pooling_to_js(env, info.pooling));
    out.Set("embeddingSize", info.n_embd_out > 0 ? Napi::Value(Napi::Number::New(env, info.n_embd_out)) : env.Null());
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
    out.Set("gpuLayers", info.n_gpu_layers);
    out.Set("unifiedKv", info.is_unified);
    out.Set("kvCells", info.n_cells);
    out.Set("memory", to_js(env, info.memory));
    out.Set("kvTypeK", ggml_type_name(info.type_k));
    out.Set("kvTypeV", ggml_type_name(info.type_v));
    out.Set("flashAttention", info.flash_attention == FlashAttention::On);
    out.Set("hasChatTemplate", info.has_chat_template);
    out.Set("supportsThinking", info.supports_thinking);
    out.Set("sees", info.sees);
    out.Set("hasDraftModel", info.has_draft_model);
    out.Set("canSpeculate", info.can_speculate);
    out.Set("speculation", to_string(info.speculation));
    out.Set("supportsTools", info.supports_tools);
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
    out.Set("interrupted", (double) stats.n_interrupted);
    out.Set("imagesEncoded", (double) stats.n_images_encoded);
    out.Set("prefillTokens", (double) stats.n_prefill_tokens);
    out.Set("kvCellsUsed", stats.n_cells_used);
    out.Set("kvCellsBusy", stats.n_cells_busy);
    out.Set("storedPrefixes", stats.n_stored);
    out.Set("storedBytes", (double) stats.n_stored_bytes);
    return out;
}

Napi::Object to_js(Napi::Env env, const BackendModule & module) {
    Napi::Array devices = Napi::Array::New(env, module.devices.size());
    for (size_t i = 0; i < module.devices.size(); i++) {
        Napi::Object device = Napi::Object::New(env);
        device.Set("name", module.devices[i].name);
        device.Set("description", module.devices[i].description);
        device.Set("isGpu", module.devices[i].is_gpu);
        devices.Set((uint32_t) i, device);
    }
    Napi::Object out = Napi::Object::New(env);
    out.Set("name", module.name);
    out.Set("score", module.score);
    out.Set("devices", devices);
    return out;
}

Napi::Error to_js(Napi::Env env, const RequestError & error) {
    Napi::Error out = Napi::Error::New(env, error.what());
    out.Value().Set("code", to_string(error.code));
    out.Value().Set("input", error.input < 0 ? env.Null() : Napi::Value(Napi::Number::New(env, error.input)));
    return out;
}
