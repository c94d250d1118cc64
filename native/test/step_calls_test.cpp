#include "step_calls.h"

#include "check.h"

#include <algorithm>
#include <random>
#include <set>

static constexpr double N_CELLS_PER_PASS = 6000.0;

static BatchPlan running(const std::vector<int32_t> & slots) {
    BatchPlan plan;
    for (const int32_t slot : slots) {
        plan.shares.push_back({ slot, 1 });
    }
    plan.n_decode = (int32_t) slots.size();
    return plan;
}

static std::vector<std::vector<int32_t>> slots_of(const std::vector<BatchPlan> & calls) {
    std::vector<std::vector<int32_t>> out;
    for (const BatchPlan & call : calls) {
        out.emplace_back();
        for (const SlotShare & share : call.shares) {
            out.back().push_back(share.slot);
        }
    }
    return out;
}

static std::vector<std::vector<int32_t>> calls(const std::vector<int32_t> & slots,
                                               const std::vector<int32_t> & n_cells) {
    return slots_of(calls_of(running(slots), n_cells, N_CELLS_PER_PASS));
}

using Slots = std::vector<std::vector<int32_t>>;

static void gives_prefill_a_part_of_its_own() {
    BatchPlan plan = running({ 0, 2 });
    plan.shares.push_back({ 1, 32 });
    plan.n_prefill = 32;

    const auto parts = parts_of(plan, false);
    CHECK(slots_of(parts) == (Slots{ { 0, 2 }, { 1 } }));
    CHECK_EQUAL(parts[0].n_decode, 2);
    CHECK_EQUAL(parts[0].n_prefill, 0);
    CHECK_EQUAL(parts[1].n_decode, 0);
    CHECK_EQUAL(parts[1].n_prefill, 32);
    CHECK(slots_of(parts_of(plan, true)) == (Slots{ { 0, 2, 1 } }));
    CHECK(calls_of({}, {}, N_CELLS_PER_PASS).empty());
}

static void gives_each_image_a_part_of_its_own() {
    BatchPlan plan = running({ 0 });
    plan.shares.push_back({ 1, 32 });
    plan.shares.push_back({ 2, 16, true });
    plan.shares.push_back({ 3, 8, true });
    plan.n_prefill = 56;
    for (const bool is_unified : { false, true }) {
        const auto parts = parts_of(plan, is_unified);
        CHECK(slots_of(parts) == (is_unified ? Slots{ { 0, 1 }, { 2 }, { 3 } } : Slots{ { 0 }, { 1 }, { 2 }, { 3 } }));
        CHECK_EQUAL(parts.back().n_prefill, 8);
        CHECK_EQUAL(parts[parts.size() - 3].n_prefill, 32);
    }
    BatchPlan alone;
    alone.shares.push_back({ 2, 16, true });
    alone.n_prefill = 16;
    CHECK(slots_of(parts_of(alone, false)) == (Slots{ { 2 } }));
}

static void keeps_sequences_of_like_lengths_together() {
    CHECK(calls({ 0, 1, 2, 3 }, { 100, 180, 90, 250 }) == (Slots{ { 0, 1, 2, 3 } }));
    // three sequences, 700 cells each more than they have: less than one pass
    CHECK(calls({ 0, 1, 2, 3 }, { 200, 200, 900, 200 }) == (Slots{ { 0, 1, 2, 3 } }));
}

static void gives_a_long_sequence_a_call_of_its_own() {
    CHECK(calls({ 0, 1, 2, 3, 4 }, { 200, 200, 200, 200, 4000 }) == (Slots{ { 0, 1, 2, 3 }, { 4 } }));
    CHECK_EQUAL(calls_of(running({ 0, 1, 2 }), { 200, 4000, 200 }, std::nullopt).size(), (size_t) 1);
    // in the middle it costs a pass more
    CHECK(calls({ 0, 1, 2, 3, 4 }, { 200, 200, 4000, 200, 200 }) == (Slots{ { 0, 1 }, { 2 }, { 3, 4 } }));
    CHECK(calls({ 0, 1, 2 }, { 200, 2000, 200 }) == (Slots{ { 0, 1, 2 } }));
}

static void counts_a_pass_for_each_gap_between_slots() {
    // slots 0 and 2 are two passes in any case
    CHECK(calls({ 0, 2 }, { 200, 0, 4000 }) == (Slots{ { 0 }, { 2 } }));
    CHECK(calls({ 0, 2 }, { 200, 0, 200 }).size() == 1);
}

// What the calls read, in cells.
static double cost(const std::vector<BatchPlan> & calls, const std::vector<int32_t> & n_cells) {
    double sum = 0.0;
    for (const BatchPlan & call : calls) {
        int32_t longest = 0;
        int32_t last    = -2;
        for (const SlotShare & share : call.shares) {
            longest = std::max(longest, n_cells[(size_t) share.slot] + share.n_tokens);
            sum += share.slot == last + 1 ? 0.0 : N_CELLS_PER_PASS;
            last = share.slot;
        }
        sum += (double) ((longest + 255) / 256 * 256) * (double) call.shares.size();
    }
    return sum;
}

static void decodes_each_token_once_and_never_reads_more_than_undivided() {
    std::mt19937 random(1);
    for (int round = 0; round < 3000; round++) {
        std::vector<int32_t> n_cells(1 + random() % 24);
        BatchPlan            part;
        for (int32_t slot = 0; slot < (int32_t) n_cells.size(); slot++) {
            n_cells[(size_t) slot] = random() % 3 == 0 ? (int32_t) (random() % 8000) : (int32_t) (random() % 300);
            if (random() % 4 > 0) {
                const auto n_draft = (int32_t) (random() % 3);
                part.shares.push_back({ slot, 1 + n_draft });
                part.n_draft += n_draft;
                part.n_decode++;
            }
        }
        const auto divided = calls_of(part, n_cells, N_CELLS_PER_PASS);

        std::vector<SlotShare> shares;
        int32_t                n_decode = 0;
        int32_t                n_draft  = 0;
        for (const BatchPlan & call : divided) {
            CHECK(!call.shares.empty());
            shares.insert(shares.end(), call.shares.begin(), call.shares.end());
            n_decode += call.n_decode;
            n_draft += call.n_draft;
            CHECK_EQUAL(call.n_prefill, 0);
        }
        CHECK_EQUAL(shares.size(), part.shares.size());
        for (size_t i = 0; i < shares.size(); i++) {
            CHECK_EQUAL(shares[i].slot, part.shares[i].slot);
            CHECK_EQUAL(shares[i].n_tokens, part.shares[i].n_tokens);
        }
        CHECK_EQUAL(n_decode, part.n_decode);
        CHECK_EQUAL(n_draft, part.n_draft);
        CHECK(part.shares.empty() || cost(divided, n_cells) <= cost({ part }, n_cells));
    }
}

int main() {
    RUN(gives_prefill_a_part_of_its_own);
    RUN(gives_each_image_a_part_of_its_own);
    RUN(keeps_sequences_of_like_lengths_together);
    RUN(gives_a_long_sequence_a_call_of_its_own);
    RUN(counts_a_pass_for_each_gap_between_slots);
    RUN(decodes_each_token_once_and_never_reads_more_than_undivided);
}
