// Registration with Node-API; no logic. Only the addon_* files include napi.h. Everything here runs on the JavaScript
// thread, except Load::Execute and Close::Execute (libuv pool).

#include "addon_embedder.h"
#include "addon_rpc.h"
#include "addon_tokens.h"
#include "addon_values.h"
#include "loaded_model.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace {

using Events = std::vector<Event>;

void deliver_events(Napi::Env env, Napi::Function callback, std::nullptr_t *, Events * raw) {
    const std::unique_ptr<Events> events(raw);
    if (env == nullptr || callback.IsEmpty()) {
        return;  // the environment is going away
    }
    callback.Call({ to_js(env, *events) });
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
    Close(Napi::Env env, LoadedModel loaded)
        : Napi::AsyncWorker(env), deferred_(Napi::Promise::Deferred::New(env)), loaded_(std::move(loaded)) {}

    Napi::Promise promise() const { return deferred_.Promise(); }

    void Execute() override {
        loaded_.close();
        loaded_ = {};  // the weights are freed here too, unless a tokenization still runs
    }
    void OnOK() override { deferred_.Resolve(Env().Undefined()); }
    void OnError(const Napi::Error & error) override { deferred_.Reject(error.Value()); }

  private:
    Napi::Promise::Deferred deferred_;
    LoadedModel             loaded_;
};

// One loaded model.
class EngineHandle : public Napi::ObjectWrap<EngineHandle> {
  public:
    static Napi::Function define(Napi::Env env) {
        return DefineClass(
            env, "Engine",
            { InstanceMethod<&EngineHandle::submit>("submit"), InstanceMethod<&EngineHandle::cancel>("cancel"),
              InstanceMethod<&EngineHandle::pause>("pause"), InstanceMethod<&EngineHandle::resume>("resume"),
              InstanceMethod<&EngineHandle::stats>("stats"), InstanceMethod<&EngineHandle::close>("close"),
              InstanceMethod<&EngineHandle::embed>("embed"), InstanceMethod<&EngineHandle::cancel_embed>("cancelEmbed"),
              InstanceMethod<&EngineHandle::tokenize>("tokenize"),
              InstanceMethod<&EngineHandle::detokenize>("detokenize"),
              InstanceMethod<&EngineHandle::apply_template>("applyTemplate"),
              InstanceAccessor<&EngineHandle::info>("info") });
    }

    explicit EngineHandle(const Napi::CallbackInfo & info) : Napi::ObjectWrap<EngineHandle>(info) {}

    ~EngineHandle() override { loaded_.close(); }

    void attach(Napi::Env env, LoadedModel loaded) {
        loaded_ = std::move(loaded);
        if (loaded_.embedder) {
            embed_sink_ = make_embed_sink(env);
        }
    }

  private:
    LoadedModel                loaded_;  // empty once closed
    std::shared_ptr<EmbedSink> embed_sink_;

    std::shared_ptr<const Model> model(const Napi::CallbackInfo & info) const {
        if (!loaded_.model) {
            throw Napi::Error::New(info.Env(), "the engine is closed");
        }
        return loaded_.model;
    }

    Engine & engine(const Napi::CallbackInfo & info) const {
        model(info);
        if (!loaded_.engine) {
            throw to_js(info.Env(),
                        RequestError(ErrorCode::NotGenerative, "This model makes embeddings or scores; it does not "
                                                               "write text. Choose another model."));
        }
        return *loaded_.engine;
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

    // Unknown ids are ignored, and a model that does not write knows none.
    void cancel(const Napi::CallbackInfo & info) {
        model(info);
        if (loaded_.engine) {
            loaded_.engine->cancel(seq_argument(info));
        }
    }

    void set_paused(const Napi::CallbackInfo & info, bool paused) {
        model(info);
        if (loaded_.engine) {
            loaded_.engine->set_paused(seq_argument(info), paused);
        }
    }

    void pause(const Napi::CallbackInfo & info) { set_paused(info, true); }
    void resume(const Napi::CallbackInfo & info) { set_paused(info, false); }

    Napi::Value embed(const Napi::CallbackInfo & info) {
        model(info);
        return ::embed(info, loaded_.embedder.get(), embed_sink_);
    }

    void cancel_embed(const Napi::CallbackInfo & info) {
        model(info);
        if (loaded_.embedder) {
            loaded_.embedder->cancel(seq_argument(info));
        }
    }

    Napi::Value tokenize(const Napi::CallbackInfo & info) { return ::tokenize(info, model(info)); }
    Napi::Value detokenize(const Napi::CallbackInfo & info) { return ::detokenize(info, model(info)); }
    Napi::Value apply_template(const Napi::CallbackInfo & info) { return ::apply_template(info, model(info)); }

    Napi::Value stats(const Napi::CallbackInfo & info) {
        model(info);
        return to_js(info.Env(), loaded_.stats());
    }

    Napi::Value info(const Napi::CallbackInfo & info) {
        model(info);
        return to_js(info.Env(), loaded_.info());
    }

    Napi::Value close(const Napi::CallbackInfo & info) {
        auto *              worker  = new Close(info.Env(), std::move(loaded_));
        const Napi::Promise promise = worker->promise();
        loaded_                     = {};
        embed_sink_.reset();
        worker->Queue();
        return promise;
    }
};

// Set on the JavaScript thread when the AbortSignal of a load fires, read by the loading thread.
using AbortFlag = std::shared_ptr<std::atomic<bool>>;

AbortFlag follow(const Napi::Object & signal) {
    auto flag = std::make_shared<std::atomic<bool>>(signal.Get("aborted").ToBoolean());
    if (*flag) {
        return flag;
    }
    const Napi::Env env      = signal.Env();
    const auto      listener = Napi::Function::New(
             env, [flag](const Napi::CallbackInfo &) { *flag = true; }, "abort");
    Napi::Object once = Napi::Object::New(env);
    once.Set("once", true);
    signal.Get("addEventListener")
        .As<Napi::Function>()
        .Call(signal, { Napi::String::New(env, "abort"), listener, once });
    return flag;
}

class Load : public Napi::AsyncWorker {
  public:
    Load(Napi::Env env, LoadOptions options, const Napi::Function & on_progress, const Napi::Function & on_events,
         AbortFlag aborted, Napi::FunctionReference & constructor)
        : Napi::AsyncWorker(env), deferred_(Napi::Promise::Deferred::New(env)), options_(std::move(options)),
          progress_(ProgressSink::New(env, on_progress, "load progress", 0, 1)),
          events_(EventSink::New(env, on_events, "engine events", 0, 1)), aborted_(std::move(aborted)),
          constructor_(constructor) {}

    Napi::Promise promise() const { return deferred_.Promise(); }

    void Execute() override {
        try {
            // the engine owns its end of the event queue, and lets go of it when it is destroyed
            const std::shared_ptr<EventSink> sink(new EventSink(events_), [](EventSink * events) {
                events->Release();
                delete events;
            });
            has_sink_ = true;
            loaded_   = load_model(
                  options_,
                  [this](float fraction) {
                    progress_.NonBlockingCall(new float(fraction));
                    return !*aborted_;
                },
                  [sink](Events && events) {
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
        EngineHandle::Unwrap(object)->attach(Env(), std::move(loaded_));
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
    AbortFlag                 aborted_;
    Napi::FunctionReference & constructor_;
    LoadedModel               loaded_;
    std::string               code_;

    void release() {
        progress_.Release();
        if (!has_sink_) {
            events_.Release();
        }
    }
};

Napi::Value load(const Napi::CallbackInfo & info, Napi::FunctionReference & constructor) {
    if (info.Length() < 4 || !info[0].IsObject() || !info[1].IsFunction() || !info[2].IsFunction() ||
        !info[3].IsObject()) {
        throw Napi::TypeError::New(info.Env(), "expected (options, onProgress, onEvents, signal)");
    }
    auto * worker = new Load(info.Env(), to_load_options(info[0].As<Napi::Object>()), info[1].As<Napi::Function>(),
                             info[2].As<Napi::Function>(), follow(info[3].As<Napi::Object>()), constructor);
    const Napi::Promise promise = worker->promise();
    worker->Queue();
    return promise;
}

// Functions of one path, on the JavaScript thread: they are for a process that has nothing else to do yet.
template <typename Function>
Napi::Function define_of_path(Napi::Env env, const char * name, Function function) {
    return Napi::Function::New(
        env,
        [function](const Napi::CallbackInfo & info) -> Napi::Value {
            if (info.Length() < 1 || !info[0].IsString()) {
                throw Napi::TypeError::New(info.Env(), "expected a string for file");
            }
            try {
                return function(info.Env(), info[0].As<Napi::String>().Utf8Value());
            } catch (const BackendError & e) {
                const Napi::Error error = Napi::Error::New(info.Env(), e.what());
                error.Value().Set("code", Napi::String::New(info.Env(), e.is_broken ? "broken" : "refused"));
                throw error;
            } catch (const std::exception & e) {
                throw Napi::Error::New(info.Env(), e.what());
            }
        },
        name);
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
    // one constructor for each environment that loads the addon
    auto * constructor = new Napi::FunctionReference(Napi::Persistent(EngineHandle::define(env)));
    env.AddCleanupHook([constructor] { delete constructor; });

    exports.Set("load",
                Napi::Function::New(
                    env, [constructor](const Napi::CallbackInfo & info) { return load(info, *constructor); }, "load"));
    exports.Set("estimate", Napi::Function::New(env, estimate, "estimate"));
    using Path = const std::string &;
    exports.Set("loadBackend", define_of_path(env, "loadBackend", [](Napi::Env e, Path path) -> Napi::Value {
                    return to_js(e, load_backend(path));
                }));
    exports.Set("probeBackend", define_of_path(env, "probeBackend", [](Napi::Env e, Path path) -> Napi::Value {
                    return to_js(e, probe_backend(path));
                }));
    exports.Set("scoreBackend", define_of_path(env, "scoreBackend", [](Napi::Env e, Path path) -> Napi::Value {
                    return Napi::Number::New(e, score_backend(path));
                }));
    define_rpc(env, exports);
    exports.Set("llamaVersion", Napi::String::New(env, llama_version()));
    return exports;
}

}  // namespace

NODE_API_MODULE(engine, init)
