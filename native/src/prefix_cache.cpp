#include "prefix_cache.h"

#include <algorithm>

int32_t common_prefix(const std::vector<Token> & a, const std::vector<Token> & b) {
    const auto end = a.begin() + (std::ptrdiff_t) std::min(a.size(), b.size());
    return (int32_t) (std::mismatch(a.begin(), end, b.begin()).first - a.begin());
}

// The idle slot to take: one that the prompt continues, else the least recently used.
static PrefixChoice choose_idle(const std::vector<SlotPrefix> & slots, const std::vector<Token> & prompt,
                                int32_t n_most) {
    PrefixChoice continued;
    PrefixChoice oldest;
    // an empty slot is older than any used one
    const auto age = [&](int32_t i) { return slots[(size_t) i].tokens->empty() ? 0 : slots[(size_t) i].last_used; };

    for (int32_t i = 0; i < (int32_t) slots.size(); i++) {
        const SlotPrefix & slot = slots[(size_t) i];
        if (!slot.idle) {
            continue;
        }
        const int32_t n_shared = std::min(common_prefix(*slot.tokens, prompt), n_most);
        if (n_shared > continued.n_shared && n_shared * 2 >= (int32_t) slot.tokens->size()) {
            continued = { PrefixSource::Slot, i, -1, n_shared };
        }
        if (oldest.slot < 0 || age(i) < age(oldest.slot)) {
            oldest = { PrefixSource::Slot, i, -1, n_shared };
        }
    }
    return continued.slot >= 0 ? continued : oldest;
}

PrefixChoice choose_prefix(const std::vector<SlotPrefix> &                 slots,
                           const std::vector<const std::vector<Token> *> & stored, const std::vector<Token> & prompt) {
    const int32_t n_most = std::max<int32_t>(0, (int32_t) prompt.size() - 1);

    PrefixChoice choice = choose_idle(slots, prompt, n_most);
    if (choice.source == PrefixSource::None) {
        return choice;
    }
    const int32_t slot   = choice.slot;
    int32_t       n_need = choice.n_shared + N_COPY_MIN;

    int32_t n_coming = 0;
    for (int32_t i = 0; i < (int32_t) slots.size(); i++) {
        if (i == slot) {
            continue;
        }
        const int32_t n_shared = std::min(common_prefix(*slots[(size_t) i].tokens, prompt), n_most);
        if (n_shared >= n_need) {
            choice = { PrefixSource::Donor, slot, i, n_shared };
            n_need = n_shared + 1;
        }
        if (slots[(size_t) i].coming != nullptr) {
            n_coming = std::max(n_coming, std::min(common_prefix(*slots[(size_t) i].coming, prompt), n_most));
        }
    }
    for (int32_t i = 0; i < (int32_t) stored.size(); i++) {
        const int32_t n_shared = std::min(common_prefix(*stored[(size_t) i], prompt), n_most);
        if (n_shared >= n_need) {
            choice = { PrefixSource::Store, slot, i, n_shared };
            n_need = n_shared + 1;
        }
    }
    if (n_coming >= choice.n_shared + N_COPY_MIN) {
        return { PrefixSource::Wait, -1, -1, 0 };
    }
    return choice;
}
