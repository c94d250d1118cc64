#include "chat_output.h"

#include "chat-peg-parser.h"  // llama.cpp common

#include <algorithm>
#include <set>

using Builder = common_chat_peg_builder;
using Kind    = ParsedOutput::Leaf::Kind;

struct ChatOutput::Impl {
    common_chat_parser_params params;
    // the tags whose texts are ended by delimiters only, so that they can grow without another parse
    bool is_open_content   = true;
    bool is_open_reasoning = true;
    bool is_open_argument  = true;

    bool ends_open(common_peg_parser_id id, std::set<common_peg_parser_id> & visited) const;
    bool all_open(const char * tag) const;
    Kind kind_of(const common_peg_ast_node & node) const;

    ParsedOutput::Leaf find_leaf(const common_peg_ast_arena & ast, const common_peg_parse_result & result) const;
};

// Whether what a parser takes ends with a text that goes on to a delimiter.
bool ChatOutput::Impl::ends_open(common_peg_parser_id id, std::set<common_peg_parser_id> & visited) const {
    if (!visited.insert(id).second) {
        return false;
    }
    return std::visit(
        [&](const auto & p) {
            using T = std::decay_t<decltype(p)>;
            if constexpr (std::is_same_v<T, common_peg_until_parser>) {
                return true;
            } else if constexpr (std::is_same_v<T, common_peg_sequence_parser>) {
                return !p.children.empty() && ends_open(p.children.back(), visited);
            } else if constexpr (std::is_same_v<T, common_peg_rule_parser> ||
                                 std::is_same_v<T, common_peg_tag_parser> ||
                                 std::is_same_v<T, common_peg_gbnf_parser> || std::is_same_v<T, common_peg_ac_parser>) {
                return ends_open(p.child, visited);
            } else if constexpr (std::is_same_v<T, common_peg_ref_parser>) {
                return ends_open(params.parser.get_rule(p.name), visited);
            } else {
                return false;
            }
        },
        params.parser.get(id));
}

bool ChatOutput::Impl::all_open(const char * tag) const {
    for (common_peg_parser_id id = 0; id < params.parser.size(); id++) {
        const auto * tagged = std::get_if<common_peg_tag_parser>(&params.parser.get(id));
        if (tagged != nullptr && tagged->tag == tag) {
            std::set<common_peg_parser_id> visited;
            if (!ends_open(tagged->child, visited)) {
                return false;
            }
        }
    }
    return true;
}

ChatOutput::ChatOutput(const common_chat_parser_params & params) : impl_(std::make_unique<Impl>()) {
    impl_->params            = params;
    impl_->is_open_content   = impl_->all_open(Builder::CONTENT);
    impl_->is_open_reasoning = impl_->all_open(Builder::REASONING);
    // these two formats write arguments that a mapper of their own turns into JSON
    impl_->is_open_argument = impl_->all_open(Builder::TOOL_ARG_STRING_VALUE) &&
                              params.format != COMMON_CHAT_FORMAT_PEG_GEMMA4 &&
                              params.format != COMMON_CHAT_FORMAT_PEG_MINIMAX_M3;

    std::set<std::string> all;
    for (common_peg_parser_id id = 0; id < params.parser.size(); id++) {
        if (const auto * until = std::get_if<common_peg_until_parser>(&params.parser.get(id))) {
            all.insert(until->delimiters.begin(), until->delimiters.end());
            all.erase("");
        }
    }
    delimiters_.assign(all.begin(), all.end());
}

ChatOutput::~ChatOutput() = default;

size_t ChatOutput::n_prompt_bytes() const {
    return impl_->params.generation_prompt.size();
}

Kind ChatOutput::Impl::kind_of(const common_peg_ast_node & node) const {
    return node.tag == Builder::CONTENT                 ? Kind::Content
           : node.tag == Builder::REASONING             ? Kind::Reasoning
           : node.tag == Builder::TOOL_ARG_STRING_VALUE ? Kind::Argument
           : node.tag == Builder::TOOL_ARGS             ? Kind::ArgumentsJson
                                                        : Kind::None;
}

ParsedOutput::Leaf ChatOutput::Impl::find_leaf(const common_peg_ast_arena &    ast,
                                               const common_peg_parse_result & result) const {
    ParsedOutput::Leaf leaf;
    if (!result.need_more_input() || result.nodes.empty()) {
        return leaf;
    }
    for (common_peg_ast_id id = result.nodes.back();;) {
        const common_peg_ast_node & node = ast.get(id);
        if (!node.is_partial) {
            return {};
        }
        const Kind kind = kind_of(node);
        if (kind != Kind::None) {
            leaf = { kind, node.start, node.end };
        } else if (node.rule == "json-value" && leaf.kind == Kind::Content) {
            return { Kind::ContentJson, node.start, node.end };
        } else if (node.rule == "json-value" && leaf.kind == Kind::ArgumentsJson) {
            return { is_open_argument && node.start == leaf.start ? Kind::ArgumentsJson : Kind::None, node.start,
                     node.end };
        } else if (!node.tag.empty()) {
            leaf = {};
        }
        if (node.children.empty()) {
            break;
        }
        id = node.children.back();
    }
    const bool is_open = (leaf.kind == Kind::Content && is_open_content) ||
                         (leaf.kind == Kind::Reasoning && is_open_reasoning) ||
                         (leaf.kind == Kind::Argument && is_open_argument);
    return is_open ? leaf : ParsedOutput::Leaf();
}

static std::unique_ptr<common_chat_peg_mapper> make_mapper(common_chat_format format, common_chat_msg & msg) {
    switch (format) {
        case COMMON_CHAT_FORMAT_PEG_GEMMA4:
            return std::make_unique<common_chat_peg_gemma4_mapper>(msg);
        case COMMON_CHAT_FORMAT_PEG_MINIMAX_M3:
            return std::make_unique<common_chat_peg_minimax_m3_mapper>(msg);
        default:
            return std::make_unique<common_chat_peg_mapper>(msg);
    }
}

// Never throws: a text that llama.cpp chokes on has failed to parse.
ParsedOutput ChatOutput::parse(std::string_view output) const noexcept {
    try {
        return parse_whole(output);
    } catch (const std::exception &) {
        return {};
    }
}

ParsedOutput ChatOutput::parse_whole(std::string_view output) const {
    const std::string &      prompt = impl_->params.generation_prompt;
    common_peg_parse_context context(prompt + std::string(output), COMMON_PEG_PARSE_FLAG_LENIENT);
    const auto               result = impl_->params.parser.parse(context);

    ParsedOutput out;
    if (result.fail()) {
        return out;
    }
    common_chat_msg msg;
    make_mapper(impl_->params.format, msg)->from_ast(context.ast, result);
    out.status    = result.success() ? ParsedOutput::Status::Complete : ParsedOutput::Status::Partial;
    out.content   = std::move(msg.content);
    out.reasoning = std::move(msg.reasoning_content);
    for (common_chat_tool_call & call : msg.tool_calls) {
        out.calls.push_back({ std::move(call.id), std::move(call.name), std::move(call.arguments) });
    }

    const auto in_output = [&](size_t at) { return std::min(output.size(), at - std::min(at, prompt.size())); };
    size_t     covered   = 0;
    size_t     n_named   = 0;
    context.ast.visit(result, [&](const common_peg_ast_node & node) {
        const bool is_call = node.tag.compare(0, 4, "tool") == 0;
        n_named += node.tag == Builder::TOOL_NAME ? 1 : 0;
        // a call is told once it has a name; what encloses it is told in its parts
        const bool is_told = is_call ? n_named > 0 && n_named <= out.calls.size() && node.tag != Builder::TOOL &&
                                           node.tag != Builder::TOOL_OPEN && node.tag != Builder::TOOL_ID
                                     : !node.tag.empty();
        if (is_told && node.end >= covered) {
            covered  = node.end;
            out.last = is_call                          ? ParsedOutput::Part::Call
                       : node.tag == Builder::REASONING ? ParsedOutput::Part::Reasoning
                                                        : ParsedOutput::Part::Content;
        }
    });
    // marks behind a call belong to it; behind a text they might turn out to be text
    out.n_covered = result.success() && out.last == ParsedOutput::Part::Call ? output.size() : in_output(covered);

    const ParsedOutput::Leaf leaf    = impl_->find_leaf(context.ast, result);
    const bool               is_json = leaf.kind == Kind::ContentJson || leaf.kind == Kind::ArgumentsJson;
    if (leaf.kind != Kind::None && (!is_json || leaf.start >= prompt.size())) {
        out.leaf = { leaf.kind, in_output(leaf.start), in_output(leaf.end) };
    }
    return out;
}

std::string json_escaped(std::string_view text) {
    const std::string quoted = common_json(text).dump_safe();
    return quoted.substr(1, quoted.size() - 2);
}
