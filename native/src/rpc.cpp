#include "rpc.h"

#include "../ggml/src/ggml-backend-impl.h"  // a device of our own, over one of ggml's
#include "compute_threads.h"
#include "ggml-backend.h"
#include "ggml-rpc.h"

#include <algorithm>
#include <memory>

RpcVersion rpc_version() {
    return { RPC_PROTO_MAJOR_VERSION, RPC_PROTO_MINOR_VERSION, RPC_PROTO_PATCH_VERSION };
}

int32_t add_rpc_worker(const std::string & endpoint, int32_t n_devices_max) {
    ggml_backend_reg_t const worker = ggml_backend_rpc_add_server(endpoint.c_str());
    if (worker == nullptr) {
        return 0;
    }
    // ggml closes the connection with the last backend or buffer, and opens another one for the next. This one stays.
    static std::vector<ggml_backend_t> kept;
    kept.push_back(ggml_backend_dev_init(ggml_backend_reg_dev_get(worker, 0), nullptr));
    const int32_t n_devices = std::min((int32_t) ggml_backend_reg_dev_count(worker), n_devices_max);
    for (int32_t i = 0; i < n_devices; i++) {
        ggml_backend_device_register(ggml_backend_reg_dev_get(worker, (size_t) i));
    }
    return n_devices;
}

static bool is_gpu(ggml_backend_dev_t device) {
    const enum ggml_backend_dev_type type = ggml_backend_dev_type(device);
    return type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU;
}

std::vector<OfferedDevice> offered_devices() {
    std::vector<OfferedDevice> out;
    for (size_t i = 0; i < ggml_backend_dev_count(); i++) {
        ggml_backend_dev_t const device = ggml_backend_dev_get(i);
        if (!is_gpu(device) && ggml_backend_dev_type(device) != GGML_BACKEND_DEVICE_TYPE_CPU) {
            continue;  // an accelerator of the processor, which computes through it
        }
        size_t free  = 0;
        size_t total = 0;
        ggml_backend_dev_memory(device, &free, &total);
        out.push_back(
            { ggml_backend_dev_name(device), ggml_backend_dev_description(device), is_gpu(device), free, total });
    }
    return out;
}

namespace {

// A device that tells of less memory than it has. Its backends are the other one's; ggml's server asks them for their
// device, and gets this one.
struct LimitedDevice : ggml_backend_device {
    ggml_backend_dev_t own        = nullptr;
    uint64_t           free_bytes = 0;

    LimitedDevice(ggml_backend_dev_t device, uint64_t bytes)
        : ggml_backend_device(*device), own(device), free_bytes(bytes) {
        iface.get_memory   = memory;
        iface.get_props    = props;
        iface.init_backend = init;
    }

    static void memory(ggml_backend_dev_t device, size_t * free, size_t * total) {
        const auto * limited = static_cast<LimitedDevice *>(device);
        ggml_backend_dev_memory(limited->own, free, total);
        *free = std::min<size_t>(*free, limited->free_bytes);
    }

    static void props(ggml_backend_dev_t device, ggml_backend_dev_props * out) {
        ggml_backend_dev_get_props(static_cast<LimitedDevice *>(device)->own, out);
        memory(device, &out->memory_free, &out->memory_total);
    }

    static ggml_backend_t init(ggml_backend_dev_t device, const char * params) {
        ggml_backend_t const backend = ggml_backend_dev_init(static_cast<LimitedDevice *>(device)->own, params);
        if (backend != nullptr) {
            backend->device = device;
        }
        return backend;
    }
};

}  // namespace

std::string serve_rpc(const RpcServerOptions & options) {
    std::vector<std::unique_ptr<LimitedDevice>> limited;
    std::vector<ggml_backend_dev_t>             devices;
    for (size_t i = 0; i < options.devices.size(); i++) {
        ggml_backend_dev_t const device = ggml_backend_dev_by_name(options.devices[i].c_str());
        if (device == nullptr) {
            return "There is no device " + options.devices[i] + ".";
        }
        limited.push_back(std::make_unique<LimitedDevice>(device, options.free_bytes[i]));
        devices.push_back(limited.back().get());
    }
    const char * const cache = options.cache_dir.empty() ? nullptr : options.cache_dir.c_str();
    ggml_backend_rpc_start_server(options.endpoint.c_str(), cache, (size_t) choose_threads(options.n_threads),
                                  devices.size(), devices.data());
    return "The RPC server cannot listen at " + options.endpoint + ".";
}
