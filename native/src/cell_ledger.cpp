#include "cell_ledger.h"

void CellLedger::resize(Cells & cells, size_t n_tokens) {
    while (cells.size() > n_tokens) {
        const int32_t cell = cells.back();
        cells.pop_back();
        if (--n_holders_[(size_t) cell] == 0) {
            free_.push_back(cell);
            n_used_--;
        }
    }
    while (cells.size() < n_tokens) {
        if (free_.empty()) {
            free_.push_back((int32_t) n_holders_.size());
            n_holders_.push_back(0);
        }
        const int32_t cell = free_.back();
        free_.pop_back();
        n_holders_[(size_t) cell] = 1;
        n_used_++;
        cells.push_back(cell);
    }
}

void CellLedger::share(const Cells & from, size_t n_tokens, Cells & cells) {
    for (size_t i = 0; i < n_tokens; i++) {
        n_holders_[(size_t) from[i]]++;
        cells.push_back(from[i]);
    }
}
