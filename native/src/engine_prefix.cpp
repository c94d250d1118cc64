// Giving waiting requests a slot, with as much of their prompt as has been computed before. Decode thread only.
#include "engine.h"
#include "prefix_cache.h"

#include <algorithm>

void Engine::assign_slots() {
    for (size_t i = 0; i < waiting_.size();) {
        Sequence & next = *waiting_[i];
        if (next.fork_point() && !next.fork_point()->is_settled) {
            i++;  // its first choice is still in prefill
            continue;
        }
        const PrefixChoice choice = next.may_reuse_prefix() ? find_prefix(next) : find_empty();
        if (choice.source == PrefixSource::None) {
            return;
        }
        if (choice.source == PrefixSource::Wait) {
            i++;
            continue;
        }
        Slot & slot = slots_[(size_t) choice.slot];
        store_before_loss(slot, choice);
        slot.sequence = std::move(waiting_[i]);
        waiting_.erase(waiting_.begin() + (std::ptrdiff_t) i);
        slot.state    = SlotState::Prefill;
        slot.deadline = slot.sequence->deadline();
        if (!start_fork(slot)) {
            start_prefill(slot, choice);
        }
    }
}

PrefixChoice Engine::find_prefix(const Sequence & sequence) {
    std::vector<SlotPrefix> prefixes(slots_.size());
    for (size_t i = 0; i < slots_.size(); i++) {
        const Slot & slot = slots_[i];
        prefixes[i]       = { slot.state == SlotState::Idle, &slot.tokens,
                        slot.state == SlotState::Prefill ? &slot.sequence->prompt() : nullptr, slot.last_used };
    }
    return choose_prefix(prefixes, store_.tokens(), sequence.prompt());
}

// The least recently used idle slot, for a request that is computed cold.
PrefixChoice Engine::find_empty() const {
    PrefixChoice choice;
    for (const Slot & slot : slots_) {
        if (slot.state == SlotState::Idle &&
            (choice.slot < 0 || slot.last_used < slots_[(size_t) choice.slot].last_used)) {
            choice = { PrefixSource::Slot, slot.id, -1, 0 };
        }
    }
    return choice;
}

// What the slot holds is about to be overwritten: a long sequence that nothing else covers goes to host memory.
void Engine::store_before_loss(const Slot & slot, const PrefixChoice & choice) {
    const int32_t n_kept = choice.source == PrefixSource::Slot ? choice.n_shared : 0;
    if ((int32_t) slot.tokens.size() - n_kept < N_COPY_MIN || store_.covers(slot.tokens)) {
        return;
    }
    if (store_.would_keep(llama_state_seq_get_size(context_.get(), slot.id))) {
        std::vector<uint8_t> state = state_of(slot);
        if (!state.empty()) {
            store_.put({ slot.tokens, std::move(state) });
        }
    }
}

// Bytes of the slot's KV cache; empty where it cannot be taken out.
std::vector<uint8_t> Engine::state_of(const Slot & slot) {
    std::vector<uint8_t> state(llama_state_seq_get_size(context_.get(), slot.id));
    state.resize(llama_state_seq_get_data(context_.get(), state.data(), state.size(), slot.id));
    return state;
}

bool Engine::put_state(Slot & slot, const std::vector<uint8_t> & state, const std::vector<llama_token> & tokens) {
    forget(slot);
    if (state.empty() || llama_state_seq_set_data(context_.get(), state.data(), state.size(), slot.id) == 0) {
        forget(slot);
        return false;
    }
    slot.tokens = tokens;
    return true;
}

void Engine::start_prefill(Slot & slot, const PrefixChoice & choice) {
    bool is_there = true;
    if (choice.source == PrefixSource::Donor) {
        const Slot & donor = slots_[(size_t) choice.donor];
        is_there           = put_state(slot, state_of(donor), donor.tokens);
    } else if (choice.source == PrefixSource::Store) {
        const StateStore::Entry & entry = store_.use(choice.donor);
        is_there                        = put_state(slot, entry.state, entry.tokens);
    }
    keep_prefix(slot, is_there ? choice.n_shared : 0);
}

// Keeps the first n_shared tokens of the slot's KV cache and drops the rest. A cache that cannot be cut there
// (recurrent state, a sliding window that has moved on) is dropped whole: slower, never wrong.
void Engine::keep_prefix(Slot & slot, int32_t n_shared) {
    const llama_memory_t memory = llama_get_memory(context_.get());

    const int32_t n_window = llama_model_n_swa(model_->get());
    const bool    in_window =
        llama_memory_seq_pos_min(memory, slot.id) <= std::max(0, n_window > 0 ? n_shared - n_window : 0);
    if (n_shared > 0 && in_window && llama_memory_seq_rm(memory, slot.id, n_shared, -1)) {
        slot.tokens.resize((size_t) n_shared);
        slot.sequence->n_cached = n_shared;
        return;
    }
    forget(slot);
}

void Engine::forget(Slot & slot) {
    llama_memory_seq_rm(llama_get_memory(context_.get()), slot.id, -1, -1);
    slot.tokens.clear();
}

// ---------------------------------------------------------------------------------------------------------------------
// n > 1: the first choice computes the prompt; the others start from its state and its logits.

// A first choice has its first logits.
void Engine::settle_forks(const Slot & slot, const float * logits) {
    const std::shared_ptr<ForkPoint> & point = slot.sequence->own_fork_point();
    if (point && !point->is_settled) {
        point->is_settled = true;
        point->state      = state_of(slot);
        point->logits.assign(logits, logits + info_.n_vocab);
    }
}

// A first choice ends before it has logits: the others compute the prompt themselves.
void Engine::abandon_forks(const Sequence & sequence) {
    if (sequence.own_fork_point()) {
        sequence.own_fork_point()->is_settled = true;
    }
}

// Starts a further choice from the first one's state. False where it has none: the choice then computes its prompt.
bool Engine::start_fork(Slot & slot) {
    Sequence &                         sequence = *slot.sequence;
    const std::shared_ptr<ForkPoint> & point    = sequence.fork_point();
    if (!point || point->logits.empty() || !put_state(slot, point->state, sequence.prompt())) {
        return false;
    }
    sequence.n_cached = (int32_t) sequence.prompt().size() - 1;
    sequence.mark_prefill_started();
    sequence.mark_prefill_done();
    slot.state = SlotState::Decode;
    sequence.draw(point->logits.data());
    finish_draw(slot);
    return true;
}
