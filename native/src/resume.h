#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

// Where a computed sequence can be taken up again, so that other tokens follow. A plain KV cache can be cut anywhere. A
// recurrent state cannot be taken back at all, and a sliding window only while it still holds what the shorter sequence
// needs; those are resumed at their end, or at a checkpoint. Pure.
struct ResumePoints {
    int32_t              anywhere_from = 0;  // every length from here on, in tokens
    std::vector<int32_t> marks;              // lengths with a checkpoint, ascending

    // The longest length that can be resumed and is not above n_tokens; 0: only from the start.
    int32_t at_most(int32_t n_tokens) const {
        if (n_tokens >= anywhere_from) {
            return n_tokens;
        }
        const auto above = std::upper_bound(marks.begin(), marks.end(), n_tokens);
        return above == marks.begin() ? 0 : *(above - 1);
    }
};
