// Embedder: one batch, from the choice of its inputs to their outputs. Embedder's thread only.

#include "embedder.h"

#include <algorithm>

// The first prompt always goes, alone where it is long; further ones while they fit.
std::vector<Embedder::Item> Embedder::plan() {
    std::vector<Item> items;
    size_t            n_tokens = 0;
    for (auto & job : jobs_) {
        if (n_tokens >= (size_t) N_EMBED_SHARED || items.size() == (size_t) N_EMBED_SEQ_MAX) {
            break;  // the others are tokenized when their turn comes
        }
        if (!prepare(*job)) {
            continue;
        }
        while (job->n_taken < job->prompts.size()) {
            const size_t n_more = job->prompts[job->n_taken].size();
            if (!items.empty() &&
                (n_tokens + n_more > (size_t) N_EMBED_SHARED || items.size() == (size_t) N_EMBED_SEQ_MAX)) {
                return items;
            }
            items.push_back({ job.get(), job->n_taken++ });
            n_tokens += n_more;
        }
    }
    return items;
}

// Tokenizes a job once. False: it has ended with an error.
bool Embedder::prepare(Job & job) {
    if (job.prepared || job.ended) {
        return !job.ended;
    }
    try {
        job.prompts = prompt_.prepare(job.request);
        job.outputs.resize(job.prompts.size());
        job.prepared = true;
        return true;
    } catch (const RequestError & e) {
        fail(job, e);
    } catch (const std::exception & e) {
        fail(job, RequestError(ErrorCode::EngineFailed, e.what()));
    }
    return false;
}

void Embedder::compute(const std::vector<Item> & items) {
    begin_batch(items);
    try {
        decode(items);
        take_outputs(items);
    } catch (const RequestError & e) {
        for (const Item & item : items) {
            fail(*item.job, e);
        }
    } catch (const std::exception & e) {
        for (const Item & item : items) {
            fail(*item.job, RequestError(ErrorCode::EngineFailed, e.what()));
        }
    }
    if (llama_memory_t memory = llama_get_memory(context_.get())) {
        llama_memory_clear(memory, false);
    }
    end_batch();
    for (const Item & item : items) {
        if (!item.job->ended && item.prompt + 1 == item.job->prompts.size()) {
            finish(*item.job);
        }
    }
}

// One call for all of them, or several for a single long prompt. Throws RequestError.
void Embedder::decode(const std::vector<Item> & items) {
    const auto flush = [&] {
        const int32_t status = batch_.n_tokens == 0 ? 0 : llama_decode(context_.get(), batch_);
        batch_.n_tokens      = 0;
        if (abort_.load()) {
            throw aborted();
        }
        if (status == -2) {
            throw RequestError(ErrorCode::OutOfMemory, "There is not enough memory for these inputs.");
        }
        if (status != 0) {
            throw RequestError(ErrorCode::EngineFailed,
                               "The model failed to compute this batch (status " + std::to_string(status) + ").");
        }
    };

    batch_.n_tokens = 0;
    for (size_t i = 0; i < items.size(); i++) {
        const std::vector<llama_token> & prompt = items[i].job->prompts[items[i].prompt];
        for (size_t at = 0; at < prompt.size(); at++) {
            if (batch_.n_tokens == shape_.n_batch) {
                flush();
            }
            const int32_t row     = batch_.n_tokens++;
            batch_.token[row]     = prompt[at];
            batch_.pos[row]       = (llama_pos) at;
            batch_.n_seq_id[row]  = 1;
            batch_.seq_id[row][0] = (llama_seq_id) i;
            batch_.logits[row]    = 1;  // a pooled embedding takes all tokens
        }
    }
    flush();
}

void Embedder::begin_batch(const std::vector<Item> & items) {
    const std::lock_guard<std::mutex> lock(mutex_);
    in_batch_.clear();
    for (const Item & item : items) {
        if (in_batch_.empty() || in_batch_.back() != item.job->control) {
            in_batch_.push_back(item.job->control);
        }
    }
    stats_.n_running           = (int32_t) in_batch_.size();
    stats_.n_peak_batch_inputs = std::max(stats_.n_peak_batch_inputs, (int32_t) items.size());
    stats_.n_batches++;
    abort_.store(closing_);
}

void Embedder::end_batch() {
    const std::lock_guard<std::mutex> lock(mutex_);
    in_batch_.clear();
    stats_.n_running = 0;
}

void Embedder::take_outputs(const std::vector<Item> & items) {
    const size_t n_values = info_.kind == ModelKind::Rerank ? 1 : (size_t) info_.n_embd_out;
    for (size_t i = 0; i < items.size(); i++) {
        const float * values = llama_get_embeddings_seq(context_.get(), (llama_seq_id) i);
        if (values == nullptr) {
            throw RequestError(ErrorCode::EngineFailed, "The model gave no output for an input.");
        }
        items[i].job->outputs[items[i].prompt].assign(values, values + n_values);
    }
}
