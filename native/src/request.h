#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// What a caller asks for. Plain values, filled at the addon's door; nothing of JavaScript or HTTP reaches further in.

struct ChatMessage {
    std::string role;  // system, user, assistant or tool
    std::string content;
    std::string reasoning_content;
};

struct ChatInput {
    std::vector<ChatMessage> messages;
    bool                     enable_thinking        = true;
    bool                     continue_final_message = false;  // the last message is the beginning of the answer
};

enum class PromptKind { Chat, Text, Tokens };

struct PromptInput {
    PromptKind           kind = PromptKind::Text;
    ChatInput            chat;
    std::string          text;
    std::vector<int32_t> tokens;
};

struct SamplingParams {
    // none: what the model's file recommends, else the fallback
    std::optional<float>   temperature;  // 0..2, 0 = greedy; 0.8
    std::optional<float>   top_p;        // 0..1, 1 = disabled; 0.95
    std::optional<int32_t> top_k;        // 0 = disabled; 40
    std::optional<float>   min_p;        // 0..1, 0 = disabled; 0.05

    float presence_penalty  = 0.0f;  // -2..2, 0 = disabled
    float frequency_penalty = 0.0f;  // -2..2, 0 = disabled
    float repeat_penalty    = 1.0f;  // > 0, 1 = disabled

    std::optional<uint32_t>                seed;        // none = random
    std::vector<std::pair<int32_t, float>> logit_bias;  // token id, -100..100

    int32_t n_logprobs = -1;  // -1: none; 0..20: the token's own, and that many of the most likely ones
};

enum class Priority {
    Interactive,  // a person waits for it
    Normal,
    Background,
};

struct Request {
    int64_t                  seq = 0;
    PromptInput              prompt;
    SamplingParams           sampling;
    int32_t                  n_max_tokens = -1;  // >= 1, or -1: until the model ends or the context is full
    std::vector<std::string> stop;               // none empty
    Priority                 priority = Priority::Normal;
    std::vector<int64_t>     forks;  // sequences of further choices: same prompt, next seeds
};

enum class ErrorCode {
    ContextLengthExceeded,
    InvalidPrompt,
    InvalidLogitBias,
    TemplateFailed,
    QueueFull,
    OutOfMemory,
    EngineFailed,
    ShuttingDown,
};

// A request that cannot run; what() is a sentence for people.
struct RequestError : std::runtime_error {
    RequestError(ErrorCode error_code, const std::string & message) : std::runtime_error(message), code(error_code) {}

    ErrorCode code;
};
