#include "tool_grammar.h"

#include "chat-peg-parser.h"  // llama.cpp common
#include "json-schema-to-grammar.h"

#include <algorithm>
#include <map>
#include <set>

namespace {

using Id = common_peg_parser_id;

// What the parts of a format hold.
constexpr int HOLDS_TEXT      = 1;
constexpr int HOLDS_CALL      = 2;
constexpr int HOLDS_REASONING = 4;

// The parsers that a parser refers to.
std::vector<Id> children_of(const common_peg_arena & arena, const common_peg_parser_variant & parser) {
    return std::visit(
        [&](const auto & p) -> std::vector<Id> {
            using T = std::decay_t<decltype(p)>;
            if constexpr (std::is_same_v<T, common_peg_sequence_parser> ||
                          std::is_same_v<T, common_peg_choice_parser>) {
                return p.children;
            } else if constexpr (std::is_same_v<T, common_peg_ref_parser>) {
                return { arena.get_rule(p.name) };
            } else if constexpr (std::is_same_v<T, common_peg_repetition_parser> ||
                                 std::is_same_v<T, common_peg_schema_parser> ||
                                 std::is_same_v<T, common_peg_rule_parser> ||
                                 std::is_same_v<T, common_peg_atomic_parser> ||
                                 std::is_same_v<T, common_peg_tag_parser> ||
                                 std::is_same_v<T, common_peg_gbnf_parser> || std::is_same_v<T, common_peg_ac_parser>) {
                return { p.child };
            } else {
                return {};  // lookaheads are no part of a grammar, all others have none
            }
        },
        parser);
}

class Format {
  public:
    explicit Format(const std::string & parser) { arena_.load(parser); }

    // A stored parser has lost its schemas and kept their names.
    void restore_schemas(const std::vector<Tool> & tools) {
        for (const Tool & tool : tools) {
            common_json function;
            function["parameters"] = common_json::parse(tool.parameters);
            const auto doc         = std::make_shared<const common_chat_schema_document>(
                common_chat_schema_from_json(common_chat_tool_parameters(function)));
            const std::string name     = "tool-" + tool.name;
            schemas_[name + "-schema"] = { doc, doc->root.get() };
            if (doc->root->kind() == common_chat_schema::KIND_OBJECT) {
                for (const auto & property : static_cast<const common_chat_schema_object &>(*doc->root).properties) {
                    schemas_[name + "-arg-" + property.name + "-schema"] = { doc, property.schema.get() };
                }
            }
        }
        for (Id id = 0; id < arena_.size(); id++) {
            auto * const schema = std::get_if<common_peg_schema_parser>(&arena_.get(id));
            const auto   found  = schema == nullptr ? schemas_.end() : schemas_.find(schema->name);
            if (found != schemas_.end()) {
                schema->doc  = found->second.first;
                schema->node = found->second.second;
            }
        }
    }

    // Leaves no way to write text: alternatives and optional parts with text go, text that must be there is empty.
    void drop_text() {
        std::set<Id> visited;
        drop_text(arena_.root(), visited);
    }

    // A repetition of calls is one call.
    void limit_calls() {
        for (Id id = 0; id < arena_.size(); id++) {
            auto * const repetition = std::get_if<common_peg_repetition_parser>(&arena_.get(id));
            if (repetition != nullptr && repetition->max_count != 0 && (holds(repetition->child) & HOLDS_CALL) != 0) {
                repetition->min_count = std::min(repetition->min_count, 1);
                repetition->max_count = 1;
            }
        }
    }

    std::string grammar(bool is_lazy) const {
        return build_grammar([&](const common_grammar_builder & builder) { arena_.build_grammar(builder, is_lazy); });
    }

  private:
    using Schema = std::pair<common_chat_schema_document_ptr, const common_chat_schema *>;

    common_peg_arena              arena_;
    std::map<std::string, Schema> schemas_;
    std::set<Id>                  dropped_;  // texts that have gone

    int holds(Id id) const {
        std::set<Id> visited;
        return holds(id, visited);
    }

    int holds(Id id, std::set<Id> & visited) const {
        if (!visited.insert(id).second) {
            return 0;
        }
        const common_peg_parser_variant & parser = arena_.get(id);
        int                               out    = 0;
        if (const auto * tag = std::get_if<common_peg_tag_parser>(&parser)) {
            out = tag->tag == common_chat_peg_builder::CONTENT     ? HOLDS_TEXT
                  : tag->tag == common_chat_peg_builder::TOOL_NAME ? HOLDS_CALL
                  : tag->tag == common_chat_peg_builder::REASONING ? HOLDS_REASONING
                                                                   : 0;
        }
        for (const Id child : children_of(arena_, parser)) {
            out |= holds(child, visited);
        }
        return out;
    }

    // Whether a text stands behind a mark of its own, with which it must go.
    bool is_introduced(Id id) const {
        const common_peg_parser_variant & parser = arena_.get(id);
        if ((holds(id) & HOLDS_TEXT) == 0) {
            return false;
        }
        const std::vector<Id> children = children_of(arena_, parser);
        if (!std::holds_alternative<common_peg_sequence_parser>(parser)) {
            const auto * tag = std::get_if<common_peg_tag_parser>(&parser);
            return (tag == nullptr || tag->tag != common_chat_peg_builder::CONTENT) &&
                   std::all_of(children.begin(), children.end(), [&](Id child) { return is_introduced(child); });
        }
        for (const Id child : children) {
            if (std::holds_alternative<common_peg_literal_parser>(arena_.get(child))) {
                return true;
            }
            if ((holds(child) & HOLDS_TEXT) != 0) {
                return is_introduced(child);
            }
        }
        return false;
    }

    void drop_text(Id id, std::set<Id> & visited) {
        if (!visited.insert(id).second || (holds(id) & HOLDS_TEXT) == 0) {
            return;
        }
        common_peg_parser_variant & parser = arena_.get(id);
        if (const auto * tag = std::get_if<common_peg_tag_parser>(&parser)) {
            if (tag->tag == common_chat_peg_builder::CONTENT) {
                parser = common_peg_epsilon_parser{};
                dropped_.insert(id);
                return;
            }
        } else if (const auto * repetition = std::get_if<common_peg_repetition_parser>(&parser)) {
            if (repetition->min_count == 0 && holds(repetition->child) == HOLDS_TEXT) {
                parser = common_peg_epsilon_parser{};
                dropped_.insert(id);
                return;
            }
        } else if (auto * choice = std::get_if<common_peg_choice_parser>(&parser)) {
            auto &     children  = choice->children;
            const auto has_call  = [&](Id child) { return (holds(child) & HOLDS_CALL) != 0; };
            const bool has_calls = std::any_of(children.begin(), children.end(), has_call);
            const auto is_out    = [&](Id child) {
                return is_introduced(child) || (has_calls && !has_call(child) && (holds(child) & HOLDS_TEXT) != 0);
            };
            if (!std::all_of(children.begin(), children.end(), is_out)) {
                children.erase(std::remove_if(children.begin(), children.end(), is_out), children.end());
            }
        }
        for (const Id child : children_of(arena_, arena_.get(id))) {
            drop_text(child, visited);
        }
        if (auto * sequence = std::get_if<common_peg_sequence_parser>(&arena_.get(id))) {
            drop_space(sequence->children);
        }
    }

    // White space behind a text that has gone would be read as that text.
    void drop_space(std::vector<Id> & children) const {
        std::vector<Id> kept;
        for (const Id child : children) {
            const bool is_space = std::holds_alternative<common_peg_space_parser>(arena_.get(child));
            if (!is_space || kept.empty() || dropped_.count(kept.back()) == 0) {
                kept.push_back(child);
            }
        }
        children = std::move(kept);
    }
};

}  // namespace

std::string tool_grammar(const std::string & parser, const std::vector<Tool> & tools,
                         const ToolGrammarOptions & options) {
    Format format(parser);
    format.restore_schemas(tools);
    if (options.without_text) {
        format.drop_text();
    }
    if (options.single_call) {
        format.limit_calls();
    }
    return format.grammar(options.is_lazy);
}
