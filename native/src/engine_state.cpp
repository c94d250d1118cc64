// What the model's memory holds of a slot: taking it out, putting it in, and going back to an earlier length. Decode
// thread only.
#include "engine.h"

#include <algorithm>
#include <new>
#include <tuple>

static MemoryKind memory_kind(const llama_model * model) {
    if (llama_model_is_recurrent(model) || llama_model_is_hybrid(model)) {
        return MemoryKind::Recurrent;
    }
    return llama_model_n_swa(model) > 0 ? MemoryKind::Window : MemoryKind::Full;
}

// Half of the host memory is for checkpoints where they are needed.
void Engine::share_host_memory() {
    memory_kind_          = memory_kind(model_->get());
    max_checkpoint_bytes_ = memory_kind_ == MemoryKind::Full ? 0 : info_.store_bytes / 2;
    store_                = StateStore(info_.store_bytes - max_checkpoint_bytes_);
}

// Bytes of the slot's state; empty where it cannot be taken out.
std::vector<uint8_t> Engine::state_of(const Slot & slot) {
    try {
        std::vector<uint8_t> state(llama_state_seq_get_size(context_.get(), slot.id));
        state.resize(llama_state_seq_get_data(context_.get(), state.data(), state.size(), slot.id));
        return state;
    } catch (const std::bad_alloc &) {
        return {};
    }
}

// Replaces what the slot holds. False: the state does not fit in, and the slot is empty.
bool Engine::put_state(Slot & slot, const std::vector<uint8_t> & state, const std::vector<llama_token> & tokens,
                       const std::shared_ptr<const ImagePlaces> & places, const Checkpoints & checkpoints) {
    forget(slot);
    const bool has_room = !info_.is_unified || n_free_cells() >= (int32_t) tokens.size();
    if (state.empty() || !has_room ||
        llama_state_seq_set_data(context_.get(), state.data(), state.size(), slot.id) == 0) {
        forget(slot);
        return false;
    }
    slot.tokens      = tokens;
    slot.places      = places;
    slot.checkpoints = checkpoints;
    return true;
}

void Engine::forget(Slot & slot) {
    llama_memory_seq_rm(llama_get_memory(context_.get()), slot.id, -1, -1);
    slot.tokens.clear();
    slot.places.reset();
    slot.n_image = 0;
    slot.checkpoints.clear();
    ledger_.resize(slot.cells, 0);
}

static int32_t tokens_at(const Slot & slot, int32_t position) {
    return slot.places ? tokens_before(*slot.places, position) : position;
}

// Where the slot itself can be taken up.
ResumePoints Engine::resume_in_place(const Slot & slot) const {
    const llama_memory_t memory = llama_get_memory(context_.get());
    switch (memory_kind_) {
        case MemoryKind::Full:
            return {};
        case MemoryKind::Window: {
            // the token at position n looks back to n - n_window + 1; what is older than pos_min has been overwritten
            const int32_t pos_min  = llama_memory_seq_pos_min(memory, slot.id);
            const int32_t n_window = llama_model_n_swa(model_->get());
            return { pos_min <= 0 ? 0 : tokens_at(slot, pos_min + n_window), slot.checkpoints.lengths() };
        }
        case MemoryKind::Recurrent:
            return { tokens_at(slot, llama_memory_seq_pos_max(memory, slot.id) + 1), slot.checkpoints.lengths() };
    }
    return {};
}

// The length from which on a copy of the slot's state can be taken up. llama.cpp leaves out of it what the window has
// passed.
int32_t Engine::copied_from(const Slot & slot) const {
    const int32_t n_tokens = (int32_t) slot.tokens.size();
    const bool    is_whole = memory_kind_ == MemoryKind::Full ||
                          (memory_kind_ == MemoryKind::Window && n_tokens < llama_model_n_swa(model_->get()));
    return is_whole ? 0 : n_tokens;
}

// Makes the slot hold exactly the first n_tokens (> 0) of its tokens. False: it cannot be taken up there; what it holds
// is then undefined and must be forgotten.
bool Engine::resume_at(Slot & slot, int32_t n_tokens) {
    const ResumePoints points = resume_in_place(slot);
    if (n_tokens > (int32_t) slot.tokens.size() || points.at_most(n_tokens) != n_tokens) {
        return false;
    }
    const Checkpoints::State checkpoint = n_tokens < points.anywhere_from ? slot.checkpoints.at(n_tokens) : nullptr;
    if (checkpoint && llama_state_seq_set_data_ext(context_.get(), checkpoint->data(), checkpoint->size(), slot.id,
                                                   LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY) == 0) {
        return false;
    }
    if (!llama_memory_seq_rm(llama_get_memory(context_.get()), slot.id, slot.position(n_tokens), -1)) {
        return false;
    }
    slot.n_image = 0;
    slot.tokens.resize((size_t) n_tokens);
    slot.checkpoints.truncate(n_tokens);
    return true;
}

// Keeps what cannot be cut of the slot's state as it is now, after slot.tokens.
void Engine::take_checkpoint(Slot & slot) {
    const size_t n_bytes = llama_state_seq_get_size_ext(context_.get(), slot.id, LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY);
    if (n_bytes == 0 || n_bytes > max_checkpoint_bytes_) {
        return;
    }
    try {
        auto state = std::make_shared<std::vector<uint8_t>>(n_bytes);
        if (llama_state_seq_get_data_ext(context_.get(), state->data(), n_bytes, slot.id,
                                         LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY) != n_bytes) {
            return;
        }
        slot.checkpoints.add((int32_t) slot.tokens.size(), std::move(state));
    } catch (const std::bad_alloc &) {
        return;
    }
    std::vector<Slot *> oldest_first;
    for (Slot & other : slots_) {
        oldest_first.push_back(&other);
    }
    // running slots have not been released since they were taken: they are the most recently used
    std::sort(oldest_first.begin(), oldest_first.end(), [&](const Slot * a, const Slot * b) {
        const auto age = [&](const Slot * s) {
            return std::make_tuple(s == &slot, s->state != SlotState::Idle, s->last_used);
        };
        return age(a) < age(b);
    });
    std::vector<Checkpoints *> lists;
    for (Slot * other : oldest_first) {
        lists.push_back(&other->checkpoints);
    }
    Checkpoints::limit(lists, max_checkpoint_bytes_);
}

// For the stats; under mutex_.
void Engine::count_memory() {
    int32_t n_all  = 0;
    int32_t n_busy = 0;
    for (const Slot & slot : slots_) {
        const int32_t n_tokens = (int32_t) slot.tokens.size();
        n_all += n_tokens;
        n_busy += slot.state == SlotState::Idle ? 0 : n_tokens;
    }
    stats_.n_cells_used   = info_.is_unified ? info_.n_cells - n_free_cells() : n_all;
    stats_.n_cells_busy   = std::min(n_busy, stats_.n_cells_used);
    stats_.n_stored       = (int32_t) store_.n_entries();
    stats_.n_stored_bytes = store_.n_bytes();
}
