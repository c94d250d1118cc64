#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// ggml backends that lie in files of their own beside the engine (layout "modules").

struct BackendDevice {
    std::string name;         // ggml's, such as "CPU" or "Vulkan0"
    std::string description;  // for people, such as the GPU's name
    bool        is_gpu = false;
};

struct BackendModule {
    std::string name;       // "CPU", "Vulkan", "CUDA"
    int32_t     score = 0;  // of a CPU variant on this processor, higher is better; 1 where a module has none
    std::vector<BackendDevice> devices;
};

// A module that cannot be used; what() is a sentence for people, without folders.
struct BackendError : std::runtime_error {
    BackendError(const std::string & message, bool broken) : std::runtime_error(message), is_broken(broken) {}

    bool is_broken;  // it loads and then does not compute as it should; else this machine lacks what it needs
};

// Loads a module for the life of the process; its devices then take part in every later model load. path: absolute,
// UTF-8. One thread at a time. Throws BackendError. A bad module may end the process: see probe_backend.
BackendModule load_backend(const std::string & path);

// How well a module suits this processor, see BackendModule::score; 0 where it cannot run or does not load. The library
// stays open, its backend is not started.
int32_t score_backend(const std::string & path);

// Loads a module and computes something known on each of its devices. Only for a process that may be lost: illegal
// instructions and driver crashes end it. Throws BackendError.
BackendModule probe_backend(const std::string & path);
