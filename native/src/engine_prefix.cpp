// Giving waiting requests a slot, with as much of their prompt as has been computed before. Decode thread only.
#include "engine.h"
#include "prefix_cache.h"

#include <algorithm>

// The last tokens of a prompt are mostly the header of the answer, which the next turn may render in another way
// (without the reasoning, say), and the same prompt can come again: the checkpoint lies before them.
static constexpr int32_t N_TAIL = 16;

// Most halts of one prefill.
static constexpr size_t N_MARKS_MAX = 8;

void Engine::assign_slots() {
    for (size_t i = 0; i < waiting_.size();) {
        Sequence & next = *waiting_[i];
        if (next.fork_point() && !next.fork_point()->is_settled) {
            i++;  // its first choice is still in prefill
            continue;
        }
        PrefixChoice choice = find_prefix(next);
        if (choice.source == PrefixSource::None) {
            return;
        }
        if (choice.source == PrefixSource::Wait) {
            Slot & other   = slots_[(size_t) choice.donor];
            other.deadline = std::min(other.deadline, next.deadline());
            mark_branch(other, next);
            i++;
            continue;
        }
        // before the store takes or drops anything, which changes its order
        const StateStore::Stored stored = choice.source == PrefixSource::Store ? store_.use(choice.donor) : nullptr;
        if (!make_room(next, choice, stored)) {
            return;
        }
        Slot & slot = slots_[(size_t) choice.slot];
        store_before_loss(slot, choice);
        slot.sequence = std::move(waiting_[i]);
        waiting_.erase(waiting_.begin() + (std::ptrdiff_t) i);
        slot.state    = SlotState::Prefill;
        slot.deadline = slot.sequence->deadline();
        if (!start_fork(slot)) {
            start_prefill(slot, choice, stored);
            for (const auto & other : waiting_) {
                mark_branch(slot, *other);
            }
        }
    }
}

// Where the sequence goes; one that is computed cold shares nothing.
PrefixChoice Engine::find_prefix(const Sequence & sequence) {
    std::vector<SlotPrefix> prefixes(slots_.size());
    for (size_t i = 0; i < slots_.size(); i++) {
        const Slot & slot = slots_[i];
        // one that rests, that does not halt for others, or that takes longer because it is read is not waited for
        const bool is_coming = slot.state == SlotState::Prefill && !slot.sequence->paused() && may_mark(slot) &&
                               !slot.sequence->asks_about_prompt();
        prefixes[i] = { slot.state == SlotState::Idle,
                        &slot.tokens,
                        is_coming ? &slot.sequence->prompt() : nullptr,
                        slot.last_used,
                        resume_in_place(slot),
                        { copied_from(slot), slot.checkpoints.lengths() } };
    }
    // what cannot be cut anywhere is taken up best where it is
    const bool is_packed = !info_.is_unified && memory_kind_ == MemoryKind::Full;
    if (!sequence.may_reuse_prefix()) {
        return choose_prefix(prefixes, {}, {}, is_packed);
    }
    return choose_prefix(prefixes, store_.prefixes(), sequence.prompt(), is_packed);
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
            store_.put({ slot.tokens, std::move(state), copied_from(slot), slot.checkpoints, slot.places });
        }
    }
}

void Engine::start_prefill(Slot & slot, const PrefixChoice & choice, const StateStore::Stored & stored) {
    bool is_there = true;
    if (choice.source == PrefixSource::Donor) {
        const Slot & donor = slots_[(size_t) choice.donor];
        if (shares_cells()) {
            share_cells(slot, donor, choice.n_shared);
        } else {
            is_there = put_state(slot, state_of(donor), donor.tokens, donor.places, donor.checkpoints);
        }
    } else if (choice.source == PrefixSource::Store) {
        is_there = put_state(slot, stored->state, stored->tokens, stored->places, stored->checkpoints);
    }
    if (is_there && choice.n_shared > 0 && resume_at(slot, choice.n_shared)) {
        slot.sequence->set_cached(choice.n_shared);
    } else {
        forget(slot);
    }
    slot.places = slot.sequence->places();  // what it has is part of the prompt
    if (max_checkpoint_bytes_ > 0 && may_mark(slot)) {
        mark(slot, choice.n_branch);
        mark(slot, (int32_t) slot.sequence->prompt().size() - N_TAIL);
    }
}

// Prefill of this slot's prompt may halt for checkpoints. A request that is computed cold is not cut into other pieces
// because of what others ask for.
bool Engine::may_mark(const Slot & slot) const {
    return memory_kind_ == MemoryKind::Full || slot.sequence->may_reuse_prefix();
}

// Prefill will halt after so many tokens of the prompt, or before the image in which they end, where that is worth a
// halt: for a checkpoint, and because others can copy the state as it is then.
void Engine::mark(Slot & slot, int32_t n_wanted) {
    const int32_t n_tokens = slot.sequence->outside_images(n_wanted);
    if (memory_kind_ != MemoryKind::Full && n_tokens >= N_COPY_MIN && n_tokens > (int32_t) slot.tokens.size()) {
        slot.marks.insert(n_tokens);
    }
}

// Prefill of this slot's prompt will halt where that of a waiting request parts from it.
void Engine::mark_branch(Slot & slot, const Sequence & other) {
    if (memory_kind_ == MemoryKind::Full || slot.marks.size() >= N_MARKS_MAX || !may_mark(slot) ||
        !other.may_reuse_prefix() || other.fork_point()) {
        return;
    }
    const int32_t n_prompt = (int32_t) slot.sequence->prompt().size();
    const int32_t n_common = std::min(
        { common_prefix(slot.sequence->prompt(), other.prompt()), n_prompt - 1, (int32_t) other.prompt().size() - 1 });
    // a halt shortly before would be taken up instead
    if (n_common > n_prompt - N_TAIL) {
        slot.marks.erase(n_prompt - N_TAIL);
    }
    mark(slot, n_common);
}

// ---------------------------------------------------------------------------------------------------------------------
// n > 1: the first choice computes the prompt; the others start from its state and its logits.

// A first choice has its first logits.
void Engine::settle_forks(const Slot & slot, const float * logits) {
    const std::shared_ptr<ForkPoint> & point = slot.sequence->own_fork_point();
    if (point && !point->is_settled) {
        point->is_settled  = true;
        point->state       = state_of(slot);
        point->checkpoints = slot.checkpoints;
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
    if (!point || point->logits.empty() ||
        (!share_prompt(slot) &&
         !put_state(slot, point->state, sequence.prompt(), sequence.places(), point->checkpoints))) {
        return false;
    }
    sequence.set_cached((int32_t) sequence.prompt().size() - 1);
    sequence.mark_prefill_started();
    sequence.mark_prefill_done();
    slot.state = SlotState::Decode;
    sequence.draw({ point->logits.data() }, {});
    take_drawn(slot);
    return true;
}
