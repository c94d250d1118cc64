#include "prefix_cache.h"

#include "check.h"

#include <random>

using Tokens = std::vector<Token>;

static const Tokens EMPTY;

static SlotPrefix idle(const Tokens & tokens, uint64_t last_used = 1) {
    return { true, &tokens, nullptr, last_used, {}, {} };
}

static SlotPrefix busy(const Tokens & tokens) {
    return { false, &tokens, nullptr, 0, {}, {} };
}

static SlotPrefix prefilling(const Tokens & tokens, const Tokens & prompt) {
    return { false, &tokens, &prompt, 0, {}, {} };
}

static ComputedPrefix stored(const Tokens & tokens) {
    return { &tokens, {} };
}

// The memory cannot be cut: only its end and the marks can be taken up.
static SlotPrefix uncut(SlotPrefix slot, const std::vector<int32_t> & marks) {
    slot.in_place = { (int32_t) slot.tokens->size(), marks };
    slot.copied   = slot.in_place;
    return slot;
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
    const Tokens       kept   = count(300);
    const Tokens       other  = { 5, 5, 5 };
    const PrefixChoice choice = choose_prefix({ idle(other) }, { stored(other), stored(kept) }, count(301));
    CHECK(choice.source == PrefixSource::Store);
    CHECK_EQUAL(choice.donor, 1);
    CHECK_EQUAL(choice.n_shared, 300);
}

static void prefers_the_longest_source() {
    const Tokens kept    = count(300);
    const Tokens running = count(200);
    const Tokens resting = count(250);
    CHECK(choose_prefix({ busy(running), idle(resting) }, { stored(kept) }, count(400)).source == PrefixSource::Store);
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

static void takes_up_what_cannot_be_cut_at_its_end_or_a_mark() {
    const Tokens slot = count(500, { 7, 7 });
    // continued: nothing has to be cut
    CHECK_EQUAL(choose_prefix({ uncut(idle(slot), {}) }, {}, count(500, { 7, 7, 8 })).n_shared, 502);
    // cut in two tokens: only the mark helps, in place, copied and stored
    const Tokens prompt = count(500, { 8 });
    CHECK_EQUAL(choose_prefix({ uncut(idle(slot), {}) }, {}, prompt).n_shared, 0);
    CHECK_EQUAL(choose_prefix({ uncut(idle(slot), { 100, 480 }) }, {}, prompt).n_shared, 480);
    const PrefixChoice copied = choose_prefix({ uncut(busy(slot), { 480 }), idle(EMPTY) }, {}, prompt);
    CHECK(copied.source == PrefixSource::Donor);
    CHECK_EQUAL(copied.n_shared, 480);
    const PrefixChoice brought = choose_prefix({ idle(EMPTY) }, { { &slot, { 502, { 300 } } } }, prompt);
    CHECK(brought.source == PrefixSource::Store);
    CHECK_EQUAL(brought.n_shared, 300);
    CHECK_EQUAL(brought.n_branch, 500);
}

static void tells_where_prompts_part() {
    const Tokens       slot   = count(500, { 7, 7 });
    const Tokens       prompt = count(500, { 8 });
    const PrefixChoice choice = choose_prefix({ uncut(busy(slot), {}), idle(EMPTY) }, {}, prompt);
    CHECK(choice.source == PrefixSource::Slot);
    CHECK_EQUAL(choice.n_shared, 0);
    CHECK_EQUAL(choice.n_branch, 500);
    // what can be cut needs no checkpoint, and neither does what hardly saves anything
    CHECK_EQUAL(choose_prefix({ busy(slot), idle(EMPTY) }, {}, prompt).n_branch, 0);
    CHECK_EQUAL(choose_prefix({ uncut(busy(slot), { 490 }), idle(EMPTY) }, {}, prompt).n_branch, 0);
}

static void waits_only_for_what_lies_ahead() {
    const Tokens prompt = count(512, { 1 });
    const Tokens before = count(500);
    const Tokens at     = count(512);
    const Tokens behind = count(512, { 1 });
    const auto   choose = [&](const Tokens & so_far) {
        return choose_prefix({ uncut(prefilling(so_far, prompt), {}), idle(EMPTY) }, {}, count(512, { 2, 2 }));
    };
    CHECK(choose(EMPTY).source == PrefixSource::Wait);
    CHECK_EQUAL(choose(EMPTY).donor, 0);
    CHECK_EQUAL(choose(EMPTY).n_shared, 512);
    CHECK(choose(before).source == PrefixSource::Donor);
    CHECK(choose(at).source == PrefixSource::Donor);
    CHECK(choose(behind).source == PrefixSource::Slot);
    CHECK_EQUAL(choose(behind).n_branch, 512);
}

// Whatever is chosen can be taken up there, begins like the prompt, and leaves a token to compute.
static void chooses_soundly_at_random() {
    std::mt19937 random(5);
    const auto   some_tokens = [&] {
        Tokens out = count((int32_t) (random() % 120));
        for (Token & token : out) {
            token = random() % 60 == 0 ? 999 : token;
        }
        return out;
    };
    const auto some_points = [&](const Tokens & tokens) {
        ResumePoints points;
        points.anywhere_from = random() % 3 == 0 ? 0 : (int32_t) (tokens.size() - random() % (tokens.size() / 4 + 1));
        for (int32_t n = 1; n < (int32_t) tokens.size(); n++) {
            if (random() % 20 == 0) {
                points.marks.push_back(n);
            }
        }
        return points;
    };
    for (int round = 0; round < 5000; round++) {
        std::vector<Tokens> tokens(1 + random() % 5);
        std::vector<Tokens> prompts(tokens.size());
        std::vector<Tokens> kept(random() % 4);
        for (Tokens & t : tokens) {
            t = some_tokens();
        }
        for (Tokens & t : kept) {
            t = some_tokens();
        }
        std::vector<SlotPrefix> slots;
        for (size_t i = 0; i < tokens.size(); i++) {
            prompts[i] = tokens[i];
            prompts[i].resize(tokens[i].size() + 1 + random() % 60, 5);
            SlotPrefix slot = random() % 3 == 0   ? prefilling(tokens[i], prompts[i])
                              : random() % 2 == 0 ? busy(tokens[i])
                                                  : idle(tokens[i], random() % 10);
            slot.in_place   = some_points(tokens[i]);
            slot.copied     = some_points(tokens[i]);
            slots.push_back(slot);
        }
        std::vector<ComputedPrefix> store;
        for (const Tokens & t : kept) {
            store.push_back({ &t, some_points(t) });
        }
        Tokens prompt = some_tokens();
        prompt.push_back(3);

        const PrefixChoice choice = choose_prefix(slots, store, prompt);
        const auto         check  = [&](const Tokens & source, const ResumePoints & points) {
            CHECK(choice.n_shared < (int32_t) prompt.size());
            CHECK(choice.n_shared <= common_prefix(source, prompt));
            CHECK_EQUAL(points.at_most(choice.n_shared), choice.n_shared);
        };
        switch (choice.source) {
            case PrefixSource::None:
                for (const SlotPrefix & slot : slots) {
                    CHECK(!slot.idle);
                }
                continue;
            case PrefixSource::Wait:
                CHECK(slots[(size_t) choice.donor].coming != nullptr);
                CHECK(choice.n_shared <= common_prefix(*slots[(size_t) choice.donor].coming, prompt));
                CHECK(choice.n_shared >= (int32_t) slots[(size_t) choice.donor].tokens->size());
                continue;
            case PrefixSource::Slot:
                check(tokens[(size_t) choice.slot], slots[(size_t) choice.slot].in_place);
                break;
            case PrefixSource::Donor:
                check(tokens[(size_t) choice.donor], slots[(size_t) choice.donor].copied);
                CHECK(choice.donor != choice.slot);
                break;
            case PrefixSource::Store:
                check(kept[(size_t) choice.donor], store[(size_t) choice.donor].resume);
                break;
        }
        CHECK(slots[(size_t) choice.slot].idle);
        CHECK(choice.n_branch == 0 || choice.n_branch >= choice.n_shared + N_COPY_MIN);
        CHECK(choice.n_branch < (int32_t) prompt.size());
    }
}

// Splits of the busy set: each is a pass over the weights in every step.
static int32_t n_runs(const std::vector<SlotPrefix> & slots) {
    int32_t n = 0;
    for (size_t i = 0; i < slots.size(); i++) {
        n += !slots[i].idle && (i == 0 || slots[i - 1].idle) ? 1 : 0;
    }
    return n;
}

static void takes_the_slot_between_busy_ones_where_streams_are_split() {
    const Tokens                  some  = count(10);
    const std::vector<SlotPrefix> slots = { idle(EMPTY), busy(some), idle(some, 9), busy(some), idle(EMPTY) };
    CHECK_EQUAL(choose_prefix(slots, {}, { 77, 78 }, true).slot, 2);
    CHECK_EQUAL(choose_prefix(slots, {}, { 77, 78 }).slot, 0);
    // nobody is busy: the oldest
    CHECK_EQUAL(choose_prefix({ idle(some, 5), idle(some, 3) }, {}, { 77, 78 }, true).slot, 1);
}

static void copies_a_prefix_to_where_the_busy_ones_are() {
    const Tokens       chat  = count(200);
    const Tokens       other = { 500, 501 };
    const PrefixChoice choice =
        choose_prefix({ busy(other), idle(EMPTY), idle(EMPTY), idle(chat) }, {}, count(200, { 900, 901 }), true);
    CHECK(choice.source == PrefixSource::Donor);
    CHECK_EQUAL(choice.slot, 1);
    CHECK_EQUAL(choice.donor, 3);
    CHECK_EQUAL(choice.n_shared, 200);
    // alone it stays where it is
    CHECK_EQUAL(
        choose_prefix({ idle(other), idle(EMPTY), idle(EMPTY), idle(chat) }, {}, count(200, { 900 }), true).slot, 3);
}

// Requests come and go at random: a new one never makes another run of busy slots where it need not.
static void never_makes_a_gap_that_it_need_not() {
    std::mt19937 random(5);
    const Tokens some = count(5);
    for (int32_t round = 0; round < 2000; round++) {
        std::vector<SlotPrefix> slots;
        for (size_t i = 0; i < 2 + random() % 14; i++) {
            slots.push_back(random() % 2 == 0 ? idle(some, random() % 50) : busy(some));
        }
        const int32_t      before = n_runs(slots);
        const PrefixChoice choice = choose_prefix(slots, {}, { 77, 78 }, true);
        if (choice.slot < 0) {
            continue;
        }
        slots[(size_t) choice.slot] = busy(some);
        CHECK(before == 0 || n_runs(slots) <= before);
    }
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
    RUN(takes_up_what_cannot_be_cut_at_its_end_or_a_mark);
    RUN(tells_where_prompts_part);
    RUN(waits_only_for_what_lies_ahead);
    RUN(chooses_soundly_at_random);
    RUN(takes_the_slot_between_busy_ones_where_streams_are_split);
    RUN(copies_a_prefix_to_where_the_busy_ones_are);
    RUN(never_makes_a_gap_that_it_need_not);
}
