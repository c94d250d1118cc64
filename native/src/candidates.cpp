#include "candidates.h"

#include <algorithm>
#include <cmath>

// Logits that are compared with the bound at once; one cache line.
static constexpr int32_t N_BLOCK = 16;

static bool is_better(const llama_token_data & a, const llama_token_data & b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

// Whether any of the block could enter. Without branches, so that the compiler makes vector instructions of it.
static bool any_above(const float * block, float bound) {
    int32_t n_above = 0;
    for (int32_t i = 0; i < N_BLOCK; i++) {
        n_above += block[i] > bound ? 1 : 0;
    }
    return n_above > 0;
}

namespace {

// Collects up to twice n_top entries, then drops the worse half: the bound rises, and almost every block is passed
// over.
class Best {
  public:
    Best(size_t n_top, std::vector<llama_token_data> & out) : n_top_(n_top), n_max_(2 * n_top), out_(out) {
        out_.clear();
        out_.reserve(n_max_);
    }

    // Where is_bounded(): only a larger logit enters. A later token with the same one has the higher id and stays out.
    float bound() const { return bound_; }
    bool  is_bounded() const { return is_bounded_; }

    void offer(llama_token id, float logit) {
        if (std::isnan(logit) || (is_bounded_ && !(logit > bound_))) {
            return;
        }
        out_.push_back({ id, logit, 0.0f });
        if (out_.size() == n_max_ || n_top_ == 1) {
            cut();
        }
    }

    void finish() {
        const size_t n = std::min(n_top_, out_.size());
        std::partial_sort(out_.begin(), out_.begin() + (std::ptrdiff_t) n, out_.end(), is_better);
        out_.resize(n);
    }

  private:
    size_t                          n_top_;
    size_t                          n_max_;
    std::vector<llama_token_data> & out_;
    float                           bound_      = 0.0f;
    bool                            is_bounded_ = false;

    void cut() {
        const auto last = out_.begin() + (std::ptrdiff_t) n_top_ - 1;
        std::nth_element(out_.begin(), last, out_.end(), is_better);
        bound_      = last->logit;
        is_bounded_ = true;
        out_.resize(n_top_);
    }
};

}  // namespace

void top_candidates(const float * logits, int32_t n_vocab, int32_t n_top, std::vector<llama_token_data> & out) {
    Best    best((size_t) std::min(n_top, n_vocab), out);
    int32_t id = 0;
    for (; id + N_BLOCK <= n_vocab; id += N_BLOCK) {
        if (best.is_bounded() && !any_above(logits + id, best.bound())) {
            continue;
        }
        for (int32_t i = id; i < id + N_BLOCK; i++) {
            best.offer(i, logits[i]);
        }
    }
    for (; id < n_vocab; id++) {
        best.offer(id, logits[id]);
    }
    best.finish();
}
