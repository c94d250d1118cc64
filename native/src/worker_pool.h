#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

// Runs independent pieces of one step on several threads. The caller takes part and waits for the end; between calls
// the workers sleep. One caller at a time.
class WorkerPool {
  public:
    // n_workers: threads besides the caller; 0 runs everything on the caller.
    explicit WorkerPool(size_t n_workers);
    ~WorkerPool();

    // Calls task(0) … task(n - 1), each once, in any order and on any of the threads. The task must not throw.
    void run(size_t n, const std::function<void(size_t)> & task);

  private:
    std::mutex                          mutex_;
    std::condition_variable             wake_;
    std::condition_variable             idle_;
    const std::function<void(size_t)> * task_     = nullptr;  // of the current call
    size_t                              next_     = 0;        // first piece nobody has taken
    size_t                              n_pieces_ = 0;
    size_t                              n_undone_ = 0;
    bool                                stopping_ = false;
    std::vector<std::thread>            workers_;

    void work();
    bool run_one(std::unique_lock<std::mutex> & lock);
};
