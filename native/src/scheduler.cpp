#include "scheduler.h"

#include <algorithm>
#include <cmath>

// Weight of the newest measurement in the moving average.
static constexpr double OBSERVE_WEIGHT = 0.3;

// First chunk before anything has been measured, tokens.
static constexpr int32_t FIRST_CHUNK = 256;

// Weight of the newest step with guesses among all that tell what guesses cost.
static constexpr double DRAFT_WEIGHT = 0.1;

// Lengths of guesses from which the cost of guessing at all and that of each guess can be told apart.
static constexpr int32_t N_LEARN_SHORT = 2;
static constexpr int32_t N_LEARN_LONG  = 16;

// Cost of a guess before one has been measured, as a share of a step.
static constexpr double DRAFT_COST_GUESS = 0.2;

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

int32_t Scheduler::prefill_budget(PrefillCompany company) const {
    const double token_ms = prefill_token_ms_ > 0.0 ? prefill_token_ms_ : read_token_ms_;
    if (token_ms <= 0.0) {
        return std::min(FIRST_CHUNK, config_.n_batch);
    }
    int32_t n_min  = config_.n_prefill_wide;
    double  target = company == PrefillCompany::Alone ? config_.prefill_alone_ms : config_.prefill_yielding_ms;
    if (company == PrefillCompany::Established) {
        n_min  = config_.n_prefill_min;
        target = config_.target_itl_ms > 0.0 ? std::max(0.0, config_.target_itl_ms - decode_step_ms_)
                 : decode_step_ms_ > 0.0     ? config_.prefill_per_decode * decode_step_ms_
                                             : config_.prefill_unmeasured_ms;
    }
    const double n_tokens = target / token_ms;
    if (n_tokens >= config_.n_batch) {
        return config_.n_batch;
    }
    return std::min(config_.n_batch, std::max(n_min, (int32_t) n_tokens));
}

// Shares the budget among the sequences that have guesses.
static void add_drafts(const std::vector<SlotView> & slots, int32_t budget, BatchPlan & plan) {
    const auto n_drafting =
        (int32_t) std::count_if(plan.shares.begin(), plan.shares.end(),
                                [&](const SlotShare & share) { return slots[(size_t) share.slot].n_draft > 0; });
    if (n_drafting == 0) {
        return;
    }
    const int32_t n_each = std::max(1, budget / n_drafting);
    for (SlotShare & share : plan.shares) {
        const int32_t n = std::min({ slots[(size_t) share.slot].n_draft, n_each, budget - plan.n_draft });
        share.n_tokens += n;
        plan.n_draft += n;
    }
}

Scheduler::DecodeCost Scheduler::decode_cost(int32_t n_decode) const {
    return (size_t) n_decode < decode_costs_.size() ? decode_costs_[(size_t) n_decode] : DecodeCost();
}

int32_t Scheduler::draft_budget(int32_t n_decode) const {
    const DecodeCost cost = decode_cost(n_decode);
    if (cost.step_ms <= 0.0) {
        return 0;
    }
    const int32_t   n_max = std::max(0, std::min(config_.n_draft_max, config_.n_batch - n_decode));
    const DraftCost guess = draft_cost(n_decode);
    if (n_decode == 1 || cost.weight <= 0.0) {
        return n_max;
    }
    const double ms_left  = config_.draft_step_ms - cost.step_ms * (1.0 + guess.fixed / n_decode);
    const double token_ms = cost.step_ms * guess.per_token / n_decode;
    return ms_left <= 0.0 ? 0 : ms_left >= token_ms * n_max ? n_max : (int32_t) (ms_left / token_ms);
}

DraftCost Scheduler::draft_cost(int32_t n_decode) const {
    const DecodeCost cost = decode_cost(n_decode);
    if (cost.step_ms <= 0.0 || cost.weight <= 0.0) {
        return { 0.0, n_decode * DRAFT_COST_GUESS, N_LEARN_LONG };
    }
    // the line through the measurements; through the origin where they lie too close together for one, or contradict it
    const double spread    = cost.weight * cost.n_n - cost.n * cost.n;
    double       per_token = cost.ms / cost.n;
    double       fixed     = 0.0;
    const bool   is_known  = spread > 0.5 * cost.weight * cost.weight;
    if (is_known) {
        const double slope  = (cost.weight * cost.n_ms - cost.n * cost.ms) / spread;
        const double offset = (cost.ms - slope * cost.n) / cost.weight;
        if (slope > 0.0 && offset > 0.0) {
            per_token = slope;
            fixed     = offset;
        }
    }
    const int32_t n_to_learn = is_known ? 0 : cost.n < N_LEARN_LONG / 2 * cost.weight ? N_LEARN_LONG : N_LEARN_SHORT;
    return { n_decode * fixed / cost.step_ms, n_decode * per_token / cost.step_ms, n_to_learn };
}

// What a token whose logits are read takes of the budget. Until that has been measured, as much as two.
double Scheduler::read_weight() const {
    if (read_token_ms_ <= 0.0) {
        return 2.0;
    }
    return prefill_token_ms_ > 0.0 ? std::max(1.0, read_token_ms_ / prefill_token_ms_) : 1.0;
}

// What runs beside the prompt that is due first.
PrefillCompany Scheduler::company_of(const std::vector<SlotView> & slots, const BatchPlan & plan,
                                     const SlotView & first) const {
    PrefillCompany company = PrefillCompany::Alone;
    for (const SlotShare & share : plan.shares) {
        const SlotView & slot = slots[(size_t) share.slot];
        // of one priority, deadlines are as far apart as arrivals
        const bool came_together =
            slot.priority == first.priority && slot.deadline >= first.deadline - config_.burst_ms;
        const bool yields = slot.n_output < config_.n_young || slot.priority > first.priority || came_together;
        company           = std::max(company, yields ? PrefillCompany::Yielding : PrefillCompany::Established);
    }
    return company;
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
            plan.shares.push_back({ i, 1, false });
            plan.n_decode++;
        } else if (slot.state == SlotState::Prefill) {
            prefill.push_back(i);
        }
    }

    if (prefill.empty()) {
        add_drafts(slots, draft_budget(plan.n_decode), plan);
    }
    std::sort(prefill.begin(), prefill.end(),
              [&](int32_t a, int32_t b) { return slots[a].deadline < slots[b].deadline; });

    if (prefill.empty()) {
        return plan;
    }
    const SlotView &     first   = slots[(size_t) prefill.front()];
    const PrefillCompany company = company_of(slots, plan, first);
    int32_t              budget  = prefill_budget(company);
    if (first.n_missing <= 2 * config_.n_prefill_short && first.n_present <= config_.n_context_short) {
        budget = std::max(budget, config_.n_prefill_short);
    }
    budget = std::min(budget, config_.n_batch - plan.n_decode);
    for (const int32_t i : prefill) {
        if (budget <= 0) {
            break;
        }
        if (slots[i].is_image) {
            const int32_t n_image = slots[i].is_whole ? slots[i].n_missing : std::min(slots[i].n_missing, budget);
            if (n_image <= budget || plan.n_prefill == 0) {
                plan.shares.push_back({ i, n_image, true });
                plan.n_prefill += n_image;
                budget -= n_image;
            }
            continue;
        }
        const bool   has_rows = slots[i].n_rows_max > 0;
        const double weight   = has_rows ? read_weight() : 1.0;
        int32_t      n_tokens = std::min(slots[i].n_missing, std::max(1, (int32_t) (budget / weight)));
        if (has_rows) {
            n_tokens = std::min({ n_tokens, slots[i].n_rows_max, config_.n_rows_max - plan.n_rows });
            if (n_tokens == 0) {
                continue;
            }
            plan.n_rows += n_tokens;
        }
        plan.shares.push_back({ i, n_tokens, false });
        plan.n_prefill += n_tokens;
        budget -= (int32_t) std::ceil(n_tokens * weight);
    }
    return plan;
}

void Scheduler::observe(const BatchPlan & plan, double elapsed_ms) {
    if (plan.n_prefill == 0) {
        if (decode_costs_.size() <= (size_t) plan.n_decode) {
            decode_costs_.resize((size_t) plan.n_decode + 1);
        }
        DecodeCost & cost = decode_costs_[(size_t) plan.n_decode];
        if (plan.n_draft == 0) {
            average(decode_step_ms_, elapsed_ms);
            average(cost.step_ms, elapsed_ms);
            return;
        }
        // without the guesses it would not have taken longer; far beyond what that many tokens can take was another
        // program
        cost.step_ms    = std::min(cost.step_ms, elapsed_ms);
        const double n  = plan.n_draft;
        const double ms = std::min(elapsed_ms - cost.step_ms, 2.0 * (n + 1.0) * cost.step_ms);
        for (double * sum : { &cost.weight, &cost.n, &cost.ms, &cost.n_n, &cost.n_ms }) {
            *sum *= 1.0 - DRAFT_WEIGHT;
        }
        cost.weight += 1.0;
        cost.n += n;
        cost.ms += ms;
        cost.n_n += n * n;
        cost.n_ms += n * ms;
        return;
    }
    // what the step would have taken without prefill is not the prefill's cost
    const double prefill_ms = elapsed_ms - (plan.n_decode > 0 ? decode_step_ms_ : 0.0);
    if (prefill_ms <= 0.0) {
        return;
    }
    if (plan.n_rows > 0) {
        observe_rows(plan, prefill_ms);
    } else if (plan.n_prefill >= config_.n_prefill_min) {
        average(prefill_token_ms_, prefill_ms / plan.n_prefill);
    }
}

// What the other tokens of the step have cost is known from prompts that are not read, where there were any.
void Scheduler::observe_rows(const BatchPlan & plan, double prefill_ms) {
    const int32_t n_others = plan.n_prefill - plan.n_rows;
    const double  rows_ms =
        prefill_token_ms_ > 0.0 ? prefill_ms - n_others * prefill_token_ms_ : prefill_ms * plan.n_rows / plan.n_prefill;
    if (rows_ms > 0.0) {
        average(read_token_ms_, rows_ms / plan.n_rows);
    }
}
