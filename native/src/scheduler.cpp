#include "scheduler.h"

#include <algorithm>

// Weight of the newest measurement in the moving average.
static constexpr double OBSERVE_WEIGHT = 0.3;

// First chunk before anything has been measured, tokens.
static constexpr int32_t FIRST_CHUNK = 256;

int32_t Scheduler::prefill_budget(bool shared) const {
    if (ms_per_prefill_token_ <= 0.0) {
        return std::min(FIRST_CHUNK, config_.n_batch);
    }
    const double target   = shared ? config_.prefill_shared_ms : config_.prefill_alone_ms;
    const double n_tokens = target / ms_per_prefill_token_;
    if (n_tokens >= config_.n_batch) {
        return config_.n_batch;
    }
    return std::min(config_.n_batch, std::max(config_.n_prefill_min, (int32_t) n_tokens));
}

BatchPlan Scheduler::plan(const std::vector<SlotView> & slots) const {
    BatchPlan            plan;
    std::vector<int32_t> prefill;

    for (int32_t i = 0; i < (int32_t) slots.size(); i++) {
        const SlotView & slot = slots[i];
        if (slot.paused) {
            continue;
        }
        if (slot.state == SlotState::Decode) {
            plan.shares.push_back({ i, 1 });
            plan.n_decode++;
        } else if (slot.state == SlotState::Prefill) {
            prefill.push_back(i);
        }
    }

    std::sort(prefill.begin(), prefill.end(),
              [&](int32_t a, int32_t b) { return slots[a].arrival < slots[b].arrival; });

    int32_t budget = std::min(prefill_budget(plan.n_decode > 0), config_.n_batch - plan.n_decode);
    for (const int32_t i : prefill) {
        if (budget <= 0) {
            break;
        }
        const int32_t n_tokens = std::min(budget, slots[i].n_missing);
        plan.shares.push_back({ i, n_tokens });
        plan.n_prefill += n_tokens;
        budget -= n_tokens;
    }
    return plan;
}

void Scheduler::observe(const BatchPlan & plan, double elapsed_ms) {
    // a step that is mostly decode says nothing about the cost of a prefill token
    if (plan.n_prefill < config_.n_prefill_min || plan.n_prefill < plan.n_decode) {
        return;
    }
    const double ms = elapsed_ms / plan.n_prefill;
    ms_per_prefill_token_ =
        ms_per_prefill_token_ <= 0.0 ? ms : ms_per_prefill_token_ + OBSERVE_WEIGHT * (ms - ms_per_prefill_token_);
}
