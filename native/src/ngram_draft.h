#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// Guesses how a text goes on from what it has said before: looks for an earlier place that was preceded by the same
// tokens as the end is now, and proposes what followed there. Free where a text copies itself or its prompt (edits of
// code, quotes, tables), and silent elsewhere. Pure; not for several threads at once.
//
// Every run of N_MATCH_MIN tokens hangs in a hash chain of its earlier occurrences, newest first. A push costs O(1)
// (amortised, the table of chains grows with the text), a draft O(N_CANDIDATES · N_MATCH_MAX + n_max) whatever the
// length of the text.
class NgramDraft {
  public:
    // Shortest repetition that is trusted, tokens.
    static constexpr int32_t N_MATCH_MIN = 3;
    // Longer ones count as this long.
    static constexpr int32_t N_MATCH_MAX = 16;
    // Earlier occurrences that are compared for one draft.
    static constexpr int32_t N_CANDIDATES = 16;

    struct Proposal {
        std::vector<int32_t> tokens;       // at most n_max; none where nothing repeats
        int32_t              n_match = 0;  // tokens before the end that also precede the place it was copied from
    };

    // The text grows by one token.
    void push(int32_t token);

    // What the text was followed by where the longest of its endings occurred before; the newest place among equals. A
    // place so near the end that it runs into it goes on periodically. n_max < 1 proposes nothing.
    Proposal draft(int32_t n_max) const;

    size_t size() const { return text_.size(); }

  private:
    std::vector<int32_t> text_;
    std::vector<int32_t> previous_;  // by position: the last token of the next older run in the same chain, -1: none
    std::vector<int32_t> newest_;    // by hash: the last token of the newest run, -1: none; a power of two in size

    size_t  chain_of(size_t last) const;
    void    link(size_t last);
    int32_t match_length(size_t place) const;
};
