#pragma once

#include <cstdint>

// What guesses add to a step, in tokens that the step would have given in the same time without them.
struct DraftCost {
    double fixed     = 0.0;  // of the first guess beyond the others: several tokens go through other kernels than one
    double per_token = 0.0;

    // Where the two cannot be told apart yet: the length of a guess that would help most; 0: they can.
    int32_t n_to_learn = 0;
};

// How many tokens are worth guessing ahead for one sequence: follows how often its guesses hold. Pure.
//
// One more guessed token pays when the chance that it and all before it hold exceeds what it costs; all together must
// also pay what they cost as such. Where they do not, it asks for nothing, and only after a pause for a few tokens, to
// see whether the text has changed. The pause doubles from failure to failure.
class DraftLength {
  public:
    // expected: chance that a guess holds while nothing is known yet, 0..1 (both excluded).
    explicit DraftLength(double expected = 0.7) : expected_(expected) {}

    // Tokens to guess in the next step, 0..n_max.
    int32_t next(const DraftCost & cost, int32_t n_max);

    // n_accepted of the n_drafted guesses held; the first that did not ended them.
    void observe(int32_t n_drafted, int32_t n_accepted);

    // Estimated chance that one guess holds when all before it do, 0..1 (both excluded).
    double acceptance() const;

  private:
    double  expected_;
    double  n_tested_   = 0.0;   // guesses that were decided, older ones count less
    double  n_held_     = 0.0;   // of those
    bool    may_pay_    = true;  // at what tokens cost as of late
    int32_t pause_      = 0;     // length of the last pause, steps with something to guess; 0: none yet
    int32_t n_to_pause_ = 0;     // of the current pause, still to go

    void forget(double n_remembered);
};
