#pragma once

#include "chat_parser.h"
#include "request.h"

#include <memory>
#include <string>
#include <vector>

struct llama_model;

struct RenderedChat {
    std::string                 prompt;
    std::vector<std::string>    stops;      // the template's own end markers
    std::vector<std::string>    preserved;  // control tokens whose text the parser needs to see
    std::unique_ptr<ChatParser> parser;     // none: all text is content
};

// The model's own Jinja template (ChatML where the file has none). Immutable after construction; any thread.
class ChatTemplate {
  public:
    // source: a template to use instead of the model's own; '' takes that. Throws std::exception where it does not
    // compile.
    explicit ChatTemplate(const llama_model * model, const std::string & source = "");
    ~ChatTemplate();

    // Throws RequestError(TemplateFailed) with the template's own words where it refuses the messages.
    RenderedChat render(const ChatInput & input) const;

    bool is_own() const { return is_own_; }
    bool supports_thinking() const { return supports_thinking_; }

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
    bool                  is_own_            = false;
    bool                  supports_thinking_ = false;
};
