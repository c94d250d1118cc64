#include "chat_parser.h"

#include "chat.h"  // llama.cpp common

struct ChatParser::State {
    common_chat_parser_params params;
    std::string               text;              // the whole output so far
    common_chat_msg           msg;               // what has been handed out of it
    size_t                    n_parsed = 0;      // bytes of text that msg covers
    bool                      plain    = false;  // the output left the format: the rest is content
};

ChatParser::ChatParser(const common_chat_parser_params & params) : state_(std::make_unique<State>()) {
    state_->params = params;
    if (params.is_continuation) {
        // what the caller wrote of the answer is not news
        try {
            state_->msg = common_chat_parse("", true, state_->params);
        } catch (const std::exception &) {
            state_->plain = true;
        }
    }
}

ChatParser::~ChatParser() = default;

ChatParser::Delta ChatParser::push(std::string_view text, bool is_final) {
    State & state = *state_;
    if (state.plain) {
        return { std::string(text), {}, {} };
    }

    state.text.append(text);
    if (state.text.empty()) {
        return {};
    }

    Delta delta;
    try {
        const common_chat_msg msg = common_chat_parse(state.text, !is_final, state.params);
        if (msg.empty()) {
            return {};
        }
        for (const common_chat_msg_diff & diff : common_chat_msg_diff::compute_diffs(state.msg, msg)) {
            delta.content += diff.content_delta;
            delta.reasoning += diff.reasoning_content_delta;
            if (diff.tool_call_index != std::string::npos) {
                delta.tool_calls.push_back({ (int32_t) diff.tool_call_index, diff.tool_call_delta.id,
                                             diff.tool_call_delta.name, diff.tool_call_delta.arguments });
            }
        }
        state.msg      = msg;
        state.n_parsed = state.text.size();
    } catch (const std::exception &) {
        state.plain   = true;
        delta         = {};
        delta.content = state.text.substr(state.n_parsed);
    }
    return delta;
}
