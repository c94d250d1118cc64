#pragma once

#include "resume.h"

#include <cstddef>
#include <cstdint>
#include <vector>

// Chooses where a new prompt finds the longest part of itself that has been computed already. Token-exact and pure: it
// decides, the engine copies.

using Token = int32_t;

// Number of equal leading tokens.
int32_t common_prefix(const std::vector<Token> & a, const std::vector<Token> & b);

// A computed sequence, and where it can be taken up once it has been copied.
struct ComputedPrefix {
    const std::vector<Token> * tokens = nullptr;  // in order
    ResumePoints               resume;
};

// A slot as the choice sees it.
struct SlotPrefix {
    bool                       idle      = true;     // no request uses it
    const std::vector<Token> * tokens    = nullptr;  // in its KV cache, in order
    const std::vector<Token> * coming    = nullptr;  // in prefill: its whole prompt; else none
    uint64_t                   last_used = 0;        // larger is more recent
    ResumePoints               in_place;             // where the slot itself can be taken up
    ResumePoints               copied;               // where a copy of its state can be
};

enum class PrefixSource {
    None,   // every slot is busy: wait
    Slot,   // take an idle slot and keep what it has in common with the prompt
    Donor,  // take an idle slot and copy the state of another one, busy or idle, into it
    Store,  // take an idle slot and copy a stored state into it
    Wait,   // another request is computing the common part right now: wait for it instead of computing it again
};

struct PrefixChoice {
    PrefixSource source   = PrefixSource::None;
    int32_t      slot     = -1;  // to be taken
    int32_t      donor    = -1;  // Donor, Wait: the other slot; Store: index of the stored sequence
    int32_t      n_shared = 0;   // leading tokens of the prompt that need not be computed; Wait: that are coming

    // Leading tokens of the prompt that some other sequence has too, though it cannot be taken up there: a checkpoint
    // at this length will serve the next such prompt. 0: none that is worth it.
    int32_t n_branch = 0;
};

// Where the slots' streams are split (is_packed), llama.cpp computes only sequences of neighbouring ids together, so
// each gap among the busy slots costs another pass over the weights in every step: the slot to take is the one with the
// most busy neighbours, and a prefix that lies elsewhere is copied there.
//
// A copy must save at least N_COPY_MIN tokens over what an idle slot offers by itself. An idle slot that would lose
// more than half of its tokens is not taken while another one is free: that keeps a long conversation warm when an
// unrelated prompt happens to begin like it. At most prompt size - 1 tokens are shared, because the last one must be
// computed to get logits. Only what lies ahead of a slot in prefill is waited for: it can stop there for a checkpoint.
PrefixChoice choose_prefix(const std::vector<SlotPrefix> & slots, const std::vector<ComputedPrefix> & stored,
                           const std::vector<Token> & prompt, bool is_packed = false);

// Tokens that a copy must save to be worth it: below that computing them is as quick as moving the state.
constexpr int32_t N_COPY_MIN = 32;
