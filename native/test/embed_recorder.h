#pragma once

// Collects what an embedder answers; each request ends exactly once.

#include "check.h"
#include "embedder.h"

#include <condition_variable>
#include <map>
#include <mutex>

class EmbedRecorder {
  public:
    Embedder::Done done(int64_t id) {
        return [this, id](EmbedOutcome && outcome) {
            const std::lock_guard<std::mutex> lock(mutex_);
            CHECK(outcomes_.count(id) == 0);
            outcomes_.emplace(id, std::move(outcome));
            order_[id] = (int) outcomes_.size();
            changed_.notify_all();
        };
    }

    const EmbedResult & result(int64_t id) {
        const EmbedOutcome & outcome = wait(id);
        if (const auto * error = std::get_if<RequestError>(&outcome)) {
            std::cerr << "request " << id << ": " << error->what() << "\n";
        }
        CHECK(std::holds_alternative<EmbedResult>(outcome));
        return std::get<EmbedResult>(outcome);
    }

    const RequestError & error(int64_t id) {
        const EmbedOutcome & outcome = wait(id);
        CHECK(std::holds_alternative<RequestError>(outcome));
        return std::get<RequestError>(outcome);
    }

    // How many requests had ended when this one did.
    int order(int64_t id) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return order_.at(id);
    }

  private:
    std::mutex                      mutex_;
    std::condition_variable         changed_;
    std::map<int64_t, EmbedOutcome> outcomes_;
    std::map<int64_t, int>          order_;

    // Outcomes stay where they are until the recorder goes.
    const EmbedOutcome & wait(int64_t id) {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return outcomes_.count(id) > 0; });
        return outcomes_.at(id);
    }
};
