#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Layers on other machines, by ggml's RPC backend. Its protocol has no authentication and no encryption, its functions
// wait without end for a silent peer, and end the process where a peer is lost or speaks another version: who calls
// them has asked the peer before, and can be lost.

// Both sides must speak the same; see server/rpc/handshake.ts.
struct RpcVersion {
    int32_t major = 0;
    int32_t minor = 0;
    int32_t patch = 0;
};
RpcVersion rpc_version();

// Makes the devices of a worker at "address:port", or the first n_devices_max of them, take part in every later
// estimate and load of this process. Blocks. Returns how many they are.
int32_t add_rpc_worker(const std::string & endpoint, int32_t n_devices_max);

// A device of this machine that can work for others.
struct OfferedDevice {
    std::string name;         // ggml's, such as "CPU" or "CUDA0"
    std::string description;  // for people
    bool        is_gpu      = false;
    uint64_t    free_bytes  = 0;  // as the driver says; of a processor all the machine's memory on most systems
    uint64_t    total_bytes = 0;
};
std::vector<OfferedDevice> offered_devices();

struct RpcServerOptions {
    std::string              endpoint;       // "127.0.0.1:port", IPv4
    std::string              cache_dir;      // UTF-8; received weights are kept there, for the next load; empty: none
    int32_t                  n_threads = 0;  // of a processor; 0: automatic
    std::vector<std::string> devices;        // names
    std::vector<uint64_t>    free_bytes;     // of each of them, at most, as peers are told
};

// Serves one peer after the other, without end. Returns a sentence for people where it cannot listen, or a device does
// not start.
std::string serve_rpc(const RpcServerOptions & options);
