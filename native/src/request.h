#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// What a caller asks for. Plain values, filled at the addon's door; nothing of JavaScript or HTTP reaches further in.

struct ToolCall {
    std::string id;  // may be empty
    std::string name;
    std::string arguments;  // JSON text
};

// An image's file.
using ImageBytes = std::vector<uint8_t>;

struct ContentPart {
    ContentPart(std::string part) : text(std::move(part)) {}
    ContentPart(const char * part) : text(part) {}
    ContentPart(std::shared_ptr<const ImageBytes> file) : image(std::move(file)) {}

    std::string                       text;   // of an image: what stands for it in the rendered chat
    std::shared_ptr<const ImageBytes> image;  // none: a text
};

struct ChatMessage {
    std::string              role;  // system, developer, user, assistant or tool
    std::string              content;
    std::string              reasoning_content = {};
    std::vector<ContentPart> content_parts     = {};  // in place of content
    std::vector<ToolCall>    tool_calls        = {};  // assistant
    std::string              tool_call_id      = {};  // tool: the call that it answers
    std::string              tool_name         = {};  // tool
};

struct Tool {
    std::string name;
    std::string description;
    std::string parameters;         // JSON Schema as JSON text
    bool        is_strict = false;  // refuse a schema that cannot be enforced as a whole
};

enum class ToolChoice {
    Auto,
    None,      // no call is parsed
    Required,  // a call from the first token on
};

struct ChatInput {
    std::vector<ChatMessage>           messages;
    bool                               enable_thinking        = true;
    bool                               continue_final_message = false;  // the last message is the answer's beginning
    std::vector<Tool>                  tools                  = {};
    ToolChoice                         tool_choice            = ToolChoice::Auto;
    std::string                        required_tool          = {};    // Required: this one only; empty: any
    bool                               parallel_tool_calls    = true;  // false: at most one call
    std::map<std::string, std::string> template_kwargs        = {};    // JSON texts
};

enum class ConstraintKind { None, JsonSchema, JsonObject, Gbnf };

// What an answer must look like.
struct Constraint {
    ConstraintKind kind = ConstraintKind::None;
    std::string    text;  // JsonSchema: JSON text; Gbnf: llama.cpp's notation with the start symbol root
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

    float                  presence_penalty  = 0.0f;  // -2..2, 0 = disabled
    float                  frequency_penalty = 0.0f;  // -2..2, 0 = disabled
    float                  repeat_penalty    = 1.0f;  // > 0, 1 = disabled
    std::optional<int32_t> n_penalized;               // the latest tokens of the answer that these look at; none: all

    std::optional<uint32_t>                seed;        // none = random
    std::vector<std::pair<int32_t, float>> logit_bias;  // token id, -100..100

    int32_t n_logprobs = -1;  // -1: none; 0..20: the token's own, and that many of the most likely ones
};

enum class Priority {
    Interactive,  // a person waits for it
    Normal,
    Background,
};

// Where guesses for the next tokens come from. The model checks them several at once and keeps those it would have
// written itself; what it writes does not depend on them.
enum class Speculation {
    Off,
    Ngram,  // from what the prompt and the answer have said before
    Draft,  // from the draft model
};

struct Request {
    int64_t                  seq = 0;
    PromptInput              prompt;
    SamplingParams           sampling;
    Constraint               constraint;
    int32_t                  n_max_tokens = -1;   // >= 1, or -1: until the model ends or the context is full
    std::vector<std::string> stop;                // none empty
    std::vector<int32_t>     stop_token_ids;      // each ends the text, is a token of it and has no text of its own
    bool                     ignore_eog = false;  // an end-of-generation token is a token like any other
    Priority                 priority   = Priority::Normal;
    std::vector<int64_t>     forks;                 // sequences of further choices: same prompt, next seeds
    bool                     shows_prompt = false;  // Accepted of the first choice has the prompt's text and tokens

    // none: nothing is told of the prompt; else its tokens' own log probabilities, and those of so many of the most
    // likely ones, >= 0 (all, where the vocabulary has no more). Told with the first choice.
    std::optional<int32_t> n_prompt_logprobs;

    // none: as the model was loaded. A request with a seed never guesses, see docs/decisions.
    std::optional<Speculation> speculation;
};

enum class ErrorCode {
    ContextLengthExceeded,
    InvalidPrompt,
    InvalidImage,  // it cannot be read; the input is its index among the prompt's
    NoVision,      // the model does not see
    InvalidLogitBias,
    TooManyPromptLogprobs,  // or any beside images
    NoDraftModel,
    TemplateFailed,
    InvalidTool,        // name or schema; the input is its index
    InvalidToolChoice,  // a call that cannot be required
    InvalidGrammar,
    QueueFull,
    OutOfMemory,
    EngineFailed,
    ShuttingDown,
    Cancelled,      // embeddings and rerank; a sequence ends with FinishReason::Cancelled instead
    NotGenerative,  // the model makes embeddings or scores
    NotEmbedding,
    NotRerank,
};

// A request that cannot run; what() is a sentence for people.
struct RequestError : std::runtime_error {
    RequestError(ErrorCode error_code, const std::string & message, int32_t at_input = -1)
        : std::runtime_error(message), code(error_code), input(at_input) {}

    ErrorCode code;
    int32_t   input;  // index of the input at fault, where the request has several; -1: none in particular
};
