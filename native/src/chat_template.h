#pragma once

#include "chat_parser.h"
#include "request.h"
#include "token_grammar.h"

#include <memory>
#include <string>
#include <vector>

struct llama_model;

struct RenderedChat {
    std::string                 prompt;
    std::vector<std::string>    stops;      // the template's own end markers
    std::vector<std::string>    preserved;  // control tokens whose text the parser needs to see
    std::unique_ptr<ChatParser> parser;     // none: all text is content
    GrammarSpec                 grammar;    // of the answer
};

// The model's own Jinja template (ChatML where the file has none). Immutable after construction; any thread.
class ChatTemplate {
  public:
    // source: a template to use instead of the model's own; '' takes that. Throws std::exception where it does not
    // compile.
    explicit ChatTemplate(const llama_model * model, const std::string & source = "");
    ~ChatTemplate();

    // Images are written as their parts' text. A template that does not know the role developer gets system in its
    // place, and one that does not read content parts their texts joined with line feeds. Tools that it does not know
    // are left out, unless a call is required. Throws RequestError: TemplateFailed with the template's own words where
    // it refuses the messages; InvalidPrompt, InvalidGrammar where tools, schema or grammar are wrong.
    RenderedChat render(const ChatInput & input, const Constraint & constraint = {}) const;

    bool is_own() const { return is_own_; }
    bool supports_thinking() const { return supports_thinking_; }
    bool supports_tools() const { return supports_tools_; }

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
    bool                  is_own_            = false;
    bool                  supports_thinking_ = false;
    bool                  supports_tools_    = false;

    RenderedChat apply(const ChatInput & input, const Constraint & constraint) const;
};
