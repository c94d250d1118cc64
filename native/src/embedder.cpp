#include "embedder.h"

#include "embed_result.h"
#include "load_log.h"

#include <algorithm>
#include <iterator>

Embedder::Embedder(std::shared_ptr<const Model> model)
    : model_(std::move(model)), info_(model_->info()),
      shape_(to_embed_shape(purpose_of(model_->get()), llama_model_n_head(model_->get()), info_.n_ctx,
                            info_.flash_attention)),
      prompt_(*model_, info_.n_ctx) {
    shape_.n_threads = info_.n_threads;
    create_context();
    batch_  = llama_batch_init(shape_.n_batch, 0, 1);
    thread_ = std::thread([this] { run(); });
}

Embedder::~Embedder() {
    close();
}

void Embedder::create_context() {
    load_log::begin();

    llama_context_params params = to_context_params(shape_);
    params.abort_callback       = [](void * data) { return static_cast<std::atomic<bool> *>(data)->load(); };
    params.abort_callback_data  = &abort_;

    context_.reset(llama_init_from_model(model_->get(), params));
    if (!context_) {
        throw context_error(load_log::errors(), to_words(shape_));
    }
    info_.flash_attention = shape_.flash_attention == FlashAttention::Off || load_log::refused_flash_attention()
                                ? FlashAttention::Off
                                : FlashAttention::On;
    // llama.cpp aborts the process where a batch is larger than this, or an input is split that must stay whole
    const bool is_split = shape_.n_batch < shape_.n_ctx;
    if ((int32_t) llama_n_ubatch(context_.get()) < shape_.n_batch ||
        (is_split && llama_get_memory(context_.get()) == nullptr)) {
        context_.reset();
        throw LoadError(LoadErrorCode::UnsupportedArchitecture,
                        "The pooling in the file does not go with the model's architecture (" + info_.architecture +
                            ").");
    }

    MemoryUse memory = memory_use(context_.get(), shape_.n_batch);
    for (size_t i = 0; i < info_.memory.size() && i < memory.size(); i++) {
        memory[i].weights = info_.memory[i].weights;
    }
    info_.memory  = std::move(memory);
    info_.n_cells = (int32_t) llama_n_ctx(context_.get());

    compute_threads_.attach(context_.get(), info_.n_threads);
}

void Embedder::submit(EmbedRequest request, Done done) {
    const int64_t id = request.id;
    bool          closing;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (controls_.count(id) > 0) {
            throw std::invalid_argument("request " + std::to_string(id) + " is in use");
        }
        closing = closing_;
        if (!closing && controls_.size() <= (size_t) info_.n_queue_max) {
            auto job     = std::make_unique<Job>();
            job->request = std::move(request);
            job->done    = std::move(done);
            job->control = std::make_shared<Control>();
            controls_.emplace(id, job->control);
            submitted_.push_back(std::move(job));
            wake_.notify_one();
            return;
        }
    }
    done(closing ? RequestError(ErrorCode::ShuttingDown, "The model is being unloaded.")
                 : RequestError(ErrorCode::QueueFull,
                                std::to_string(info_.n_queue_max) + " requests are waiting already. Try again later."));
}

void Embedder::cancel(int64_t id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto                        found = controls_.find(id);
    if (found == controls_.end()) {
        return;
    }
    found->second->cancelled.store(true);
    if (!in_batch_.empty() && std::all_of(in_batch_.begin(), in_batch_.end(),
                                          [](const auto & control) { return control->cancelled.load(); })) {
        abort_.store(true);
    }
    nudged_ = true;
    wake_.notify_one();
}

EmbedStats Embedder::stats() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    EmbedStats                        out = stats_;
    out.n_waiting                         = (int32_t) controls_.size() - out.n_running;
    return out;
}

void Embedder::close() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        closing_ = true;
        abort_.store(true);
    }
    wake_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
    if (context_) {
        compute_threads_.detach();
        context_.reset();
        llama_batch_free(batch_);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// embedder's thread

void Embedder::run() {
    while (true) {
        {
            std::unique_lock<std::mutex> lock(mutex_);
            wake_.wait(lock, [&] { return closing_ || nudged_ || !submitted_.empty() || !jobs_.empty(); });
            if (closing_) {
                break;
            }
            nudged_ = false;
            std::move(submitted_.begin(), submitted_.end(), std::back_inserter(jobs_));
            submitted_.clear();
        }
        drop_cancelled();
        const std::vector<Item> items = plan();
        if (!items.empty()) {
            compute(items);
        }
        forget_ended();
    }
    shut_down();
}

void Embedder::drop_cancelled() {
    for (auto & job : jobs_) {
        if (job->control->cancelled.load()) {
            fail(*job, RequestError(ErrorCode::Cancelled, "The request was cancelled."));
        }
    }
    forget_ended();
}

void Embedder::finish(Job & job) {
    try {
        end(job, make_embed_result(job.request.task, info_.kind, job.prompts, std::move(job.outputs)));
    } catch (const RequestError & e) {
        fail(job, e);
    }
}

void Embedder::fail(Job & job, const RequestError & error) {
    if (!job.ended) {
        end(job, error);
    }
}

void Embedder::end(Job & job, EmbedOutcome && outcome) {
    job.ended = true;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        controls_.erase(job.request.id);
    }
    job.done(std::move(outcome));
}

// Why a batch was given up: everyone in it left, or the model is being unloaded.
RequestError Embedder::aborted() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return closing_ ? RequestError(ErrorCode::ShuttingDown, "The model is being unloaded.")
                    : RequestError(ErrorCode::Cancelled, "The request was cancelled.");
}

void Embedder::forget_ended() {
    jobs_.erase(std::remove_if(jobs_.begin(), jobs_.end(), [](const auto & job) { return job->ended; }), jobs_.end());
}

void Embedder::shut_down() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::move(submitted_.begin(), submitted_.end(), std::back_inserter(jobs_));
        submitted_.clear();
    }
    for (auto & job : jobs_) {
        fail(*job, RequestError(ErrorCode::ShuttingDown, "The model is being unloaded."));
    }
    jobs_.clear();
}
