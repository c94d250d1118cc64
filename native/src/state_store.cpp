#include "state_store.h"

#include <algorithm>

// a can be taken up right after all of b
static bool covers_tokens(const StateStore::Entry & a, const std::vector<int32_t> & b) {
    const int32_t n_tokens = (int32_t) b.size();
    return common_prefix(a.tokens, b) == n_tokens && a.resume().at_most(n_tokens) == n_tokens;
}

bool StateStore::covers(const std::vector<int32_t> & tokens) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Stored & entry) { return covers_tokens(*entry, tokens); });
}

void StateStore::put(Entry entry) {
    const uint64_t n_bytes = entry.n_bytes();
    if (!would_keep(n_bytes)) {
        return;
    }
    for (auto it = entries_.begin(); it != entries_.end();) {
        if (covers_tokens(entry, (*it)->tokens)) {
            n_bytes_ -= (*it)->n_bytes();
            it = entries_.erase(it);
        } else {
            ++it;
        }
    }
    n_bytes_ += n_bytes;
    entries_.push_front(std::make_shared<const Entry>(std::move(entry)));
    while (n_bytes_ > max_bytes_ || entries_.size() > N_ENTRIES_MAX) {
        n_bytes_ -= entries_.back()->n_bytes();
        entries_.pop_back();
    }
}

std::vector<ComputedPrefix> StateStore::prefixes() const {
    std::vector<ComputedPrefix> out;
    for (const Stored & entry : entries_) {
        out.push_back({ &entry->tokens, entry->resume() });
    }
    return out;
}

StateStore::Stored StateStore::use(int32_t index) {
    const auto found = std::next(entries_.begin(), index);
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front();
}
