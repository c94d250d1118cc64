#include "checkpoints.h"

#include <algorithm>
#include <unordered_set>

void Checkpoints::add(int32_t n_tokens, State state) {
    const auto place = std::lower_bound(entries_.begin(), entries_.end(), n_tokens,
                                        [](const Entry & entry, int32_t n) { return entry.n_tokens < n; });
    if (place != entries_.end() && place->n_tokens == n_tokens) {
        place->state = std::move(state);
        return;
    }
    entries_.insert(place, { n_tokens, std::move(state) });
    if (entries_.size() > N_MAX) {
        drop_least(entries_.size(), n_tokens);
    }
}

// Of the first n_candidates; the one of `spared` tokens is no candidate.
void Checkpoints::drop_least(size_t n_candidates, int32_t spared) {
    size_t  least     = entries_.size();
    int32_t least_gap = 0;
    for (size_t i = 0; i < n_candidates; i++) {
        const int32_t gap = entries_[i].n_tokens - (i > 0 ? entries_[i - 1].n_tokens : 0);
        if (entries_[i].n_tokens != spared && (least == entries_.size() || gap < least_gap)) {
            least     = i;
            least_gap = gap;
        }
    }
    if (least < entries_.size()) {
        entries_.erase(entries_.begin() + (std::ptrdiff_t) least);
    }
}

bool Checkpoints::drop_one() {
    if (entries_.empty()) {
        return false;
    }
    if (entries_.size() == 1) {
        entries_.clear();
    } else {
        drop_least(entries_.size() - 1, 0);
    }
    return true;
}

void Checkpoints::truncate(int32_t n_tokens) {
    while (!entries_.empty() && entries_.back().n_tokens > n_tokens) {
        entries_.pop_back();
    }
}

Checkpoints::State Checkpoints::at(int32_t n_tokens) const {
    for (const Entry & entry : entries_) {
        if (entry.n_tokens == n_tokens) {
            return entry.state;
        }
    }
    return nullptr;
}

std::vector<int32_t> Checkpoints::lengths() const {
    std::vector<int32_t> out;
    for (const Entry & entry : entries_) {
        out.push_back(entry.n_tokens);
    }
    return out;
}

uint64_t Checkpoints::n_bytes() const {
    uint64_t out = 0;
    for (const Entry & entry : entries_) {
        out += entry.state->size();
    }
    return out;
}

void Checkpoints::limit(const std::vector<Checkpoints *> & lists, uint64_t max_bytes) {
    const auto total = [&] {
        uint64_t                                         out = 0;
        std::unordered_set<const std::vector<uint8_t> *> seen;
        for (const Checkpoints * list : lists) {
            for (const Entry & entry : list->entries_) {
                if (seen.insert(entry.state.get()).second) {
                    out += entry.state->size();
                }
            }
        }
        return out;
    };
    for (Checkpoints * list : lists) {
        while (total() > max_bytes && list->drop_one()) {}
    }
}
