#include "json_schema.h"

#include "json-schema-to-grammar.h"  // llama.cpp common
#include "json.h"
#include "request.h"

#include <algorithm>

// llama.cpp converts and renders JSON recursively, and some of the threads that do it have 512 KiB of stack (macOS).
static constexpr size_t N_DEPTH_MAX = 64;
// Its grammar takes time and rules with the square of these.
static constexpr size_t N_SCHEMA_BYTES_MAX = 256 * 1024;
static constexpr size_t N_KEYS_MAX         = 2000;
static constexpr size_t N_KEY_BYTES_MAX    = 256;

// The deepest nesting of arrays and objects.
static size_t json_depth(const std::string & text) {
    size_t depth = 0, deepest = 0;
    bool   in_string = false;
    for (size_t i = 0; i < text.size(); i++) {
        const char c = text[i];
        if (in_string) {
            i += c == '\\' ? 1 : 0;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            deepest = std::max(deepest, ++depth);
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        }
    }
    return deepest;
}

void check_json(const std::string & text, const std::string & what) {
    if (json_depth(text) > N_DEPTH_MAX) {
        throw RequestError(ErrorCode::InvalidPrompt,
                           what + " is nested more than " + std::to_string(N_DEPTH_MAX) + " levels deep.");
    }
    if (common_json::parse_no_throw(text).is_discarded()) {
        throw RequestError(ErrorCode::InvalidPrompt, what + " must be JSON.");
    }
}

namespace {

[[noreturn]] void refuse(const std::string & what, const std::string & reason) {
    throw RequestError(ErrorCode::InvalidGrammar, what + " cannot be used: " + reason);
}

// A pattern for which llama.cpp has no grammar becomes any string there, with a warning in the log only.
bool is_pattern_supported(const std::string & pattern) {
    const common_json schema = { { "type", "string" }, { "pattern", pattern } };
    return json_schema_to_grammar(schema).find("root ::= string\n") == std::string::npos;
}

// Looks at every key of a schema, whatever it belongs to.
class SchemaCheck {
  public:
    SchemaCheck(const std::string & what, bool is_strict) : what_(what), is_strict_(is_strict) {}

    void visit(const common_json & value) {
        if (value.is_array()) {
            for (const auto & item : value) {
                visit(item);
            }
        } else if (value.is_object()) {
            for (const auto & [key, item] : value.items()) {
                visit_member(key, item);
            }
        }
    }

  private:
    const std::string & what_;
    bool                is_strict_;
    size_t              n_keys_ = 0;

    void visit_member(const std::string & key, const common_json & value) {
        if (++n_keys_ > N_KEYS_MAX) {
            refuse(what_, "it has more than " + std::to_string(N_KEYS_MAX) + " keys.");
        }
        if (key.size() > N_KEY_BYTES_MAX) {
            refuse(what_, "a key is longer than " + std::to_string(N_KEY_BYTES_MAX) + " bytes.");
        }
        // data, not a schema
        if (key == "const" || key == "enum" || key == "default" || key == "examples") {
            return;
        }
        if (is_strict_ && key == "pattern" && value.is_string() && !is_pattern_supported(value.get<std::string>())) {
            refuse(what_, "the pattern " + value.dump_safe() +
                              " is not supported; it must begin with ^, end with $ and use only literals, classes, "
                              "groups, alternatives and repetitions.");
        }
        visit(value);
    }
};

// llama.cpp's reason as one line.
std::string reason_of(const std::exception & e) {
    std::string       text   = e.what();
    const std::string prefix = "JSON schema conversion failed:\n";
    if (text.compare(0, prefix.size(), prefix) == 0) {
        text.erase(0, prefix.size());
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text + (text.empty() || text.back() == '.' ? "" : ".");
}

}  // namespace

std::string schema_to_gbnf(const std::string & schema, const std::string & what, bool is_strict) {
    if (schema.size() > N_SCHEMA_BYTES_MAX) {
        refuse(what, "it is larger than " + std::to_string(N_SCHEMA_BYTES_MAX / 1024) + " KiB.");
    }
    if (json_depth(schema) > N_DEPTH_MAX) {
        refuse(what, "it is nested more than " + std::to_string(N_DEPTH_MAX) + " levels deep.");
    }
    try {
        const common_json json = common_json::parse_no_throw(schema);
        if (json.is_discarded() || !json.is_object()) {
            refuse(what, "it must be a JSON object.");
        }
        SchemaCheck(what, is_strict).visit(json);
        return json_schema_to_grammar(json);
    } catch (const RequestError &) {
        throw;
    } catch (const std::exception & e) {
        refuse(what, reason_of(e));
    }
}
