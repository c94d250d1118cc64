#pragma once

#include "draft_length.h"
#include "request.h"

#include <cstdint>
#include <vector>

// Decides what enters the next batch. Pure: no clock, no model, no locks.

enum class SlotState {
    Idle,     // no request
    Prefill,  // prompt tokens are missing in the KV cache
    Decode,   // one sampled token waits to be decoded
};

struct SlotView {
    SlotState state     = SlotState::Idle;
    bool      paused    = false;  // its reader is full
    int32_t   n_missing = 0;      // Prefill: prompt tokens not in the KV cache yet, > 0
    double    deadline  = 0.0;    // order of service, see deadline(); smaller goes first
    int32_t   n_draft   = 0;      // Decode: guessed tokens that could be checked along, >= 0
    int32_t   n_output  = 0;      // Decode: tokens of the answer so far
    Priority  priority  = Priority::Normal;
    int32_t   n_present = 0;  // tokens in the KV cache

    // Prefill: what is missing is an image, and whether it can only be computed as a whole.
    bool is_image = false;
    bool is_whole = false;

    // Prefill: 0, or the logits of its tokens are read too, and so many of them may be read in one step.
    int32_t n_rows_max = 0;
};

// When a request should be served, in milliseconds on the clock of arrival_ms: the time it came in plus the patience of
// its class. Somebody who waits in front of a window overtakes programs, and yet no program starves: after its patience
// it is older than any newcomer.
double deadline(Priority priority, double arrival_ms);

// What one slot contributes to the batch.
struct SlotShare {
    int32_t slot     = 0;
    int32_t n_tokens = 0;  // Decode: 1 and the guesses to check; Prefill: length of the chunk

    bool is_image = false;  // it has a call to itself
};

struct BatchPlan {
    std::vector<SlotShare> shares;         // decode shares first, then prefill chunks
    int32_t                n_decode  = 0;  // running sequences
    int32_t                n_draft   = 0;  // guessed tokens of them
    int32_t                n_prefill = 0;  // tokens
    int32_t                n_rows    = 0;  // of these, whose logits are read
};

// What runs beside prefill: nothing; only answers that give way, because they have just begun, came together with the
// prompt or are of a lower class; one or more with a pace to keep.
enum class PrefillCompany { Alone, Yielding, Established };

struct SchedulerConfig {
    int32_t n_batch = 2048;  // most tokens of one batch

    // Target inter-token latency, milliseconds: while streams run, a step with prefill in it should not take longer.
    // 0: prefill takes at most prefill_per_decode times as long as a pure decode step. That holds the worst gap between
    // two tokens near the usual one, whatever that is; a target below the pace of a slow model would starve prompts.
    double target_itl_ms      = 0.0;
    double prefill_per_decode = 1.5;

    // The same while no decode step has been measured.
    double prefill_unmeasured_ms = 100.0;

    // Longest step with guesses of several sequences, milliseconds: they hold up those that have none.
    double draft_step_ms = 100.0;

    // Longest prefill of one step while no stream runs, milliseconds: bounds how long a cancel or a newcomer waits.
    double prefill_alone_ms = 500.0;

    // Tokens after which an answer has a pace of its own to keep.
    int32_t n_young = 8;

    // A stream that came at most this long before the prompt that waits came together with it, milliseconds: it gives
    // way until the whole burst has begun, because a batch of many streams costs little more than one of a few.
    double burst_ms = 250.0;

    // Longest prefill of one step while all streams that run give way, milliseconds. When many clients come at once,
    // the first tokens of all of them are worth more than the even pace of the first of them; and a person who waits
    // in front of a window is worth more than the pace of programs.
    double prefill_yielding_ms = 250.0;

    // Most guessed tokens of one step, all sequences together.
    int32_t n_draft_max = 32;

    // Most prompt tokens of one step whose logits are read, all sequences together. There is memory for as many rows
    // as guesses need, and guesses are not taken along beside prefill.
    int32_t n_rows_max = 32;

    // Smallest chunk beside streams with a pace to keep: a prompt gets on by it even where the budget has room for
    // none. On a CPU a token behind a context of some thousand can take half as long as a step of eight short streams.
    int32_t n_prefill_min = 2;

    // Smallest chunk beside streams of a prompt that two of them complete, behind a context of at most n_context_short:
    // one or two long gaps are hardly noticed, and chunks of a few tokens would cost the streams a twentieth of their
    // tokens where many short requests come and go.
    int32_t n_prefill_short = 64;
    int32_t n_context_short = 512;

    // Smallest chunk where nobody has a pace to keep: from here on ggml's attention on a CPU works in tiles, which for
    // a long context halves the time of a token.
    int32_t n_prefill_wide = 72;
};

class Scheduler {
  public:
    explicit Scheduler(SchedulerConfig config = {}) : config_(config) {}

    // One token of every running sequence, then prefill chunks within the budget, smallest deadline first. An image
    // that cannot be divided may exceed the budget where it is the first of them, and waits for that else. Guesses are
    // taken along only where there is no prefill, evenly and within their budget.
    BatchPlan plan(const std::vector<SlotView> & slots) const;

    // Feeds back how long a batch took, so that the budget follows the model and the machine.
    void observe(const BatchPlan & plan, double elapsed_ms);

    // Prefill tokens that the next step may take.
    int32_t prefill_budget(PrefillCompany company) const;

    // Guessed tokens that a step of n_decode running sequences may take, all together: with more than one of them, the
    // others' inter-token latency stays within draft_step_ms. 0 until such a step has been measured without guesses.
    int32_t draft_budget(int32_t n_decode) const;

    // What guesses cost in a step of n_decode running sequences: little for one alone, more than they can give for
    // many, whose batch keeps the processor busy anyway.
    DraftCost draft_cost(int32_t n_decode) const;

  private:
    // Of steps without prefill, moving averages.
    struct DecodeCost {
        double step_ms = 0.0;  // without guesses; 0: nothing measured yet

        // what n guesses added, as weighted sums for a straight line through the measurements
        double weight = 0.0;
        double n      = 0.0;
        double ms     = 0.0;
        double n_n    = 0.0;
        double n_ms   = 0.0;
    };

    SchedulerConfig config_;
    double          prefill_token_ms_ = 0.0;  // moving average; 0: nothing measured yet
    double          decode_step_ms_   = 0.0;  // moving average over steps without prefill; 0: nothing measured yet

    // The same as prefill_token_ms_ where the token's logits are read, which takes the output layer and a look at the
    // whole vocabulary.
    double read_token_ms_ = 0.0;

    std::vector<DecodeCost> decode_costs_;  // by the number of running sequences

    DecodeCost     decode_cost(int32_t n_decode) const;
    double         read_weight() const;
    void           observe_rows(const BatchPlan & plan, double prefill_ms);
    PrefillCompany company_of(const std::vector<SlotView> & slots, const BatchPlan & plan,
                              const SlotView & first) const;
};
