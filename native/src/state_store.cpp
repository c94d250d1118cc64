#include "state_store.h"

#include <algorithm>

// a begins with all of b
static bool begins_with(const std::vector<int32_t> & a, const std::vector<int32_t> & b) {
    return a.size() >= b.size() && std::equal(b.begin(), b.end(), a.begin());
}

bool StateStore::covers(const std::vector<int32_t> & tokens) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry & entry) { return begins_with(entry.tokens, tokens); });
}

void StateStore::put(Entry entry) {
    if (!would_keep(entry.state.size())) {
        return;
    }
    for (auto it = entries_.begin(); it != entries_.end();) {
        if (begins_with(entry.tokens, it->tokens)) {
            n_bytes_ -= it->state.size();
            it = entries_.erase(it);
        } else {
            ++it;
        }
    }
    n_bytes_ += entry.state.size();
    entries_.push_front(std::move(entry));
    while (n_bytes_ > max_bytes_) {
        n_bytes_ -= entries_.back().state.size();
        entries_.pop_back();
    }
}

std::vector<const std::vector<int32_t> *> StateStore::tokens() const {
    std::vector<const std::vector<int32_t> *> out;
    for (const Entry & entry : entries_) {
        out.push_back(&entry.tokens);
    }
    return out;
}

const StateStore::Entry & StateStore::use(int32_t index) {
    const auto found = std::next(entries_.begin(), index);
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front();
}
