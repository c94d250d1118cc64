#include "chat_template.h"

#include "chat.h"  // llama.cpp common
#include "json_schema.h"
#include "llama.h"
#include "tool_check.h"
#include "tool_grammar.h"

#include <algorithm>

struct ChatTemplate::Impl {
    common_chat_templates_ptr templates;
};

ChatTemplate::ChatTemplate(const llama_model * model, const std::string & source) : impl_(std::make_unique<Impl>()) {
    impl_->templates = common_chat_templates_init(model, source);
    is_own_          = common_chat_templates_was_explicit(impl_->templates.get());
    try {
        supports_thinking_ = common_chat_templates_support_enable_thinking(impl_->templates.get());
    } catch (const std::exception &) {
        // the probe is a conversation that this template refuses; it then has no switch to look for
        supports_thinking_ = false;
    }
    supports_tools_ = common_chat_templates_get_caps(impl_->templates.get())["supports_tools"];
}

ChatTemplate::~ChatTemplate() = default;

static std::vector<common_chat_msg> to_common(const std::vector<ChatMessage> & messages) {
    std::vector<common_chat_msg> out;
    out.reserve(messages.size());
    for (const ChatMessage & message : messages) {
        common_chat_msg msg;
        msg.role              = message.role;
        msg.content           = message.content;
        msg.reasoning_content = message.reasoning_content;
        msg.tool_call_id      = message.tool_call_id;
        msg.tool_name         = message.tool_name;
        for (const ContentPart & part : message.content_parts) {
            msg.content_parts.push_back({ part.image ? "media_marker" : "text", part.text });
        }
        for (const ToolCall & call : message.tool_calls) {
            msg.tool_calls.push_back({ call.name, call.arguments.empty() ? "{}" : call.arguments, call.id });
        }
        out.push_back(std::move(msg));
    }
    return out;
}

static common_chat_templates_inputs to_inputs(const ChatInput & input) {
    common_chat_templates_inputs inputs;
    inputs.messages             = to_common(input.messages);
    inputs.enable_thinking      = input.enable_thinking;
    inputs.reasoning_format     = COMMON_REASONING_FORMAT_DEEPSEEK;
    inputs.parallel_tool_calls  = input.parallel_tool_calls;
    inputs.chat_template_kwargs = input.template_kwargs;
    inputs.tool_choice          = input.tool_choice == ToolChoice::Required ? COMMON_CHAT_TOOL_CHOICE_REQUIRED
                                  : input.tool_choice == ToolChoice::None   ? COMMON_CHAT_TOOL_CHOICE_NONE
                                                                            : COMMON_CHAT_TOOL_CHOICE_AUTO;
    for (const Tool & tool : input.tools) {
        inputs.tools.push_back({ tool.name, tool.description, tool.parameters });
    }
    const auto thinking = input.template_kwargs.find("enable_thinking");
    if (thinking != input.template_kwargs.end()) {
        inputs.enable_thinking = thinking->second == "true";
    }
    return inputs;
}

static bool is_json(const Constraint & constraint) {
    return constraint.kind == ConstraintKind::JsonSchema || constraint.kind == ConstraintKind::JsonObject;
}

// Of the answer: a call that is forced, or the template's own grammar, which waits for one.
static GrammarSpec calls_grammar(const common_chat_params & params, const ChatInput & input,
                                 const std::vector<Tool> & tools) {
    GrammarSpec spec;
    if (input.tool_choice == ToolChoice::Required) {
        spec.gbnf    = tool_grammar(params.parser, tools, { false, true, !input.parallel_tool_calls });
        spec.prefill = params.generation_prompt;
        return spec;
    }
    spec.is_lazy           = params.grammar_lazy;
    spec.prefill           = params.grammar_lazy ? std::string() : params.generation_prompt;
    spec.generation_prompt = params.generation_prompt;
    spec.thinking_start    = params.thinking_start_tag;
    spec.thinking_ends     = params.thinking_end_tags;
    spec.gbnf              = input.parallel_tool_calls ? params.grammar
                                                       : tool_grammar(params.parser, tools, { params.grammar_lazy, false, true });
    for (const common_grammar_trigger & trigger : params.grammar_triggers) {
        switch (trigger.type) {
            case COMMON_GRAMMAR_TRIGGER_TYPE_WORD:
            case COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN:
                spec.trigger_words.push_back(trigger.value);
                break;
            case COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN:
                spec.trigger_patterns.push_back(trigger.value);
                break;
            case COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN_FULL:
                spec.trigger_patterns.push_back("^(?:" + trigger.value + ")$");
                break;
        }
    }
    return spec;
}

// Some templates begin an answer in another way after a tool's result, and llama.cpp's parser for them does not know
// it: then what it does know stands for it, with the reasoning that the prompt has begun.
static void mend_generation_prompt(common_chat_params & params) {
    common_peg_arena parser;
    parser.load(params.parser);
    const auto fits = [&](const std::string & text) {
        common_peg_parse_context context(text, COMMON_PEG_PARSE_FLAG_LENIENT);
        return !parser.parse(context).fail();
    };
    if (fits(params.generation_prompt)) {
        return;
    }
    const common_peg_parser_variant * first = &parser.get(parser.root());
    while (const auto * sequence = std::get_if<common_peg_sequence_parser>(first)) {
        first = &parser.get(sequence->children.front());
    }
    const auto *      literal  = std::get_if<common_peg_literal_parser>(first);
    const size_t      thinking = params.thinking_start_tag.empty()
                                     ? std::string::npos
                                     : params.generation_prompt.rfind(params.thinking_start_tag);
    const std::string mended =
        (literal == nullptr ? std::string() : literal->literal) +
        (thinking == std::string::npos ? std::string() : params.generation_prompt.substr(thinking));
    if (fits(mended)) {
        params.generation_prompt = mended;
    }
}

static std::unique_ptr<ChatParser> make_parser(const common_chat_params & params, bool is_continuation) {
    common_chat_parser_params parser_params(params);
    parser_params.reasoning_format = COMMON_REASONING_FORMAT_DEEPSEEK;
    parser_params.is_continuation  = is_continuation;
    parser_params.parser.load(params.parser);
    return std::make_unique<ChatParser>(parser_params);
}

// Throws std::exception where the template refuses.
RenderedChat ChatTemplate::apply(const ChatInput & input, const Constraint & constraint) const {
    common_chat_templates_inputs inputs = to_inputs(input);

    const bool has_calls = !input.tools.empty() && input.tool_choice != ToolChoice::None;
    const bool is_forced = has_calls && input.tool_choice == ToolChoice::Required;
    const bool has_json  = is_json(constraint) && !is_forced;
    const bool continues = input.continue_final_message && !inputs.messages.empty();
    // every text is content, and a begun answer simply stands after the generation prompt
    const bool  is_pure = !supports_thinking_ && !has_calls && !has_json;
    std::string continued;
    if (is_pure) {
        inputs.force_pure_content = true;
        if (continues) {
            continued = inputs.messages.back().content;
            inputs.messages.pop_back();
        }
    } else if (continues) {
        inputs.continue_final_message = COMMON_CHAT_CONTINUATION_AUTO;
    }
    const std::string schema = constraint.kind == ConstraintKind::JsonSchema ? constraint.text : R"({"type":"object"})";
    if (has_json) {
        inputs.json_schema = schema;
    }

    common_chat_params params = common_chat_templates_apply(impl_->templates.get(), inputs);
    std::vector<Tool>  tools  = input.tools;
    const std::string  prompt = params.prompt + continued;
    if (!input.required_tool.empty() && tools.size() > 1) {
        // the model sees all tools, so that the prompt stays the same from turn to turn; only one can be called
        const auto is_other = [&](const auto & tool) { return tool.name != input.required_tool; };
        tools.erase(std::remove_if(tools.begin(), tools.end(), is_other), tools.end());
        inputs.tools.erase(std::remove_if(inputs.tools.begin(), inputs.tools.end(), is_other), inputs.tools.end());
        params = common_chat_templates_apply(impl_->templates.get(), inputs);
    }

    if (!is_pure && !continues) {
        mend_generation_prompt(params);
    }

    RenderedChat out;
    out.prompt    = prompt;
    out.stops     = params.additional_stops;
    out.preserved = params.preserved_tokens;
    if (has_calls && params.grammar.empty()) {
        throw RequestError(is_forced ? ErrorCode::InvalidToolChoice : ErrorCode::InvalidTool,
                           std::string(is_forced ? "A tool call cannot be required: " : "Tools cannot be used: ") +
                               "this model's chat template does not know tools. Take a model that can call them.");
    }
    bool has_parser = !is_pure;
    if (constraint.kind == ConstraintKind::Gbnf) {
        out.grammar.gbnf = constraint.text;
    } else if (has_json && (params.grammar.empty() || params.grammar_lazy)) {
        // a format that has no place for it: the whole answer is the JSON
        out.grammar.gbnf = schema_to_gbnf(schema, "The JSON schema", true);
        has_parser       = false;
    } else if (has_json) {
        out.grammar.gbnf    = params.grammar;
        out.grammar.prefill = params.generation_prompt;
    } else if (has_calls && !params.grammar.empty()) {
        out.grammar = calls_grammar(params, input, tools);
        out.preserved.insert(out.preserved.end(), out.grammar.trigger_words.begin(), out.grammar.trigger_words.end());
    }
    if (has_parser) {
        out.parser = make_parser(params, continues);
    }
    return out;
}

// The template's own words; around them stands where in its source they are.
static std::string reason_of(const std::exception & e) {
    std::string       text  = e.what();
    const std::string mark  = "Error: ";
    const size_t      start = text.rfind(mark);
    if (start != std::string::npos) {
        text.erase(0, start + mark.size());
    }
    while (!text.empty() && isspace((unsigned char) text.back())) {
        text.pop_back();
    }
    return text;
}

static bool has_parts(const ChatMessage & message) {
    return !message.content_parts.empty();
}

static ChatInput with_joined_parts(ChatInput input) {
    for (ChatMessage & message : input.messages) {
        for (const ContentPart & part : message.content_parts) {
            message.content += (message.content.empty() ? "" : "\n") + part.text;
        }
        message.content_parts.clear();
    }
    return input;
}

RenderedChat ChatTemplate::render(const ChatInput & input, const Constraint & constraint) const {
    check_chat(input, constraint);
    try {
        return apply(input, constraint);
    } catch (const RequestError &) {
        throw;
    } catch (const std::exception & e) {
        // some templates read parts, and fail over them where they have no system turn
        if (std::any_of(input.messages.begin(), input.messages.end(), has_parts)) {
            return render(with_joined_parts(input), constraint);
        }
        throw RequestError(ErrorCode::TemplateFailed,
                           "The model's chat template refuses these messages: " + reason_of(e));
    }
}
