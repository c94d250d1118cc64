#pragma once

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
    uint64_t  arrival   = 0;      // order in which requests were accepted; smaller is older
};

// What one slot contributes to the batch.
struct SlotShare {
    int32_t slot     = 0;
    int32_t n_tokens = 0;  // Decode: 1; Prefill: length of the chunk
};

struct BatchPlan {
    std::vector<SlotShare> shares;  // decode shares first, then prefill chunks, oldest first
    int32_t                n_decode  = 0;
    int32_t                n_prefill = 0;  // tokens
};

struct SchedulerConfig {
    int32_t n_batch = 2048;  // most tokens of one batch

    // Longest time one step should spend on prefill, milliseconds: while other streams run it bounds how long they
    // stall; alone it bounds how long a cancel waits.
    double prefill_shared_ms = 100.0;
    double prefill_alone_ms  = 500.0;

    // Smallest useful chunk: below this the matrix kernels lose their efficiency.
    int32_t n_prefill_min = 32;
};

class Scheduler {
  public:
    explicit Scheduler(SchedulerConfig config = {}) : config_(config) {}

    // One token of every running sequence, then prefill chunks within the budget, oldest request first.
    BatchPlan plan(const std::vector<SlotView> & slots) const;

    // Feeds back how long a batch took, so that the budget follows the model and the machine.
    void observe(const BatchPlan & plan, double elapsed_ms);

    // Prefill tokens that the next step may take.
    int32_t prefill_budget(bool shared) const;

  private:
    SchedulerConfig config_;
    double          ms_per_prefill_token_ = 0.0;  // moving average; 0: nothing measured yet
};
