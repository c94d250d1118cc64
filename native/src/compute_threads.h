#pragma once

#include <cstdint>
#include <vector>

struct ggml_threadpool;
struct llama_context;

// How many threads compute where n_asked (0: automatic) were asked for; at least 1.
int32_t choose_threads(int32_t n_asked);

// The threads that compute the graphs of one or more contexts on the CPU. They belong to ggml's CPU backend, which may
// be a module: its functions are asked for by name. Used on one thread at a time.
class ComputeThreads {
  public:
    ComputeThreads() = default;
    ~ComputeThreads();
    ComputeThreads(const ComputeThreads &)             = delete;
    ComputeThreads & operator=(const ComputeThreads &) = delete;

    // Starts n_threads (1 or more) and gives them to the context. Throws std::runtime_error where no CPU backend is
    // loaded.
    void attach(llama_context * context, int32_t n_threads);

    // Gives them to another context, too, which computes at other times.
    void share(llama_context * context);

    // Takes them back from the contexts, which must still exist, and ends them. Idempotent.
    void detach();

  private:
    ggml_threadpool *            pool_ = nullptr;
    std::vector<llama_context *> contexts_;
    void (*free_)(ggml_threadpool * threadpool) = nullptr;
};
