#include "chat_template.h"

#include "chat.h"  // llama.cpp common
#include "llama.h"

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
        for (const std::string & text : message.content_parts) {
            msg.content_parts.push_back({ "text", text });
        }
        for (const ToolCall & call : message.tool_calls) {
            msg.tool_calls.push_back({ call.name, call.arguments, call.id });
        }
        out.push_back(std::move(msg));
    }
    return out;
}

RenderedChat ChatTemplate::render(const ChatInput & input) const {
    common_chat_templates_inputs inputs;
    inputs.messages         = to_common(input.messages);
    inputs.enable_thinking  = input.enable_thinking;
    inputs.reasoning_format = COMMON_REASONING_FORMAT_DEEPSEEK;

    const bool  continues = input.continue_final_message && !inputs.messages.empty();
    std::string continued;
    if (supports_thinking_) {
        if (continues) {
            inputs.continue_final_message = COMMON_CHAT_CONTINUATION_AUTO;
        }
    } else {
        // nothing to split: every text is content, and the begun answer simply stands after the generation prompt
        inputs.force_pure_content = true;
        if (continues) {
            continued = inputs.messages.back().content;
            inputs.messages.pop_back();
        }
    }

    try {
        common_chat_params params = common_chat_templates_apply(impl_->templates.get(), inputs);

        RenderedChat out;
        out.prompt    = params.prompt + continued;
        out.stops     = params.additional_stops;
        out.preserved = params.preserved_tokens;
        if (supports_thinking_) {
            common_chat_parser_params parser_params(params);
            parser_params.reasoning_format = inputs.reasoning_format;
            parser_params.is_continuation  = continues;
            parser_params.parser.load(params.parser);
            out.parser = std::make_unique<ChatParser>(parser_params);
        }
        return out;
    } catch (const std::exception & e) {
        throw RequestError(ErrorCode::TemplateFailed,
                           std::string("The model's chat template refuses these messages: ") + e.what());
    }
}
