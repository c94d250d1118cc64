#include "scheduler.h"

#include "check.h"

#include <algorithm>
#include <cmath>
#include <random>

static constexpr int32_t ESTABLISHED = 100;  // tokens

static constexpr double LONG_AGO = -60'000.0;  // milliseconds

static SlotView decoding(int32_t n_draft = 0, int32_t n_output = ESTABLISHED, double due = LONG_AGO) {
    return { SlotState::Decode, false, 0, due, n_draft, n_output };
}

static SlotView prefilling(int32_t n_missing, double due) {
    return { SlotState::Prefill, false, n_missing, due, 0, 0 };
}

// A prompt whose log probabilities are asked for.
static SlotView reading(int32_t n_missing, double due, int32_t n_rows_max = 1000) {
    SlotView slot   = prefilling(n_missing, due);
    slot.n_rows_max = n_rows_max;
    return slot;
}

static SlotView seeing(int32_t n_missing, double due, bool is_whole) {
    SlotView slot = prefilling(n_missing, due);
    slot.is_image = true;
    slot.is_whole = is_whole;
    return slot;
}

// One that cannot be divided goes over the budget where it is its turn, and not before.
static void takes_an_image_as_its_model_needs_it() {
    const Scheduler scheduler;
    const int32_t   budget = scheduler.prefill_budget(PrefillCompany::Alone);

    BatchPlan plan = scheduler.plan({ seeing(budget * 3, 1, true) });
    CHECK_EQUAL(plan.shares[0].n_tokens, budget * 3);
    CHECK(plan.shares[0].is_image);
    CHECK_EQUAL(plan.n_prefill, budget * 3);
    plan = scheduler.plan({ seeing(budget * 3, 1, false) });
    CHECK_EQUAL(plan.shares[0].n_tokens, budget);

    plan = scheduler.plan({ seeing(budget * 3, 2, true), prefilling(10, 1), prefilling(10, 3) });
    CHECK_EQUAL(plan.shares.size(), (size_t) 2);
    CHECK_EQUAL(plan.shares[0].slot, 1);
    CHECK_EQUAL(plan.shares[1].slot, 2);
    plan = scheduler.plan({ seeing(budget - 20, 2, true), prefilling(10, 1), prefilling(30, 3) });
    CHECK_EQUAL(plan.shares.size(), (size_t) 3);
    CHECK_EQUAL(plan.shares[1].n_tokens, budget - 20);
    CHECK_EQUAL(plan.shares[2].n_tokens, 10);
}

static void plans_nothing_when_idle() {
    CHECK(Scheduler().plan({ {}, {} }).shares.empty());
}

static void takes_every_running_sequence_first() {
    const BatchPlan plan = Scheduler().plan({ prefilling(10, 1), decoding(), {}, decoding() });
    CHECK_EQUAL(plan.shares.size(), (size_t) 3);
    CHECK_EQUAL(plan.shares[0].slot, 1);
    CHECK_EQUAL(plan.shares[1].slot, 3);
    CHECK_EQUAL(plan.shares[2].slot, 0);
    CHECK_EQUAL(plan.n_decode, 2);
    CHECK_EQUAL(plan.n_prefill, 10);
}

static void prefills_what_is_due_first_within_the_budget() {
    const Scheduler scheduler;
    const int32_t   budget = scheduler.prefill_budget(PrefillCompany::Alone);
    const BatchPlan plan   = scheduler.plan({ prefilling(4000, 7), prefilling(budget - 5, 3), prefilling(100, 9) });
    CHECK_EQUAL(plan.shares.size(), (size_t) 2);
    CHECK_EQUAL(plan.shares[0].slot, 1);
    CHECK_EQUAL(plan.shares[0].n_tokens, budget - 5);
    CHECK_EQUAL(plan.shares[1].slot, 0);
    CHECK_EQUAL(plan.shares[1].n_tokens, 5);
}

static void leaves_paused_sequences_out() {
    SlotView paused      = decoding();
    paused.paused        = true;
    const BatchPlan plan = Scheduler().plan({ paused, decoding() });
    CHECK_EQUAL(plan.shares.size(), (size_t) 1);
    CHECK_EQUAL(plan.shares[0].slot, 1);
}

static void lets_people_overtake_programs_but_not_for_ever() {
    CHECK(deadline(Priority::Interactive, 1000.0) < deadline(Priority::Normal, 900.0));
    CHECK(deadline(Priority::Normal, 1000.0) < deadline(Priority::Background, 900.0));
    CHECK(deadline(Priority::Background, 0.0) < deadline(Priority::Interactive, 60'000.0));
}

static void follows_the_measured_speed() {
    Scheduler       scheduler;
    const BatchPlan chunk = scheduler.plan({ prefilling(200, 1) });
    scheduler.observe(chunk, 200.0);  // 1 ms a token
    CHECK_EQUAL(scheduler.prefill_budget(PrefillCompany::Alone), 500);
    CHECK_EQUAL(scheduler.prefill_budget(PrefillCompany::Established), 100);  // no pace is known yet

    const BatchPlan step = scheduler.plan({ decoding(), decoding() });
    scheduler.observe(step, 30.0);
    CHECK_EQUAL(scheduler.prefill_budget(PrefillCompany::Established), 45);  // 1.5 times a decode step

    for (int i = 0; i < 50; i++) {
        scheduler.observe(chunk, 200.0 * 100);
    }
    CHECK_EQUAL(scheduler.prefill_budget(PrefillCompany::Established), SchedulerConfig().n_prefill_min);
}

static void keeps_to_a_target_latency_where_one_is_set() {
    SchedulerConfig config;
    config.target_itl_ms = 200.0;
    Scheduler scheduler(config);
    scheduler.observe(scheduler.plan({ prefilling(200, 1) }), 200.0);  // 1 ms a token
    scheduler.observe(scheduler.plan({ decoding() }), 30.0);
    CHECK_EQUAL(scheduler.plan({ decoding(), prefilling(900, 1) }).n_prefill, 170);
    scheduler.observe(scheduler.plan({ decoding(), decoding() }), 1'000.0);
    CHECK_EQUAL(scheduler.plan({ decoding(), prefilling(900, 1) }).n_prefill, config.n_prefill_min);
}

static void lets_a_burst_of_clients_begin_before_it_keeps_a_pace() {
    Scheduler scheduler;
    scheduler.observe(scheduler.plan({ prefilling(200, 1) }), 200.0);  // 1 ms a token
    scheduler.observe(scheduler.plan({ decoding() }), 10.0);
    const auto    n_prefill = [&](const std::vector<SlotView> & slots) { return scheduler.plan(slots).n_prefill; };
    const int32_t n_young   = SchedulerConfig().n_young;
    CHECK_EQUAL(n_prefill({ prefilling(900, 1) }), 500);
    CHECK_EQUAL(n_prefill({ decoding(0, 1), decoding(0, n_young - 1), prefilling(900, 1) }), 250);
    // one that has a pace is enough
    CHECK_EQUAL(n_prefill({ decoding(0, 1), decoding(0, n_young), prefilling(900, 1) }), 15);
    // where it rests, nobody waits for it
    SlotView paused = decoding(0, n_young);
    paused.paused   = true;
    CHECK_EQUAL(n_prefill({ decoding(0, 1), paused, prefilling(900, 1) }), 250);
}

static void lets_what_came_together_begin_together() {
    Scheduler scheduler;
    scheduler.observe(scheduler.plan({ prefilling(200, 1) }), 200.0);  // 1 ms a token
    scheduler.observe(scheduler.plan({ decoding() }), 10.0);
    const double now       = 5'000.0;
    const double burst     = SchedulerConfig().burst_ms;
    const auto   n_prefill = [&](double arrived, Priority priority) {
        SlotView running = decoding(0, ESTABLISHED, arrived);
        running.priority = priority;
        return scheduler.plan({ running, prefilling(900, now) }).n_prefill;
    };
    CHECK_EQUAL(n_prefill(now - burst, Priority::Normal), 250);
    CHECK_EQUAL(n_prefill(now - burst - 1.0, Priority::Normal), 15);
    // deadlines of another class say nothing of arrivals
    CHECK_EQUAL(n_prefill(now, Priority::Interactive), 15);
}

static void lets_programs_give_way_to_a_person() {
    Scheduler scheduler;
    scheduler.observe(scheduler.plan({ prefilling(200, 1) }), 200.0);  // 1 ms a token
    scheduler.observe(scheduler.plan({ decoding() }), 10.0);
    SlotView person  = prefilling(900, 2);
    person.priority  = Priority::Interactive;
    SlotView running = decoding();
    running.priority = Priority::Interactive;
    CHECK_EQUAL(scheduler.plan({ decoding(), person }).n_prefill, 250);
    CHECK_EQUAL(scheduler.plan({ decoding(), running, person }).n_prefill, 15);
    // the prompt that is due first decides
    CHECK_EQUAL(scheduler.plan({ decoding(), prefilling(900, 1), person }).n_prefill, 15);
}

static void completes_short_prompts_in_two_steps() {
    Scheduler scheduler;
    scheduler.observe(scheduler.plan({ prefilling(200, 1) }), 200.0);  // 1 ms a token
    scheduler.observe(scheduler.plan({ decoding() }), 2.0);            // 3 ms for prefill
    const SchedulerConfig config;
    const int32_t         n_two_steps = 2 * config.n_prefill_short;
    CHECK_EQUAL(scheduler.plan({ decoding(), prefilling(n_two_steps, 1) }).n_prefill, config.n_prefill_short);
    CHECK_EQUAL(scheduler.plan({ decoding(), prefilling(20, 1) }).n_prefill, 20);
    CHECK_EQUAL(scheduler.plan({ decoding(), prefilling(n_two_steps + 1, 1) }).n_prefill, 3);
    // the end of a long one
    SlotView end  = prefilling(20, 1);
    end.n_present = 4000;
    CHECK_EQUAL(scheduler.plan({ decoding(), end }).n_prefill, 3);
}

static void works_in_wide_chunks_where_nobody_keeps_a_pace() {
    Scheduler scheduler;
    scheduler.observe(scheduler.plan({ prefilling(200, 1) }), 20'000.0);  // 100 ms a token
    scheduler.observe(scheduler.plan({ decoding() }), 10.0);
    const SchedulerConfig config;
    CHECK_EQUAL(scheduler.plan({ prefilling(900, 1) }).n_prefill, config.n_prefill_wide);
    CHECK_EQUAL(scheduler.plan({ decoding(0, 1), prefilling(900, 1) }).n_prefill, config.n_prefill_wide);
    CHECK_EQUAL(scheduler.plan({ decoding(), prefilling(900, 1) }).n_prefill, config.n_prefill_min);
}

static void does_not_blame_prefill_for_the_decode_part() {
    Scheduler scheduler;
    scheduler.observe(scheduler.plan({ decoding() }), 40.0);
    scheduler.observe(scheduler.plan({ decoding(), prefilling(100, 1) }), 140.0);  // 100 tokens took 100 ms
    CHECK_EQUAL(scheduler.prefill_budget(PrefillCompany::Alone), 500);
}

static void reads_as_many_rows_as_there_is_memory_for() {
    const SchedulerConfig config;
    const BatchPlan       plan = Scheduler().plan({ reading(900, 1), prefilling(20, 2), reading(900, 3) });
    CHECK_EQUAL(plan.n_rows, config.n_rows_max);
    CHECK_EQUAL(plan.n_prefill, config.n_rows_max + 20);
    CHECK_EQUAL(plan.shares.size(), (size_t) 2);  // the third waits, though there are tokens left for it

    const BatchPlan few = Scheduler().plan({ reading(900, 1, 3), reading(900, 2, 1) });
    CHECK_EQUAL(few.shares[0].n_tokens, 3);
    CHECK_EQUAL(few.shares[1].n_tokens, 1);
    CHECK_EQUAL(few.n_rows, 4);
}

static void holds_the_pace_beside_a_prompt_that_is_read() {
    Scheduler scheduler;
    scheduler.observe(scheduler.plan({ prefilling(200, 1) }), 200.0);  // 1 ms a token
    scheduler.observe(scheduler.plan({ decoding() }), 10.0);           // 15 ms for prefill
    // not measured yet: a row costs as much as a token
    CHECK_EQUAL(scheduler.plan({ decoding(), reading(900, 1) }).n_prefill, 7);
    scheduler.observe(scheduler.plan({ reading(900, 1) }), 32.0 * 5.0);  // 1 ms and 4 ms
    CHECK_EQUAL(scheduler.plan({ decoding(), reading(900, 1) }).n_prefill, 3);
    // what it leaves of the budget is for others, and they pay for none of it
    SlotView end         = reading(1, 1);
    end.n_present        = 4000;
    const BatchPlan both = scheduler.plan({ decoding(), end, prefilling(900, 2) });
    CHECK_EQUAL(both.shares[1].n_tokens, 1);
    CHECK_EQUAL(both.shares[2].n_tokens, 10);
    CHECK_EQUAL(scheduler.plan({ decoding(), prefilling(900, 1) }).n_prefill, 15);
    // it gets on where not even a single one fits
    for (int i = 0; i < 50; i++) {
        scheduler.observe(scheduler.plan({ reading(900, 1) }), 32.0 * 100.0);
    }
    CHECK_EQUAL(scheduler.plan({ decoding(), reading(900, 1) }).n_prefill, 1);
    CHECK_EQUAL(scheduler.plan({ decoding(), prefilling(900, 1) }).n_prefill, 15);
}

static void learns_a_token_s_cost_from_prompts_that_are_read_where_there_are_no_others() {
    Scheduler scheduler;
    scheduler.observe(scheduler.plan({ reading(900, 1) }), 32.0 * 100.0);  // the first one is slow
    for (int i = 0; i < 50; i++) {
        scheduler.observe(scheduler.plan({ reading(900, 1) }), 32.0 * 2.0);
    }
    scheduler.observe(scheduler.plan({ decoding() }), 10.0);  // 15 ms for prefill, of 2 ms each
    CHECK_EQUAL(scheduler.plan({ decoding(), reading(900, 1) }).n_prefill, 7);
}

static void checks_guesses_only_once_a_step_is_measured_and_never_beside_prefill() {
    Scheduler scheduler;
    CHECK_EQUAL(scheduler.plan({ decoding(8) }).n_draft, 0);
    scheduler.observe(scheduler.plan({ decoding() }), 10.0);
    const BatchPlan plan = scheduler.plan({ decoding(8) });
    CHECK_EQUAL(plan.n_draft, 8);
    CHECK_EQUAL(plan.shares[0].n_tokens, 9);
    CHECK_EQUAL(scheduler.plan({ decoding(8), decoding(8) }).n_draft, 0);  // two at once: not measured yet
    CHECK_EQUAL(scheduler.plan({ decoding(8), prefilling(100, 1) }).n_draft, 0);
}

static bool is_near(double a, double b) {
    return std::fabs(a - b) < 1e-6;
}

static void learns_what_a_guess_costs() {
    Scheduler scheduler;
    scheduler.observe(scheduler.plan({ decoding() }), 10.0);
    const double unknown = scheduler.draft_cost(1).per_token;
    CHECK(unknown > 0.0 && unknown < 1.0);
    scheduler.observe(scheduler.plan({ decoding(10) }), 15.0);  // 0.5 ms each
    CHECK(is_near(scheduler.draft_cost(1).per_token, 0.05));
    CHECK(is_near(scheduler.draft_cost(1).fixed, 0.0));

    // of four sequences, one guess is worth a quarter of a step
    const std::vector<SlotView> four = { decoding(), decoding(), decoding(), decoding(10) };
    scheduler.observe(scheduler.plan({ decoding(), decoding(), decoding(), decoding() }), 20.0);
    scheduler.observe(scheduler.plan(four), 30.0);
    CHECK(is_near(scheduler.draft_cost(4).per_token, 0.2));
}

static void tells_the_cost_of_guessing_at_all_from_that_of_each_guess() {
    Scheduler scheduler;
    scheduler.observe(scheduler.plan({ decoding() }), 10.0);
    CHECK_EQUAL(scheduler.draft_cost(1).n_to_learn, 16);
    scheduler.observe(scheduler.plan({ decoding(16) }), 10.0 + 15.0 + 4.0 * 16);
    CHECK_EQUAL(scheduler.draft_cost(1).n_to_learn, 2);
    for (const int32_t n : { 2, 20, 3, 30, 8, 32 }) {
        scheduler.observe(scheduler.plan({ decoding(n) }), 10.0 + 15.0 + 4.0 * n);
    }
    CHECK_EQUAL(scheduler.draft_cost(1).n_to_learn, 0);
    CHECK(is_near(scheduler.draft_cost(1).fixed, 1.5));
    CHECK(is_near(scheduler.draft_cost(1).per_token, 0.4));

    // a step with guesses is never quicker than one without, and another program is no guess's fault
    scheduler.observe(scheduler.plan({ decoding(10) }), 4.0);
    scheduler.observe(scheduler.plan({ decoding(1) }), 10'000.0);
    CHECK(scheduler.draft_cost(1).per_token >= 0.0 && scheduler.draft_cost(1).fixed >= 0.0);
    CHECK(scheduler.draft_cost(1).per_token < 10.0);
}

static void shares_guesses_evenly_within_the_latency_of_the_others() {
    SchedulerConfig config;
    config.draft_step_ms = 50.0;
    Scheduler scheduler(config);
    scheduler.observe(scheduler.plan({ decoding(), decoding() }), 20.0);
    const BatchPlan both = scheduler.plan({ decoding(30), decoding(30) });
    CHECK_EQUAL(both.shares[1].n_tokens, 1 + config.n_draft_max / 2);

    scheduler.observe(scheduler.plan({ decoding(10), decoding() }), 40.0);  // 2 ms each: 15 fit into 30 ms
    const BatchPlan plan = scheduler.plan({ decoding(30), decoding(30) });
    CHECK_EQUAL(plan.n_draft, 14);
    CHECK_EQUAL(plan.shares[0].n_tokens, 8);
    CHECK_EQUAL(plan.shares[1].n_tokens, 8);
    for (int i = 0; i < 50; i++) {
        scheduler.observe(scheduler.plan({ decoding(), decoding() }), 60.0);  // alone beyond the target
    }
    CHECK_EQUAL(scheduler.plan({ decoding(30), decoding(30) }).n_draft, 0);
}

// What the prompt that is due first finds beside it.
static PrefillCompany company_of(const std::vector<SlotView> & slots) {
    const SlotView * first = nullptr;
    for (const SlotView & slot : slots) {
        if (slot.state == SlotState::Prefill && (first == nullptr || slot.deadline < first->deadline)) {
            first = &slot;
        }
    }
    PrefillCompany company = PrefillCompany::Alone;
    for (const SlotView & slot : slots) {
        if (slot.state == SlotState::Decode) {
            const bool is_young = slot.n_output < SchedulerConfig().n_young;
            const bool came_together =
                first != nullptr && slot.deadline >= first->deadline - SchedulerConfig().burst_ms;
            company =
                std::max(company, is_young || came_together ? PrefillCompany::Yielding : PrefillCompany::Established);
        }
    }
    return company;
}

// Properties over random loads and speeds: a batch and its budget are never exceeded, every running sequence is in
// every batch once with no more than its guesses, each prompt token is planned exactly once, and nothing starves.
static void keeps_its_promises_under_any_load() {
    std::mt19937 random(4);
    for (int round = 0; round < 300; round++) {
        SchedulerConfig config;
        config.n_batch = 16 + (int32_t) (random() % 512);
        Scheduler             scheduler(config);
        std::vector<SlotView> slots(1 + random() % 16);
        std::vector<int32_t>  waited(slots.size(), 0);
        double                now = 0.0;

        for (int step = 0; step < 400; step++) {
            for (SlotView & slot : slots) {
                if (slot.state == SlotState::Idle && random() % 4 == 0) {
                    slot = prefilling(1 + (int32_t) (random() % 1000), deadline((Priority) (random() % 3), now));
                    slot.n_rows_max = random() % 4 == 0 ? 1 + (int32_t) (random() % 60) : 0;
                } else if (slot.state == SlotState::Decode && random() % 50 == 0) {
                    slot = {};
                }
                slot.n_output += slot.state == SlotState::Decode ? 1 : 0;
                slot.n_draft = slot.state == SlotState::Decode ? (int32_t) (random() % 64) : 0;
            }
            const BatchPlan plan = scheduler.plan(slots);

            std::vector<int32_t> n_planned(slots.size(), 0);
            int32_t              n_total = 0;
            int32_t              n_rows  = 0;
            for (const SlotShare & share : plan.shares) {
                CHECK(share.n_tokens > 0);
                CHECK_EQUAL(n_planned[(size_t) share.slot], 0);
                n_planned[(size_t) share.slot] = share.n_tokens;
                n_total += share.n_tokens;
                const SlotView & slot = slots[(size_t) share.slot];
                if (slot.state == SlotState::Prefill && slot.n_rows_max > 0) {
                    CHECK(share.n_tokens <= slot.n_rows_max);
                    n_rows += share.n_tokens;
                }
            }
            CHECK_EQUAL(n_rows, plan.n_rows);
            CHECK(n_rows <= config.n_rows_max);
            CHECK(n_total <= config.n_batch);
            CHECK_EQUAL(n_total, plan.n_decode + plan.n_draft + plan.n_prefill);
            CHECK(plan.n_draft <= scheduler.draft_budget(plan.n_decode));
            CHECK(plan.n_draft == 0 || plan.n_prefill == 0);
            CHECK(plan.n_prefill <= std::max(scheduler.prefill_budget(company_of(slots)), config.n_prefill_short));

            bool any_prefill = false;
            for (size_t i = 0; i < slots.size(); i++) {
                SlotView & slot = slots[i];
                if (slot.state == SlotState::Decode) {
                    CHECK(n_planned[i] >= 1 && n_planned[i] <= 1 + slot.n_draft);
                } else if (slot.state == SlotState::Prefill) {
                    any_prefill = true;
                    CHECK(n_planned[i] <= slot.n_missing);
                    slot.n_missing -= n_planned[i];
                    waited[i] = n_planned[i] > 0 ? 0 : waited[i] + 1;
                    CHECK(waited[i] < 1200);
                    if (slot.n_missing == 0) {
                        slot.state = SlotState::Decode;
                    }
                } else {
                    CHECK_EQUAL(n_planned[i], 0);
                }
            }
            CHECK_EQUAL(any_prefill, plan.n_prefill > 0);

            const double ms = 1.0 + (double) (random() % 30) + (plan.n_prefill + plan.n_draft + plan.n_rows) * 0.5;
            scheduler.observe(plan, ms);
            now += ms;
        }
    }
}

int main() {
    RUN(plans_nothing_when_idle);
    RUN(takes_an_image_as_its_model_needs_it);
    RUN(takes_every_running_sequence_first);
    RUN(prefills_what_is_due_first_within_the_budget);
    RUN(leaves_paused_sequences_out);
    RUN(lets_people_overtake_programs_but_not_for_ever);
    RUN(follows_the_measured_speed);
    RUN(keeps_to_a_target_latency_where_one_is_set);
    RUN(lets_a_burst_of_clients_begin_before_it_keeps_a_pace);
    RUN(lets_what_came_together_begin_together);
    RUN(lets_programs_give_way_to_a_person);
    RUN(completes_short_prompts_in_two_steps);
    RUN(works_in_wide_chunks_where_nobody_keeps_a_pace);
    RUN(does_not_blame_prefill_for_the_decode_part);
    RUN(reads_as_many_rows_as_there_is_memory_for);
    RUN(holds_the_pace_beside_a_prompt_that_is_read);
    RUN(learns_a_token_s_cost_from_prompts_that_are_read_where_there_are_no_others);
    RUN(checks_guesses_only_once_a_step_is_measured_and_never_beside_prefill);
    RUN(learns_what_a_guess_costs);
    RUN(tells_the_cost_of_guessing_at_all_from_that_of_each_guess);
    RUN(shares_guesses_evenly_within_the_latency_of_the_others);
    RUN(keeps_its_promises_under_any_load);
}
