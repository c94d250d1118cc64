#pragma once

#include <cstdint>

// How many tokens are worth guessing ahead for one sequence: follows how often its guesses hold. Pure.
//
// One more guessed token pays when the chance that it and all before it hold exceeds what it costs. Where not even the
// first one pays, it asks for nothing, and only after a pause for one token, to see whether the text has changed. The
// pause doubles from failure to failure.
class DraftLength {
  public:
    // expected: chance that a guess holds while nothing is known yet, 0..1 (both excluded).
    explicit DraftLength(double expected = 0.7) : expected_(expected) {}

    // Tokens to guess in the next step, 0..n_max. token_cost: what one more token adds to a step, as a share of what
    // the step is worth without it (Scheduler::draft_token_cost); 1 and more never pays.
    int32_t next(double token_cost, int32_t n_max);

    // n_accepted of the n_drafted guesses held; the first that did not ended them.
    void observe(int32_t n_drafted, int32_t n_accepted);

    // Estimated chance that one guess holds when all before it do, 0..1 (both excluded).
    double acceptance() const;

  private:
    double  expected_;
    double  n_tested_   = 0.0;  // guesses that were decided, older ones count less
    double  n_held_     = 0.0;  // of those
    double  cost_       = 0.0;  // of the last call of next()
    int32_t pause_      = 0;    // length of the last pause, steps with something to guess; 0: none yet
    int32_t n_to_pause_ = 0;    // of the current pause, still to go
};
