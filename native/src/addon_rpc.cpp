#include "addon_rpc.h"

#include "addon_fields.h"
#include "load_log.h"
#include "rpc.h"

namespace {

// Holds its thread of libuv's pool as long as the process lives.
class ServeRpc : public Napi::AsyncWorker {
  public:
    ServeRpc(Napi::Env env, RpcServerOptions options)
        : Napi::AsyncWorker(env), deferred_(Napi::Promise::Deferred::New(env)), options_(std::move(options)) {}

    Napi::Promise promise() const { return deferred_.Promise(); }

    void Execute() override { reason_ = serve_rpc(options_); }
    void OnOK() override { deferred_.Resolve(Napi::String::New(Env(), reason_)); }
    void OnError(const Napi::Error & error) override { deferred_.Reject(error.Value()); }

  private:
    Napi::Promise::Deferred deferred_;
    RpcServerOptions        options_;
    std::string             reason_;
};

Napi::Value rpc_devices(const Napi::CallbackInfo & info) {
    load_log::install();
    const std::vector<OfferedDevice> devices = offered_devices();
    Napi::Array                      out     = Napi::Array::New(info.Env(), devices.size());
    for (size_t i = 0; i < devices.size(); i++) {
        Napi::Object device = Napi::Object::New(info.Env());
        device.Set("name", devices[i].name);
        device.Set("description", devices[i].description);
        device.Set("isGpu", devices[i].is_gpu);
        device.Set("freeBytes", (double) devices[i].free_bytes);
        device.Set("totalBytes", (double) devices[i].total_bytes);
        out.Set((uint32_t) i, device);
    }
    return out;
}

Napi::Value serve(const Napi::CallbackInfo & info) {
    if (info.Length() < 1 || !info[0].IsObject()) {
        throw Napi::TypeError::New(info.Env(), "expected an object for options");
    }
    load_log::install();
    const auto       object = info[0].As<Napi::Object>();
    RpcServerOptions options;
    options.endpoint  = string_field(object, "endpoint");
    options.cache_dir = string_field(object, "cacheDir");
    options.n_threads = (int32_t) number_field(object, "threads");
    options.devices =
        array_field<std::string>(object, "devices", [](const Napi::Value & value) { return value.ToString(); });
    options.free_bytes = array_field<uint64_t>(object, "freeBytes", [](const Napi::Value & value) {
        return (uint64_t) value.As<Napi::Number>().DoubleValue();
    });
    if (options.devices.empty() || options.devices.size() != options.free_bytes.size()) {
        throw Napi::TypeError::New(info.Env(), "expected as many numbers for freeBytes as there are devices");
    }
    auto *              worker  = new ServeRpc(info.Env(), std::move(options));
    const Napi::Promise promise = worker->promise();
    worker->Queue();
    return promise;
}

Napi::Value add_worker(const Napi::CallbackInfo & info) {
    if (info.Length() < 2 || !info[0].IsString() || !info[1].IsNumber()) {
        throw Napi::TypeError::New(info.Env(), "expected a string for endpoint and a number for maxDevices");
    }
    load_log::install();
    return Napi::Number::New(
        info.Env(), add_rpc_worker(info[0].As<Napi::String>().Utf8Value(), info[1].As<Napi::Number>().Int32Value()));
}

}  // namespace

void define_rpc(Napi::Env env, Napi::Object & exports) {
    const RpcVersion version = rpc_version();
    Napi::Array      numbers = Napi::Array::New(env, 3);
    numbers.Set(0u, version.major);
    numbers.Set(1u, version.minor);
    numbers.Set(2u, version.patch);
    exports.Set("rpcVersion", numbers);
    exports.Set("rpcDevices", Napi::Function::New(env, rpc_devices, "rpcDevices"));
    exports.Set("serveRpc", Napi::Function::New(env, serve, "serveRpc"));
    exports.Set("addRpcWorker", Napi::Function::New(env, add_worker, "addRpcWorker"));
}
