#pragma once

#include "cell_ledger.h"
#include "checkpoints.h"
#include "draft_length.h"
#include "ngram_draft.h"
#include "scheduler.h"
#include "sequence.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <vector>

// Guesses about a running request. Decode thread only.
struct SlotDraft {
    std::vector<llama_token> tokens;  // guessed for this step, after the last token

    NgramDraft ngram;
    // how long guesses should be, by the length of the repetition that they rest on: what follows three known tokens is
    // often a coincidence, what follows sixteen seldom
    std::array<DraftLength, 4> by_match = { DraftLength(0.5), DraftLength(0.7), DraftLength(0.85), DraftLength(0.93) };
    DraftLength                by_model = DraftLength(0.7);  // of the draft model's

    DraftLength * judge = nullptr;  // of this step's guesses
};

// One place in the KV cache (a llama.cpp sequence id) and the request that uses it. Decode thread only.
struct Slot {
    int32_t   id    = 0;  // llama_seq_id
    SlotState state = SlotState::Idle;

    std::unique_ptr<Sequence> sequence;  // none while idle
    std::vector<llama_token>
              tokens;           // in the KV cache, images only as a whole, in order; kept after the request as a prefix
    double    deadline  = 0.0;  // of its request, see scheduler.h
    uint64_t  last_used = 0;    // order of release
    int32_t   i_batch   = -1;   // of its first token in this step's batch
    int32_t   i_logits  = -1;   // row of this step's batch to sample from; -1: none
    SlotDraft draft;

    std::shared_ptr<const ImagePlaces> places;       // of images among tokens, and perhaps behind them; none: no images
    int32_t                            n_image = 0;  // tokens of the image behind tokens that are in the KV cache too

    CellLedger::Cells cells;        // of tokens, as last counted; only in a unified KV cache
    Checkpoints       checkpoints;  // of tokens; only where the memory cannot be cut
    std::set<int32_t> marks;        // lengths of the prompt at which prefill halts for a checkpoint

    // Position behind the first n_tokens of its tokens.
    int32_t position(int32_t n_tokens) const { return places ? position_at(*places, n_tokens) : n_tokens; }

    // In the KV cache.
    int32_t n_present() const { return (int32_t) tokens.size() + n_image; }

    // Prefill: the image that comes next; nullptr: a token does.
    ImageChunk * next_image() const { return sequence ? sequence->image_at((int32_t) tokens.size()) : nullptr; }

    // Prompt tokens that the next chunk may take: up to the next mark or image, or the rest of an image.
    int32_t n_missing() const {
        if (!sequence) {
            return 0;
        }
        if (const ImageChunk * image = next_image()) {
            return image->n_tokens - n_image;
        }
        const int32_t n_tokens = (int32_t) tokens.size();
        const auto    mark     = marks.upper_bound(n_tokens);
        const int32_t end      = mark == marks.end() ? (int32_t) sequence->prompt().size() : *mark;
        return std::min(end, sequence->next_image_from(n_tokens)) - n_tokens;
    }

    // The request is over; its tokens stay.
    void release(uint64_t now) {
        sequence.reset();
        state     = SlotState::Idle;
        i_logits  = -1;
        draft     = {};
        last_used = now;
        marks.clear();
    }
};
