#pragma once

#include "event.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct common_chat_parser_params;

// Splits a model's output into the answer and its reasoning while it streams, with the parser that llama.cpp's
// common/chat derives from the template. Output that does not parse becomes plain content, never an error.
class ChatParser {
  public:
    struct Delta {
        std::string                content;
        std::string                reasoning;
        std::vector<ToolCallDelta> tool_calls;

        bool empty() const { return content.empty() && reasoning.empty() && tool_calls.empty(); }
    };

    explicit ChatParser(const common_chat_parser_params & params);
    ~ChatParser();

    // Takes the next piece of text; is_final ends the stream. Returns what is new.
    Delta push(std::string_view text, bool is_final);

  private:
    struct State;
    std::unique_ptr<State> state_;
};
