#pragma once

#include "scheduler.h"
#include "sequence.h"

#include <memory>
#include <vector>

// One place in the KV cache (a llama.cpp sequence id) and the request that uses it. Decode thread only.
struct Slot {
    int32_t   id    = 0;  // llama_seq_id
    SlotState state = SlotState::Idle;

    std::unique_ptr<Sequence> sequence;         // none while idle
    std::vector<llama_token>  tokens;           // in the KV cache, in order; kept after the request as a prefix
    double                    deadline  = 0.0;  // of its request, see scheduler.h
    uint64_t                  last_used = 0;    // order of release
    int32_t                   i_logits  = -1;   // row of this step's batch to sample from; -1: none

    int32_t n_missing() const { return sequence ? (int32_t) sequence->prompt().size() - (int32_t) tokens.size() : 0; }

    // The request is over; its tokens stay.
    void release(uint64_t now) {
        sequence.reset();
        state     = SlotState::Idle;
        i_logits  = -1;
        last_used = now;
    }
};
