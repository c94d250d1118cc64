#include "tool_check.h"

#include "json.h"  // llama.cpp common
#include "json_schema.h"

#include <algorithm>
#include <set>

static constexpr size_t N_NAME_MAX = 128;

[[noreturn]] static void refuse(const std::string & reason) {
    throw RequestError(ErrorCode::InvalidPrompt, reason);
}

static bool is_name(const std::string & name) {
    const auto is_allowed = [](unsigned char c) { return isalnum(c) || c == '_' || c == '-' || c == '.'; };
    return !name.empty() && name.size() <= N_NAME_MAX && std::all_of(name.begin(), name.end(), is_allowed);
}

[[noreturn]] static void refuse_choice(const std::string & reason) {
    throw RequestError(ErrorCode::InvalidToolChoice, reason);
}

// The name of a grammar's rule, as llama.cpp makes it: everything else becomes a hyphen.
static std::string rule_name(const std::string & text) {
    std::string out;
    for (const char c : text) {
        if (isalnum((unsigned char) c) || c == '-') {
            out += c;
        } else if (out.empty() || out.back() != '-' || c == 0) {
            out += '-';
        }
    }
    return out;
}

// Rules of one grammar: a name that is there twice would make one tool call itself or another.
static void check_rule_names(const std::vector<Tool> & tools) {
    std::set<std::string> rules = { "tool-call", "tool-calls", "tool-call-root", "tool-call-first" };
    for (size_t i = 0; i < tools.size(); i++) {
        const Tool & tool = tools[i];
        const auto   add  = [&](const std::string & name) {
            if (!rules.insert(rule_name(name)).second) {
                throw RequestError(
                       ErrorCode::InvalidTool,
                       "The tool \"" + tool.name +
                           "\" cannot be told from another tool, or from a word of the model's own format: it "
                              "needs another name.",
                       (int32_t) i);
            }
        };
        add("tool-" + tool.name);
        const common_json schema = common_json::parse(tool.parameters);
        if (schema.contains("properties") && schema.at("properties").is_object()) {
            std::set<std::string> own;
            for (const auto & [key, value] : schema.at("properties").items()) {
                // parameters of one tool may look alike: the worst is that one takes the other's values
                if (own.insert(rule_name("tool-" + tool.name + "-arg-" + key)).second) {
                    add("tool-" + tool.name + "-arg-" + key);
                }
            }
        }
    }
}

static void check_tools(const ChatInput & input) {
    for (size_t i = 0; i < input.tools.size(); i++) {
        const Tool & tool = input.tools[i];
        if (!is_name(tool.name)) {
            throw RequestError(ErrorCode::InvalidTool,
                               "A tool's name must be 1 to " + std::to_string(N_NAME_MAX) +
                                   " letters, digits, underscores, hyphens and dots.",
                               (int32_t) i);
        }
        try {
            schema_to_gbnf(tool.parameters, "The schema of the tool \"" + tool.name + "\"", tool.is_strict);
        } catch (const RequestError & e) {
            throw RequestError(ErrorCode::InvalidTool, e.what(), (int32_t) i);
        }
    }
    check_rule_names(input.tools);

    if (input.tool_choice != ToolChoice::Required) {
        return;
    }
    if (input.tools.empty()) {
        refuse_choice("A tool call is required, and there are no tools.");
    }
    const auto is_required = [&](const Tool & tool) { return tool.name == input.required_tool; };
    if (!input.required_tool.empty() && std::none_of(input.tools.begin(), input.tools.end(), is_required)) {
        refuse_choice("The required tool \"" + input.required_tool + "\" is not among the tools.");
    }
    if (input.continue_final_message) {
        refuse_choice("A begun answer cannot be continued with a tool call.");
    }
}

static void check_constraint(const ChatInput & input, const Constraint & constraint) {
    const bool may_call = !input.tools.empty() && input.tool_choice != ToolChoice::None;
    if (constraint.kind == ConstraintKind::Gbnf && may_call) {
        throw RequestError(ErrorCode::InvalidGrammar, "A grammar of your own cannot be combined with tools.");
    }
    if (constraint.kind == ConstraintKind::JsonSchema) {
        schema_to_gbnf(constraint.text, "The JSON schema", true);
    }
}

void check_chat(const ChatInput & input, const Constraint & constraint) {
    for (const ChatMessage & message : input.messages) {
        for (const ToolCall & call : message.tool_calls) {
            if (!call.arguments.empty()) {
                check_json(call.arguments, "The arguments of an earlier call of \"" + call.name + "\"");
            }
        }
    }
    if (input.continue_final_message && !input.messages.empty() && !input.messages.back().tool_calls.empty()) {
        refuse("An answer that has called tools is complete and cannot be continued.");
    }
    for (const auto & [name, value] : input.template_kwargs) {
        if (name == "messages" || name == "tools" || name == "add_generation_prompt") {
            refuse("The template variable \"" + name + "\" cannot be set.");
        }
        check_json(value, "The template variable \"" + name + "\"");
    }
    check_tools(input);
    check_constraint(input, constraint);
}
