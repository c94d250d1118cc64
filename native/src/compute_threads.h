#pragma once

#include <cstdint>

struct ggml_threadpool;
struct llama_context;

// The threads that compute a context's graphs on the CPU. They belong to ggml's CPU backend, which may be a module: its
// functions are asked for by name. Used on one thread at a time.
class ComputeThreads {
  public:
    ComputeThreads() = default;
    ~ComputeThreads();
    ComputeThreads(const ComputeThreads &)             = delete;
    ComputeThreads & operator=(const ComputeThreads &) = delete;

    // Starts n_threads (1 or more) and gives them to the context. Throws std::runtime_error where no CPU backend is
    // loaded.
    void attach(llama_context * context, int32_t n_threads);

    // Takes them back from the context, which must still exist, and ends them. Idempotent.
    void detach();

  private:
    ggml_threadpool * pool_                     = nullptr;
    llama_context *   context_                  = nullptr;
    void (*free_)(ggml_threadpool * threadpool) = nullptr;
};
