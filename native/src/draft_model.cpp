#include "draft_model.h"

#include "load_error.h"
#include "load_log.h"

#include <algorithm>
#include <cmath>

// New tokens that one call computes at most, all slots together: bounds how long the streams wait for a prompt to reach
// the draft model.
static constexpr int32_t N_CATCH_UP = 128;

// A guess needs at least this chance under the draft model: below, the large model mostly disagrees.
static constexpr double P_MIN = 0.5;

llama_context_params to_draft_params(const ContextShape & shape) {
    llama_context_params params = to_context_params(shape);
    params.n_batch              = (uint32_t) (N_CATCH_UP + shape.n_parallel);
    params.n_ubatch             = params.n_batch;
    params.n_outputs_max        = (uint32_t) shape.n_parallel;
    params.swa_full             = true;  // it goes back to any length without checkpoints
    return params;
}

DraftModel::DraftModel(llama_model * weights, const ContextShape & shape, int32_t n_vocab)
    : n_vocab_(llama_vocab_n_tokens(llama_model_get_vocab(weights))), n_vocab_main_(n_vocab),
      kept_((size_t) shape.n_parallel) {
    load_log::begin();
    const llama_context_params params = to_draft_params(shape);
    context_.reset(llama_init_from_model(weights, params));
    if (!context_) {
        const LoadError error = context_error(load_log::errors(), to_words(shape));
        throw LoadError(error.code, std::string("The draft model cannot be used. ") + error.what());
    }
    batch_ = llama_batch_init((int32_t) params.n_batch, 0, 1);
}

DraftModel::~DraftModel() {
    llama_batch_free(batch_);
}

void DraftModel::add(int32_t slot, llama_token token, bool wants_logits) {
    std::vector<llama_token> & kept = kept_[(size_t) slot];
    const int32_t              i    = batch_.n_tokens++;
    batch_.token[i]                 = token;
    batch_.pos[i]                   = (llama_pos) kept.size();
    batch_.n_seq_id[i]              = 1;
    batch_.seq_id[i][0]             = slot;
    batch_.logits[i]                = wants_logits ? 1 : 0;
    kept.push_back(token);
}

// A failed batch may have left anything behind, and may have found the cache full of what nobody needs: all start over.
bool DraftModel::decode() {
    if (llama_decode(context_.get(), batch_) == 0) {
        return true;
    }
    llama_memory_clear(llama_get_memory(context_.get()), false);
    for (std::vector<llama_token> & kept : kept_) {
        kept.clear();
    }
    return false;
}

// Puts what the slot has and the draft model has not into the batch; wants logits where that is all.
void DraftModel::catch_up(Run & run, int32_t & budget) {
    const std::vector<llama_token> & tokens = *run.job->tokens;
    std::vector<llama_token> &       kept   = kept_[(size_t) run.job->slot];

    const auto n_same =
        (size_t) (std::mismatch(kept.begin(), kept.begin() + (std::ptrdiff_t) std::min(kept.size(), tokens.size()),
                                tokens.begin())
                      .first -
                  kept.begin());
    if (n_same < kept.size()) {
        llama_memory_seq_rm(llama_get_memory(context_.get()), run.job->slot, (llama_pos) n_same, -1);
        kept.resize(n_same);
    }
    while (budget > 0 && kept.size() < tokens.size()) {
        add(run.job->slot, tokens[kept.size()], false);
        budget--;
    }
    if (kept.size() == tokens.size()) {
        run.i_logits = batch_.n_tokens;
        add(run.job->slot, run.job->last, true);
    }
}

// The most likely next token, where it is likely enough.
bool DraftModel::guess(const Run & run, llama_token & token) const {
    const float * logits = llama_get_logits_ith(context_.get(), run.i_logits);
    const float * best   = std::max_element(logits, logits + n_vocab_);
    double        sum    = 0.0;
    for (const float * logit = logits; logit != logits + n_vocab_; ++logit) {
        sum += std::exp((double) (*logit - *best));
    }
    token = (llama_token) (best - logits);
    return sum * P_MIN <= 1.0 && token < n_vocab_main_;
}

void DraftModel::draft(const std::vector<Job> & jobs) {
    std::vector<Run> runs(jobs.size());
    int32_t          budget = N_CATCH_UP;
    batch_.n_tokens         = 0;
    for (size_t i = 0; i < jobs.size(); i++) {
        runs[i].job = &jobs[i];
        catch_up(runs[i], budget);
    }
    while (batch_.n_tokens > 0 && decode()) {
        batch_.n_tokens = 0;
        for (Run & run : runs) {
            llama_token token;
            if (run.i_logits < 0 || !guess(run, token)) {
                run.i_logits = -1;
                continue;
            }
            run.job->out->push_back(token);
            run.i_logits = -1;
            if ((int32_t) run.job->out->size() < run.job->n_max) {
                run.i_logits = batch_.n_tokens;
                add(run.job->slot, token, true);
            }
        }
    }
}
