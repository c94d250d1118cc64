#pragma once

#include "request.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct common_chat_parser_params;

// What a whole parse makes of an output.
struct ParsedOutput {
    enum class Status {
        Failed,   // does not look as the format wants
        Partial,  // the beginning of something
        Complete,
    };

    enum class Part { Content, Reasoning, Call };

    // The place where the output goes on, if that is a text or JSON that the format takes as it is.
    struct Leaf {
        enum class Kind { None, Content, Reasoning, Argument, ContentJson, ArgumentsJson };

        Kind   kind  = Kind::None;
        size_t start = 0;  // byte of the output
        size_t end   = 0;
    };

    Status                status = Status::Failed;
    std::string           content;
    std::string           reasoning;
    std::vector<ToolCall> calls;
    size_t                n_covered = 0;              // bytes of the output that the fields above stand for
    Part                  last      = Part::Content;  // to what the last of them belong
    Leaf                  leaf;
};

// A template's output format: llama.cpp's parser for it. Immutable; any thread.
class ChatOutput {
  public:
    explicit ChatOutput(const common_chat_parser_params & params);
    ~ChatOutput();

    // output: well-formed UTF-8. Recursive over nested JSON: the caller sees to it that there is little of that.
    ParsedOutput parse(std::string_view output) const noexcept;

    // Everything that may end a text of the format.
    const std::vector<std::string> & delimiters() const { return delimiters_; }

    // Bytes of the prompt that a parse goes through first.
    size_t n_prompt_bytes() const;

  private:
    struct Impl;
    std::unique_ptr<Impl>    impl_;
    std::vector<std::string> delimiters_;

    ParsedOutput parse_whole(std::string_view output) const;
};

// A text as the inside of a JSON string.
std::string json_escaped(std::string_view text);
