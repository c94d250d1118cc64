#include "load_error.h"

#include "ggml.h"
#include "gguf.h"
#include "llama.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

namespace fs = std::filesystem;

static bool contains(const std::string & text, const char * part) {
    return text.find(part) != std::string::npos;
}

static fs::path to_path(const std::string & utf8) {
    return fs::u8path(utf8);
}

void check_model_file(const std::string & path) {
    std::error_code error;
    if (fs::is_directory(to_path(path), error)) {
        throw LoadError(LoadErrorCode::FileUnreadable, "This is a folder, not a file.");
    }
    errno = 0;
    const std::unique_ptr<FILE, int (*)(FILE *)> file(ggml_fopen(path.c_str(), "rb"), fclose);
    if (!file) {
        throw LoadError(LoadErrorCode::FileUnreadable, errno == ENOENT ? "The file does not exist any more."
                                                       : errno == EACCES || errno == EPERM
                                                           ? "The file may not be read: its permissions forbid it."
                                                           : "The file cannot be read.");
    }
    std::array<char, 4> magic  = {};
    const size_t        n_read = fread(magic.data(), 1, magic.size(), file.get());
    if (n_read == 0) {
        throw ferror(file.get()) ? LoadError(LoadErrorCode::FileUnreadable, "The file cannot be read.")
                                 : LoadError(LoadErrorCode::Truncated, "The file is empty. Download it again.");
    }
    if (n_read != magic.size() || std::string(magic.data(), magic.size()) != "GGUF") {
        throw LoadError(LoadErrorCode::NotAGguf, "This is not a GGUF file.");
    }
}

// The part of a file's metadata that tells what kind of file it is.
struct FileKind {
    std::string type;           // general.type
    std::string architecture;   // general.architecture
    uint32_t    part      = 0;  // split.no
    uint32_t    n_part    = 0;  // split.count; 0: not split
    int64_t     n_tensors = 0;
};

static std::optional<FileKind> read_kind(const std::string & path) {
    const gguf_init_params params = { /*.no_alloc =*/true, /*.ctx =*/nullptr };

    const std::unique_ptr<gguf_context, void (*)(gguf_context *)> gguf(gguf_init_from_file(path.c_str(), params),
                                                                       gguf_free);
    if (!gguf) {
        return std::nullopt;
    }
    const auto text = [&](const char * key) {
        const int64_t id = gguf_find_key(gguf.get(), key);
        return id >= 0 && gguf_get_kv_type(gguf.get(), id) == GGUF_TYPE_STRING
                   ? std::string(gguf_get_val_str(gguf.get(), id))
                   : std::string();
    };
    const auto number = [&](const char * key) {
        const int64_t id = gguf_find_key(gguf.get(), key);
        return id >= 0 && gguf_get_kv_type(gguf.get(), id) == GGUF_TYPE_UINT16 ? gguf_get_val_u16(gguf.get(), id) : 0u;
    };
    return FileKind{ text("general.type"), text("general.architecture"), number("split.no"), number("split.count"),
                     gguf_get_n_tensors(gguf.get()) };
}

// A split model whose parts are not all there.
static std::optional<LoadError> parts_error(const std::string & path, const FileKind & kind) {
    const std::string is_split = "The model is split into " + std::to_string(kind.n_part) + " files";

    std::string   prefix(path.size() + 1, '\0');
    const int32_t n_prefix =
        llama_split_prefix(prefix.data(), prefix.size(), path.c_str(), (int32_t) kind.part, (int32_t) kind.n_part);
    if (n_prefix <= 0) {
        return LoadError(LoadErrorCode::MissingPart,
                         is_split + ", which must keep the names they were made with (…-00001-of-….gguf).");
    }
    prefix.resize((size_t) n_prefix);

    for (uint32_t part = 0; part < kind.n_part; part++) {
        std::string name(prefix.size() + 64, '\0');
        name.resize((size_t) std::max(
            0, llama_split_path(name.data(), name.size(), prefix.c_str(), (int32_t) part, (int32_t) kind.n_part)));
        std::error_code error;
        if (!fs::exists(to_path(name), error)) {
            return LoadError(LoadErrorCode::MissingPart, is_split + ", and " + to_path(name).filename().u8string() +
                                                             " is missing: put all of them into one folder.");
        }
    }
    return std::nullopt;
}

// What the file is, where that alone explains why it is no model to load.
static std::optional<LoadError> kind_error(const std::string & path) {
    const std::optional<FileKind> kind = read_kind(path);
    if (!kind) {
        return std::nullopt;
    }
    if (kind->type == "adapter") {
        return LoadError(LoadErrorCode::NotAModel, "This is an adapter (LoRA) for a model, not a model by itself.");
    }
    if (kind->type == "mmproj" || kind->architecture == "clip") {
        return LoadError(LoadErrorCode::NotAModel,
                         "This is the image or audio part (mmproj) of a model. Open the model's own file.");
    }
    if (kind->n_part > 1 && kind->part > 0) {
        return LoadError(LoadErrorCode::NotAModel, "This is part " + std::to_string(kind->part + 1) + " of " +
                                                       std::to_string(kind->n_part) +
                                                       " of a model. Open the first part.");
    }
    if (kind->n_part > 1) {
        return parts_error(path, *kind);
    }
    if (kind->n_tensors == 0) {
        return LoadError(LoadErrorCode::NotAModel, "This file has no weights, only the description of a model.");
    }
    return std::nullopt;
}

static bool is_memory_error(const std::string & log) {
    return contains(log, "failed to allocate") || contains(log, "out of memory") ||
           contains(log, "unable to allocate") || contains(log, "bad_alloc");
}

static bool is_cut_off(const std::string & log) {
    return contains(log, "not within the file bounds") || contains(log, "failed to read") ||
           contains(log, "exceeds remaining file size") || contains(log, "corrupted or incomplete") ||
           contains(log, "unexpectedly reached end of file") || contains(log, "failed to seek");
}

// The model is of use without images, so that the way to that belongs to every such error.
static LoadError of_projector(const std::string & path, LoadErrorCode code, const std::string & why) {
    return { code, "The image part of this model (" + to_path(path).filename().u8string() + ") cannot be loaded. " +
                       why + " Without that file beside it the model loads for text." };
}

void check_projector_file(const std::string & path) {
    try {
        check_model_file(path);
    } catch (const LoadError & error) {
        throw of_projector(path, error.code, error.what());
    }
    const std::optional<FileKind> kind = read_kind(path);
    if (!kind) {
        throw of_projector(path, LoadErrorCode::Truncated, "It is cut off or damaged. Download it again.");
    }
    if (kind->type != "mmproj" && kind->architecture != "clip") {
        throw of_projector(path, LoadErrorCode::NotAProjector, "It is a file of another kind.");
    }
}

LoadError projector_load_error(const std::string & path, const std::string & log) {
    if (contains(log, "mismatch between text model") || contains(log, "unsupported decoder rope type")) {
        return of_projector(path, LoadErrorCode::ProjectorMismatch, "It belongs to another model.");
    }
    if (is_memory_error(log)) {
        return of_projector(path, LoadErrorCode::OutOfMemory, "There is not enough memory for it.");
    }
    if (is_cut_off(log) || contains(log, "tensor not found") || contains(log, "unable to find tensor")) {
        return of_projector(path, LoadErrorCode::Truncated, "It is cut off or damaged. Download it again.");
    }
    if (contains(log, "no vision encoder")) {
        return of_projector(path, LoadErrorCode::NotAProjector, "It takes no images.");
    }
    return of_projector(path, LoadErrorCode::UnsupportedArchitecture, "It is of a kind this version does not know.");
}

// llama.cpp gives no error codes; its words are the only source.
LoadError model_load_error(const std::string & path, const std::string & log) {
    if (const std::optional<LoadError> error = kind_error(path)) {
        return *error;
    }
    if (contains(log, "invalid magic")) {
        return { LoadErrorCode::NotAGguf, "This is not a GGUF file." };
    }
    if (is_cut_off(log)) {
        return { LoadErrorCode::Truncated, "The file is cut off or damaged. Download it again." };
    }
    if (contains(log, "unknown model architecture")) {
        const size_t      begin = log.find('\'', log.find("unknown model architecture"));
        const size_t      end   = begin == std::string::npos ? begin : log.find('\'', begin + 1);
        const std::string name  = end == std::string::npos ? "" : log.substr(begin, end - begin + 1) + " ";
        return { LoadErrorCode::UnsupportedArchitecture,
                 "The model's architecture " + name + "is not known to this version." };
    }
    if (is_memory_error(log)) {
        return { LoadErrorCode::OutOfMemory, "There is not enough memory for this model." };
    }
    const char * const prefix = "error loading model: ";
    const size_t       told   = log.find(prefix);
    if (told != std::string::npos) {
        const size_t begin = told + strlen(prefix);
        return { LoadErrorCode::LoadFailed, "The file is damaged or of a kind this version does not know: " +
                                                log.substr(begin, log.find('\n', begin) - begin) + "." };
    }
    const size_t last = log.find_last_not_of('\n');
    const size_t line = last == std::string::npos ? last : log.rfind('\n', last);
    return { LoadErrorCode::LoadFailed,
             "The model cannot be loaded" +
                 (last == std::string::npos
                      ? std::string(".")
                      : ": " + log.substr(line == std::string::npos ? 0 : line + 1, last - (line + 1) + 1)) };
}

LoadError context_error(const std::string & log, const std::string & context) {
    if (contains(log, "does not divide n_embd_head")) {
        return { LoadErrorCode::InvalidOptions,
                 "The attention heads of this model are too narrow for this type of KV cache. Choose f16." };
    }
    if (contains(log, "does not support different K")) {
        return { LoadErrorCode::InvalidOptions, "This model needs the same type of KV cache for keys and values." };
    }
    if (contains(log, "quantized V cache")) {
        return { LoadErrorCode::InvalidOptions,
                 "A quantised KV cache for values needs flash attention, which does not work for this model here. "
                 "Choose f16." };
    }
    if (is_memory_error(log) || contains(log, "alloc")) {
        return { LoadErrorCode::OutOfMemory, "There is not enough memory for a context of " + context + "." };
    }
    return { LoadErrorCode::LoadFailed, "The model's context cannot be created: " + log };
}
