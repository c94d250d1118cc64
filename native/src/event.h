#pragma once

#include "request.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// What the engine tells about a sequence. Order: Accepted or Error (or Done, when it was cancelled before); Progress
// any number of times, and among them PromptLogprobs where asked for; then for each sampled token that is not
// end-of-generation one Token, index from 0 without gaps, also when its text is empty, followed by the Delta it gives
// for a chat; then exactly one Done or Error, and nothing after it.

enum class FinishReason { Eog, StopString, StopToken, Length, ToolCalls, Cancelled };

// Milliseconds on one monotonic clock, but for the counts.
struct Timings {
    double queue_ms     = 0.0;  // submitted until its first prefill batch
    double prefill_ms   = 0.0;  // first prefill batch until the prompt is in the KV cache
    double ttft_ms      = 0.0;  // submitted until the first sampled token; 0 = none
    double total_ms     = 0.0;  // submitted until the end
    double tokens_per_s = 0.0;  // over the time after the first token; 0 with fewer than two

    // speculation: tokens that were guessed and checked, and how many of them the sequence has written
    int32_t n_drafted  = 0;
    int32_t n_accepted = 0;
};

// Natural logarithm of a token's probability under the model, before any sampling parameter.
struct TokenLogprob {
    int32_t     token_id = 0;
    float       logprob  = 0.0f;
    std::string bytes;  // not necessarily whole characters
};

// Log probabilities of some tokens of a prompt, in order. Each has its entries one behind the other: the token itself,
// then the most likely ones without it, most likely first.
struct PromptPart {
    int32_t              first = 0;  // index of the first of these tokens in the prompt, >= 1
    std::vector<int32_t> n_entries;  // of each token

    // of all entries
    std::vector<int32_t> token_ids;
    std::vector<float>   logprobs;
    std::vector<int32_t> ranks;  // 1: the most likely one of the whole vocabulary

    // the bytes of token ids that come here for the first time in this request
    std::vector<int32_t> named_ids;
    std::vector<int32_t> n_bytes;  // of each of these
    std::string          bytes;    // one behind the other; not necessarily whole characters
};

// A piece of a tool call; id and name only in the call's first one.
struct ToolCallDelta {
    int32_t     index = 0;  // of the call within the answer, from 0 without gaps
    std::string id;
    std::string name;
    std::string arguments;  // JSON text; whole only with the last piece
};

enum class EventType { Accepted, Progress, PromptLogprobs, Token, Delta, Done, Error };

// A flat record: which fields mean something depends on the type.
struct Event {
    EventType type = EventType::Token;
    int64_t   seq  = 0;

    int32_t     index    = 0;  // Token
    int32_t     token_id = 0;  // Token
    std::string text;          // Token: text; Delta: content; Error: message; Accepted: as prompt_tokens
    std::string reasoning;     // Delta

    std::vector<ToolCallDelta> tool_calls;  // Delta

    std::shared_ptr<const PromptPart> prompt_part;  // PromptLogprobs

    std::vector<TokenLogprob> logprobs;  // Token, where asked for: the token itself, then the most likely ones

    std::vector<int32_t> prompt_tokens;  // Accepted, where asked for: made of text, which is empty for token ids

    int32_t n_queued    = 0;  // Progress: requests ahead
    int32_t n_prefilled = 0;  // Progress: prompt tokens in the KV cache
    int32_t n_prompt    = 0;  // Accepted, Progress, Done
    int32_t n_cached    = 0;  // Done: prompt tokens that were not computed
    int32_t n_output    = 0;  // Done: Token events of this sequence

    FinishReason finish_reason = FinishReason::Eog;  // Done
    std::string  stop_string;                        // Done: which of the request's own was met; empty = none
    Timings      timings;                            // Done
    ErrorCode    code  = ErrorCode::EngineFailed;    // Error
    int32_t      input = -1;                         // Error: as RequestError
};
