#include "prefix_cache.h"

#include "check.h"

using Tokens = std::vector<Token>;

static void takes_the_longest_continuation() {
    const Tokens       a      = { 1, 2, 3, 4 };
    const Tokens       b      = { 1, 2, 3, 4, 5, 6 };
    const PrefixChoice choice = choose_slot({ { true, &a, 9 }, { true, &b, 1 } }, { 1, 2, 3, 4, 5, 6, 7 });
    CHECK_EQUAL(choice.slot, 1);
    CHECK_EQUAL(choice.n_shared, 6);
}

static void leaves_the_last_token_to_compute() {
    const Tokens a = { 1, 2, 3 };
    CHECK_EQUAL(choose_slot({ { true, &a, 1 } }, { 1, 2, 3 }).n_shared, 2);
}

static void skips_busy_slots() {
    const Tokens a = { 1, 2, 3, 4 };
    const Tokens empty;
    CHECK_EQUAL(choose_slot({ { false, &a, 1 }, { true, &empty, 0 } }, { 1, 2, 3, 4, 5 }).slot, 1);
    CHECK_EQUAL(choose_slot({ { false, &a, 1 } }, { 1 }).slot, -1);
}

static void keeps_a_long_conversation_for_a_short_match() {
    const Tokens       conversation(100, 7);
    const Tokens       empty;
    const PrefixChoice choice = choose_slot({ { true, &conversation, 1 }, { true, &empty, 0 } }, { 7, 7, 7, 1 });
    CHECK_EQUAL(choice.slot, 1);
    CHECK_EQUAL(choice.n_shared, 0);
}

static void gives_up_the_least_recently_used() {
    const Tokens a = { 1, 1, 1, 1 };
    const Tokens b = { 2, 2, 2, 2 };
    CHECK_EQUAL(choose_slot({ { true, &a, 5 }, { true, &b, 4 } }, { 3, 3 }).slot, 1);
    // even then what it shares is used
    const PrefixChoice choice = choose_slot({ { true, &a, 5 }, { true, &b, 4 } }, { 2, 3, 3 });
    CHECK_EQUAL(choice.slot, 1);
    CHECK_EQUAL(choice.n_shared, 1);
}

int main() {
    RUN(takes_the_longest_continuation);
    RUN(leaves_the_last_token_to_compute);
    RUN(skips_busy_slots);
    RUN(keeps_a_long_conversation_for_a_short_match);
    RUN(gives_up_the_least_recently_used);
}
