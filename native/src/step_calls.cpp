#include "step_calls.h"

#include <algorithm>
#include <limits>

// llama.cpp computes attention over a multiple of this many cells.
static constexpr int32_t N_CELLS_PAD = 256;

// The images of a plan are taken out of it.
static std::vector<BatchPlan> take_images(BatchPlan & plan) {
    std::vector<BatchPlan> images;
    for (const SlotShare & share : plan.shares) {
        if (share.is_image) {
            images.push_back({ { share }, 0, 0, share.n_tokens, 0 });
            plan.n_prefill -= share.n_tokens;
        }
    }
    const auto is_image = [](const SlotShare & share) { return share.is_image; };
    plan.shares.erase(std::remove_if(plan.shares.begin(), plan.shares.end(), is_image), plan.shares.end());
    return images;
}

static std::vector<BatchPlan> parts_of_tokens(const BatchPlan & plan, bool is_unified) {
    if (is_unified || plan.n_decode == 0 || plan.n_prefill == 0) {
        return { plan };
    }
    const auto prefill = plan.shares.begin() + plan.n_decode;
    return {
        { { plan.shares.begin(), prefill }, plan.n_decode, plan.n_draft, 0 },
        { { prefill, plan.shares.end() }, 0, 0, plan.n_prefill, plan.n_rows },
    };
}

std::vector<BatchPlan> parts_of(const BatchPlan & plan, bool is_unified) {
    BatchPlan                    tokens = plan;
    const std::vector<BatchPlan> images = take_images(tokens);
    std::vector<BatchPlan>       parts;
    if (!tokens.shares.empty()) {
        parts = parts_of_tokens(tokens, is_unified);
    }
    parts.insert(parts.end(), images.begin(), images.end());
    return parts;
}

static BatchPlan running(const std::vector<SlotShare> & shares, size_t begin, size_t end) {
    BatchPlan call;
    call.shares.assign(shares.begin() + (std::ptrdiff_t) begin, shares.begin() + (std::ptrdiff_t) end);
    call.n_decode = (int32_t) call.shares.size();
    for (const SlotShare & share : call.shares) {
        call.n_draft += share.n_tokens - 1;
    }
    return call;
}

std::vector<BatchPlan> calls_of(const BatchPlan & part, const std::vector<int32_t> & n_cells,
                                std::optional<double> n_cells_per_pass) {
    if (part.shares.empty()) {
        return {};
    }
    if (!n_cells_per_pass || part.n_prefill > 0 || part.n_decode == 1) {
        return { part };
    }
    std::vector<SlotShare> shares = part.shares;
    std::sort(shares.begin(), shares.end(), [](const SlotShare & a, const SlotShare & b) { return a.slot < b.slot; });

    // least[i]: cost of the first i shares; from[i]: where the last of their calls begins
    std::vector<double> least(shares.size() + 1, std::numeric_limits<double>::infinity());
    std::vector<size_t> from(shares.size() + 1, 0);
    least[0] = 0.0;
    for (size_t end = 1; end <= shares.size(); end++) {
        int32_t longest = 0;
        double  n_runs  = 1.0;
        for (size_t begin = end; begin-- > 0;) {
            const SlotShare & share = shares[begin];
            longest                 = std::max(longest, n_cells[(size_t) share.slot] + share.n_tokens);
            if (begin + 1 < end && shares[begin + 1].slot != share.slot + 1) {
                n_runs += 1.0;
            }
            const int32_t n_padded = (longest + N_CELLS_PAD - 1) / N_CELLS_PAD * N_CELLS_PAD;
            const double  cost = least[begin] + n_runs * *n_cells_per_pass + (double) n_padded * (double) (end - begin);
            // of equal ones the one with fewer calls
            if (cost <= least[end]) {
                least[end] = cost;
                from[end]  = begin;
            }
        }
    }
    std::vector<BatchPlan> calls;
    for (size_t end = shares.size(); end > 0; end = from[end]) {
        calls.push_back(running(shares, from[end], end));
    }
    std::reverse(calls.begin(), calls.end());
    return calls;
}
