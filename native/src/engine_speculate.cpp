// Guessing tokens ahead, and settling the guesses once the model has spoken. Decode thread only.
#include "engine.h"

#include <algorithm>

// Index into SlotDraft::by_match.
static size_t match_class(int32_t n_match) {
    return n_match >= NgramDraft::N_MATCH_MAX ? 3 : n_match >= 8 ? 2 : n_match >= 5 ? 1 : 0;
}

// Fills draft.tokens of the running sequences that guess. While a prompt is computed nobody does: the batch keeps the
// processor busy anyway.
void Engine::propose_drafts() {
    std::vector<Slot *> by_model;
    std::vector<Slot *> by_ngram;
    int32_t             n_decode  = 0;
    int32_t             n_prefill = 0;
    for (Slot & slot : slots_) {
        slot.draft.tokens.clear();
        if (!slot.sequence || slot.sequence->paused()) {
            continue;
        }
        if (slot.state == SlotState::Prefill) {
            const ImageChunk * image = slot.next_image();
            n_prefill += image != nullptr && image->state != ImageChunk::State::Ready ? 0 : 1;
            continue;
        }
        n_decode++;
        const Speculation speculation = slot.sequence->speculation();
        if (speculation == Speculation::Ngram) {
            by_ngram.push_back(&slot);
        } else if (speculation == Speculation::Draft && draft_model_) {
            by_model.push_back(&slot);
        }
    }
    const auto    n_drafting = (int32_t) (by_ngram.size() + by_model.size());
    const int32_t budget     = n_drafting > 0 && n_prefill == 0 ? scheduler_.draft_budget(n_decode) : 0;
    if (budget == 0) {
        return;
    }
    const int32_t   n_each = std::max(1, budget / n_drafting);
    const DraftCost cost   = scheduler_.draft_cost(n_decode);

    const Clock::time_point start = Clock::now();
    for (Slot * slot : by_ngram) {
        propose_ngram(*slot, n_draft_max(*slot, n_each), cost);
    }
    if (!by_model.empty()) {
        propose_by_model(by_model, n_each, cost);
    }
    draft_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Guesses that could all be written: max_tokens and the context end no later than behind them.
int32_t Engine::n_draft_max(const Slot & slot, int32_t n_each) const {
    return std::min({ n_each, slot.sequence->n_remaining() - 1, info_.n_ctx - (int32_t) slot.tokens.size() - 1 });
}

void Engine::propose_ngram(Slot & slot, int32_t n_max, const DraftCost & cost) {
    SlotDraft & draft = slot.draft;
    while (draft.ngram.size() < slot.tokens.size()) {
        draft.ngram.push(slot.tokens[draft.ngram.size()]);
    }
    if (draft.ngram.size() == slot.tokens.size()) {  // else a step was given up, and this is its repetition
        draft.ngram.push(slot.sequence->last_token());
    }

    NgramDraft::Proposal proposal = draft.ngram.draft(n_max);
    if (proposal.tokens.empty()) {
        return;
    }
    draft.judge     = &draft.by_match[match_class(proposal.n_match)];
    const int32_t n = draft.judge->next(cost, n_max);
    proposal.tokens.resize((size_t) n);
    draft.tokens = std::move(proposal.tokens);
}

void Engine::propose_by_model(const std::vector<Slot *> & slots, int32_t n_each, const DraftCost & cost) {
    std::vector<DraftModel::Job> jobs;
    for (Slot * slot : slots) {
        slot->draft.judge   = &slot->draft.by_model;
        const int32_t n_max = slot->draft.by_model.next(cost, n_draft_max(*slot, n_each));
        if (n_max > 0) {
            jobs.push_back({ slot->id, &slot->tokens, slot->sequence->last_token(), n_max, &slot->draft.tokens });
        }
    }
    draft_model_->draft(jobs);
}

// n_accepted of the slot's guesses held. Their cells are part of slot.tokens by now, those of the others go.
void Engine::settle_draft(Slot & slot, int32_t n_accepted) {
    const auto n_drafted = (int32_t) slot.draft.tokens.size();
    if (n_drafted == 0) {
        return;
    }
    slot.draft.judge->observe(n_drafted, n_accepted);
    slot.draft.tokens.clear();
    if (!resume_at(slot, (int32_t) slot.tokens.size())) {
        // the model was tried for this when its context was created, and a window keeps many tokens more than a guess
        // has
        if (!slot.sequence->finished()) {
            slot.sequence->fail(ErrorCode::EngineFailed, "The memory of the model does not give guesses back.",
                                events_);
        }
        forget(slot);
    }
}
