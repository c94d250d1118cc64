#include "draft_length.h"

#include <algorithm>
#include <cmath>

// What is expected weighs as much as this many guesses.
static constexpr double N_EXPECTED = 2.0;

// Guesses that are remembered: enough to tell 0.95 from 0.99, few enough to notice within a paragraph that a text has
// changed.
static constexpr double N_REMEMBERED = 50.0;

// Steps of the first and of the longest pause: a hopeless text then spends less than one guess in 250 steps.
static constexpr int32_t N_PAUSE_MIN = 16;
static constexpr int32_t N_PAUSE_MAX = 256;

double DraftLength::acceptance() const {
    return (n_held_ + N_EXPECTED * expected_) / (n_tested_ + N_EXPECTED);
}

int32_t DraftLength::next(double token_cost, int32_t n_max) {
    if (n_max < 1) {
        return 0;
    }
    if (n_to_pause_ > 0) {
        n_to_pause_--;
        return 0;
    }
    cost_ = token_cost;
    if (token_cost <= 0.0) {
        return n_max;
    }
    // the longest guess whose last token holds with at least the chance token_cost
    const double n = token_cost < 1.0 ? std::log(token_cost) / std::log(acceptance()) : 0.0;
    if (n >= 1.0) {
        pause_ = 0;
        return n >= (double) n_max ? n_max : (int32_t) n;
    }
    pause_      = std::clamp(2 * pause_, N_PAUSE_MIN, N_PAUSE_MAX);
    n_to_pause_ = pause_;
    return 1;
}

void DraftLength::observe(int32_t n_drafted, int32_t n_accepted) {
    const int32_t n_tested = std::min(n_drafted, n_accepted + 1);
    if (n_tested < 1) {
        return;
    }
    if (pause_ > 0 && n_accepted > 0 && cost_ < 1.0) {
        // the first sign that the text has changed: what is remembered counts less, and the next try comes sooner
        pause_ /= 4;
        n_to_pause_ = std::min(n_to_pause_, pause_);
        n_tested_ /= 2.0;
        n_held_ /= 2.0;
    }
    n_tested_ += n_tested;
    n_held_ += n_accepted;
    if (n_tested_ > N_REMEMBERED) {
        n_held_ *= N_REMEMBERED / n_tested_;
        n_tested_ = N_REMEMBERED;
    }
}
