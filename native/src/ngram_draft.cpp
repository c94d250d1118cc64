#include "ngram_draft.h"

#include <algorithm>

// Chains of an empty text; a power of two.
static constexpr size_t N_CHAINS_MIN = 256;

// The chain of the run that ends with token number `last`.
size_t NgramDraft::chain_of(size_t last) const {
    uint64_t hash = 0;
    for (int32_t i = 0; i < N_MATCH_MIN; i++) {
        // an odd multiplier with its bits well spread: 2^64 divided by the golden ratio
        hash = (hash ^ (uint32_t) text_[last - (size_t) i]) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    return (size_t) hash & (newest_.size() - 1);
}

void NgramDraft::link(size_t last) {
    int32_t & newest = newest_[chain_of(last)];
    previous_[last]  = newest;
    newest           = (int32_t) last;
}

void NgramDraft::push(int32_t token) {
    text_.push_back(token);
    previous_.push_back(-1);
    if (text_.size() <= newest_.size()) {
        if (text_.size() >= (size_t) N_MATCH_MIN) {
            link(text_.size() - 1);
        }
        return;
    }
    newest_.assign(std::max(N_CHAINS_MIN, 2 * newest_.size()), -1);
    for (size_t last = (size_t) N_MATCH_MIN - 1; last < text_.size(); last++) {
        link(last);
    }
}

// How many tokens up to `place` equal those up to the end, at most N_MATCH_MAX.
int32_t NgramDraft::match_length(size_t place) const {
    const size_t end = text_.size() - 1;
    int32_t      n   = 0;
    while (n < N_MATCH_MAX && (size_t) n <= place && text_[place - (size_t) n] == text_[end - (size_t) n]) {
        n++;
    }
    return n;
}

NgramDraft::Proposal NgramDraft::draft(int32_t n_max) const {
    Proposal proposal;
    if (n_max < 1 || text_.size() <= (size_t) N_MATCH_MIN) {
        return proposal;
    }
    int32_t best       = -1;
    int32_t place      = previous_.back();
    int32_t n_compared = 0;
    for (; place >= 0 && n_compared < N_CANDIDATES; place = previous_[(size_t) place], n_compared++) {
        const int32_t n_match = match_length((size_t) place);
        if (n_match >= N_MATCH_MIN && n_match > proposal.n_match) {
            best             = place;
            proposal.n_match = n_match;
            if (n_match == N_MATCH_MAX) {
                break;
            }
        }
    }
    if (best < 0) {
        return proposal;
    }
    const size_t begin = (size_t) best + 1;
    for (size_t i = 0; i < (size_t) n_max; i++) {
        proposal.tokens.push_back(begin + i < text_.size() ? text_[begin + i]
                                                           : proposal.tokens[begin + i - text_.size()]);
    }
    return proposal;
}
