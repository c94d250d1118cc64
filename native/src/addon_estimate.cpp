#include "addon_values.h"

#include <string>

namespace {

class Estimate : public Napi::AsyncWorker {
  public:
    Estimate(Napi::Env env, LoadOptions options)
        : Napi::AsyncWorker(env), deferred_(Napi::Promise::Deferred::New(env)), options_(std::move(options)) {}

    Napi::Promise promise() const { return deferred_.Promise(); }

    void Execute() override {
        try {
            estimate_ = estimate_memory(options_);
        } catch (const LoadError & e) {
            code_ = to_string(e.code);
            SetError(e.what());
        } catch (const std::exception & e) {
            code_ = to_string(LoadErrorCode::LoadFailed);
            SetError(e.what());
        }
    }
    void OnOK() override { deferred_.Resolve(to_js(Env(), estimate_)); }
    void OnError(const Napi::Error & error) override {
        error.Value().Set("code", Napi::String::New(Env(), code_));
        deferred_.Reject(error.Value());
    }

  private:
    Napi::Promise::Deferred deferred_;
    LoadOptions             options_;
    MemoryEstimate          estimate_;
    std::string             code_;
};

}  // namespace

Napi::Value estimate(const Napi::CallbackInfo & info) {
    if (info.Length() < 1 || !info[0].IsObject()) {
        throw Napi::TypeError::New(info.Env(), "expected an object for options");
    }
    auto *              worker  = new Estimate(info.Env(), to_load_options(info[0].As<Napi::Object>()));
    const Napi::Promise promise = worker->promise();
    worker->Queue();
    return promise;
}
