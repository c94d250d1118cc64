#pragma once

// What the tests of the running engine share. PILOTLIGHT_TEST_MODELS is the folder that scripts/test-models makes. One
// compute thread: llama.cpp's own code is not instrumented, so tsan could not see how its pool synchronises.

#include "engine.h"
#include "recorder.h"

#include <cstdlib>

inline std::string model_path(const std::string & name) {
    const char * folder = std::getenv("PILOTLIGHT_TEST_MODELS");
    if (folder == nullptr) {
        std::cerr << "PILOTLIGHT_TEST_MODELS is not set: run npm test, which makes the models\n";
        std::exit(2);
    }
    return std::string(folder) + "/" + name + ".gguf";
}

inline LoadOptions options(const std::string & name, int32_t n_parallel, int32_t n_ctx = 512) {
    LoadOptions out;
    out.path       = model_path(name);
    out.n_parallel = n_parallel;
    out.n_ctx      = n_ctx;
    out.n_threads  = 1;
    return out;
}

inline std::unique_ptr<Engine> start(Recorder & recorder, const LoadOptions & load_options) {
    return std::make_unique<Engine>(Model::load(load_options, [](float) { return true; }), recorder.sink());
}

inline Request chat(int64_t seq, int32_t n_max_tokens, const std::string & text = "Hello") {
    Request request;
    request.seq                  = seq;
    request.prompt.kind          = PromptKind::Chat;
    request.prompt.chat.messages = { { "user", text, "" } };
    request.sampling.temperature = 0.0f;
    request.n_max_tokens         = n_max_tokens;
    return request;
}

inline Request tokens(int64_t seq, size_t n_prompt, int32_t n_max_tokens) {
    Request request;
    request.seq                  = seq;
    request.prompt.kind          = PromptKind::Tokens;
    request.prompt.tokens        = std::vector<int32_t>(n_prompt, 40);
    request.sampling.temperature = 0.0f;
    request.n_max_tokens         = n_max_tokens;
    return request;
}
