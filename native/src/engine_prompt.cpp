// Telling how likely the tokens of a prompt were. Decode thread only.
#include "engine.h"

// Tells what the logits of this call say of the prompts that ask for it, before the call's tokens are noted (advance).
void Engine::tell_prompts(const BatchPlan & call) {
    struct Row {
        const float * logits;
        llama_token   next;  // the token that came
        int32_t       n_top;
    };
    std::vector<Row>    rows;
    std::vector<Slot *> tellers;
    std::vector<size_t> n_rows;  // of each
    for (const SlotShare & share : call.shares) {
        Slot & slot = slots_[(size_t) share.slot];
        if (slot.state != SlotState::Prefill || !slot.sequence->asks_about_prompt()) {
            continue;
        }
        const PromptLogprobs &           asked    = slot.sequence->prompt_logprobs();
        const std::vector<llama_token> & prompt   = slot.sequence->prompt();
        const size_t                     n_before = rows.size();
        for (int32_t k = 0; k < share.n_tokens; k++) {
            const int32_t position = (int32_t) slot.tokens.size() + k;
            if (asked.wants(position)) {
                rows.push_back({ llama_get_logits_ith(context_.get(), slot.i_batch + k), prompt[(size_t) position + 1],
                                 asked.n_top() });
            }
        }
        if (rows.size() > n_before) {
            tellers.push_back(&slot);
            n_rows.push_back(rows.size() - n_before);
        }
    }

    std::vector<std::vector<RankedToken>> ranked(rows.size());
    workers_.run(rows.size(), [&](size_t i) {
        try {
            rank_tokens(rows[i].logits, info_.n_vocab, rows[i].next, rows[i].n_top, ranked[i]);
        } catch (const std::bad_alloc &) {
            ranked[i].clear();  // the request fails, and no other
        }
    });

    auto next = ranked.begin();
    for (size_t i = 0; i < tellers.size(); i++) {
        const auto end = next + (std::ptrdiff_t) n_rows[i];
        tellers[i]->sequence->tell_prompt({ std::make_move_iterator(next), std::make_move_iterator(end) }, events_);
        next = end;
    }
}
