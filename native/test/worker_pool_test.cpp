#include "worker_pool.h"

#include "check.h"

#include <atomic>

static void runs_each_piece_once(size_t n_workers) {
    WorkerPool pool(n_workers);
    for (size_t n = 0; n < 200; n++) {
        std::vector<std::atomic<int>> calls(n);
        pool.run(n, [&](size_t i) { calls[i]++; });
        for (const auto & count : calls) {
            CHECK_EQUAL(count.load(), 1);
        }
    }
}

static void runs_everything_on_the_caller() {
    runs_each_piece_once(0);
}

static void runs_pieces_on_several_threads() {
    runs_each_piece_once(3);
}

static void ends_without_having_run() {
    const WorkerPool pool(2);
}

int main() {
    RUN(runs_everything_on_the_caller);
    RUN(runs_pieces_on_several_threads);
    RUN(ends_without_having_run);
}
