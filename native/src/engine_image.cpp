// Images of prompts: from what the encoder takes to embeddings, on the image thread; from there into the KV cache, on
// the decode thread.
//
// Encoding shares the processor with the running streams where there is no graphics card, but never holds them up: a
// prompt whose image is not ready rests meanwhile. Only what no prefix covers is encoded.
#include "engine.h"

#include <algorithm>

void Engine::run_images() {
    while (true) {
        ImageJob job;
        {
            std::unique_lock<std::mutex> lock(mutex_);
            image_wake_.wait(lock, [&] { return closing_ || !image_jobs_.empty(); });
            if (closing_) {
                return;
            }
            const auto first = std::min_element(image_jobs_.begin(), image_jobs_.end(),
                                                [](const auto & a, const auto & b) { return a.deadline < b.deadline; });
            job              = std::move(*first);
            image_jobs_.erase(first);
        }
        const auto gives_up = [&] {
            return closing_.load(std::memory_order_relaxed) || job.control->cancelled.load(std::memory_order_relaxed);
        };
        std::vector<float> embeddings;
        bool               is_done = false;
        try {
            is_done = !gives_up() && model_->projector()->encode(*job.image, gives_up, embeddings);
        } catch (const std::exception &) {
            is_done = false;  // memory has run out
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        job.image->embeddings = std::move(embeddings);
        // another sequence may still want it
        job.image->state = is_done      ? ImageChunk::State::Ready
                           : gives_up() ? ImageChunk::State::Idle
                                        : ImageChunk::State::Failed;
        stats_.n_images_encoded += is_done ? 1 : 0;
        nudged_ = true;
        decode_wake_.notify_one();
    }
}

// Asks for the embeddings of an image that nobody has asked for yet.
void Engine::want_image(const std::shared_ptr<ImageChunk> & image, const Sequence & sequence) {
    if (image->state != ImageChunk::State::Idle) {
        return;
    }
    image->state = ImageChunk::State::Queued;
    const std::lock_guard<std::mutex> lock(mutex_);
    image_jobs_.push_back({ image, sequence.control(), sequence.deadline() });
    image_wake_.notify_one();
}

// Asks for the images that prompts in prefill still need, and ends those whose next one has failed.
void Engine::settle_images() {
    for (Slot & slot : slots_) {
        if (slot.state != SlotState::Prefill) {
            continue;
        }
        const ImageChunk * next = slot.next_image();
        if (next != nullptr && next->state == ImageChunk::State::Failed) {
            fail_slot(slot, ErrorCode::EngineFailed, "The model could not compute an image of the prompt.");
            const std::lock_guard<std::mutex> lock(mutex_);
            nudged_ = true;  // its slot is free
            continue;
        }
        for (const PromptImage & image : slot.sequence->images()) {
            if (image.first >= (int32_t) slot.tokens.size()) {
                want_image(image.chunk, *slot.sequence);
            }
        }
    }
}

// Computes a piece of an image, or all of it: as calls of llama_decode in which embeddings stand in place of tokens.
// Gives llama_decode's status.
int32_t Engine::compute_image(const SlotShare & share) {
    Slot & slot   = slots_[(size_t) share.slot];
    slot.i_logits = -1;
    slot.sequence->mark_prefill_started();
    const ImageChunk & image    = *slot.next_image();
    const int32_t      n_embd   = llama_model_n_embd_inp(model_->get());
    const int32_t      n_batch  = batch_size(shape());
    const int32_t      position = slot.position((int32_t) slot.tokens.size());

    if (image.is_whole) {
        llama_set_causal_attn(context_.get(), false);
    }
    int32_t status = 0;
    for (int32_t done = 0; done < share.n_tokens && status == 0;) {
        const int32_t               begin     = slot.n_image + done;
        const int32_t               n         = std::min(share.n_tokens - done, n_batch);
        std::vector<llama_pos>      positions = model_->projector()->positions(image, position, begin, n);
        std::vector<int32_t>        n_seq_id((size_t) n, 1);
        std::vector<llama_seq_id *> seq_ids((size_t) n, &slot.id);
        std::vector<int8_t>         logits((size_t) n, 0);

        llama_batch batch = {};
        batch.n_tokens    = n;
        batch.embd        = const_cast<float *>(image.embeddings.data()) + (size_t) begin * (size_t) n_embd;
        batch.pos         = positions.data();
        batch.n_seq_id    = n_seq_id.data();
        batch.seq_id      = seq_ids.data();
        batch.logits      = logits.data();
        status            = compute(batch);
        done += n;
    }
    if (image.is_whole) {
        llama_set_causal_attn(context_.get(), true);
    }
    return status;
}

// A piece of the next image is in the KV cache; once all of it is, it is among the slot's tokens.
void Engine::advance_image(Slot & slot, int32_t n_tokens) {
    ImageChunk & image = *slot.next_image();
    slot.n_image += n_tokens;
    if (slot.n_image < image.n_tokens) {
        return;
    }
    slot.n_image = 0;
    slot.tokens.insert(slot.tokens.end(), (size_t) image.n_tokens, image.token);
    image.embeddings = {};
    image.state      = ImageChunk::State::Idle;
}

// Takes a begun image out of the memory again.
void Engine::cut_image(Slot & slot) {
    if (slot.n_image > 0 && !resume_at(slot, (int32_t) slot.tokens.size())) {
        forget(slot);
    }
}

// Throws RequestError where an image is larger than one pass through the graph, and cannot be divided.
void Engine::check_images(const PreparedPrompt & prompt) const {
    const auto n_pass = (int32_t) llama_n_ubatch(context_.get());
    for (const PromptImage & image : prompt.images) {
        if (image.chunk->is_whole && image.chunk->n_tokens > n_pass) {
            throw RequestError(
                ErrorCode::InvalidImage,
                "An image of " + std::to_string(image.chunk->n_tokens) +
                    " tokens is too large for this model: it can be computed only as a whole, of at most " +
                    std::to_string(n_pass) + " tokens. Make it smaller.");
        }
    }
}
