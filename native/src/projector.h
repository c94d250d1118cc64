#pragma once

#include "context_shape.h"
#include "load_error.h"
#include "memory_use.h"
#include "model_weights.h"
#include "prompt_image.h"
#include "request.h"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

struct ProjectorOptions {
    std::string    path;  // UTF-8
    int32_t        n_threads       = 1;
    bool           may_use_gpu     = false;
    FlashAttention flash_attention = FlashAttention::Auto;
};

// Bytes of weights and buffers, by device.
using ProjectorMemory = std::map<ggml_backend_dev_t, size_t>;

// Adds it to the memory of its model.
void add_memory(MemoryUse & use, const ProjectorMemory & memory, const llama_model * model);

// What a chat with images becomes.
struct ImagePrompt {
    std::vector<llama_token> tokens;  // an image's own token at each of its places
    std::vector<PromptImage> images;  // in order
    std::string              text;    // as rendered, with words where images are
};

// The part of a model that sees (mmproj), through llama.cpp's mtmd. Immutable once loaded, but for the names it gives
// to images; encode() from one thread, everything else from any.
class Projector {
  public:
    // Bytes that all images may take between their request and its end, as the encoder takes them.
    static constexpr uint64_t N_BYTES_MAX = 1ull << 30;

    // Blocks. Throws LoadError. model must outlive it.
    Projector(const ProjectorOptions & options, const llama_model * model, const LoadProgress & on_progress);
    ~Projector();

    // What stands for an image of this index in a chat, until it is tokenized. Nobody outside can know it.
    std::string marker(size_t index) const;

    // The tokens and images of a rendered chat with markers. Throws RequestError: InvalidImage; TemplateFailed where a
    // marker is missing; QueueFull where other requests' images take all the room.
    ImagePrompt tokenize(const std::string &                                    rendered,
                         const std::vector<std::shared_ptr<const ImageBytes>> & images) const;

    // Fills embeddings; false: it failed, or was given up. gives_up is asked between layers.
    bool encode(const ImageChunk & image, const std::function<bool()> & gives_up,
                std::vector<float> & embeddings) const;

    // Positions of an image's tokens [begin, begin + n), as a batch of embeddings has them: all first coordinates, then
    // all second ones. position: of the image's first token.
    std::vector<llama_pos> positions(const ImageChunk & image, int32_t position, int32_t begin, int32_t n) const;

    // What one takes on each device, from its file's metadata; nothing where the file cannot be loaded.
    static ProjectorMemory memory(const ProjectorOptions & options);

    const ProjectorOptions & options() const { return options_; }

  private:
    // So many digests are known by their tokens; an older image gets a new token, and is computed again.
    static constexpr size_t N_NAMES_MAX = 4096;

    using Name = std::pair<std::string, int32_t>;  // digest of the file, and which of its chunks

    ProjectorOptions                                        options_;
    const llama_vocab *                                     vocab_ = nullptr;
    std::unique_ptr<mtmd_context, void (*)(mtmd_context *)> context_;
    int32_t                                                 n_embd_   = 0;
    bool                                                    is_mrope_ = false;
    std::string                                             secret_;
    std::shared_ptr<std::atomic<uint64_t>>                  n_held_   = std::make_shared<std::atomic<uint64_t>>(0);
    mutable const std::function<bool()> *                   gives_up_ = nullptr;  // of the running encode()

    mutable std::mutex                  mutex_;
    mutable std::map<Name, llama_token> names_;
    mutable std::list<Name>             oldest_;  // of names_, oldest first
    mutable llama_token                 next_token_ = LLAMA_TOKEN_NULL - 1;

    std::shared_ptr<ImageChunk> take(const mtmd_input_chunk * chunk, const std::string & digest, int32_t part) const;
    std::shared_ptr<void>       hold(uint64_t n_bytes) const;
    llama_token                 token_of(const Name & name) const;
    static bool                 on_node(ggml_tensor * node, bool asks, void * projector);
};
