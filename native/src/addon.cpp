// Registration and conversion between JavaScript and the engine's plain types; no logic. The only file that includes
// napi.h. Everything here runs on the JavaScript thread, except Load::Execute and Close::Execute (libuv pool).

#include "engine.h"

#include <napi.h>

#include <memory>
#include <string>
#include <vector>

namespace {

using Events = std::vector<Event>;

const char * to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::ContextLengthExceeded:
            return "context_length_exceeded";
        case ErrorCode::InvalidPrompt:
            return "invalid_prompt";
        case ErrorCode::InvalidLogitBias:
            return "invalid_logit_bias";
        case ErrorCode::TemplateFailed:
            return "template_failed";
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
        case LoadErrorCode::Truncated:
            return "truncated";
        case LoadErrorCode::UnsupportedArchitecture:
            return "unsupported_architecture";
        case LoadErrorCode::BadChatTemplate:
            return "bad_chat_template";
        case LoadErrorCode::NotGenerative:
            return "not_generative";
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

const char * to_string(FinishReason reason) {
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

// ---------------------------------------------------------------------------------------------------------------------
// JavaScript → engine. The caller is our own typed code (native/index.ts), so a missing field is a programming error.

Napi::Value field(const Napi::Object & object, const char * name) {
    Napi::Value value = object.Get(name);
    if (value.IsUndefined()) {
        throw Napi::TypeError::New(object.Env(),
                                   std::string("expected a value for ") + name + " but received undefined");
    }
    return value;
}

std::string string_field(const Napi::Object & object, const char * name) {
    return field(object, name).As<Napi::String>().Utf8Value();
}

double number_field(const Napi::Object & object, const char * name) {
    return field(object, name).As<Napi::Number>().DoubleValue();
}

template <typename T, typename Convert>
std::vector<T> array_field(const Napi::Object & object, const char * name, Convert convert) {
    const auto     array = field(object, name).As<Napi::Array>();
    std::vector<T> out;
    out.reserve(array.Length());
    for (uint32_t i = 0; i < array.Length(); i++) {
        const Napi::HandleScope scope(object.Env());
        out.push_back(convert(array.Get(i)));
    }
    return out;
}

PromptInput to_prompt(const Napi::Object & object) {
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

SamplingParams to_sampling(const Napi::Object & object) {
    SamplingParams params;
    params.temperature       = (float) number_field(object, "temperature");
    params.top_p             = (float) number_field(object, "topP");
    params.top_k             = (int32_t) number_field(object, "topK");
    params.min_p             = (float) number_field(object, "minP");
    params.presence_penalty  = (float) number_field(object, "presencePenalty");
    params.frequency_penalty = (float) number_field(object, "frequencyPenalty");
    params.repeat_penalty    = (float) number_field(object, "repeatPenalty");

    const Napi::Value seed = field(object, "seed");
    if (seed.IsNumber()) {
        params.seed = seed.As<Napi::Number>().Uint32Value();
    }
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

    const Napi::Value max_tokens = field(object, "maxTokens");
    request.n_max_tokens         = max_tokens.IsNumber() ? max_tokens.As<Napi::Number>().Int32Value() : -1;
    request.stop                 = array_field<std::string>(
        object, "stop", [](const Napi::Value & value) { return value.As<Napi::String>().Utf8Value(); });
    return request;
}

LoadOptions to_load_options(const Napi::Object & object) {
    LoadOptions options;
    options.path         = string_field(object, "path");
    options.n_ctx        = (int32_t) number_field(object, "contextLength");
    options.n_parallel   = (int32_t) number_field(object, "parallel");
    options.n_threads    = (int32_t) number_field(object, "threads");
    options.n_gpu_layers = (int32_t) number_field(object, "gpuLayers");
    options.memory_bytes = (uint64_t) number_field(object, "memoryBytes");
    return options;
}

// ---------------------------------------------------------------------------------------------------------------------
// engine → JavaScript

Napi::Object to_js(Napi::Env env, const Timings & timings) {
    Napi::Object out = Napi::Object::New(env);
    out.Set("queueMs", timings.queue_ms);
    out.Set("prefillMs", timings.prefill_ms);
    out.Set("ttftMs", timings.ttft_ms);
    out.Set("totalMs", timings.total_ms);
    out.Set("tokensPerSecond", timings.tokens_per_s);
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
    out.Set("hasChatTemplate", info.has_chat_template);
    out.Set("supportsThinking", info.supports_thinking);
    out.Set("devices", devices);
    return out;
}

void deliver_events(Napi::Env env, Napi::Function callback, std::nullptr_t *, Events * raw) {
    const std::unique_ptr<Events> events(raw);
    if (env == nullptr || callback.IsEmpty()) {
        return;  // the environment is going away
    }
    Napi::Array array = Napi::Array::New(env, events->size());
    for (size_t i = 0; i < events->size(); i++) {
        array.Set((uint32_t) i, to_js(env, (*events)[i]));
    }
    callback.Call({ array });
}

void deliver_fraction(Napi::Env env, Napi::Function callback, std::nullptr_t *, float * raw) {
    const std::unique_ptr<float> fraction(raw);
    if (env != nullptr && !callback.IsEmpty()) {
        callback.Call({ Napi::Number::New(env, *fraction) });
    }
}

using EventSink    = Napi::TypedThreadSafeFunction<std::nullptr_t, Events, deliver_events>;
using ProgressSink = Napi::TypedThreadSafeFunction<std::nullptr_t, float, deliver_fraction>;

// ---------------------------------------------------------------------------------------------------------------------

// Frees the engine off the JavaScript thread, because joining its threads takes up to one decode step.
class Close : public Napi::AsyncWorker {
  public:
    Close(Napi::Env env, std::shared_ptr<Engine> engine)
        : Napi::AsyncWorker(env), deferred_(Napi::Promise::Deferred::New(env)), engine_(std::move(engine)) {}

    Napi::Promise promise() const { return deferred_.Promise(); }

    void Execute() override {
        if (engine_) {
            engine_->close();
        }
    }
    void OnOK() override { deferred_.Resolve(Env().Undefined()); }
    void OnError(const Napi::Error & error) override { deferred_.Reject(error.Value()); }

  private:
    Napi::Promise::Deferred deferred_;
    std::shared_ptr<Engine> engine_;
};

class EngineHandle : public Napi::ObjectWrap<EngineHandle> {
  public:
    static Napi::Function define(Napi::Env env) {
        return DefineClass(
            env, "Engine",
            { InstanceMethod<&EngineHandle::submit>("submit"), InstanceMethod<&EngineHandle::cancel>("cancel"),
              InstanceMethod<&EngineHandle::pause>("pause"), InstanceMethod<&EngineHandle::resume>("resume"),
              InstanceMethod<&EngineHandle::stats>("stats"), InstanceMethod<&EngineHandle::close>("close"),
              InstanceAccessor<&EngineHandle::info>("info") });
    }

    explicit EngineHandle(const Napi::CallbackInfo & info) : Napi::ObjectWrap<EngineHandle>(info) {}

    ~EngineHandle() override {
        if (engine_) {
            engine_->close();
        }
    }

    void attach(std::shared_ptr<Engine> engine) { engine_ = std::move(engine); }

  private:
    std::shared_ptr<Engine> engine_;

    Engine & engine(const Napi::CallbackInfo & info) const {
        if (!engine_) {
            throw Napi::Error::New(info.Env(), "the engine is closed");
        }
        return *engine_;
    }

    static int64_t seq_argument(const Napi::CallbackInfo & info) {
        if (info.Length() < 1 || !info[0].IsNumber()) {
            throw Napi::TypeError::New(info.Env(), "expected a number for seq");
        }
        return info[0].As<Napi::Number>().Int64Value();
    }

    void submit(const Napi::CallbackInfo & info) {
        if (info.Length() < 1 || !info[0].IsObject()) {
            throw Napi::TypeError::New(info.Env(), "expected an object for request");
        }
        try {
            engine(info).submit(to_request(info[0].As<Napi::Object>()));
        } catch (const std::invalid_argument & e) {
            throw Napi::Error::New(info.Env(), e.what());
        }
    }

    void cancel(const Napi::CallbackInfo & info) { engine(info).cancel(seq_argument(info)); }
    void pause(const Napi::CallbackInfo & info) { engine(info).set_paused(seq_argument(info), true); }
    void resume(const Napi::CallbackInfo & info) { engine(info).set_paused(seq_argument(info), false); }

    Napi::Value stats(const Napi::CallbackInfo & info) {
        const EngineStats stats = engine(info).stats();
        Napi::Object      out   = Napi::Object::New(info.Env());
        out.Set("running", stats.n_running);
        out.Set("waiting", stats.n_waiting);
        out.Set("slots", stats.n_slots);
        out.Set("steps", (double) stats.n_steps);
        out.Set("peakBatchSequences", stats.n_peak_batch_sequences);
        return out;
    }

    Napi::Value info(const Napi::CallbackInfo & info) { return to_js(info.Env(), engine(info).info()); }

    Napi::Value close(const Napi::CallbackInfo & info) {
        auto *              worker  = new Close(info.Env(), std::move(engine_));
        const Napi::Promise promise = worker->promise();
        engine_.reset();
        worker->Queue();
        return promise;
    }
};

class Load : public Napi::AsyncWorker {
  public:
    Load(Napi::Env env, LoadOptions options, const Napi::Function & on_progress, const Napi::Function & on_events,
         Napi::FunctionReference & constructor)
        : Napi::AsyncWorker(env), deferred_(Napi::Promise::Deferred::New(env)), options_(std::move(options)),
          progress_(ProgressSink::New(env, on_progress, "load progress", 0, 1)),
          events_(EventSink::New(env, on_events, "engine events", 0, 1)), constructor_(constructor) {}

    Napi::Promise promise() const { return deferred_.Promise(); }

    void Execute() override {
        try {
            std::unique_ptr<Model> model = Model::load(options_, [this](float fraction) {
                progress_.NonBlockingCall(new float(fraction));
                return true;
            });
            // the engine owns its end of the event queue, and lets go of it when it is destroyed
            const std::shared_ptr<EventSink> sink(new EventSink(events_), [](EventSink * events) {
                events->Release();
                delete events;
            });
            has_sink_ = true;
            engine_   = std::make_shared<Engine>(std::move(model), [sink](Events && events) {
                auto * batch = new Events(std::move(events));
                if (sink->NonBlockingCall(batch) != napi_ok) {
                    delete batch;
                }
            });
        } catch (const LoadError & e) {
            code_ = to_string(e.code);
            SetError(e.what());
        } catch (const std::exception & e) {
            code_ = to_string(LoadErrorCode::LoadFailed);
            SetError(e.what());
        }
    }

    void OnOK() override {
        release();
        Napi::Object object = constructor_.New({});
        EngineHandle::Unwrap(object)->attach(std::move(engine_));
        deferred_.Resolve(object);
    }

    void OnError(const Napi::Error & error) override {
        release();
        error.Value().Set("code", Napi::String::New(Env(), code_));
        deferred_.Reject(error.Value());
    }

  private:
    Napi::Promise::Deferred   deferred_;
    LoadOptions               options_;
    ProgressSink              progress_;
    EventSink                 events_;
    bool                      has_sink_ = false;
    Napi::FunctionReference & constructor_;
    std::shared_ptr<Engine>   engine_;
    std::string               code_;

    void release() {
        progress_.Release();
        if (!has_sink_) {
            events_.Release();
        }
    }
};

Napi::Value load(const Napi::CallbackInfo & info, Napi::FunctionReference & constructor) {
    if (info.Length() < 3 || !info[0].IsObject() || !info[1].IsFunction() || !info[2].IsFunction()) {
        throw Napi::TypeError::New(info.Env(), "expected (options, onProgress, onEvents)");
    }
    auto * worker = new Load(info.Env(), to_load_options(info[0].As<Napi::Object>()), info[1].As<Napi::Function>(),
                             info[2].As<Napi::Function>(), constructor);
    const Napi::Promise promise = worker->promise();
    worker->Queue();
    return promise;
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
    // one constructor for each environment that loads the addon
    auto * constructor = new Napi::FunctionReference(Napi::Persistent(EngineHandle::define(env)));
    env.AddCleanupHook([constructor] { delete constructor; });

    exports.Set("load",
                Napi::Function::New(
                    env, [constructor](const Napi::CallbackInfo & info) { return load(info, *constructor); }, "load"));
    exports.Set("llamaVersion", Napi::String::New(env, llama_version()));
    return exports;
}

}  // namespace

NODE_API_MODULE(engine, init)
