#include "projector.h"

#include "../src/llama-ext.h"  // which devices a model uses, not yet in llama.cpp's public header
#include "ggml-backend.h"
#include "hash/hash.h"
#include "image_file.h"
#include "load_log.h"

#include <algorithm>
#include <cstring>
#include <random>

// What people read in a shown prompt where an image is.
static constexpr const char * SHOWN = "<image>";

// What encoders take of one image, at most: they make large ones smaller.
static constexpr uint64_t N_ENCODER_BYTES = 64ull << 20;

// Of mtmd's vision graphs; it ends each layer.
static constexpr const char * LAYER_NODE = "ffn_out";

static ggml_backend_dev_t own_gpu() {
    for (size_t i = 0; i < ggml_backend_dev_count(); i++) {
        const ggml_backend_dev_t device = ggml_backend_dev_get(i);
        const auto               type   = ggml_backend_dev_type(device);
        const bool               is_gpu = type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU;
        // a worker would have to be sent each image
        if (is_gpu && strcmp(ggml_backend_reg_name(ggml_backend_dev_backend_reg(device)), "RPC") != 0) {
            return device;
        }
    }
    return nullptr;
}

static mtmd_context_params to_params(const ProjectorOptions & options) {
    mtmd_context_params params = mtmd_context_params_default();
    params.device              = options.may_use_gpu ? own_gpu() : nullptr;
    params.use_gpu             = params.device != nullptr;
    params.print_timings       = false;
    params.n_threads           = options.n_threads;
    params.flash_attn_type     = to_llama(options.flash_attention);
    params.warmup              = true;  // it reserves buffers and computes nothing
    return params;
}

static std::string random_word() {
    static const char  digits[] = "0123456789abcdef";
    std::random_device source;
    std::string        out;
    for (int i = 0; i < 32; i++) {
        out += digits[source() % 16];
    }
    return out;
}

Projector::Projector(const ProjectorOptions & options, const llama_model * model, const LoadProgress & on_progress)
    : options_(options), vocab_(llama_model_get_vocab(model)), context_(nullptr, mtmd_free), secret_(random_word()) {
    check_projector_file(options.path);
    load_log::begin();

    struct Told {
        const LoadProgress & on_progress;
        bool                 gives_up = false;
    } told{ on_progress };
    mtmd_context_params params         = to_params(options);
    params.cb_eval                     = on_node;
    params.cb_eval_user_data           = this;
    params.progress_callback_user_data = &told;
    params.progress_callback           = [](float fraction, void * data) {
        auto * of    = static_cast<Told *>(data);
        of->gives_up = of->gives_up || !of->on_progress(fraction);
        return !of->gives_up;
    };
    context_.reset(mtmd_init_from_file(options.path.c_str(), model, params));
    if (told.gives_up) {
        throw LoadError(LoadErrorCode::Cancelled, "Loading was cancelled.");
    }
    if (!context_) {
        throw projector_load_error(options.path, load_log::errors());
    }
    if (!mtmd_support_vision(context_.get())) {
        throw projector_load_error(options.path, "no vision encoder");
    }
    n_embd_   = llama_model_n_embd_inp(model);
    is_mrope_ = mtmd_decode_use_mrope(context_.get());
}

Projector::~Projector() = default;

std::string Projector::marker(size_t index) const {
    return "<image-" + secret_ + "-" + std::to_string(index) + ">";
}

// Asked of each node whether to stop behind it, and then whether to go on.
bool Projector::on_node(ggml_tensor * node, bool asks, void * projector) {
    if (asks) {
        return strncmp(node->name, LAYER_NODE, strlen(LAYER_NODE)) == 0;
    }
    const auto * gives_up = static_cast<const Projector *>(projector)->gives_up_;
    return gives_up == nullptr || !(*gives_up)();
}

bool Projector::encode(const ImageChunk & image, const std::function<bool()> & gives_up,
                       std::vector<float> & embeddings) const {
    gives_up_            = &gives_up;
    const int32_t status = mtmd_encode_chunk(context_.get(), image.chunk.get());
    gives_up_            = nullptr;
    if (status != 0 || gives_up()) {
        return false;
    }
    const float * const begin = mtmd_get_output_embd(context_.get());
    embeddings.assign(begin, begin + (size_t) image.n_tokens * (size_t) n_embd_);
    return true;
}

std::vector<llama_pos> Projector::positions(const ImageChunk & image, int32_t position, int32_t begin,
                                            int32_t n) const {
    std::vector<llama_pos> out;
    if (!is_mrope_) {
        for (int32_t i = 0; i < n; i++) {
            out.push_back(position + begin + i);
        }
        return out;
    }
    out.resize((size_t) n * 4);
    const mtmd_image_tokens * tokens = mtmd_input_chunk_get_tokens_image(image.chunk.get());
    for (size_t i = 0; i < (size_t) n; i++) {
        const mtmd_decoder_pos at = mtmd_image_tokens_get_decoder_pos(tokens, position, (size_t) begin + i);
        out[i]                    = (llama_pos) at.t;
        out[i + (size_t) n]       = (llama_pos) at.y;
        out[i + (size_t) n * 2]   = (llama_pos) at.x;
        out[i + (size_t) n * 3]   = (llama_pos) at.z;
    }
    return out;
}

// ---------------------------------------------------------------------------------------------------------------------
// from a rendered chat to tokens

namespace {

struct Part {
    std::string text;
    int32_t     image = -1;  // index; -1: a text
};

}  // namespace

// The places of markers in a text, in order.
static std::vector<Part> split(const std::string & text, const std::vector<std::string> & markers) {
    std::vector<Part> parts;
    size_t            at = 0;
    while (true) {
        size_t  next  = std::string::npos;
        int32_t image = -1;
        for (size_t i = 0; i < markers.size(); i++) {
            const size_t found = text.find(markers[i], at);
            if (found < next) {
                next  = found;
                image = (int32_t) i;
            }
        }
        if (next > at) {
            parts.push_back({ text.substr(at, next == std::string::npos ? next : next - at), -1 });
        }
        if (image < 0) {
            return parts;
        }
        parts.push_back({ {}, image });
        at = next + markers[(size_t) image].size();
    }
}

std::shared_ptr<void> Projector::hold(uint64_t n_bytes) const {
    const uint64_t        n_before = n_held_->fetch_add(n_bytes);
    auto                  release  = [held = n_held_, n_bytes](const void *) { held->fetch_sub(n_bytes); };
    std::shared_ptr<void> out(nullptr, release);
    if (n_before > 0 && n_before + n_bytes > N_BYTES_MAX) {
        throw RequestError(ErrorCode::QueueFull, "Many images are waiting already. Try again later.");
    }
    return out;
}

// An image's tokens compare equal where its file, its tile and its place in the file's tiles are the same, and never
// otherwise: no token is given twice.
llama_token Projector::token_of(const Name & name) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto                        known = names_.find(name);
    if (known != names_.end()) {
        return known->second;
    }
    if (names_.size() >= N_NAMES_MAX) {
        names_.erase(oldest_.front());
        oldest_.pop_front();
    }
    oldest_.push_back(name);
    return names_[name] = next_token_--;
}

std::shared_ptr<ImageChunk> Projector::take(const mtmd_input_chunk * chunk, const std::string & digest,
                                            int32_t part) const {
    auto image      = std::make_shared<ImageChunk>();
    image->n_tokens = (int32_t) mtmd_input_chunk_get_n_tokens(chunk);
    image->n_pos    = (int32_t) mtmd_input_chunk_get_n_pos(chunk);
    image->is_whole = mtmd_decode_use_non_causal(context_.get(), chunk);
    image->token    = token_of({ digest, part });
    image->chunk.reset(mtmd_input_chunk_copy(chunk));
    return image;
}

ImagePrompt Projector::tokenize(const std::string &                                    rendered,
                                const std::vector<std::shared_ptr<const ImageBytes>> & images) const {
    std::vector<std::string> markers;
    for (size_t i = 0; i < images.size(); i++) {
        markers.push_back(marker(i));
    }
    const std::vector<Part> parts = split(rendered, markers);
    ImagePrompt             out;

    std::vector<mtmd::bitmap_ptr>        bitmaps(images.size());
    std::vector<std::string>             digests(images.size());
    std::vector<std::shared_ptr<void>>   held(images.size());
    std::vector<mtmd_input_text>         texts(parts.size());
    std::vector<mtmd_input_part>         inputs(parts.size());
    std::vector<const mtmd_input_part *> pointers;
    for (size_t i = 0; i < parts.size(); i++) {
        if (parts[i].image < 0) {
            texts[i]  = { parts[i].text.data(), parts[i].text.size(), true, true };
            inputs[i] = { &texts[i], nullptr };
            out.text += parts[i].text;
        } else {
            const auto at = (size_t) parts[i].image;
            if (!bitmaps[at]) {
                const Pixels pixels = read_image(*images[at], parts[i].image);
                held[at]            = hold(std::min<uint64_t>(pixels.rgb.size(), N_ENCODER_BYTES));
                digests[at]         = hash_sha256_hex(images[at]->data(), images[at]->size());
                bitmaps[at].reset(
                    mtmd_bitmap_init((uint32_t) pixels.width, (uint32_t) pixels.height, pixels.rgb.data()));
                // the index in the id tells whose tiles chunks are
                mtmd_bitmap_set_id(bitmaps[at].get(), std::to_string(at).c_str());
            }
            inputs[i] = { nullptr, bitmaps[at].get() };
            out.text += SHOWN;
        }
        pointers.push_back(&inputs[i]);
    }
    if (std::any_of(bitmaps.begin(), bitmaps.end(), [](const auto & bitmap) { return !bitmap; })) {
        throw RequestError(ErrorCode::TemplateFailed, "The model's chat template leaves out the images of this chat.");
    }

    const mtmd::input_chunks_ptr chunks(mtmd_input_chunks_init());
    if (mtmd_tokenize_from_parts(context_.get(), chunks.get(), pointers.data(), pointers.size(), true) != 0) {
        throw RequestError(ErrorCode::InvalidImage, "The model cannot take an image of this shape.",
                           images.size() == 1 ? 0 : -1);
    }
    std::string last_id;
    int32_t     part = 0;
    for (size_t i = 0; i < mtmd_input_chunks_size(chunks.get()); i++) {
        const mtmd_input_chunk * chunk = mtmd_input_chunks_get(chunks.get(), i);
        if (mtmd_input_chunk_get_type(chunk) == MTMD_INPUT_CHUNK_TYPE_TEXT) {
            size_t                    n      = 0;
            const llama_token * const tokens = mtmd_input_chunk_get_tokens_text(chunk, &n);
            out.tokens.insert(out.tokens.end(), tokens, tokens + n);
            continue;
        }
        const std::string id = mtmd_input_chunk_get_id(chunk);
        part                 = id == last_id ? part + 1 : 0;
        last_id              = id;
        const size_t at      = (size_t) std::stoul(id);

        std::shared_ptr<ImageChunk> image = take(chunk, digests[at], part);
        image->held                       = held[at];
        const auto first                  = (int32_t) out.tokens.size();
        out.tokens.insert(out.tokens.end(), (size_t) image->n_tokens, image->token);
        out.images.push_back({ first, std::move(image) });
    }
    return out;
}

// ---------------------------------------------------------------------------------------------------------------------
// memory

ProjectorMemory Projector::memory(const ProjectorOptions & options) {
    return mtmd_get_memory_usage(options.path.c_str(), to_params(options));
}

void add_memory(MemoryUse & use, const ProjectorMemory & memory, const llama_model * model) {
    for (const auto & [device, n_bytes] : memory) {
        size_t at = 0;
        for (int32_t i = 0; i < (int32_t) use.size() - 1; i++) {
            at = llama_model_get_device(model, i) == device ? (size_t) i + 1 : at;
        }
        use[at].compute += n_bytes;
    }
}
