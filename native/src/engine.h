#pragma once

#include "compute_threads.h"
#include "draft_model.h"
#include "event.h"
#include "model.h"
#include "prefix_cache.h"
#include "scheduler.h"
#include "slot.h"
#include "state_store.h"
#include "worker_pool.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

struct EngineStats {
    int32_t  n_requests       = 0;  // sequences between submit and their terminal event
    int32_t  n_running        = 0;  // of these, in prefill or decode
    int32_t  n_waiting        = 0;  // of these, accepted and without a slot
    int32_t  n_slots          = 0;
    uint64_t n_steps          = 0;  // since the model was loaded
    uint64_t n_prefill_tokens = 0;  // prompt tokens computed since the model was loaded
    uint64_t n_aborted_steps  = 0;  // steps of which a part was given up halfway, because nobody wanted them any more
    int32_t  n_peak_batch_sequences = 0;  // most sequences that shared one step
    uint64_t n_images_encoded       = 0;  // since the model was loaded
    uint64_t n_interrupted          = 0;  // times a sequence had to give up its cells and wait (unified KV cache)

    // Of the KV cache, in tokens. What sequences share is counted once.
    int32_t n_cells_used = 0;  // by running sequences, and by prefixes that stay until their room is needed
    int32_t n_cells_busy = 0;  // of these, by running sequences; at most, where they share some

    // States of prefixes in host memory.
    int32_t  n_stored       = 0;
    uint64_t n_stored_bytes = 0;
};

// What the model remembers a sequence by, which decides where the sequence can be taken up again (resume.h).
enum class MemoryKind {
    Full,       // a KV cache of every token
    Window,     // some layers keep the last tokens only
    Recurrent,  // some layers keep one state, which has all tokens in it
};

// Continuous batching over one loaded model. Two threads: the prompt thread renders and tokenizes in order of arrival;
// the decode thread alone touches the llama context, the slots and the sequences. A model that sees has a third one,
// which makes embeddings of images. Every public method may be called from any thread.
//
// One step of the decode thread: take new requests, drop cancelled ones, give waiting ones a slot, tell about that,
// plan the batch (scheduler), decode it, draw the next tokens of each sequence that has logits (one, and as many more
// as were guessed right), hand its events to the sink in one call. A batch is given up halfway once all sequences in it
// are cancelled, or the engine closes (on a CPU; another device finishes the batch first).
class Engine {
  public:
    // Called on the decode thread, once a step and before it where there are news, and on the prompt thread for
    // requests that fail before acceptance. Must not call back into the engine.
    using Sink = std::function<void(std::vector<Event> &&)>;

    // Creates the context and starts the threads. Throws LoadError.
    Engine(std::shared_ptr<const Model> model, Sink sink);
    ~Engine();

    // Throws std::invalid_argument where the sequence id is in use.
    void submit(Request request);

    // Unknown or finished ids are ignored: the end of a stream and its cancel may cross.
    void cancel(int64_t seq);
    void set_paused(int64_t seq, bool paused);

    EngineStats stats() const;

    // Ends every request with ShuttingDown, frees the context. Idempotent; blocks until both threads are gone.
    void close();

    // Of the loaded model; n_ctx and n_parallel as the context really has them.
    const ModelInfo & info() const { return info_; }

  private:
    struct ContextDeleter {
        void operator()(llama_context * context) const { llama_free(context); }
    };

    struct Submitted {
        Request           request;
        Clock::time_point at;
    };

    // An image whose embeddings are wanted, and for whom.
    struct ImageJob {
        std::shared_ptr<ImageChunk>      image;
        std::shared_ptr<SequenceControl> control;
        double                           deadline = 0.0;
    };

    // What became of a call of llama_decode.
    struct CallResult {
        bool                  is_aborted = false;  // nothing has changed for its sequences
        std::optional<double> ms;                  // none where it was not computed as planned
    };

    using Control = std::shared_ptr<SequenceControl>;

    std::shared_ptr<const Model>                   model_;
    ModelInfo                                      info_;
    Sink                                           sink_;
    std::unique_ptr<llama_context, ContextDeleter> context_;
    std::unique_ptr<DraftModel>                    draft_model_;      // none where none was loaded
    ComputeThreads                                 compute_threads_;  // of both contexts, so that they end before them

    // shared, under mutex_
    mutable std::mutex                     mutex_;
    std::condition_variable                prompt_wake_;
    std::condition_variable                decode_wake_;
    std::condition_variable                image_wake_;
    std::unordered_map<int64_t, Control>   controls_;          // every request between submit and its terminal event
    std::deque<Submitted>                  submitted_;         // for the prompt thread
    std::vector<std::unique_ptr<Sequence>> arrivals_;          // for the decode thread
    std::deque<ImageJob>                   image_jobs_;        // for the image thread
    bool                                   nudged_   = false;  // a control changed
    bool                                   stopping_ = false;  // the decode thread ends, once the prompt thread is gone
    EngineStats                            stats_;

    // No new requests, the prompt thread ends, no batch is begun or finished. Set under mutex_, read by should_abort.
    std::atomic<bool> closing_{ false };

    // decode thread only
    std::vector<Slot>                     slots_;
    std::deque<std::unique_ptr<Sequence>> waiting_;  // smallest deadline first
    MemoryKind                            memory_kind_ = MemoryKind::Full;
    StateStore                            store_;
    CellLedger                            ledger_;
    uint64_t                              max_checkpoint_bytes_ = 0;  // of all slots; 0: none are taken
    Scheduler                             scheduler_;
    llama_batch                           batch_ = {};
    std::vector<const Sequence *>         in_batch_;          // of the call that is being computed, for should_abort
    std::optional<double>                 n_cells_per_pass_;  // see calls_of
    bool                                  resting_  = true;   // nothing to compute until there is news
    uint64_t                              counter_  = 0;      // releases, for their order
    double                                draft_ms_ = 0.0;    // what making this step's guesses took
    std::vector<Event>                    events_;            // of this step
    WorkerPool                            workers_;           // draws tokens of several sequences at once

    std::thread prompt_thread_;
    std::thread image_thread_;  // only where the model sees
    std::thread decode_thread_;

    // engine_load.cpp
    ContextShape shape() const;
    void         create_context();

    void                                   run_prompts();
    void                                   drop_submitted(const Submitted & submitted);
    std::vector<std::unique_ptr<Sequence>> make_sequences(const Submitted &            submitted,
                                                          const std::vector<Control> & controls) const;
    Speculation                            speculation_of(const Request & request, bool has_images) const;
    void                                   run_decode();

    void                  enqueue(std::unique_ptr<Sequence> sequence);
    BatchPlan             plan_batch();
    void                  accept_arrivals(std::vector<std::unique_ptr<Sequence>> arrivals);
    void                  drop_cancelled();
    void                  report_progress();
    std::optional<double> cells_per_pass() const;
    void                  step(const BatchPlan & plan);
    CallResult            decode(const BatchPlan & call);
    int32_t               compute(const llama_batch & batch);
    static bool           should_abort(void * engine);
    BatchPlan             without_drafts(BatchPlan plan) const;
    void                  rewind(const BatchPlan & plan);
    void                  fill_batch(const BatchPlan & plan);
    void                  sample(const BatchPlan & plan);
    void                  take_drawn(Slot & slot);
    void                  fail(const BatchPlan & plan, ErrorCode code, const std::string & message);
    void                  fail_slot(Slot & slot, ErrorCode code, const std::string & message);
    void                  count_step(const BatchPlan & plan, int32_t n_prefill, bool is_aborted);
    void                  publish();
    void                  shut_down();

    std::vector<Slot *> advance(const BatchPlan & plan);

    // engine_speculate.cpp
    void    propose_drafts();
    void    propose_ngram(Slot & slot, int32_t n_max, const DraftCost & cost);
    void    propose_by_model(const std::vector<Slot *> & slots, int32_t n_each, const DraftCost & cost);
    int32_t n_draft_max(const Slot & slot, int32_t n_each) const;
    void    settle_draft(Slot & slot, int32_t n_accepted);

    // engine_image.cpp
    void    run_images();
    void    want_image(const std::shared_ptr<ImageChunk> & image, const Sequence & sequence);
    void    settle_images();
    int32_t compute_image(const SlotShare & share);
    void    advance_image(Slot & slot, int32_t n_tokens);
    void    cut_image(Slot & slot);
    void    check_images(const PreparedPrompt & prompt) const;

    // engine_prompt.cpp
    void tell_prompts(const BatchPlan & call);

    // engine_prefix.cpp
    void         assign_slots();
    PrefixChoice find_prefix(const Sequence & sequence);
    void         store_before_loss(const Slot & slot, const PrefixChoice & choice);
    void         start_prefill(Slot & slot, const PrefixChoice & choice, const StateStore::Stored & stored);
    bool         may_mark(const Slot & slot) const;
    void         mark(Slot & slot, int32_t n_wanted);
    void         mark_branch(Slot & slot, const Sequence & other);
    void         settle_forks(const Slot & slot, const float * logits);
    void         abandon_forks(const Sequence & sequence);
    bool         start_fork(Slot & slot);

    // engine_cells.cpp
    int32_t n_busy() const;
    int32_t n_free_cells();
    bool    drop_prefix(int32_t kept, int32_t also_kept);
    bool    shares_cells() const;
    void    share_cells(Slot & slot, const Slot & from, int32_t n_tokens);
    bool    share_prompt(Slot & slot);
    bool    make_room(const Sequence & next, PrefixChoice & choice, const StateStore::Stored & stored);
    bool    make_room(const BatchPlan & plan);
    void    interrupt(Slot & slot);

    // engine_state.cpp
    void                 share_host_memory();
    std::vector<uint8_t> state_of(const Slot & slot);
    bool         put_state(Slot & slot, const std::vector<uint8_t> & state, const std::vector<llama_token> & tokens,
                           const std::shared_ptr<const ImagePlaces> & places, const Checkpoints & checkpoints);
    void         forget(Slot & slot);
    ResumePoints resume_in_place(const Slot & slot) const;
    int32_t      copied_from(const Slot & slot) const;
    bool         resume_at(Slot & slot, int32_t n_tokens);
    void         take_checkpoint(Slot & slot);
    void         count_memory();
};
