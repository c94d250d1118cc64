#include "compute_threads.h"

#include "common.h"  // llama.cpp common
#include "ggml-backend.h"
#include "ggml-cpu.h"
#include "llama.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

// ggml's threads wait for each other by spinning at every operation of the graph. One of them without a core stalls
// all, so one logical core stays free for the window, the server and the clients (docs/decisions).
int32_t choose_threads(int32_t n_asked) {
    const int32_t n_logical = std::max(1, (int32_t) std::thread::hardware_concurrency());
    if (n_asked > 0) {
        return std::min(n_asked, n_logical);  // more than there are cores would only wait for each other
    }
    return std::max(1, std::min(common_cpu_get_num_math(), n_logical - 1));
}

ComputeThreads::~ComputeThreads() {
    detach();
}

void ComputeThreads::attach(llama_context * context, int32_t n_threads) {
    ggml_backend_dev_t const device = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    if (device == nullptr) {
        throw std::runtime_error("no CPU backend is loaded");
    }
    ggml_backend_reg_t const backend = ggml_backend_dev_backend_reg(device);
    const auto               create  = reinterpret_cast<decltype(&ggml_threadpool_new)>(
        ggml_backend_reg_get_proc_address(backend, "ggml_threadpool_new"));
    free_ = reinterpret_cast<decltype(&ggml_threadpool_free)>(
        ggml_backend_reg_get_proc_address(backend, "ggml_threadpool_free"));
    if (create == nullptr || free_ == nullptr) {
        throw std::runtime_error("the CPU backend has no thread pool");
    }
    ggml_threadpool_params params = ggml_threadpool_params_default(n_threads);
    pool_                         = create(&params);
    share(context);
}

void ComputeThreads::share(llama_context * context) {
    llama_attach_threadpool(context, pool_, pool_);
    contexts_.push_back(context);
}

void ComputeThreads::detach() {
    if (pool_ != nullptr) {
        for (llama_context * context : contexts_) {
            llama_detach_threadpool(context);
        }
        contexts_.clear();
        free_(pool_);
        pool_ = nullptr;
    }
}
