#include "draft_length.h"

#include <algorithm>
#include <cmath>

// What is expected weighs as much as this many guesses.
static constexpr double N_EXPECTED = 2.0;

// Guesses that are remembered: enough to tell 0.95 from 0.99, few enough to notice within a paragraph that a text has
// changed.
static constexpr double N_REMEMBERED = 50.0;

// The same once the text seems to have changed.
static constexpr double N_REMEMBERED_AT_CHANGE = 4.0;

// A text that copies itself: where not even that pays, only the cost is tried again.
static constexpr double P_HOPED = 0.98;

// Guesses of one try after a pause.
static constexpr int32_t N_TRY = 4;

// Steps of the first and of the longest pause: a hopeless text then spends one try in 256 steps.
static constexpr int32_t N_PAUSE_MIN = 32;
static constexpr int32_t N_PAUSE_MAX = 256;

double DraftLength::acceptance() const {
    return (n_held_ + N_EXPECTED * expected_) / (n_tested_ + N_EXPECTED);
}

// The length that gains most where each guess holds with the chance p; 0 where none gains.
static int32_t worth(const DraftCost & cost, double p, int32_t n_max) {
    double n = n_max;
    if (cost.per_token >= 1.0) {
        return 0;
    }
    if (cost.per_token > 0.0) {
        n = std::min(n, std::floor(std::log(cost.per_token) / std::log(p)));
    }
    const double n_held = p * (1.0 - std::pow(p, n)) / (1.0 - p);  // expected
    return n_held > cost.fixed + cost.per_token * n ? (int32_t) n : 0;
}

int32_t DraftLength::next(const DraftCost & cost, int32_t n_max) {
    if (n_max < 1) {
        return 0;
    }
    if (n_to_pause_ > 0) {
        n_to_pause_--;
        return 0;
    }
    if (cost.n_to_learn > 0 && cost.n_to_learn <= n_max) {
        return cost.n_to_learn;
    }
    const int32_t n = worth(cost, acceptance(), n_max);
    if (n > 0) {
        pause_ = 0;
        return n;
    }
    may_pay_    = worth(cost, P_HOPED, n_max) > 0;
    pause_      = std::clamp(2 * pause_, N_PAUSE_MIN, N_PAUSE_MAX);
    n_to_pause_ = pause_;
    return may_pay_ ? std::min(n_max, N_TRY) : 1;
}

void DraftLength::observe(int32_t n_drafted, int32_t n_accepted) {
    const int32_t n_tested = std::min(n_drafted, n_accepted + 1);
    if (n_tested < 1) {
        return;
    }
    if (pause_ > 0 && n_accepted == n_drafted && may_pay_) {
        // the first sign that the text has changed: what is remembered counts less, and the next try comes sooner
        pause_ /= 2;
        n_to_pause_ = std::min(n_to_pause_, pause_);
        forget(N_REMEMBERED_AT_CHANGE);
    }
    n_tested_ += n_tested;
    n_held_ += n_accepted;
    forget(N_REMEMBERED);
}

void DraftLength::forget(double n_remembered) {
    if (n_tested_ > n_remembered) {
        n_held_ *= n_remembered / n_tested_;
        n_tested_ = n_remembered;
    }
}
