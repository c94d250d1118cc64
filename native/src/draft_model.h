#pragma once

#include "context_shape.h"
#include "llama.h"

#include <memory>
#include <vector>

// A small model that guesses what a large one with the same vocabulary will write. It has a context of its own, with as
// many sequences as the engine has slots, which follow the slots' tokens. Decode thread only.
class DraftModel {
  public:
    // shape, n_vocab: of the model that it guesses for. weights outlive it. Throws LoadError where there is not enough
    // memory.
    DraftModel(llama_model * weights, const ContextShape & shape, int32_t n_vocab);
    ~DraftModel();

    DraftModel(const DraftModel &)             = delete;
    DraftModel & operator=(const DraftModel &) = delete;

    llama_context * context() const { return context_.get(); }

    struct Job {
        int32_t                          slot   = 0;
        const std::vector<llama_token> * tokens = nullptr;  // of the slot, without the last one
        llama_token                      last   = LLAMA_TOKEN_NULL;
        int32_t                          n_max  = 0;        // >= 1
        std::vector<llama_token> *       out    = nullptr;  // gets 0..n_max guesses
    };

    // Guesses for several slots, one batch for each further token. A guess ends where the draft model is not sure. A
    // slot of which much is new to the draft model (a prompt) gets none until that is computed, a part in each call.
    void draft(const std::vector<Job> & jobs);

  private:
    struct ContextDeleter {
        void operator()(llama_context * context) const { llama_free(context); }
    };

    // One job on its way.
    struct Run {
        const Job * job      = nullptr;
        int32_t     i_logits = -1;  // row of the last batch; -1: none
    };

    std::unique_ptr<llama_context, ContextDeleter> context_;
    int32_t                                        n_vocab_;       // of the draft model
    int32_t                                        n_vocab_main_;  // ids from here on are no guesses
    llama_batch                                    batch_ = {};
    std::vector<std::vector<llama_token>>          kept_;  // by slot: in the KV cache

    void catch_up(Run & run, int32_t & budget);
    bool guess(const Run & run, llama_token & token) const;
    void add(int32_t slot, llama_token token, bool wants_logits);
    bool decode();
};

// Parameters of a draft model's context beside one of this shape.
llama_context_params to_draft_params(const ContextShape & shape);
