#include "prefix_cache.h"

#include <algorithm>

int32_t common_prefix(const std::vector<Token> & a, const std::vector<Token> & b) {
    const auto end = a.begin() + (std::ptrdiff_t) std::min(a.size(), b.size());
    return (int32_t) (std::mismatch(a.begin(), end, b.begin()).first - a.begin());
}

PrefixChoice choose_slot(const std::vector<CachedSequence> & slots, const std::vector<Token> & prompt) {
    const int32_t n_most = std::max<int32_t>(0, (int32_t) prompt.size() - 1);

    PrefixChoice continued;
    PrefixChoice oldest;
    for (int32_t i = 0; i < (int32_t) slots.size(); i++) {
        const CachedSequence & slot = slots[i];
        if (!slot.idle) {
            continue;
        }
        const int32_t n_cached = (int32_t) slot.tokens->size();
        const int32_t n_shared = std::min(common_prefix(*slot.tokens, prompt), n_most);

        if (n_shared > continued.n_shared && n_shared * 2 >= n_cached) {
            continued = { i, n_shared };
        }
        // an empty slot is older than any used one
        const auto age = [&](int32_t k) { return slots[k].tokens->empty() ? 0 : slots[k].last_used; };
        if (oldest.slot < 0 || age(i) < age(oldest.slot)) {
            oldest = { i, n_shared };
        }
    }
    return continued.slot >= 0 ? continued : oldest;
}
