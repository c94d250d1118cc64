#include "backend_module.h"

#include "backend_trial.h"
#include "ggml-backend.h"
#include "load_log.h"

#include <filesystem>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <system_error>
#else
#include <dlfcn.h>
#endif

namespace fs = std::filesystem;

// The system's words name the whole path.
static std::string without_folder(std::string text, const fs::path & path) {
    const std::string folder = (path.parent_path() / "").u8string();
    for (size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at)) {
        text.erase(at, folder.size());
    }
    return text;
}

static BackendError cannot_load(const fs::path & path, const std::string & why) {
    return BackendError(path.filename().u8string() + " cannot be loaded: " + without_folder(why, path) + ".", false);
}

using Score = int (*)();

// The module's own verdict on this processor. The library stays loaded.
static Score find_score(const fs::path & path) {
#ifdef _WIN32
    HMODULE const library = LoadLibraryExW(path.wstring().c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
    if (library == nullptr) {
        throw cannot_load(path, std::system_category().message((int) GetLastError()));
    }
    return reinterpret_cast<Score>(reinterpret_cast<void *>(GetProcAddress(library, "ggml_backend_score")));
#else
    void * const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char * const why = dlerror();
        throw cannot_load(path, why == nullptr ? "the system does not say why" : why);
    }
    return reinterpret_cast<Score>(dlsym(library, "ggml_backend_score"));
#endif
}

// The last line of the log, without the name of the function that wrote it.
static std::string last_words(const std::string & log) {
    const size_t end = log.find_last_not_of('\n');
    if (end == std::string::npos) {
        return "it gives no reason";
    }
    const size_t newline = log.rfind('\n', end);
    std::string  line    = log.substr(newline == std::string::npos ? 0 : newline + 1, end - newline);
    const size_t colon   = line.find(": ");
    return colon == std::string::npos ? line : line.substr(colon + 2);
}

static ggml_backend_reg_t open_backend(const std::string & path, BackendModule & module) {
    load_log::install();
    load_log::begin();
    const fs::path file  = fs::u8path(path);
    const Score    score = find_score(file);
    module.score         = score == nullptr ? 1 : score();
    if (module.score == 0) {
        throw BackendError("This processor lacks instructions that " + file.filename().u8string() + " uses.", false);
    }
    ggml_backend_reg_t const backend = ggml_backend_load(path.c_str());
    if (backend == nullptr) {
        throw cannot_load(file, last_words(load_log::errors()));
    }
    module.name = ggml_backend_reg_name(backend);
    for (size_t i = 0; i < ggml_backend_reg_dev_count(backend); i++) {
        ggml_backend_dev_t const device = ggml_backend_reg_dev_get(backend, i);
        const auto               type   = ggml_backend_dev_type(device);
        module.devices.push_back({ ggml_backend_dev_name(device), ggml_backend_dev_description(device),
                                   type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU });
    }
    return backend;
}

int32_t score_backend(const std::string & path) {
    try {
        const Score score = find_score(fs::u8path(path));
        return score == nullptr ? 1 : score();
    } catch (const BackendError &) {
        return 0;
    }
}

BackendModule load_backend(const std::string & path) {
    BackendModule module;
    open_backend(path, module);
    return module;
}

BackendModule probe_backend(const std::string & path) {
    BackendModule            module;
    ggml_backend_reg_t const backend = open_backend(path, module);
    for (size_t i = 0; i < ggml_backend_reg_dev_count(backend); i++) {
        try_device(ggml_backend_reg_dev_get(backend, i));
    }
    return module;
}
