#pragma once

#include "image_places.h"
#include "llama.h"
#include "mtmd.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

// An image as a model reads it, or one of the tiles that its model cuts it into: first what the encoder takes, then the
// embeddings that stand in place of tokens. Several sequences may have it.
struct ImageChunk {
    enum class State {
        Idle,    // no embeddings
        Queued,  // the image thread has it
        Ready,   // embeddings are there
        Failed,
    };

    mtmd::input_chunk_ptr chunk;
    llama_token           token    = LLAMA_TOKEN_NULL;  // stands for each of its places among a prompt's tokens
    int32_t               n_tokens = 0;
    int32_t               n_pos    = 0;      // see ImagePlace
    bool                  is_whole = false;  // its tokens see each other, so that they are computed in one call

    std::shared_ptr<void> held;  // its share of what all images may take, see Projector

    // Queued: the image thread's, else the decode thread's.
    std::vector<float> embeddings;
    std::atomic<State> state{ State::Idle };
};

struct PromptImage {
    int32_t                     first = 0;  // see ImagePlace
    std::shared_ptr<ImageChunk> chunk;
};
