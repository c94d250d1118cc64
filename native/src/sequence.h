#pragma once

#include "checkpoints.h"
#include "event.h"
#include "model.h"
#include "prompt_logprobs.h"
#include "sampler.h"
#include "stop_matcher.h"
#include "utf8.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using Clock = std::chrono::steady_clock;

// What other threads may change about a running request.
struct SequenceControl {
    std::atomic<bool> cancelled{ false };
    std::atomic<bool> paused{ false };
};

// Where further choices of one request (n > 1) start: the first choice's state and logits once its prompt is computed.
// Decode thread only.
struct ForkPoint {
    bool                 is_settled = false;  // computed, or will never be
    std::vector<uint8_t> state;
    Checkpoints          checkpoints;
    std::vector<float>   logits;  // n_vocab; empty where there is nothing to start from
};

// One request from acceptance to its terminal event: its prompt, sampler and the way from sampled tokens to events.
// Owned by the decode thread once accepted.
class Sequence {
  public:
    // control is shared with the engine's callers; submitted is when the request came in. Throws
    // RequestError(InvalidGrammar).
    Sequence(const Model & model, Request request, PreparedPrompt prompt, std::shared_ptr<SequenceControl> control,
             Clock::time_point submitted);

    // Draws from one row of logits after the other while the drawn token is the guessed one and does not end the text.
    // rows: one for the last token and one for each token of the draft, which was decoded behind it; row i follows
    // draft[i - 1]. Each token comes from the model's own distribution, whatever was guessed. Sequences may draw at the
    // same time, each on one thread. Never throws: what went wrong is told by take().
    void draw(const std::vector<const float *> & rows, const std::vector<llama_token> & draft) noexcept;

    // Appends the events of the oldest drawn token to out, or what went wrong where there is none. Once finished()
    // nothing more may be drawn or taken.
    void take(std::vector<Event> & out);

    // There is something to take.
    bool has_drawn() const { return !drawn_.empty() || draw_error_.has_value(); }

    // Ends the sequence early: Length (context full) or Cancelled.
    void finish(FinishReason reason, std::vector<Event> & out);

    // Ends it with an error instead.
    void fail(ErrorCode code, const std::string & message, std::vector<Event> & out);

    // Puts text and tokens of the prompt into the event of its acceptance, where the request asks for them. Once.
    void show_prompt(Event & accepted);

    // Timing marks, set by the engine.
    void mark_prefill_started();
    void mark_prefill_done();

    bool finished() const { return finished_; }
    bool cancelled() const { return control_->cancelled.load(std::memory_order_relaxed); }
    bool paused() const { return control_->paused.load(std::memory_order_relaxed); }

    // A request with a seed is computed cold, so that the same seed gives the same text. So is one that asks about its
    // prompt: what is in the KV cache already gives no logits, and each row of them is needed.
    bool may_reuse_prefix() const { return !request_.sampling.seed && !asks_about_prompt(); }

    // Something about its prompt is still to be told.
    bool asks_about_prompt() const { return prompt_logprobs_ && !prompt_logprobs_->is_complete(); }
    // Only where it asks.
    PromptLogprobs &       prompt_logprobs() { return *prompt_logprobs_; }
    const PromptLogprobs & prompt_logprobs() const { return *prompt_logprobs_; }

    // Tells what rank_tokens gave for the next tokens of the prompt.
    void tell_prompt(const std::vector<std::vector<RankedToken>> & ranked, std::vector<Event> & out);

    // Where its guesses come from: the request's, once the engine has filled in what it left open.
    Speculation speculation() const { return request_.speculation.value_or(Speculation::Off); }

    // Tokens that max_tokens still allows; INT32_MAX where it is not bounded.
    int32_t n_remaining() const;

    // Guesses that were taken since the beginning.
    int32_t n_accepted() const { return n_accepted_; }

    // This is a first choice, and others start from it.
    void set_own_fork_point(std::shared_ptr<ForkPoint> point) { own_fork_point_ = std::move(point); }
    // This is a further choice, and starts from there.
    void set_fork_point(std::shared_ptr<ForkPoint> point) { fork_point_ = std::move(point); }

    const std::shared_ptr<ForkPoint> & own_fork_point() const { return own_fork_point_; }
    const std::shared_ptr<ForkPoint> & fork_point() const { return fork_point_; }

    // See scheduler.h.
    double   deadline() const { return deadline_; }
    Priority priority() const { return request_.priority; }

    // It had to give up its place in the KV cache, which held these tokens: they are its prompt now, with the one drawn
    // last, and it goes on where it was. It tells nothing again that it has told.
    void interrupt(const std::vector<llama_token> & computed);

    // Tokens have been told: it is past the prompt it came with.
    bool    has_output() const { return n_output_ > 0; }
    int32_t n_output() const { return n_output_; }  // tokens of the answer so far

    // Prompt tokens taken from the KV cache; of the prompt it came with.
    void set_cached(int32_t n_cached) { n_cached_ = has_output() ? n_cached_ : n_cached; }

    // Tokens of the prompt it came with.
    int32_t n_prompt() const { return n_prompt_; }

    // Where the prompt's images are; none: there are none.
    const std::shared_ptr<const ImagePlaces> & places() const { return places_; }

    const std::vector<PromptImage> & images() const { return prompt_.images; }

    // The image that begins at this token of the prompt; nullptr: none does.
    ImageChunk * image_at(int32_t token) const;

    // The token at which the next image begins, at or behind this one; INT32_MAX: there is none.
    int32_t next_image_from(int32_t token) const;

    // The nearest length of the prompt, not above this one, that does not end within an image.
    int32_t outside_images(int32_t n_tokens) const;

    const std::shared_ptr<SequenceControl> & control() const { return control_; }

    int64_t                          seq() const { return request_.seq; }
    const std::vector<llama_token> & prompt() const { return prompt_.tokens; }
    llama_token                      last_token() const { return last_token_; }

    int32_t n_queued = -1;  // requests ahead as last told; -1: never told

  private:
    struct Drawn {
        Sampler::Draw draw;
        bool          is_guessed = false;
    };

    const Model &                    model_;
    Request                          request_;
    PreparedPrompt                   prompt_;
    std::shared_ptr<SequenceControl> control_;

    std::shared_ptr<const ImagePlaces> places_;

    Sampler                     sampler_;
    Utf8Assembler               utf8_;
    StopMatcher                 stop_matcher_;
    std::deque<Drawn>           drawn_;       // not taken yet, oldest first
    std::optional<RequestError> draw_error_;  // why nothing more could be drawn
    std::optional<Event> held_token_;  // its text may still grow: the stream ended, or held-back text was ruled out
    llama_token          last_token_ = LLAMA_TOKEN_NULL;
    int32_t              n_prompt_   = 0;
    int32_t              n_cached_   = 0;
    int32_t              n_output_   = 0;
    int32_t              n_drafted_  = 0;
    int32_t              n_accepted_ = 0;
    bool                 finished_   = false;
    std::optional<PromptLogprobs> prompt_logprobs_;  // none where nothing is to be told of the prompt
    std::shared_ptr<ForkPoint>    own_fork_point_;
    std::shared_ptr<ForkPoint>    fork_point_;
    double                        deadline_ = 0.0;

    Clock::time_point submitted_;
    Clock::time_point prefill_started_;
    Clock::time_point prefill_done_;
    Clock::time_point first_token_;

    bool  is_end(llama_token token) const;
    bool  is_stop_token(llama_token token) const;
    void  emit_token(Event event, std::vector<Event> & out);
    void  emit_delta(ChatParser::Delta parsed, std::vector<Event> & out);
    void  release_held(std::vector<Event> & out);
    void  emit_done(FinishReason reason, std::vector<Event> & out);
    Event make_event(EventType type) const;

    // Which of the request's stop strings was met; empty where it was one of the template's, or none.
    std::string own_stop_string() const;
};
