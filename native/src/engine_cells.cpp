// One KV cache for all sequences (unified): who gets its cells, and who gives them up when they run out. With a stream
// for each sequence nothing here does anything. Decode thread only.
//
// Prefixes of finished requests go first, the least recently used one before the others. Then the request that is due
// last gives up its cells and waits: when there is room again, what it had is taken from host memory or computed anew,
// and it goes on where it was. Nothing fails.
#include "engine.h"

#include <algorithm>

// Cells that must stay free for each running sequence when another one is let in, so that it is not sent away again
// after a few tokens.
static constexpr int32_t N_HEADROOM = 32;

int32_t Engine::n_busy() const {
    return (int32_t) std::count_if(slots_.begin(), slots_.end(),
                                   [](const Slot & slot) { return slot.state != SlotState::Idle; });
}

int32_t Engine::n_free_cells() {
    for (Slot & slot : slots_) {
        ledger_.resize(slot.cells, (size_t) slot.n_present());
    }
    return info_.n_cells - ledger_.n_used();
}

// Gives up the least recently used prefix, except those of two slots (-1: none). False: there is no other.
bool Engine::drop_prefix(int32_t kept, int32_t also_kept) {
    Slot * oldest = nullptr;
    for (Slot & slot : slots_) {
        if (slot.state == SlotState::Idle && !slot.tokens.empty() && slot.id != kept && slot.id != also_kept &&
            (oldest == nullptr || slot.last_used < oldest->last_used)) {
            oldest = &slot;
        }
    }
    if (oldest == nullptr) {
        return false;
    }
    store_before_loss(*oldest, {});
    forget(*oldest);
    return true;
}

// Cells can be held by several sequences: a copied prefix takes none.
bool Engine::shares_cells() const {
    return info_.is_unified && memory_kind_ == MemoryKind::Full;
}

// The slot holds the first n_tokens of another one's tokens, in the same cells.
void Engine::share_cells(Slot & slot, const Slot & from, int32_t n_tokens) {
    forget(slot);
    n_free_cells();
    llama_memory_seq_cp(llama_get_memory(context_.get()), from.id, slot.id, 0, from.position(n_tokens));
    ledger_.share(from.cells, (size_t) n_tokens, slot.cells);
    slot.tokens.assign(from.tokens.begin(), from.tokens.begin() + n_tokens);
    slot.places = from.places;
}

// The slot holds its whole prompt in the cells of another one that has it. False: there is none.
bool Engine::share_prompt(Slot & slot) {
    const std::vector<llama_token> & prompt = slot.sequence->prompt();
    for (const Slot & other : slots_) {
        if (shares_cells() && other.id != slot.id && common_prefix(other.tokens, prompt) == (int32_t) prompt.size()) {
            share_cells(slot, other, (int32_t) prompt.size());
            return true;
        }
    }
    return false;
}

// Makes room for a waiting request. Where there is none for a copy of its prefix, it is computed instead. False: it has
// to wait. A request that would be alone always fits.
bool Engine::make_room(const Sequence & next, PrefixChoice & choice, const StateStore::Stored & stored) {
    if (!info_.is_unified) {
        return true;
    }
    int32_t n_reserved = n_busy() > 0 ? N_HEADROOM * (n_busy() + 1) : 0;
    for (const Slot & slot : slots_) {
        if (slot.state == SlotState::Prefill) {
            n_reserved += (int32_t) slot.sequence->prompt().size() - slot.n_present();
        }
    }
    while (true) {
        int32_t n_needed = (int32_t) next.prompt().size();
        if (choice.source == PrefixSource::Donor) {
            const Slot & donor = slots_[(size_t) choice.donor];
            n_needed = shares_cells() ? n_needed - choice.n_shared : std::max(n_needed, (int32_t) donor.tokens.size());
        } else if (choice.source == PrefixSource::Store) {
            n_needed = std::max(n_needed, (int32_t) stored->tokens.size());
        }
        n_needed -= (int32_t) slots_[(size_t) choice.slot].tokens.size();
        if (n_free_cells() >= n_needed + n_reserved) {
            return true;
        }
        if (drop_prefix(choice.slot, choice.source == PrefixSource::Donor ? choice.donor : -1)) {
            continue;
        }
        if (choice.source == PrefixSource::Slot) {
            return n_busy() == 0;
        }
        choice = { PrefixSource::Slot, choice.slot, -1, 0, choice.n_branch };
    }
}

// Makes room for a batch. False: a request had to give up its cells, and the batch must be planned again.
bool Engine::make_room(const BatchPlan & plan) {
    int32_t n_needed = 0;
    for (const SlotShare & share : plan.shares) {
        n_needed += share.n_tokens;
    }
    while (info_.is_unified && n_free_cells() < n_needed) {
        if (drop_prefix(-1, -1)) {
            continue;
        }
        Slot * last = nullptr;
        for (Slot & slot : slots_) {
            if (slot.state != SlotState::Idle && (last == nullptr || slot.deadline > last->deadline)) {
                last = &slot;
            }
        }
        interrupt(*last);
        return false;
    }
    return true;
}

void Engine::interrupt(Slot & slot) {
    cut_image(slot);
    store_before_loss(slot, {});
    if (slot.state == SlotState::Decode) {
        slot.sequence->interrupt(slot.tokens);
    }
    enqueue(std::move(slot.sequence));
    slot.release(++counter_);
    forget(slot);

    const std::lock_guard<std::mutex> lock(mutex_);
    stats_.n_interrupted++;
}
