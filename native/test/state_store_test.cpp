#include "state_store.h"

#include "check.h"

static StateStore::Entry entry(std::vector<int32_t> tokens, size_t n_bytes) {
    return { std::move(tokens), std::vector<uint8_t>(n_bytes), 0, {} };
}

static void keeps_within_its_budget() {
    StateStore store(100);
    store.put(entry({ 1 }, 40));
    store.put(entry({ 2 }, 40));
    store.put(entry({ 3 }, 40));
    CHECK_EQUAL(store.n_bytes(), (uint64_t) 80);
    CHECK_EQUAL(store.prefixes().size(), (size_t) 2);
    CHECK_EQUAL(store.prefixes()[0].tokens->front(), 3);
    CHECK_EQUAL(store.prefixes()[1].tokens->front(), 2);
}

static void keeps_no_more_entries_than_are_worth_a_look() {
    StateStore store(1'000'000);
    const auto n = (int32_t) StateStore::N_ENTRIES_MAX + 10;
    for (int32_t i = 0; i < n; i++) {
        store.put(entry({ i }, 1));
    }
    CHECK_EQUAL(store.prefixes().size(), StateStore::N_ENTRIES_MAX);
    CHECK_EQUAL(store.n_bytes(), (uint64_t) StateStore::N_ENTRIES_MAX);
    CHECK_EQUAL(store.prefixes().front().tokens->front(), n - 1);
    CHECK(!store.covers({ 0 }));
}

static void drops_the_least_recently_used() {
    StateStore store(100);
    store.put(entry({ 1 }, 40));
    store.put(entry({ 2 }, 40));
    CHECK_EQUAL(store.use(1)->tokens.front(), 1);
    store.put(entry({ 3 }, 40));
    CHECK_EQUAL(store.prefixes()[1].tokens->front(), 1);
}

// What has been chosen is still there after the store has taken something else.
static void hands_out_entries_that_last() {
    StateStore store(100);
    store.put(entry({ 1 }, 40));
    store.put(entry({ 2 }, 40));
    const StateStore::Stored chosen = store.use(1);
    store.put(entry({ 3 }, 90));
    CHECK_EQUAL(store.prefixes().size(), (size_t) 1);
    CHECK_EQUAL(chosen->tokens.front(), 1);
    CHECK_EQUAL(chosen->state.size(), (size_t) 40);
}

static void refuses_what_is_larger_than_the_budget() {
    StateStore store(100);
    CHECK(!store.would_keep(101));
    store.put(entry({ 1 }, 101));
    CHECK_EQUAL(store.n_bytes(), (uint64_t) 0);
    CHECK(!StateStore(0).would_keep(1));
}

static void replaces_what_it_continues() {
    StateStore store(100);
    store.put(entry({ 1, 2 }, 10));
    CHECK(store.covers({ 1 }));
    CHECK(!store.covers({ 1, 2, 3 }));
    store.put(entry({ 1, 2, 3 }, 20));
    CHECK_EQUAL(store.n_bytes(), (uint64_t) 20);
    CHECK(store.covers({ 1, 2 }));
}

// What cannot be cut covers only what ends where it can be taken up.
static void covers_no_more_than_can_be_taken_up() {
    StateStore store(1000);
    store.put(entry({ 1, 2 }, 10));
    StateStore::Entry uncut = entry({ 1, 2, 3, 4 }, 20);
    uncut.anywhere_from     = 4;
    store.put(uncut);
    CHECK_EQUAL(store.n_bytes(), (uint64_t) 30);
    CHECK(store.covers({ 1, 2, 3, 4 }));
    CHECK(!store.covers({ 1, 2, 3 }));

    uncut.checkpoints.add(2, std::make_shared<const std::vector<uint8_t>>(5));
    store.put(uncut);
    CHECK_EQUAL(store.n_bytes(), (uint64_t) 25);
    CHECK(store.covers({ 1, 2 }));
    CHECK_EQUAL(store.prefixes()[0].resume.at_most(3), 2);
}

int main() {
    RUN(keeps_within_its_budget);
    RUN(keeps_no_more_entries_than_are_worth_a_look);
    RUN(drops_the_least_recently_used);
    RUN(hands_out_entries_that_last);
    RUN(refuses_what_is_larger_than_the_budget);
    RUN(replaces_what_it_continues);
    RUN(covers_no_more_than_can_be_taken_up);
}
