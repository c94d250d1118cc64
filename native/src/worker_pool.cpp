#include "worker_pool.h"

WorkerPool::WorkerPool(size_t n_workers) {
    for (size_t i = 0; i < n_workers; i++) {
        workers_.emplace_back([this] { work(); });
    }
}

WorkerPool::~WorkerPool() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread & worker : workers_) {
        worker.join();
    }
}

void WorkerPool::run(size_t n, const std::function<void(size_t)> & task) {
    std::unique_lock<std::mutex> lock(mutex_);
    task_     = &task;
    next_     = 0;
    n_pieces_ = n;
    n_undone_ = n;
    if (n > 1) {
        wake_.notify_all();
    }
    while (run_one(lock)) {}
    idle_.wait(lock, [&] { return n_undone_ == 0; });
    task_ = nullptr;
}

// Takes the next piece, if there is one. Called and returns with the lock held.
bool WorkerPool::run_one(std::unique_lock<std::mutex> & lock) {
    if (task_ == nullptr || next_ == n_pieces_) {
        return false;
    }
    const std::function<void(size_t)> & task = *task_;
    const size_t                        i    = next_++;
    lock.unlock();
    task(i);
    lock.lock();
    if (--n_undone_ == 0) {
        idle_.notify_one();
    }
    return true;
}

void WorkerPool::work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
        wake_.wait(lock, [&] { return stopping_ || (task_ != nullptr && next_ < n_pieces_); });
        if (stopping_) {
            return;
        }
        run_one(lock);
    }
}
