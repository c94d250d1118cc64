#include "scheduler.h"

#include <algorithm>

// Weight of the newest measurement in the moving average.
static constexpr double OBSERVE_WEIGHT = 0.3;

// First chunk before anything has been measured, tokens.
static constexpr int32_t FIRST_CHUNK = 256;

// Patience of each class, milliseconds.
static double patience(Priority priority) {
    switch (priority) {
        case Priority::Interactive:
            return 0.0;
        case Priority::Normal:
            return 5'000.0;
        case Priority::Background:
            return 30'000.0;
    }
    return 0.0;
}

double deadline(Priority priority, double arrival_ms) {
    return arrival_ms + patience(priority);
}

static void average(double & value, double measured) {
    value = value <= 0.0 ? measured : value + OBSERVE_WEIGHT * (measured - value);
}

int32_t Scheduler::prefill_budget(bool shared) const {
    if (prefill_token_ms_ <= 0.0) {
        return std::min(FIRST_CHUNK, config_.n_batch);
    }
    double target = config_.prefill_alone_ms;
    if (shared) {
        target = std::max(0.0, config_.target_itl_ms - decode_step_ms_);
        if (decode_step_ms_ > 0.0) {
            target = std::min(target, config_.prefill_per_decode * decode_step_ms_);
        }
    }
    const double n_tokens = target / prefill_token_ms_;
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
              [&](int32_t a, int32_t b) { return slots[a].deadline < slots[b].deadline; });

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
    if (plan.n_prefill == 0) {
        average(decode_step_ms_, elapsed_ms);
        return;
    }
    // what the step would have taken without prefill is not the prefill's cost
    const double prefill_ms = elapsed_ms - (plan.n_decode > 0 ? decode_step_ms_ : 0.0);
    if (plan.n_prefill >= config_.n_prefill_min && prefill_ms > 0.0) {
        average(prefill_token_ms_, prefill_ms / plan.n_prefill);
    }
}
