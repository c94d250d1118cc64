#include "cell_ledger.h"

#include "check.h"

#include <algorithm>
#include <random>
#include <set>

static void counts_what_sequences_hold() {
    CellLedger        ledger;
    CellLedger::Cells a, b;
    ledger.resize(a, 5);
    CHECK_EQUAL(ledger.n_used(), 5);
    ledger.share(a, 3, b);
    CHECK_EQUAL(ledger.n_used(), 5);
    ledger.resize(b, 4);
    CHECK_EQUAL(ledger.n_used(), 6);
    ledger.resize(a, 0);
    CHECK_EQUAL(ledger.n_used(), 4);
    ledger.resize(b, 0);
    CHECK_EQUAL(ledger.n_used(), 0);
}

// Over random growth, cuts and copies the count is that of different cells.
static void agrees_with_counting() {
    std::mt19937                   random(11);
    CellLedger                     ledger;
    std::vector<CellLedger::Cells> all(6);
    for (int32_t trial = 0; trial < 5000; trial++) {
        CellLedger::Cells & cells = all[random() % all.size()];
        const auto &        from  = all[random() % all.size()];
        if (&from != &cells && random() % 3 == 0) {
            ledger.resize(cells, 0);
            ledger.share(from, random() % (from.size() + 1), cells);
        } else {
            ledger.resize(cells, random() % 40);
        }
        std::set<int32_t> different;
        for (const CellLedger::Cells & held : all) {
            CHECK_EQUAL(std::set<int32_t>(held.begin(), held.end()).size(), held.size());
            different.insert(held.begin(), held.end());
        }
        CHECK_EQUAL((size_t) ledger.n_used(), different.size());
    }
}

int main() {
    RUN(counts_what_sequences_hold);
    RUN(agrees_with_counting);
}
