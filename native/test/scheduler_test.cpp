#include "scheduler.h"

#include "check.h"

static SlotView decoding() {
    return { SlotState::Decode, false, 0, 0 };
}
static SlotView prefilling(int32_t n_missing, uint64_t arrival) {
    return { SlotState::Prefill, false, n_missing, arrival };
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

static void prefills_the_oldest_first_within_the_budget() {
    const Scheduler scheduler;
    const int32_t   budget = scheduler.prefill_budget(false);
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

static void never_exceeds_the_batch() {
    SchedulerConfig config;
    config.n_batch       = 8;
    const BatchPlan plan = Scheduler(config).plan({ decoding(), decoding(), prefilling(100, 1) });
    CHECK_EQUAL(plan.n_decode + plan.n_prefill, 8);
}

static void follows_the_measured_speed() {
    Scheduler       scheduler;
    const BatchPlan chunk = scheduler.plan({ prefilling(200, 1) });
    scheduler.observe(chunk, 200.0);  // 1 ms a token
    CHECK_EQUAL(scheduler.prefill_budget(true), 100);
    CHECK_EQUAL(scheduler.prefill_budget(false), 500);
    for (int i = 0; i < 50; i++) {
        scheduler.observe(chunk, 200.0 * 100);
    }
    CHECK_EQUAL(scheduler.prefill_budget(true), SchedulerConfig().n_prefill_min);
}

static void learns_nothing_from_decode_steps() {
    Scheduler     scheduler;
    const int32_t before = scheduler.prefill_budget(true);
    scheduler.observe(scheduler.plan({ decoding(), decoding() }), 1000.0);
    CHECK_EQUAL(scheduler.prefill_budget(true), before);
}

int main() {
    RUN(plans_nothing_when_idle);
    RUN(takes_every_running_sequence_first);
    RUN(prefills_the_oldest_first_within_the_budget);
    RUN(leaves_paused_sequences_out);
    RUN(never_exceeds_the_batch);
    RUN(follows_the_measured_speed);
    RUN(learns_nothing_from_decode_steps);
}
