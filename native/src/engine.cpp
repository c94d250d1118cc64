#include "engine.h"

#include <algorithm>

Engine::Engine(std::shared_ptr<const Model> model, Sink sink)
    : model_(std::move(model)), info_(model_->info()), sink_(std::move(sink)),
      workers_((size_t) std::max(0, info_.n_threads - 1)) {
    create_context();

    SchedulerConfig config;
    config.n_batch = batch_size(shape());
    if (info_.target_itl_ms > 0.0) {
        config.target_itl_ms = info_.target_itl_ms;
        config.draft_step_ms = info_.target_itl_ms;
    }
    config.n_draft_max = shape().n_draft_max;
    config.n_rows_max  = shape().n_draft_max;
    scheduler_         = Scheduler(config);
    batch_             = llama_batch_init(config.n_batch, 0, 1);

    slots_.resize((size_t) info_.n_parallel);
    for (int32_t i = 0; i < info_.n_parallel; i++) {
        slots_[(size_t) i].id = i;
    }
    share_host_memory();
    n_cells_per_pass_ = cells_per_pass();
    stats_.n_slots    = info_.n_parallel;

    prompt_thread_ = std::thread([this] { run_prompts(); });
    decode_thread_ = std::thread([this] { run_decode(); });
    if (info_.sees) {
        image_thread_ = std::thread([this] { run_images(); });
    }
}

Engine::~Engine() {
    close();
}

// The sequences of all choices of a request.
static std::vector<int64_t> sequences_of(const Request & request) {
    std::vector<int64_t> out = { request.seq };
    out.insert(out.end(), request.forks.begin(), request.forks.end());
    return out;
}

static std::vector<Event> errors_for(const std::vector<int64_t> & seqs, ErrorCode code, const std::string & message,
                                     int32_t input = -1) {
    std::vector<Event> out;
    for (const int64_t seq : seqs) {
        Event error;
        error.type  = EventType::Error;
        error.seq   = seq;
        error.code  = code;
        error.text  = message;
        error.input = input;
        out.push_back(std::move(error));
    }
    return out;
}

void Engine::submit(Request request) {
    const std::vector<int64_t> seqs = sequences_of(request);
    bool                       closing;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (const int64_t seq : seqs) {
            if (controls_.count(seq) > 0) {
                throw std::invalid_argument("sequence " + std::to_string(seq) + " is in use");
            }
        }
        closing = closing_;
        if (!closing && controls_.size() + seqs.size() <= (size_t) (info_.n_parallel + info_.n_queue_max)) {
            for (const int64_t seq : seqs) {
                controls_.emplace(seq, std::make_shared<SequenceControl>());
            }
            submitted_.push_back({ std::move(request), Clock::now() });
            prompt_wake_.notify_one();
            return;
        }
    }
    sink_(closing ? errors_for(seqs, ErrorCode::ShuttingDown, "The model is being unloaded.")
                  : errors_for(seqs, ErrorCode::QueueFull,
                               std::to_string(info_.n_queue_max) + " requests are waiting already. Try again later."));
}

void Engine::cancel(int64_t seq) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto                        found = controls_.find(seq);
    if (found != controls_.end()) {
        found->second->cancelled.store(true, std::memory_order_relaxed);
        nudged_ = true;
        decode_wake_.notify_one();
    }
}

void Engine::set_paused(int64_t seq, bool paused) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto                        found = controls_.find(seq);
    if (found != controls_.end()) {
        found->second->paused.store(paused, std::memory_order_relaxed);
        nudged_ = true;
        decode_wake_.notify_one();
    }
}

EngineStats Engine::stats() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    EngineStats                       out = stats_;
    out.n_requests                        = (int32_t) controls_.size();
    return out;
}

void Engine::close() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        closing_ = true;
    }
    prompt_wake_.notify_all();
    image_wake_.notify_all();
    if (prompt_thread_.joinable()) {
        prompt_thread_.join();
    }
    if (image_thread_.joinable()) {
        image_thread_.join();
    }
    // only now can nothing arrive any more, so that every request gets its terminal event
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
    }
    decode_wake_.notify_all();
    if (decode_thread_.joinable()) {
        decode_thread_.join();
    }
    if (context_) {
        compute_threads_.detach();
        draft_model_.reset();
        context_.reset();
        llama_batch_free(batch_);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// prompt thread

void Engine::run_prompts() {
    while (true) {
        Submitted            next;
        std::vector<Control> controls;
        {
            std::unique_lock<std::mutex> lock(mutex_);
            prompt_wake_.wait(lock, [&] { return closing_ || !submitted_.empty(); });
            if (closing_) {
                return;
            }
            next = std::move(submitted_.front());
            submitted_.pop_front();
            for (const int64_t seq : sequences_of(next.request)) {
                controls.push_back(controls_.at(seq));
            }
        }

        if (std::all_of(controls.begin(), controls.end(),
                        [](const Control & control) { return control->cancelled.load(std::memory_order_relaxed); })) {
            drop_submitted(next);
            continue;
        }
        try {
            std::vector<std::unique_ptr<Sequence>> sequences = make_sequences(next, controls);
            const std::lock_guard<std::mutex>      lock(mutex_);
            for (auto & sequence : sequences) {
                arrivals_.push_back(std::move(sequence));
            }
            decode_wake_.notify_one();
        } catch (const std::exception & e) {
            const std::vector<int64_t> seqs    = sequences_of(next.request);
            const auto *               refused = dynamic_cast<const RequestError *>(&e);
            {
                const std::lock_guard<std::mutex> lock(mutex_);
                for (const int64_t seq : seqs) {
                    controls_.erase(seq);
                }
            }
            sink_(errors_for(seqs, refused ? refused->code : ErrorCode::EngineFailed, e.what(),
                             refused ? refused->input : -1));
        }
    }
}

// Nobody waits for its prompt any more.
void Engine::drop_submitted(const Submitted & submitted) {
    std::vector<Event> out;
    for (const int64_t seq : sequences_of(submitted.request)) {
        Event done;
        done.type             = EventType::Done;
        done.seq              = seq;
        done.finish_reason    = FinishReason::Cancelled;
        done.timings.total_ms = std::chrono::duration<double, std::milli>(Clock::now() - submitted.at).count();
        done.timings.queue_ms = done.timings.total_ms;
        out.push_back(std::move(done));
    }
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (const Event & event : out) {
            controls_.erase(event.seq);
        }
    }
    sink_(std::move(out));
}

// Where a request's guesses come from. Steps of different widths round differently, so that who asks for the same text
// again by a seed gets one token a step. Nor is anything guessed behind images: a draft model cannot see them, and
// what repeats in such a chat is little. Throws RequestError.
Speculation Engine::speculation_of(const Request & request, bool has_images) const {
    const Speculation wanted = request.speculation.value_or(info_.speculation);
    if (request.speculation == Speculation::Draft && model_->draft() == nullptr) {
        throw RequestError(ErrorCode::NoDraftModel, "There is no draft model: start the server with one.");
    }
    return info_.can_speculate && !request.sampling.seed && !has_images ? wanted : Speculation::Off;
}

// One sequence a choice; the further ones start from the first one's state. Throws RequestError.
std::vector<std::unique_ptr<Sequence>> Engine::make_sequences(const Submitted &            submitted,
                                                              const std::vector<Control> & controls) const {
    const std::vector<int64_t> seqs     = sequences_of(submitted.request);
    SamplingParams             sampling = submitted.request.sampling;
    model_->complete(sampling);

    std::vector<std::unique_ptr<Sequence>> out;
    PreparedPrompt                         first;  // its tokens and images
    const auto                             point = std::make_shared<ForkPoint>();
    for (size_t i = 0; i < seqs.size(); i++) {
        Request request  = submitted.request;
        request.seq      = seqs[i];
        request.sampling = sampling;
        if (request.sampling.seed) {
            *request.sampling.seed += (uint32_t) i;
        }
        request.shows_prompt = submitted.request.shows_prompt && i == 0;
        // each choice has a parser of its own
        PreparedPrompt prompt =
            model_->prepare(request.prompt, request.constraint, first.images.empty() ? nullptr : &first);
        if (i == 0 && seqs.size() > 1 && !prompt.images.empty()) {
            first.tokens = prompt.tokens;
            first.images = prompt.images;
        }
        check_images(prompt);
        request.speculation = speculation_of(submitted.request, !prompt.images.empty());
        request.prompt      = {};  // images are large, and all of it is in the tokens now
        if (!request.shows_prompt) {
            prompt.text = {};  // it would be held for as long as the sequence is
        }
        if (i > 0) {
            request.n_prompt_logprobs.reset();
        } else if (request.n_prompt_logprobs && !prompt.images.empty()) {
            throw RequestError(ErrorCode::TooManyPromptLogprobs,
                               "Log probabilities of a prompt with images cannot be told: ask without them.");
        } else if (request.n_prompt_logprobs) {
            check_prompt_logprobs(prompt.tokens.size(), *request.n_prompt_logprobs, info_.n_vocab);
        }
        out.push_back(
            std::make_unique<Sequence>(*model_, std::move(request), std::move(prompt), controls[i], submitted.at));
        if (i > 0) {
            out[i]->set_fork_point(point);
        } else if (seqs.size() > 1) {
            out[i]->set_own_fork_point(point);
        }
    }
    return out;
}

// ---------------------------------------------------------------------------------------------------------------------
// decode thread

void Engine::run_decode() {
    while (true) {
        std::vector<std::unique_ptr<Sequence>> arrivals;
        {
            std::unique_lock<std::mutex> lock(mutex_);
            decode_wake_.wait(lock,
                              [&] { return stopping_ || (!closing_ && (nudged_ || !arrivals_.empty() || !resting_)); });
            if (stopping_) {
                break;
            }
            arrivals.swap(arrivals_);
            nudged_ = false;
        }
        accept_arrivals(std::move(arrivals));
        drop_cancelled();
        assign_slots();
        settle_images();
        propose_drafts();

        BatchPlan plan = plan_batch();
        while (!make_room(plan)) {
            plan = plan_batch();
        }
        report_progress();
        resting_ = plan.shares.empty();
        publish();  // nobody waits a whole batch for what is known before it
        if (!resting_) {
            step(plan);
        }
    }
    shut_down();
}

void Engine::shut_down() {
    const auto fail_all = [&](std::unique_ptr<Sequence> & sequence) {
        if (sequence) {
            sequence->fail(ErrorCode::ShuttingDown, "The model is being unloaded.", events_);
        }
    };
    for (Slot & slot : slots_) {
        fail_all(slot.sequence);
        slot.release(++counter_);
    }
    for (auto & sequence : waiting_) {
        fail_all(sequence);
    }
    waiting_.clear();
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto & sequence : arrivals_) {
            fail_all(sequence);
        }
        arrivals_.clear();
        for (const Submitted & submitted : submitted_) {
            for (Event & error :
                 errors_for(sequences_of(submitted.request), ErrorCode::ShuttingDown, "The model is being unloaded.")) {
                events_.push_back(std::move(error));
            }
        }
        submitted_.clear();
    }
    publish();
}
