#pragma once

#include <stdexcept>
#include <string>

enum class LoadErrorCode {
    NotAGguf,
    NotAModel,  // a GGUF file of another kind: an adapter, a projector, a later part of a split model
    MissingPart,
    NotAProjector,      // what lies beside the model takes no images
    ProjectorMismatch,  // it belongs to another model
    Truncated,
    UnsupportedArchitecture,
    BadChatTemplate,
    InvalidOptions,
    OutOfMemory,
    FileUnreadable,
    Cancelled,
    LoadFailed,
};

// A model that cannot be loaded; what() is a sentence for people.
struct LoadError : std::runtime_error {
    LoadError(LoadErrorCode error_code, const std::string & message) : std::runtime_error(message), code(error_code) {}

    LoadErrorCode code;
};

// Throws NotAGguf, Truncated or FileUnreadable for what is no model at first sight. path is UTF-8.
void check_model_file(const std::string & path);

// Throws LoadError for what is no image part (mmproj) of a model at first sight. path is UTF-8.
void check_projector_file(const std::string & path);

// Why mtmd could not load the image part, from the errors it logged.
LoadError projector_load_error(const std::string & path, const std::string & log);

// Why llama.cpp could not load the file, from the errors it logged and the file's own metadata.
LoadError model_load_error(const std::string & path, const std::string & log);

// Why llama.cpp could not create a context, from the errors it logged; context says what was wanted, such as "2048
// tokens for 4 requests".
LoadError context_error(const std::string & log, const std::string & context);
