#pragma once

#include "llama.h"

#include <cstdint>
#include <vector>

// One token under one row of logits.
struct RankedToken {
    llama_token token   = 0;
    float       logprob = 0.0f;  // natural logarithm of its probability; -infinity where it cannot come
    int32_t     rank    = 1;     // 1: the most likely one; of equals the lower id comes first
};

// A token and how likely it is, then the n_top most likely ones (it may be among them), most likely first. Pure.
//
// logits: n_vocab values; NaN counts as impossible. n_top: 0 or more; there are as many as the vocabulary has. out is
// empty where the largest value is no number.
void rank_tokens(const float * logits, int32_t n_vocab, llama_token token, int32_t n_top,
                 std::vector<RankedToken> & out);
