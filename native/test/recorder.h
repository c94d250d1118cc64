#pragma once

#include "check.h"
#include "engine.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

// Collects an engine's events and checks the event protocol of each sequence while they come in.
class Recorder {
  public:
    struct Stream {
        bool               accepted = false;
        bool               ended    = false;
        int32_t            n_tokens = 0;
        std::string        text;       // of token events
        std::string        content;    // of delta events
        Event              last;       // Done or Error
        int                order = 0;  // of its end among all
        std::vector<Event> tokens;
        std::vector<Event> progress;

        // of its prompt, in order: what is told of the second token on
        std::vector<std::vector<RankedToken>> prompt;
        std::map<int32_t, std::string>        names;  // bytes of the token ids in there
    };

    Engine::Sink sink() {
        return [this](std::vector<Event> && events) {
            const std::lock_guard<std::mutex> lock(mutex_);
            for (Event & event : events) {
                take(std::move(event));
            }
            changed_.notify_all();
        };
    }

    // Waits for the terminal event of a sequence.
    Stream wait(int64_t seq) {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return streams_[seq].ended; });
        return streams_[seq];
    }

    // Waits until a sequence has at least n token events.
    void wait_tokens(int64_t seq, int32_t n) {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return streams_[seq].n_tokens >= n || streams_[seq].ended; });
    }

    void wait_accepted(int64_t seq) {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return streams_[seq].accepted || streams_[seq].ended; });
    }

    // Waits until a sequence has at least n progress events, or tokens.
    void wait_progress(int64_t seq, size_t n) {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] {
            const Stream & stream = streams_[seq];
            return stream.progress.size() >= n || stream.n_tokens > 0 || stream.ended;
        });
    }

    Stream now(int64_t seq) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return streams_[seq];
    }

    // Waits until so many sequences have ended.
    void wait_ended(int n) {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return n_ended_ >= n; });
    }

    // Sequences that ended because of a cancel.
    int n_cancelled() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return (int) std::count_if(streams_.begin(), streams_.end(), [](const auto & entry) {
            const Event & last = entry.second.last;
            return entry.second.ended && last.type == EventType::Done && last.finish_reason == FinishReason::Cancelled;
        });
    }

    // How many sequences had ended when this one did; 0: it has not.
    int order(int64_t seq) { return now(seq).order; }

    std::vector<Event> tokens(int64_t seq) { return now(seq).tokens; }

  private:
    int                       n_ended_ = 0;
    std::mutex                mutex_;
    std::condition_variable   changed_;
    std::map<int64_t, Stream> streams_;

    static void take_prompt(const PromptPart & part, Stream & stream) {
        CHECK_EQUAL(part.first, (int32_t) stream.prompt.size() + 1);
        CHECK(part.token_ids.size() == part.logprobs.size() && part.token_ids.size() == part.ranks.size());
        size_t at = 0;
        for (size_t i = 0; i < part.named_ids.size(); i++) {
            const std::string bytes = part.bytes.substr(at, (size_t) part.n_bytes[i]);
            CHECK(stream.names.emplace(part.named_ids[i], bytes).second);
            at += (size_t) part.n_bytes[i];
        }
        CHECK_EQUAL(at, part.bytes.size());
        at = 0;
        for (const int32_t n : part.n_entries) {
            std::vector<RankedToken> & entries = stream.prompt.emplace_back();
            for (const size_t end = at + (size_t) n; at < end; at++) {
                CHECK_EQUAL(stream.names.count(part.token_ids[at]), 1u);
                entries.push_back({ part.token_ids[at], part.logprobs[at], part.ranks[at] });
            }
        }
        CHECK_EQUAL(at, part.token_ids.size());
    }

    void take(Event event) {
        Stream & stream = streams_[event.seq];
        CHECK(!stream.ended);
        switch (event.type) {
            case EventType::Accepted:
                CHECK(!stream.accepted);
                stream.accepted = true;
                break;
            case EventType::Progress:
                CHECK(stream.accepted && stream.n_tokens == 0);
                stream.progress.push_back(event);
                break;
            case EventType::PromptLogprobs:
                CHECK(stream.accepted && stream.n_tokens == 0);
                take_prompt(*event.prompt_part, stream);
                break;
            case EventType::Token:
                CHECK(stream.accepted);
                CHECK_EQUAL(event.index, stream.n_tokens);
                stream.n_tokens++;
                stream.text += event.text;
                stream.tokens.push_back(event);
                break;
            case EventType::Delta:
                CHECK(stream.n_tokens > 0);
                CHECK(!event.text.empty() || !event.reasoning.empty() || !event.tool_calls.empty());
                stream.content += event.text;
                break;
            case EventType::Done:
                CHECK_EQUAL(event.n_output, stream.n_tokens);
                if (!stream.accepted) {
                    CHECK(event.finish_reason == FinishReason::Cancelled);
                    stream.ended = true;
                    stream.order = ++n_ended_;
                    stream.last  = std::move(event);
                    break;
                }
                CHECK(event.n_prompt > 0 && event.n_cached >= 0 && event.n_cached < event.n_prompt);
                CHECK(event.timings.total_ms >= event.timings.ttft_ms);
                stream.ended = true;
                stream.order = ++n_ended_;
                stream.last  = std::move(event);
                break;
            case EventType::Error:
                CHECK(!event.text.empty());
                stream.ended = true;
                stream.order = ++n_ended_;
                stream.last  = std::move(event);
                break;
        }
    }
};
