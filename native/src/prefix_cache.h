#pragma once

#include <cstdint>
#include <vector>

// Chooses the slot for a new prompt. Finished sequences stay in the KV cache of their slot; a prompt that continues one
// (the next turn of a chat) takes the longest common prefix from there. Token-exact and pure.

using Token = int32_t;

struct CachedSequence {
    bool                       idle      = true;     // the slot has no request
    const std::vector<Token> * tokens    = nullptr;  // tokens in its KV cache, in order
    uint64_t                   last_used = 0;        // larger is more recent
};

struct PrefixChoice {
    int32_t slot     = -1;  // -1: every slot is busy
    int32_t n_shared = 0;   // leading tokens of the prompt that are already in that slot's KV cache
};

// Number of equal leading tokens.
int32_t common_prefix(const std::vector<Token> & a, const std::vector<Token> & b);

// A slot that would lose more than half of its tokens is not taken for a short match, as long as another one is free:
// that keeps a long conversation warm when an unrelated prompt happens to share the system message. The match is at
// most prompt size - 1, because the last prompt token must be computed to get logits.
PrefixChoice choose_slot(const std::vector<CachedSequence> & slots, const std::vector<Token> & prompt);
