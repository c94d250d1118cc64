#pragma once

#include "chat_output.h"
#include "event.h"
#include "json_scanner.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Splits a model's output into answer, reasoning and tool calls while it streams. The result is that of one parse of
// the whole output by the parser that llama.cpp's common/chat derives from the template; output that does not parse
// becomes content, never an error, and nothing is lost or told twice.
//
// The work is linear in the output: within a text or JSON the output is followed by a scan for what could end it, and
// only there it is parsed again, from its beginning but without the inside of long texts. Parses are paid from a credit
// that grows with the output; while it is used up, what is new waits.
class ChatParser {
  public:
    struct Delta {
        std::string                content;
        std::string                reasoning;
        std::vector<ToolCallDelta> tool_calls;

        bool empty() const { return content.empty() && reasoning.empty() && tool_calls.empty(); }
    };

    explicit ChatParser(const common_chat_parser_params & params);

    // Takes the next piece of the output, well-formed UTF-8 in whole characters; is_final ends it. Returns what is new.
    Delta push(std::string_view text, bool is_final);

    // Calls whose arguments are a whole JSON object.
    int32_t n_complete_calls() const;

    // Bytes that went through whole parses.
    uint64_t n_bytes_parsed() const { return n_bytes_parsed_; }

  private:
    using Leaf = ParsedOutput::Leaf;

    ChatOutput            output_;
    std::string           text_;     // the output, without the inside of long texts
    std::string           content_;  // what has been told, as a parse of text_ gives it
    std::string           reasoning_;
    std::vector<ToolCall> calls_;
    size_t                n_covered_      = 0;      // bytes of text_ that have been told, or were marks
    bool                  is_plain_       = false;  // the output left the format: the rest is content
    ParsedOutput::Part    last_           = ParsedOutput::Part::Content;
    size_t                n_last_parsed_  = 0;  // bytes of text_ in the last parse
    size_t                n_failed_since_ = 0;  // length of text_ at the first of the parses that failed in a row
    size_t                n_open_         = 0;  // brackets that may be open
    int64_t               credit_;
    uint64_t              n_bytes_parsed_ = 0;

    // where the output goes on without a parse; text_ from n_scanned_ on has not been looked at
    Leaf        leaf_;
    size_t      n_scanned_ = 0;
    JsonScanner json_;

    void   append(std::string_view text, Delta & delta);
    void   parse(bool is_final, Delta & delta);
    void   take(const ParsedOutput & parsed, Delta & delta);
    void   take_calls(const std::vector<ToolCall> & calls, Delta & delta);
    void   follow(const ParsedOutput & parsed);
    bool   scan_text(Delta & delta);
    bool   scan_json(Delta & delta);
    void   tell_leaf(size_t end, Delta & delta);
    void   shorten_leaf();
    void   tell_rest(const ParsedOutput & parsed, Delta & delta);
    void   leave_format(Delta & delta);
    void   count_brackets(std::string_view text);
    size_t n_settled() const;
    size_t find_delimiter(size_t from) const;
};
