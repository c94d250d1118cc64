#include "prefix_cache.h"

#include "check.h"

using Tokens = std::vector<Token>;

static const Tokens EMPTY;

static SlotPrefix idle(const Tokens & tokens, uint64_t last_used = 1) {
    return { true, &tokens, nullptr, last_used };
}

static SlotPrefix busy(const Tokens & tokens) {
    return { false, &tokens, nullptr, 0 };
}

static SlotPrefix prefilling(const Tokens & tokens, const Tokens & prompt) {
    return { false, &tokens, &prompt, 0 };
}

// 1, 2, 3, … n, then `last`
static Tokens count(int32_t n, Tokens last = {}) {
    Tokens out;
    for (int32_t i = 1; i <= n; i++) {
        out.push_back(i);
    }
    out.insert(out.end(), last.begin(), last.end());
    return out;
}

static void takes_the_longest_continuation() {
    const Tokens       a      = count(4);
    const Tokens       b      = count(6);
    const PrefixChoice choice = choose_prefix({ idle(a, 9), idle(b, 1) }, {}, count(7));
    CHECK(choice.source == PrefixSource::Slot);
    CHECK_EQUAL(choice.slot, 1);
    CHECK_EQUAL(choice.n_shared, 6);
}

static void leaves_the_last_token_to_compute() {
    const Tokens a = count(3);
    CHECK_EQUAL(choose_prefix({ idle(a) }, {}, count(3)).n_shared, 2);
}

static void waits_for_a_slot() {
    const Tokens a = count(4);
    CHECK(choose_prefix({ busy(a) }, {}, count(5)).source == PrefixSource::None);
    CHECK_EQUAL(choose_prefix({ busy(a), idle(EMPTY) }, {}, count(5)).slot, 1);
}

static void keeps_a_long_conversation_for_a_short_match() {
    const Tokens       conversation = count(100);
    const PrefixChoice choice       = choose_prefix({ idle(conversation), idle(EMPTY) }, {}, count(3, { 99 }));
    CHECK_EQUAL(choice.slot, 1);
    CHECK_EQUAL(choice.n_shared, 0);
}

static void gives_up_the_least_recently_used() {
    const Tokens a = { 1, 1, 1, 1 };
    const Tokens b = { 2, 2, 2, 2 };
    CHECK_EQUAL(choose_prefix({ idle(a, 5), idle(b, 4) }, {}, { 3, 3 }).slot, 1);
    // even then what it shares is used
    const PrefixChoice choice = choose_prefix({ idle(a, 5), idle(b, 4) }, {}, { 2, 3, 3 });
    CHECK_EQUAL(choice.slot, 1);
    CHECK_EQUAL(choice.n_shared, 1);
}

static void copies_from_a_busy_slot() {
    const Tokens       running = count(500, { 7, 7 });
    const PrefixChoice choice  = choose_prefix({ busy(running), idle(EMPTY) }, {}, count(500, { 8 }));
    CHECK(choice.source == PrefixSource::Donor);
    CHECK_EQUAL(choice.slot, 1);
    CHECK_EQUAL(choice.donor, 0);
    CHECK_EQUAL(choice.n_shared, 500);
}

static void copies_only_what_is_worth_it() {
    const Tokens running = count(N_COPY_MIN - 1);
    CHECK(choose_prefix({ busy(running), idle(EMPTY) }, {}, count(400)).source == PrefixSource::Slot);
}

static void brings_a_stored_sequence_back() {
    const Tokens       stored = count(300);
    const Tokens       other  = { 5, 5, 5 };
    const PrefixChoice choice = choose_prefix({ idle(other) }, { &other, &stored }, count(301));
    CHECK(choice.source == PrefixSource::Store);
    CHECK_EQUAL(choice.donor, 1);
    CHECK_EQUAL(choice.n_shared, 300);
}

static void prefers_the_longest_source() {
    const Tokens stored  = count(300);
    const Tokens running = count(200);
    const Tokens resting = count(250);
    CHECK(choose_prefix({ busy(running), idle(resting) }, { &stored }, count(400)).source == PrefixSource::Store);
    CHECK(choose_prefix({ busy(running), idle(resting) }, {}, count(400)).source == PrefixSource::Slot);
}

static void waits_for_what_is_being_computed() {
    const Tokens prompt = count(512, { 1 });
    const Tokens so_far = count(100);
    CHECK(choose_prefix({ prefilling(so_far, prompt), idle(EMPTY) }, {}, count(512, { 2 })).source ==
          PrefixSource::Wait);
    // once it is there, it is copied
    CHECK(choose_prefix({ prefilling(prompt, prompt), idle(EMPTY) }, {}, count(512, { 2 })).source ==
          PrefixSource::Donor);
    // and what is hardly more than there is already is not waited for
    const Tokens resting = count(500);
    CHECK(choose_prefix({ prefilling(so_far, prompt), idle(resting) }, {}, count(512, { 2 })).source ==
          PrefixSource::Slot);
}

int main() {
    RUN(takes_the_longest_continuation);
    RUN(leaves_the_last_token_to_compute);
    RUN(waits_for_a_slot);
    RUN(keeps_a_long_conversation_for_a_short_match);
    RUN(gives_up_the_least_recently_used);
    RUN(copies_from_a_busy_slot);
    RUN(copies_only_what_is_worth_it);
    RUN(brings_a_stored_sequence_back);
    RUN(prefers_the_longest_source);
    RUN(waits_for_what_is_being_computed);
}
