#include "checkpoints.h"

#include "check.h"
#include "resume.h"

#include <algorithm>
#include <map>
#include <random>

using State = Checkpoints::State;

static State state(size_t n_bytes) {
    return std::make_shared<const std::vector<uint8_t>>(n_bytes);
}

static void finds_a_state_by_its_length() {
    Checkpoints list;
    const State a = state(1);
    const State b = state(2);
    list.add(50, b);
    list.add(20, a);
    CHECK(list.at(20) == a && list.at(50) == b && list.at(30) == nullptr);
    CHECK((list.lengths() == std::vector<int32_t>{ 20, 50 }));
    CHECK_EQUAL(list.n_bytes(), (uint64_t) 3);
    list.add(20, b);
    CHECK(list.at(20) == b);
    CHECK_EQUAL(list.size(), (size_t) 2);
}

static void forgets_what_is_longer() {
    Checkpoints list;
    list.add(20, state(1));
    list.add(50, state(1));
    list.truncate(50);
    CHECK_EQUAL(list.size(), (size_t) 2);
    list.truncate(49);
    CHECK((list.lengths() == std::vector<int32_t>{ 20 }));
}

static void gives_up_what_is_near_the_one_before() {
    Checkpoints list;
    for (const int32_t n : { 100, 110, 300, 500 }) {
        list.add(n, state(1));
    }
    CHECK(list.drop_one());
    CHECK((list.lengths() == std::vector<int32_t>{ 100, 300, 500 }));
    CHECK(list.drop_one() && list.drop_one() && list.drop_one());
    CHECK(!list.drop_one());
}

static void keeps_the_longest_to_the_last() {
    Checkpoints list;
    for (const int32_t n : { 100, 300, 301 }) {
        list.add(n, state(1));
    }
    list.drop_one();
    list.drop_one();
    CHECK((list.lengths() == std::vector<int32_t>{ 301 }));
}

// Random use: ascending, within the limit, the newest there, and never another state than the one that was put in.
static void holds_at_random() {
    std::mt19937 random(7);
    for (int round = 0; round < 200; round++) {
        Checkpoints              list;
        std::map<int32_t, State> put;
        for (int step = 0; step < 60; step++) {
            const int32_t n = 1 + (int32_t) (random() % 200);
            if (random() % 5 == 0) {
                list.truncate(n);
                CHECK(list.empty() || list.lengths().back() <= n);
            } else {
                put[n] = state(random() % 100);
                list.add(n, put[n]);
                CHECK(list.at(n) == put[n]);
            }
            const std::vector<int32_t> lengths = list.lengths();
            CHECK(list.size() <= Checkpoints::N_MAX);
            CHECK(std::is_sorted(lengths.begin(), lengths.end()));
            CHECK(std::adjacent_find(lengths.begin(), lengths.end()) == lengths.end());
            for (const int32_t length : lengths) {
                CHECK(list.at(length) == put[length]);
            }
        }
    }
}

static void limits_all_lists_together() {
    std::mt19937 random(8);
    for (int round = 0; round < 500; round++) {
        std::vector<Checkpoints>   lists(1 + random() % 5);
        std::vector<Checkpoints *> pointers;
        State                      shared = state(30);
        for (Checkpoints & list : lists) {
            for (uint32_t i = random() % 6; i > 0; i--) {
                list.add(1 + (int32_t) (random() % 1000), random() % 3 == 0 ? shared : state(random() % 40));
            }
            pointers.push_back(&list);
        }
        const uint64_t max_bytes = random() % 200;
        const auto     before    = lists;
        Checkpoints::limit(pointers, max_bytes);

        std::map<const void *, size_t> seen;
        for (const Checkpoints & list : lists) {
            for (const int32_t length : list.lengths()) {
                seen[list.at(length).get()] = list.at(length)->size();
            }
        }
        uint64_t total = 0;
        for (const auto & [_, n_bytes] : seen) {
            total += n_bytes;
        }
        CHECK(total <= max_bytes);
        // a list is only touched once all before it are empty
        for (size_t i = 1; i < lists.size(); i++) {
            CHECK(lists[i].size() == before[i].size() || lists[i - 1].empty());
        }
    }
}

static void counts_a_shared_state_once() {
    Checkpoints a;
    Checkpoints b;
    const State shared = state(60);
    a.add(10, shared);
    b.add(10, shared);
    Checkpoints::limit({ &a, &b }, 60);
    CHECK_EQUAL(a.size() + b.size(), (size_t) 2);
    Checkpoints::limit({ &a, &b }, 59);
    CHECK_EQUAL(a.size() + b.size(), (size_t) 0);
}

static void resumes_at_marks_and_from_a_length_on() {
    CHECK_EQUAL((ResumePoints{ 0, {} }).at_most(7), 7);
    const ResumePoints points{ 100, { 20, 60 } };
    CHECK_EQUAL(points.at_most(0), 0);
    CHECK_EQUAL(points.at_most(19), 0);
    CHECK_EQUAL(points.at_most(20), 20);
    CHECK_EQUAL(points.at_most(99), 60);
    CHECK_EQUAL(points.at_most(100), 100);
    CHECK_EQUAL(points.at_most(140), 140);
}

int main() {
    RUN(finds_a_state_by_its_length);
    RUN(forgets_what_is_longer);
    RUN(gives_up_what_is_near_the_one_before);
    RUN(keeps_the_longest_to_the_last);
    RUN(holds_at_random);
    RUN(limits_all_lists_together);
    RUN(counts_a_shared_state_once);
    RUN(resumes_at_marks_and_from_a_length_on);
}
