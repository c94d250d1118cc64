#pragma once

#include "ggml-backend.h"
#include "llama.h"

#include <cstdint>
#include <string>
#include <vector>

// Memory on one device, bytes.
struct DeviceMemory {
    std::string name;               // see device_name
    bool        is_shared = false;  // the device computes in main memory: what it takes is missing there
    bool        is_remote = false;  // of an RPC worker
    uint64_t    budget    = 0;      // what may be taken; 0: no limit
    uint64_t    weights   = 0;
    uint64_t    kv        = 0;  // KV cache and recurrent states
    uint64_t    compute   = 0;  // buffers of the graph, and the logits

    uint64_t total() const { return weights + kv + compute; }
};

// Main memory first, then the devices that the model uses.
using MemoryUse = std::vector<DeviceMemory>;

// What a context and its model take, exactly as llama.cpp allocates it; or would allocate it, where the model was
// loaded with no_alloc. n_outputs: rows of logits the context keeps. Budgets are left open.
MemoryUse memory_use(const llama_context * context, int32_t n_outputs);

// For people: "CPU", "RPC address:port" for a device of a worker, else the device's description.
std::string device_name(ggml_backend_dev_t device);

// Adds what another model takes. Where it has other devices, all of it counts as main memory.
void add_memory(MemoryUse & use, const MemoryUse & other);

// Bytes free on a device of the model besides main memory; 0 where it does not tell.
uint64_t free_device_bytes(const llama_model * model, size_t device);

// Compute devices besides the processor are there, those of RPC workers included.
bool has_gpu();

// "1.2 GB"
std::string readable_bytes(uint64_t bytes);
