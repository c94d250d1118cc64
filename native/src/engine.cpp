#include "engine.h"

#include "ggml-cpu.h"
#include "load_log.h"
#include "prefix_cache.h"

#include <algorithm>

// Tokens of one logical batch and of one pass through the graph.
static constexpr int32_t N_BATCH  = 2048;
static constexpr int32_t N_UBATCH = 512;

Engine::Engine(std::unique_ptr<Model> model, Sink sink)
    : model_(std::move(model)), info_(model_->info()), sink_(std::move(sink)) {
    create_context();

    SchedulerConfig config;
    config.n_batch = std::max(N_BATCH, info_.n_parallel);
    scheduler_     = Scheduler(config);
    batch_         = llama_batch_init(config.n_batch, 0, 1);

    slots_.resize((size_t) info_.n_parallel);
    for (int32_t i = 0; i < info_.n_parallel; i++) {
        slots_[(size_t) i].id = i;
    }
    stats_.n_slots = info_.n_parallel;

    prompt_thread_ = std::thread([this] { run_prompts(); });
    decode_thread_ = std::thread([this] { run_decode(); });
}

Engine::~Engine() {
    close();
}

void Engine::create_context() {
    load_log::begin();

    llama_context_params params = llama_context_default_params();
    params.n_ctx                = (uint32_t) (info_.n_ctx * info_.n_parallel);
    params.n_batch              = (uint32_t) std::max(N_BATCH, info_.n_parallel);
    params.n_ubatch             = N_UBATCH;
    params.n_seq_max            = (uint32_t) info_.n_parallel;
    params.n_outputs_max        = (uint32_t) info_.n_parallel;  // one row of logits a sequence
    params.n_threads            = info_.n_threads;
    params.n_threads_batch      = info_.n_threads;
    params.kv_unified           = false;  // streams with different prompts decode twice as fast split
    params.no_perf              = true;

    context_.reset(llama_init_from_model(model_->get(), params));
    if (!context_) {
        const std::string log    = load_log::errors();
        const bool        memory = log.find("alloc") != std::string::npos;
        throw LoadError(memory ? LoadErrorCode::OutOfMemory : LoadErrorCode::LoadFailed,
                        memory ? "There is not enough memory for a context of " + std::to_string(info_.n_ctx) +
                                     " tokens for " + std::to_string(info_.n_parallel) + " requests."
                               : "The model's context cannot be created: " + log);
    }
    info_.n_ctx = (int32_t) llama_n_ctx_seq(context_.get());

    ggml_threadpool_params pool_params = ggml_threadpool_params_default(info_.n_threads);
    threadpool_                        = ggml_threadpool_new(&pool_params);
    llama_attach_threadpool(context_.get(), threadpool_, threadpool_);
}

void Engine::submit(Request request) {
    const int64_t seq = request.seq;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!closing_) {
            if (!controls_.emplace(seq, std::make_shared<SequenceControl>()).second) {
                throw std::invalid_argument("sequence " + std::to_string(seq) + " is in use");
            }
            submitted_.push_back({ std::move(request), Clock::now() });
            prompt_wake_.notify_one();
            return;
        }
    }
    Event error;
    error.type = EventType::Error;
    error.seq  = seq;
    error.code = ErrorCode::ShuttingDown;
    error.text = "The model is being unloaded.";
    sink_({ error });
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
    return stats_;
}

void Engine::close() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        closing_ = true;
    }
    prompt_wake_.notify_all();
    if (prompt_thread_.joinable()) {
        prompt_thread_.join();
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
        llama_detach_threadpool(context_.get());
        context_.reset();
        llama_batch_free(batch_);
    }
    if (threadpool_) {
        ggml_threadpool_free(threadpool_);
        threadpool_ = nullptr;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// prompt thread

void Engine::run_prompts() {
    while (true) {
        Submitted next;
        Control   control;
        {
            std::unique_lock<std::mutex> lock(mutex_);
            prompt_wake_.wait(lock, [&] { return closing_ || !submitted_.empty(); });
            if (closing_) {
                return;
            }
            next = std::move(submitted_.front());
            submitted_.pop_front();
            control = controls_.at(next.request.seq);
        }

        const int64_t seq = next.request.seq;
        try {
            model_->check(next.request.sampling);
            PreparedPrompt prompt   = model_->prepare(next.request.prompt);
            auto           sequence = std::make_unique<Sequence>(*model_, std::move(next.request), std::move(prompt),
                                                       std::move(control), next.at);
            const std::lock_guard<std::mutex> lock(mutex_);
            arrivals_.push_back(std::move(sequence));
            decode_wake_.notify_one();
        } catch (const std::exception & e) {
            const auto * refused = dynamic_cast<const RequestError *>(&e);
            Event        error;
            error.type = EventType::Error;
            error.seq  = seq;
            error.code = refused ? refused->code : ErrorCode::EngineFailed;
            error.text = e.what();
            {
                const std::lock_guard<std::mutex> lock(mutex_);
                controls_.erase(seq);
            }
            sink_({ std::move(error) });
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// decode thread

void Engine::run_decode() {
    while (true) {
        std::vector<std::unique_ptr<Sequence>> arrivals;
        {
            std::unique_lock<std::mutex> lock(mutex_);
            decode_wake_.wait(lock, [&] { return stopping_ || nudged_ || !arrivals_.empty() || has_work(); });
            if (stopping_) {
                break;
            }
            arrivals.swap(arrivals_);
            nudged_ = false;
        }
        accept_arrivals(std::move(arrivals));
        drop_cancelled();
        assign_slots();

        std::vector<SlotView> views(slots_.size());
        for (size_t i = 0; i < slots_.size(); i++) {
            const Slot & slot = slots_[i];
            views[i] = { slot.state, slot.sequence && slot.sequence->paused(), slot.n_missing(), slot.arrival };
        }
        const BatchPlan plan = scheduler_.plan(views);
        if (!plan.shares.empty()) {
            decode(plan);
        }
        report_progress();
        publish((int32_t) plan.shares.size());
    }
    shut_down();
}

bool Engine::has_work() const {
    for (const Slot & slot : slots_) {
        if (slot.state == SlotState::Idle ? !waiting_.empty() : !slot.sequence->paused()) {
            return true;
        }
    }
    return false;
}

void Engine::accept_arrivals(std::vector<std::unique_ptr<Sequence>> arrivals) {
    for (auto & sequence : arrivals) {
        Event accepted;
        accepted.type     = EventType::Accepted;
        accepted.seq      = sequence->seq();
        accepted.n_prompt = (int32_t) sequence->prompt().size();
        events_.push_back(std::move(accepted));
        waiting_.push_back(std::move(sequence));
    }
}

void Engine::drop_cancelled() {
    for (auto it = waiting_.begin(); it != waiting_.end();) {
        if ((*it)->cancelled()) {
            (*it)->finish(FinishReason::Cancelled, events_);
            it = waiting_.erase(it);
        } else {
            ++it;
        }
    }
    for (Slot & slot : slots_) {
        if (slot.sequence && slot.sequence->cancelled()) {
            slot.sequence->finish(FinishReason::Cancelled, events_);
            slot.release(++counter_);
        }
    }
}

void Engine::assign_slots() {
    while (!waiting_.empty()) {
        Sequence & next = *waiting_.front();

        std::vector<CachedSequence> cached(slots_.size());
        for (size_t i = 0; i < slots_.size(); i++) {
            cached[i] = { slots_[i].state == SlotState::Idle, &slots_[i].tokens, slots_[i].last_used };
        }
        const PrefixChoice choice = choose_slot(cached, next.prompt());
        if (choice.slot < 0) {
            return;
        }
        Slot & slot   = slots_[(size_t) choice.slot];
        slot.sequence = std::move(waiting_.front());
        waiting_.pop_front();
        slot.state   = SlotState::Prefill;
        slot.arrival = ++counter_;
        reuse_prefix(slot, slot.sequence->may_reuse_prefix() ? choice.n_shared : 0);
    }
}

// Keeps the first n_shared tokens of the slot's KV cache and drops the rest. A cache that cannot be cut there
// (recurrent state, a sliding window that has moved on) is dropped whole: slower, never wrong.
void Engine::reuse_prefix(Slot & slot, int32_t n_shared) {
    const llama_memory_t memory = llama_get_memory(context_.get());

    const int32_t n_window = llama_model_n_swa(model_->get());
    const bool    in_window =
        llama_memory_seq_pos_min(memory, slot.id) <= std::max(0, n_window > 0 ? n_shared - n_window : 0);
    if (n_shared > 0 && in_window && llama_memory_seq_rm(memory, slot.id, n_shared, -1)) {
        slot.tokens.resize((size_t) n_shared);
        slot.sequence->n_cached = n_shared;
        return;
    }
    forget(slot);
}

void Engine::forget(Slot & slot) {
    llama_memory_seq_rm(llama_get_memory(context_.get()), slot.id, -1, -1);
    slot.tokens.clear();
}

void Engine::report_progress() {
    int32_t n_ahead = 0;
    for (auto & sequence : waiting_) {
        if (sequence->n_queued != n_ahead) {
            sequence->n_queued = n_ahead;
            Event event;
            event.type     = EventType::Progress;
            event.seq      = sequence->seq();
            event.n_queued = n_ahead;
            event.n_prompt = (int32_t) sequence->prompt().size();
            events_.push_back(std::move(event));
        }
        n_ahead++;
    }
}

void Engine::fill_batch(const BatchPlan & plan) {
    batch_.n_tokens = 0;
    const auto add  = [&](llama_token token, int32_t position, llama_seq_id seq_id, bool wants_logits) {
        const int32_t i     = batch_.n_tokens++;
        batch_.token[i]     = token;
        batch_.pos[i]       = position;
        batch_.n_seq_id[i]  = 1;
        batch_.seq_id[i][0] = seq_id;
        batch_.logits[i]    = wants_logits ? 1 : 0;
    };

    for (const SlotShare & share : plan.shares) {
        Slot &        slot     = slots_[(size_t) share.slot];
        const int32_t position = (int32_t) slot.tokens.size();
        slot.i_logits          = -1;
        if (slot.state == SlotState::Decode) {
            slot.i_logits = batch_.n_tokens;
            add(slot.sequence->last_token(), position, slot.id, true);
            continue;
        }
        slot.sequence->mark_prefill_started();
        const std::vector<llama_token> & prompt = slot.sequence->prompt();
        for (int32_t k = 0; k < share.n_tokens; k++) {
            const bool is_last = position + k + 1 == (int32_t) prompt.size();
            if (is_last) {
                slot.i_logits = batch_.n_tokens;
            }
            add(prompt[(size_t) (position + k)], position + k, slot.id, is_last);
        }
    }
}

void Engine::decode(const BatchPlan & plan) {
    fill_batch(plan);

    const Clock::time_point start  = Clock::now();
    const int32_t           status = llama_decode(context_.get(), batch_);
    if (status != 0) {
        fail(plan, status == 1 ? ErrorCode::OutOfMemory : ErrorCode::EngineFailed,
             status == 1 ? "The KV cache is full."
                         : "The model failed to compute this step (status " + std::to_string(status) + ").");
        return;
    }
    llama_synchronize(context_.get());
    scheduler_.observe(plan, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    sample(plan);
}

void Engine::sample(const BatchPlan & plan) {
    for (const SlotShare & share : plan.shares) {
        Slot &     slot     = slots_[(size_t) share.slot];
        Sequence & sequence = *slot.sequence;

        if (slot.state == SlotState::Decode) {
            slot.tokens.push_back(sequence.last_token());
        } else {
            const auto begin = sequence.prompt().begin() + (std::ptrdiff_t) slot.tokens.size();
            slot.tokens.insert(slot.tokens.end(), begin, begin + share.n_tokens);
            if (slot.i_logits < 0) {
                Event event;
                event.type        = EventType::Progress;
                event.seq         = sequence.seq();
                event.n_prefilled = (int32_t) slot.tokens.size();
                event.n_prompt    = (int32_t) sequence.prompt().size();
                events_.push_back(std::move(event));
                continue;
            }
            sequence.mark_prefill_done();
            slot.state = SlotState::Decode;
        }

        try {
            sequence.sample(llama_get_logits_ith(context_.get(), slot.i_logits), events_);
            if (!sequence.finished() && (int32_t) slot.tokens.size() >= info_.n_ctx) {
                sequence.finish(FinishReason::Length, events_);
            }
        } catch (const std::exception & e) {
            const auto * refused = dynamic_cast<const RequestError *>(&e);
            sequence.fail(refused ? refused->code : ErrorCode::EngineFailed, e.what(), events_);
        }
        if (sequence.finished()) {
            slot.release(++counter_);
        }
    }
}

void Engine::fail(const BatchPlan & plan, ErrorCode code, const std::string & message) {
    for (const SlotShare & share : plan.shares) {
        Slot & slot = slots_[(size_t) share.slot];
        slot.sequence->fail(code, message, events_);
        slot.release(++counter_);
        forget(slot);
    }
}

void Engine::publish(int32_t n_batch_sequences) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (const Event & event : events_) {
            if (event.type == EventType::Done || event.type == EventType::Error) {
                controls_.erase(event.seq);
            }
        }
        stats_.n_running = (int32_t) std::count_if(slots_.begin(), slots_.end(),
                                                   [](const Slot & slot) { return slot.state != SlotState::Idle; });
        stats_.n_waiting = (int32_t) waiting_.size();
        if (n_batch_sequences > 0) {
            stats_.n_steps++;
            stats_.n_peak_batch_sequences = std::max(stats_.n_peak_batch_sequences, n_batch_sequences);
        }
    }
    if (!events_.empty()) {
        sink_(std::move(events_));
        events_ = {};
    }
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
            Event error;
            error.type = EventType::Error;
            error.seq  = submitted.request.seq;
            error.code = ErrorCode::ShuttingDown;
            error.text = "The model is being unloaded.";
            events_.push_back(std::move(error));
        }
        submitted_.clear();
    }
    publish(0);
}
