#include "prefix_cache.h"

#include <algorithm>

int32_t common_prefix(const std::vector<Token> & a, const std::vector<Token> & b) {
    const auto end = a.begin() + (std::ptrdiff_t) std::min(a.size(), b.size());
    return (int32_t) (std::mismatch(a.begin(), end, b.begin()).first - a.begin());
}

static int32_t n_busy_neighbours(const std::vector<SlotPrefix> & slots, size_t i) {
    const bool before = i > 0 && !slots[i - 1].idle;
    const bool after  = i + 1 < slots.size() && !slots[i + 1].idle;
    return (before ? 1 : 0) + (after ? 1 : 0);
}

// Most busy neighbours that an idle slot has.
static int32_t n_most_neighbours(const std::vector<SlotPrefix> & slots) {
    int32_t n_most = 0;
    for (size_t i = 0; i < slots.size(); i++) {
        n_most = slots[i].idle ? std::max(n_most, n_busy_neighbours(slots, i)) : n_most;
    }
    return n_most;
}

// The idle slot to take: one that the prompt continues, else the least recently used. n_common: of each slot.
static PrefixChoice choose_idle(const std::vector<SlotPrefix> & slots, const std::vector<int32_t> & n_common,
                                bool is_packed) {
    const int32_t n_neighbours = is_packed ? n_most_neighbours(slots) : 0;
    PrefixChoice  continued;
    PrefixChoice  oldest;
    // an empty slot is older than any used one
    const auto age = [&](int32_t i) { return slots[(size_t) i].tokens->empty() ? 0 : slots[(size_t) i].last_used; };

    for (int32_t i = 0; i < (int32_t) slots.size(); i++) {
        const SlotPrefix & slot = slots[(size_t) i];
        if (!slot.idle || (is_packed && n_busy_neighbours(slots, (size_t) i) < n_neighbours)) {
            continue;
        }
        const int32_t n_shared = slot.in_place.at_most(n_common[(size_t) i]);
        if (n_shared > continued.n_shared && n_shared * 2 >= (int32_t) slot.tokens->size()) {
            continued = { PrefixSource::Slot, i, -1, n_shared, 0 };
        }
        if (oldest.slot < 0 || age(i) < age(oldest.slot)) {
            oldest = { PrefixSource::Slot, i, -1, n_shared, 0 };
        }
    }
    return continued.slot >= 0 ? continued : oldest;
}

PrefixChoice choose_prefix(const std::vector<SlotPrefix> & slots, const std::vector<ComputedPrefix> & stored,
                           const std::vector<Token> & prompt, bool is_packed) {
    const int32_t n_most = std::max<int32_t>(0, (int32_t) prompt.size() - 1);
    const auto    common = [&](const std::vector<Token> & tokens) {
        return std::min(common_prefix(tokens, prompt), n_most);
    };
    std::vector<int32_t> n_common(slots.size());
    for (size_t i = 0; i < slots.size(); i++) {
        n_common[i] = common(*slots[i].tokens);
    }

    PrefixChoice choice = choose_idle(slots, n_common, is_packed);
    if (choice.source == PrefixSource::None) {
        return choice;
    }
    const int32_t slot     = choice.slot;
    int32_t       n_need   = choice.n_shared + N_COPY_MIN;
    int32_t       n_branch = n_common[(size_t) slot];

    PrefixChoice wait;
    for (int32_t i = 0; i < (int32_t) slots.size(); i++) {
        const SlotPrefix & other = slots[(size_t) i];
        if (i == slot) {
            continue;
        }
        n_branch               = std::max(n_branch, n_common[(size_t) i]);
        const int32_t n_shared = other.copied.at_most(n_common[(size_t) i]);
        if (n_shared >= n_need) {
            choice = { PrefixSource::Donor, slot, i, n_shared, 0 };
            n_need = n_shared + 1;
        }
        if (other.coming != nullptr) {
            const int32_t n_coming = common(*other.coming);
            n_branch               = std::max(n_branch, n_coming);
            if (n_coming > wait.n_shared && n_coming >= (int32_t) other.tokens->size()) {
                wait = { PrefixSource::Wait, -1, i, n_coming, 0 };
            }
        }
    }
    for (int32_t i = 0; i < (int32_t) stored.size(); i++) {
        const int32_t n_stored = common(*stored[(size_t) i].tokens);
        n_branch               = std::max(n_branch, n_stored);
        const int32_t n_shared = stored[(size_t) i].resume.at_most(n_stored);
        if (n_shared >= n_need) {
            choice = { PrefixSource::Store, slot, i, n_shared, 0 };
            n_need = n_shared + 1;
        }
    }
    if (wait.n_shared >= choice.n_shared + N_COPY_MIN) {
        return wait;
    }
    choice.n_branch = n_branch >= choice.n_shared + N_COPY_MIN ? n_branch : 0;
    return choice;
}
