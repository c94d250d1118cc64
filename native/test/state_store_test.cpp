#include "state_store.h"

#include "check.h"

static StateStore::Entry entry(std::vector<int32_t> tokens, size_t n_bytes) {
    return { std::move(tokens), std::vector<uint8_t>(n_bytes) };
}

static void keeps_within_its_budget() {
    StateStore store(100);
    store.put(entry({ 1 }, 40));
    store.put(entry({ 2 }, 40));
    store.put(entry({ 3 }, 40));
    CHECK_EQUAL(store.n_bytes(), (uint64_t) 80);
    CHECK_EQUAL(store.tokens().size(), (size_t) 2);
    CHECK_EQUAL(store.tokens()[0]->front(), 3);
    CHECK_EQUAL(store.tokens()[1]->front(), 2);
}

static void drops_the_least_recently_used() {
    StateStore store(100);
    store.put(entry({ 1 }, 40));
    store.put(entry({ 2 }, 40));
    CHECK_EQUAL(store.use(1).tokens.front(), 1);
    store.put(entry({ 3 }, 40));
    CHECK_EQUAL(store.tokens()[1]->front(), 1);
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

int main() {
    RUN(keeps_within_its_budget);
    RUN(drops_the_least_recently_used);
    RUN(refuses_what_is_larger_than_the_budget);
    RUN(replaces_what_it_continues);
}
