// The parts of one decode step, in the order in which run_decode calls them. Decode thread only.
#include "engine.h"
#include "load_log.h"
#include "step_calls.h"

#include <algorithm>

// Behind every request that is due no later.
void Engine::enqueue(std::unique_ptr<Sequence> sequence) {
    const double due = sequence->deadline();
    const auto   place =
        std::find_if(waiting_.begin(), waiting_.end(), [&](const auto & other) { return other->deadline() > due; });
    waiting_.insert(place, std::move(sequence));
}

BatchPlan Engine::plan_batch() {
    std::vector<SlotView> views(slots_.size());
    for (size_t i = 0; i < slots_.size(); i++) {
        const Slot & slot = slots_[i];
        SlotView &   view = views[i];
        view.state        = slot.state;
        view.n_missing    = slot.n_missing();
        view.n_present    = slot.n_present();
        view.deadline     = slot.deadline;
        view.n_draft      = (int32_t) slot.draft.tokens.size();
        if (slot.sequence) {
            view.paused   = slot.sequence->paused();
            view.n_output = slot.sequence->n_output();
            view.priority = slot.sequence->priority();
            if (const ImageChunk * image = slot.state == SlotState::Prefill ? slot.next_image() : nullptr) {
                view.is_image = true;
                view.is_whole = image->is_whole;
                view.paused   = view.paused || image->state != ImageChunk::State::Ready;
            }
            if (slot.sequence->asks_about_prompt()) {
                view.n_rows_max = slot.sequence->prompt_logprobs().n_rows_max();
            }
        }
    }
    const BatchPlan plan = scheduler_.plan(views);
    // no guess is worth a stored prefix or another request's cells
    const bool has_room = !info_.is_unified || n_free_cells() >= plan.n_decode + plan.n_draft;
    return has_room ? plan : without_drafts(plan);
}

void Engine::accept_arrivals(std::vector<std::unique_ptr<Sequence>> arrivals) {
    for (auto & sequence : arrivals) {
        Event accepted;
        accepted.type     = EventType::Accepted;
        accepted.seq      = sequence->seq();
        accepted.n_prompt = sequence->n_prompt();
        sequence->show_prompt(accepted);
        events_.push_back(std::move(accepted));
        for (Slot & slot : slots_) {
            if (slot.state == SlotState::Prefill) {
                mark_branch(slot, *sequence);
            }
        }
        enqueue(std::move(sequence));
    }
}

void Engine::drop_cancelled() {
    for (auto it = waiting_.begin(); it != waiting_.end();) {
        if ((*it)->cancelled()) {
            abandon_forks(**it);
            (*it)->finish(FinishReason::Cancelled, events_);
            it = waiting_.erase(it);
        } else {
            ++it;
        }
    }
    for (Slot & slot : slots_) {
        if (slot.sequence && slot.sequence->cancelled()) {
            abandon_forks(*slot.sequence);
            slot.sequence->finish(FinishReason::Cancelled, events_);
            cut_image(slot);
            slot.release(++counter_);
        }
    }
}

void Engine::report_progress() {
    int32_t n_ahead = 0;
    for (auto & sequence : waiting_) {
        if (sequence->n_queued != n_ahead && !sequence->has_output()) {
            sequence->n_queued = n_ahead;
            Event event;
            event.type     = EventType::Progress;
            event.seq      = sequence->seq();
            event.n_queued = n_ahead;
            event.n_prompt = sequence->n_prompt();
            events_.push_back(std::move(event));
        }
        n_ahead++;
    }
}

void Engine::fill_batch(const BatchPlan & plan) {
    batch_.n_tokens = 0;
    const auto add  = [&](llama_token token, int32_t position, llama_seq_id seq_id, bool wants_logits) {
        const int32_t i     = batch_.n_tokens++;
        batch_.token[i]     = token;
        batch_.pos[i]       = position;
        batch_.n_seq_id[i]  = 1;
        batch_.seq_id[i][0] = seq_id;
        batch_.logits[i]    = wants_logits ? 1 : 0;
    };

    // llama.cpp puts sequences into one pass only where their ids follow each other in the batch
    std::vector<SlotShare> shares = plan.shares;
    std::sort(shares.begin(), shares.end(), [](const SlotShare & a, const SlotShare & b) { return a.slot < b.slot; });
    for (const SlotShare & share : shares) {
        Slot &        slot     = slots_[(size_t) share.slot];
        const int32_t n_tokens = (int32_t) slot.tokens.size();
        const int32_t position = slot.position(n_tokens);
        slot.i_logits          = -1;
        slot.i_batch           = batch_.n_tokens;
        if (slot.state == SlotState::Decode) {
            slot.i_logits = batch_.n_tokens;
            slot.draft.tokens.resize((size_t) share.n_tokens - 1);  // as many as the plan has room for
            add(slot.sequence->last_token(), position, slot.id, true);
            for (int32_t k = 1; k < share.n_tokens; k++) {
                add(slot.draft.tokens[(size_t) k - 1], position + k, slot.id, true);
            }
            continue;
        }
        slot.sequence->mark_prefill_started();
        const std::vector<llama_token> & prompt = slot.sequence->prompt();
        const bool                       asks   = slot.sequence->asks_about_prompt();
        for (int32_t k = 0; k < share.n_tokens; k++) {
            const bool is_last = n_tokens + k + 1 == (int32_t) prompt.size();
            if (is_last) {
                slot.i_logits = batch_.n_tokens;
            }
            const bool is_read = asks && slot.sequence->prompt_logprobs().wants(n_tokens + k);
            add(prompt[(size_t) (n_tokens + k)], position + k, slot.id, is_last || is_read);
        }
    }
}

// Between two operations of the graph, on a compute thread: does nobody want this batch any more?
bool Engine::should_abort(void * engine) {
    const Engine & self = *static_cast<const Engine *>(engine);
    const bool     wanted =
        !self.closing_.load(std::memory_order_relaxed) &&
        std::any_of(self.in_batch_.begin(), self.in_batch_.end(), [](const Sequence * s) { return !s->cancelled(); });
    if (!wanted) {
        load_log::mute_this_thread(true);  // llama.cpp is about to call this a failure
    }
    return !wanted;
}

// The same batch with nothing guessed.
BatchPlan Engine::without_drafts(BatchPlan plan) const {
    for (SlotShare & share : plan.shares) {
        if (slots_[(size_t) share.slot].state == SlotState::Decode) {
            share.n_tokens = 1;
        }
    }
    plan.n_draft = 0;
    return plan;
}

// llama_decode's status; -2 also where llama.cpp throws because memory has run out.
int32_t Engine::compute(const llama_batch & batch) {
    try {
        return llama_decode(context_.get(), batch);
    } catch (const std::exception &) {
        return -2;
    }
}

// Cells of the KV cache that are as large as the weights. None where a call is not to be divided: flash
// attention passes over what a sequence has not (on a CPU at once), and where not every layer keeps every token, what a
// longer sequence costs is not known.
std::optional<double> Engine::cells_per_pass() const {
    uint64_t n_weights = 0;
    uint64_t n_kv      = 0;
    for (const DeviceMemory & device : info_.memory) {
        n_weights += device.weights;
        n_kv += device.kv;
    }
    if (memory_kind_ != MemoryKind::Full || info_.is_unified || n_kv == 0 ||
        info_.flash_attention != FlashAttention::Off) {
        return std::nullopt;
    }
    const double n_cells = (double) info_.n_ctx * (double) info_.n_parallel;
    return (double) n_weights / ((double) n_kv / n_cells);
}

void Engine::step(const BatchPlan & plan) {
    std::vector<int32_t> n_cells;
    for (const Slot & slot : slots_) {
        n_cells.push_back((int32_t) slot.tokens.size());
    }
    bool    is_aborted = false;
    int32_t n_prefill  = 0;
    for (const BatchPlan & part : parts_of(plan, info_.is_unified)) {
        std::optional<double> part_ms = part.n_draft > 0 ? draft_ms_ : 0.0;
        for (const BatchPlan & call : calls_of(part, n_cells, n_cells_per_pass_)) {
            const CallResult result = decode(call);
            is_aborted              = is_aborted || result.is_aborted;
            n_prefill += result.is_aborted ? 0 : call.n_prefill;
            part_ms = part_ms && result.ms ? std::optional(*part_ms + *result.ms) : std::nullopt;
            publish();  // nobody waits for the other calls
        }
        if (part_ms) {
            scheduler_.observe(part, *part_ms);
        }
    }
    count_step(plan, n_prefill, is_aborted);
}

Engine::CallResult Engine::decode(const BatchPlan & call) {
    const bool is_image = call.shares.front().is_image;
    if (!is_image) {
        fill_batch(call);
    }
    in_batch_.clear();
    for (const SlotShare & share : call.shares) {
        in_batch_.push_back(slots_[(size_t) share.slot].sequence.get());
    }

    const Clock::time_point start  = Clock::now();
    const int32_t           status = is_image ? compute_image(call.shares.front()) : compute(batch_);
    load_log::mute_this_thread(false);
    if (status == 2) {
        rewind(call);
        return { true, std::nullopt };
    }
    if (status == 1 && call.n_draft > 0) {
        return { decode(without_drafts(call)).is_aborted, std::nullopt };  // there is room for what is sure, perhaps
    }
    if (status != 0) {
        fail(call, status == 1 ? ErrorCode::OutOfMemory : ErrorCode::EngineFailed,
             status == 1 ? "The KV cache is full."
                         : "The model failed to compute this step (status " + std::to_string(status) + ").");
        return {};
    }
    llama_synchronize(context_.get());
    tell_prompts(call);  // the time it takes is the prompt's
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    sample(call);
    return { false, ms };
}

// Takes what an aborted batch has left in the memory out again.
void Engine::rewind(const BatchPlan & plan) {
    for (const SlotShare & share : plan.shares) {
        Slot & slot = slots_[(size_t) share.slot];
        if (!resume_at(slot, (int32_t) slot.tokens.size())) {
            forget(slot);
        }
    }
}

// Notes what the batch put into the KV cache, and gives the sequences that now have logits.
std::vector<Slot *> Engine::advance(const BatchPlan & plan) {
    std::vector<Slot *> ready;
    for (const SlotShare & share : plan.shares) {
        Slot &     slot     = slots_[(size_t) share.slot];
        Sequence & sequence = *slot.sequence;

        if (slot.state == SlotState::Decode) {
            slot.tokens.push_back(sequence.last_token());
            ready.push_back(&slot);
            continue;
        }
        if (share.is_image) {
            advance_image(slot, share.n_tokens);
        } else {
            const auto begin = sequence.prompt().begin() + (std::ptrdiff_t) slot.tokens.size();
            slot.tokens.insert(slot.tokens.end(), begin, begin + share.n_tokens);
        }
        if (slot.marks.erase((int32_t) slot.tokens.size()) > 0) {
            take_checkpoint(slot);
        }
        if (slot.i_logits >= 0) {
            sequence.mark_prefill_done();
            slot.state = SlotState::Decode;
            ready.push_back(&slot);
            continue;
        }
        if (sequence.has_output()) {
            continue;  // it was interrupted: its client is past the prompt
        }
        Event event;
        event.type        = EventType::Progress;
        event.seq         = sequence.seq();
        event.n_prefilled = slot.n_present();
        event.n_prompt    = sequence.n_prompt();
        events_.push_back(std::move(event));
    }
    return ready;
}

void Engine::sample(const BatchPlan & plan) {
    const std::vector<Slot *> ready = advance(plan);

    std::vector<std::vector<const float *>> rows(ready.size());
    for (size_t i = 0; i < ready.size(); i++) {
        for (size_t k = 0; k <= ready[i]->draft.tokens.size(); k++) {
            rows[i].push_back(llama_get_logits_ith(context_.get(), ready[i]->i_logits + (int32_t) k));
        }
    }
    workers_.run(ready.size(), [&](size_t i) { ready[i]->sequence->draw(rows[i], ready[i]->draft.tokens); });

    for (size_t i = 0; i < ready.size(); i++) {
        settle_forks(*ready[i], rows[i][0]);
        take_drawn(*ready[i]);
    }
}

// Tells what was drawn and frees the slot where that was the end. Behind the first token, each drawn one follows a
// guess that held and is in the KV cache; the cells of the others are removed.
void Engine::take_drawn(Slot & slot) {
    Sequence &    sequence   = *slot.sequence;
    const int32_t n_accepted = sequence.n_accepted();
    sequence.take(events_);
    while (!sequence.finished()) {
        if ((int32_t) slot.tokens.size() >= info_.n_ctx) {
            sequence.finish(FinishReason::Length, events_);
        } else if (sequence.has_drawn()) {
            slot.tokens.push_back(sequence.last_token());
            sequence.take(events_);
        } else {
            break;
        }
    }
    settle_draft(slot, sequence.n_accepted() - n_accepted);
    if (sequence.finished()) {
        slot.release(++counter_);
    }
}

void Engine::fail(const BatchPlan & plan, ErrorCode code, const std::string & message) {
    for (const SlotShare & share : plan.shares) {
        fail_slot(slots_[(size_t) share.slot], code, message);
    }
}

void Engine::fail_slot(Slot & slot, ErrorCode code, const std::string & message) {
    abandon_forks(*slot.sequence);
    slot.sequence->fail(code, message, events_);
    slot.release(++counter_);
    forget(slot);
}

void Engine::count_step(const BatchPlan & plan, int32_t n_prefill, bool is_aborted) {
    const std::lock_guard<std::mutex> lock(mutex_);
    (is_aborted ? stats_.n_aborted_steps : stats_.n_steps)++;
    stats_.n_prefill_tokens += (uint64_t) n_prefill;
    stats_.n_peak_batch_sequences = std::max(stats_.n_peak_batch_sequences, (int32_t) plan.shares.size());
}

void Engine::publish() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (const Event & event : events_) {
            if (event.type == EventType::Done || event.type == EventType::Error) {
                controls_.erase(event.seq);
            }
        }
        stats_.n_running = (int32_t) std::count_if(slots_.begin(), slots_.end(),
                                                   [](const Slot & slot) { return slot.state != SlotState::Idle; });
        stats_.n_waiting = (int32_t) waiting_.size();
        count_memory();
    }
    if (!events_.empty()) {
        sink_(std::move(events_));
        events_ = {};
    }
}
