#include "sequence.h"

#include "scheduler.h"

#include <algorithm>
#include <utility>

static double milliseconds(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
}

static std::vector<std::string> join(std::vector<std::string> a, const std::vector<std::string> & b) {
    for (const std::string & text : b) {
        if (!text.empty()) {
            a.push_back(text);
        }
    }
    return a;
}

static std::unique_ptr<TokenGrammar> make_grammar(const Model & model, const PreparedPrompt & prompt) {
    return prompt.grammar.gbnf.empty()
               ? nullptr
               : std::make_unique<TokenGrammar>(llama_model_get_vocab(model.get()), prompt.grammar, prompt.preserved);
}

Sequence::Sequence(const Model & model, Request request, PreparedPrompt prompt,
                   std::shared_ptr<SequenceControl> control, Clock::time_point submitted)
    : model_(model), request_(std::move(request)), prompt_(std::move(prompt)), control_(std::move(control)),
      sampler_(model.get(), request_.sampling, make_grammar(model, prompt_)),
      stop_matcher_(join(request_.stop, prompt_.stops)),
      deadline_(::deadline(request_.priority, milliseconds({}, submitted))), submitted_(submitted) {
    n_prompt_ = (int32_t) prompt_.tokens.size();
    if (!prompt_.images.empty()) {
        ImagePlaces places;
        for (const PromptImage & image : prompt_.images) {
            places.push_back({ image.first, image.chunk->n_tokens, image.chunk->n_pos });
        }
        places_ = std::make_shared<const ImagePlaces>(std::move(places));
    }
    if (request_.n_prompt_logprobs) {
        prompt_logprobs_.emplace(n_prompt_, *request_.n_prompt_logprobs, model.info().n_vocab);
    }
}

void Sequence::show_prompt(Event & accepted) {
    if (!request_.shows_prompt) {
        return;
    }
    accepted.text          = std::exchange(prompt_.text, {});
    accepted.prompt_tokens = prompt_.tokens;
    // what stands for an image means nothing outside
    std::replace_if(
        accepted.prompt_tokens.begin(), accepted.prompt_tokens.end(), [](int32_t id) { return id < 0; },
        LLAMA_TOKEN_NULL);
}

ImageChunk * Sequence::image_at(int32_t token) const {
    const auto found = std::find_if(prompt_.images.begin(), prompt_.images.end(),
                                    [&](const PromptImage & image) { return image.first == token; });
    return found == prompt_.images.end() ? nullptr : found->chunk.get();
}

int32_t Sequence::next_image_from(int32_t token) const {
    const auto found = std::find_if(prompt_.images.begin(), prompt_.images.end(),
                                    [&](const PromptImage & image) { return image.first >= token; });
    return found == prompt_.images.end() ? INT32_MAX : found->first;
}

int32_t Sequence::outside_images(int32_t n_tokens) const {
    for (const PromptImage & image : prompt_.images) {
        if (image.first < n_tokens && n_tokens < image.first + image.chunk->n_tokens) {
            return image.first;
        }
    }
    return n_tokens;
}

void Sequence::mark_prefill_started() {
    if (prefill_started_ == Clock::time_point()) {
        prefill_started_ = Clock::now();
    }
}

void Sequence::mark_prefill_done() {
    if (prefill_done_ == Clock::time_point()) {
        prefill_done_ = Clock::now();
    }
}

void Sequence::interrupt(const std::vector<llama_token> & computed) {
    prompt_.tokens = computed;
    prompt_.tokens.push_back(last_token_);
    fork_point_.reset();
}

void Sequence::tell_prompt(const std::vector<std::vector<RankedToken>> & ranked, std::vector<Event> & out) {
    Event event       = make_event(EventType::PromptLogprobs);
    event.prompt_part = prompt_logprobs_->tell(ranked, [&](llama_token token) { return model_.piece(token, true); });
    out.push_back(std::move(event));
}

int32_t Sequence::n_remaining() const {
    return request_.n_max_tokens > 0 ? request_.n_max_tokens - n_output_ : INT32_MAX;
}

Event Sequence::make_event(EventType type) const {
    Event event;
    event.type     = type;
    event.seq      = request_.seq;
    event.n_prompt = n_prompt_;
    return event;
}

// The text is over, and this is no part of it.
bool Sequence::is_end(llama_token token) const {
    return token == LLAMA_TOKEN_NULL || (!request_.ignore_eog && model_.is_eog(token));
}

// The text is over behind this token.
bool Sequence::is_stop_token(llama_token token) const {
    const std::vector<int32_t> & ids = request_.stop_token_ids;
    return std::find(ids.begin(), ids.end(), token) != ids.end();
}

void Sequence::draw(const std::vector<const float *> & rows, const std::vector<llama_token> & draft) noexcept {
    n_drafted_ += (int32_t) draft.size();
    if (prompt_logprobs_ && prompt_logprobs_->is_broken()) {
        draw_error_ = RequestError(ErrorCode::EngineFailed, "The model computed no numbers for a token of the prompt.");
        return;
    }
    try {
        for (size_t i = 0; i < rows.size(); i++) {
            Sampler::Draw draw       = sampler_.sample(rows[i]);
            const bool    is_guessed = i < draft.size() && draw.token == draft[i];
            const bool    goes_on    = is_guessed && !is_end(draw.token) && !is_stop_token(draw.token);
            drawn_.push_back({ std::move(draw), is_guessed });
            if (!goes_on) {
                return;
            }
        }
    } catch (const RequestError & e) {
        draw_error_ = e;
    } catch (const std::exception & e) {
        draw_error_ = RequestError(ErrorCode::EngineFailed, e.what());
    }
}

void Sequence::take(std::vector<Event> & out) {
    if (drawn_.empty()) {
        fail(draw_error_ ? draw_error_->code : ErrorCode::EngineFailed,
             draw_error_ ? draw_error_->what() : "No token was drawn.", out);
        return;
    }
    const Sampler::Draw draw  = std::move(drawn_.front().draw);
    const llama_token   token = draw.token;
    n_accepted_ += drawn_.front().is_guessed ? 1 : 0;
    drawn_.pop_front();
    last_token_ = token;
    if (n_output_ == 0) {
        first_token_ = Clock::now();
    }
    if (is_end(token)) {
        finish(FinishReason::Eog, out);
        return;
    }
    release_held(out);

    Event event    = make_event(EventType::Token);
    event.index    = n_output_++;
    event.token_id = token;
    for (const auto & [id, logprob] : draw.logprobs) {
        event.logprobs.push_back({ id, logprob, model_.piece(id, true) });
    }
    if (is_stop_token(token)) {
        held_token_ = std::move(event);
        finish(FinishReason::StopToken, out);
        return;
    }
    event.text = stop_matcher_.push(utf8_.push(model_.piece(token, prompt_.preserved.count(token) > 0)));

    if (stop_matcher_.matched()) {
        emit_token(std::move(event), out);
        emit_done(FinishReason::StopString, out);
        return;
    }
    // the text of this token is complete only when nothing is held back, or when the stream ends with it
    held_token_ = std::move(event);
    if (request_.n_max_tokens > 0 && n_output_ >= request_.n_max_tokens) {
        finish(FinishReason::Length, out);
    } else if (!utf8_.holds_back() && !stop_matcher_.holds_back()) {
        release_held(out);
    }
}

void Sequence::release_held(std::vector<Event> & out) {
    if (held_token_) {
        Event event = std::move(*held_token_);
        held_token_.reset();
        emit_token(std::move(event), out);
    }
}

void Sequence::emit_token(Event event, std::vector<Event> & out) {
    const std::string text = event.text;
    out.push_back(std::move(event));
    if (!prompt_.is_chat || text.empty()) {
        return;
    }
    if (prompt_.parser) {
        emit_delta(prompt_.parser->push(text, false), out);
    } else {
        emit_delta({ text, {}, {} }, out);
    }
}

void Sequence::emit_delta(ChatParser::Delta parsed, std::vector<Event> & out) {
    if (parsed.empty()) {
        return;
    }
    Event delta      = make_event(EventType::Delta);
    delta.text       = std::move(parsed.content);
    delta.reasoning  = std::move(parsed.reasoning);
    delta.tool_calls = std::move(parsed.tool_calls);
    out.push_back(std::move(delta));
}

void Sequence::finish(FinishReason reason, std::vector<Event> & out) {
    if (held_token_) {
        held_token_->text += stop_matcher_.push(utf8_.flush());
        if (stop_matcher_.matched()) {
            reason = FinishReason::StopString;
        } else {
            held_token_->text += stop_matcher_.flush();
        }
        release_held(out);
    }
    emit_done(reason, out);
}

std::string Sequence::own_stop_string() const {
    const int match = stop_matcher_.match();
    // the template's stops follow the request's
    return match >= 0 && match < (int) request_.stop.size() ? request_.stop[(size_t) match] : std::string();
}

void Sequence::emit_done(FinishReason reason, std::vector<Event> & out) {
    if (prompt_.parser) {
        emit_delta(prompt_.parser->push("", true), out);
        if (reason == FinishReason::Eog && prompt_.parser->n_complete_calls() > 0) {
            reason = FinishReason::ToolCalls;
        }
    }

    const Clock::time_point now   = Clock::now();
    const Clock::time_point unset = {};

    Event done            = make_event(EventType::Done);
    done.finish_reason    = reason;
    done.stop_string      = reason == FinishReason::StopString ? own_stop_string() : std::string();
    done.n_cached         = n_cached_;
    done.n_output         = n_output_;
    done.timings.queue_ms = milliseconds(submitted_, prefill_started_ == unset ? now : prefill_started_);
    done.timings.prefill_ms =
        prefill_started_ == unset ? 0.0 : milliseconds(prefill_started_, prefill_done_ == unset ? now : prefill_done_);
    done.timings.ttft_ms  = first_token_ == unset ? 0.0 : milliseconds(submitted_, first_token_);
    done.timings.total_ms = milliseconds(submitted_, now);

    done.timings.n_drafted  = n_drafted_;
    done.timings.n_accepted = n_accepted_;
    if (n_output_ > 1) {
        const double ms           = milliseconds(first_token_, now);
        done.timings.tokens_per_s = ms > 0.0 ? (n_output_ - 1) * 1000.0 / ms : 0.0;
    }
    out.push_back(std::move(done));
    finished_ = true;
}

void Sequence::fail(ErrorCode code, const std::string & message, std::vector<Event> & out) {
    release_held(out);
    Event error = make_event(EventType::Error);
    error.code  = code;
    error.text  = message;
    out.push_back(std::move(error));
    finished_ = true;
}
