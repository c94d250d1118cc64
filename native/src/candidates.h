#pragma once

#include "llama.h"

#include <cstdint>
#include <vector>

// The n_top most likely tokens of one row of logits, most likely first; the lower id first among equals. Pure.
//
// logits: n_vocab values; NaN counts as impossible. n_top: 1 or more. out gets min(n_top, n_vocab) entries (fewer where
// there is NaN), p = 0. One pass over the row without building an entry for each token of the vocabulary, which is what
// makes drawing from a large vocabulary expensive.
void top_candidates(const float * logits, int32_t n_vocab, int32_t n_top, std::vector<llama_token_data> & out);
