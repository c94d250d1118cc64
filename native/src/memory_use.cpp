#include "memory_use.h"

#include "../src/llama-ext.h"  // llama.cpp's own account of its buffers, not yet in its public header
#include "ggml-backend.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

static bool is_processor(ggml_backend_dev_t device) {
    return device == nullptr || ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_CPU;
}

// Apple silicon and integrated graphics: their buffers are main memory.
static bool is_shared(ggml_backend_dev_t device) {
    ggml_backend_dev_props props;
    ggml_backend_dev_get_props(device, &props);
    return props.type == GGML_BACKEND_DEVICE_TYPE_IGPU || props.caps.buffer_from_host_ptr;
}

static bool is_remote(ggml_backend_dev_t device) {
    return strcmp(ggml_backend_reg_name(ggml_backend_dev_backend_reg(device)), "RPC") == 0;
}

std::string device_name(ggml_backend_dev_t device) {
    if (is_processor(device)) {
        return "CPU";
    }
    const std::string description = ggml_backend_dev_description(device);
    return is_remote(device) ? "RPC " + description : description;
}

MemoryUse memory_use(const llama_context * context, int32_t n_outputs) {
    const llama_model * model = llama_get_model(context);

    MemoryUse use(1);
    use[0].name = "CPU";
    for (int32_t i = 0; i < llama_model_n_devices(model); i++) {
        const ggml_backend_dev_t device = llama_model_get_device(model, i);
        DeviceMemory             memory;
        memory.name      = device_name(device);
        memory.is_shared = is_shared(device);
        memory.is_remote = is_remote(device);
        use.push_back(std::move(memory));
    }

    for (const auto & [type, bytes] : llama_get_memory_breakdown(context)) {
        // weights repacked for the processor lie in buffers that are not "host" ones, but in main memory all the same
        const ggml_backend_dev_t device = ggml_backend_buft_get_device(type);
        size_t                   at     = 0;
        for (int32_t i = 0; !ggml_backend_buft_is_host(type) && !is_processor(device) && i < (int32_t) use.size() - 1;
             i++) {
            if (llama_model_get_device(model, i) == device) {
                at = (size_t) i + 1;
            }
        }
        use[at].weights += bytes.model;
        use[at].kv += bytes.context;
        use[at].compute += bytes.compute;
    }
    const uint64_t n_vocab = (uint64_t) llama_vocab_n_tokens(llama_model_get_vocab(model));
    use[0].compute += (uint64_t) n_outputs * n_vocab * sizeof(float);
    return use;
}

void add_memory(MemoryUse & use, const MemoryUse & other) {
    for (size_t i = 0; i < other.size(); i++) {
        DeviceMemory & memory = use[use.size() == other.size() ? i : 0];
        memory.weights += other[i].weights;
        memory.kv += other[i].kv;
        memory.compute += other[i].compute;
    }
}

uint64_t free_device_bytes(const llama_model * model, size_t device) {
    size_t free  = 0;
    size_t total = 0;
    ggml_backend_dev_memory(llama_model_get_device(model, (int) device), &free, &total);
    return free;
}

bool has_gpu() {
    for (size_t i = 0; i < ggml_backend_dev_count(); i++) {
        const enum ggml_backend_dev_type type = ggml_backend_dev_type(ggml_backend_dev_get(i));
        if (type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU) {
            return true;
        }
    }
    return false;
}

std::string readable_bytes(uint64_t bytes) {
    char text[32];
    if (bytes < 1'000'000'000) {
        snprintf(text, sizeof(text), "%.0f MB", std::max(1.0, (double) bytes / 1e6));
    } else {
        snprintf(text, sizeof(text), "%.1f GB", (double) bytes / 1e9);
    }
    return text;
}
