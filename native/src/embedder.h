#pragma once

#include "compute_threads.h"
#include "embed_prompt.h"
#include "embed_request.h"
#include "embed_shape.h"
#include "model.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

struct EmbedStats {
    int32_t  n_running           = 0;  // requests that have a part in the batch of this moment
    int32_t  n_waiting           = 0;  // the others
    uint64_t n_batches           = 0;  // since the model was loaded
    int32_t  n_peak_batch_inputs = 0;  // most inputs that shared one batch
};

// Embeddings and rerank over one loaded model of kind Embedding or Rerank. Requests are served in order of arrival;
// inputs of one request, or of several, share a batch. One thread tokenizes and alone touches the llama context. Every
// public method may be called from any thread.
//
// Scores: a rerank model gives what its classification head says, a logit or a probability as the model has it; an
// embedding model gives the cosine of query and document, -1..1.
class Embedder {
  public:
    // Called once a request, on the embedder's thread or on the one that submits. Must not call back into the embedder
    // and must not throw.
    using Done = std::function<void(EmbedOutcome &&)>;

    // Creates the context and starts the thread. Throws LoadError.
    explicit Embedder(std::shared_ptr<const Model> model);
    ~Embedder();

    // Ends with a result, or as a whole with the error of its first bad input, before anything is computed. Throws
    // std::invalid_argument where the id is in use.
    void submit(EmbedRequest request, Done done);

    // Ends the request with Cancelled, after the batch of this moment; on a CPU at once where nobody else has a part in
    // that batch. Unknown or finished ids are ignored.
    void cancel(int64_t id);

    EmbedStats stats() const;

    // Ends every request with ShuttingDown, frees the context. Idempotent; blocks until the thread is gone.
    void close();

    const ModelInfo & info() const { return info_; }

  private:
    struct ContextDeleter {
        void operator()(llama_context * context) const { llama_free(context); }
    };

    struct Control {
        std::atomic<bool> cancelled{ false };
    };

    struct Job {
        EmbedRequest                          request;
        Done                                  done;
        std::shared_ptr<Control>              control;
        bool                                  prepared = false;
        bool                                  ended    = false;
        std::vector<std::vector<llama_token>> prompts;      // token sequences, see EmbedPrompt
        size_t                                n_taken = 0;  // prompts that are or were in a batch
        std::vector<std::vector<float>>       outputs;      // of the model, by prompt
    };

    // One sequence of a batch; its place in it is its llama_seq_id.
    struct Item {
        Job *  job;
        size_t prompt;
    };

    std::shared_ptr<const Model>                   model_;
    ModelInfo                                      info_;
    EmbedShape                                     shape_;
    EmbedPrompt                                    prompt_;
    std::unique_ptr<llama_context, ContextDeleter> context_;
    ComputeThreads                                 compute_threads_;

    // shared, under mutex_
    mutable std::mutex                                    mutex_;
    std::condition_variable                               wake_;
    std::unordered_map<int64_t, std::shared_ptr<Control>> controls_;  // of every request that has not ended
    std::vector<std::unique_ptr<Job>>                     submitted_;
    std::vector<std::shared_ptr<Control>>                 in_batch_;  // of the batch of this moment
    bool                                                  nudged_  = false;
    bool                                                  closing_ = false;
    EmbedStats                                            stats_;

    std::atomic<bool> abort_{ false };  // nobody waits for the batch of this moment any more

    // embedder's thread only
    std::deque<std::unique_ptr<Job>> jobs_;  // in order of arrival
    llama_batch                      batch_ = {};

    std::thread thread_;

    void              create_context();
    void              run();
    void              drop_cancelled();
    std::vector<Item> plan();
    bool              prepare(Job & job);
    void              compute(const std::vector<Item> & items);
    void              decode(const std::vector<Item> & items);
    void              begin_batch(const std::vector<Item> & items);
    void              end_batch();
    void              take_outputs(const std::vector<Item> & items);
    RequestError      aborted() const;
    void              finish(Job & job);
    void              fail(Job & job, const RequestError & error);
    void              end(Job & job, EmbedOutcome && outcome);
    void              forget_ended();
    void              shut_down();
};
