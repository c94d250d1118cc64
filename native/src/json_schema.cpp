#include "json_schema.h"

#include "json-schema-to-grammar.h"  // llama.cpp common
#include "json.h"
#include "pattern_check.h"
#include "request.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

// llama.cpp converts and renders JSON recursively, and some of the threads that do it have 512 KiB of stack (macOS).
static constexpr size_t N_DEPTH_MAX = 64;
// Its grammar takes time and rules with the square of these.
static constexpr size_t N_SCHEMA_BYTES_MAX = 256 * 1024;
static constexpr size_t N_KEYS_MAX         = 2000;
static constexpr size_t N_KEY_BYTES_MAX    = 256;
// Each value that an answer may still become costs time at every token of it.
static constexpr size_t N_VALUES_MAX = 1000;
// Of integers. Beyond, llama.cpp's digits run over and its grammar has no end; with one bound only, it counts on 16
// digits.
static constexpr double BOUND_MAX      = 9007199254740992.0;  // 2^53
static constexpr double LONE_BOUND_MAX = 1e15;
static constexpr double LENGTH_MAX     = 2147483647.0;

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

// What llama.cpp's grammar does not hold an answer to.
const std::set<std::string> NOT_ENFORCED = {
    "multipleOf",
    "contains",
    "minContains",
    "maxContains",
    "uniqueItems",
    "not",
    "if",
    "then",
    "else",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependencies",
    "dependentSchemas",
    "minProperties",
    "maxProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
    "$recursiveRef",
};

class SchemaCheck {
  public:
    SchemaCheck(const common_json & root, const std::string & what, bool is_strict)
        : root_(root), what_(what), is_strict_(is_strict) {}

    void visit(const common_json & schema) {
        if (schema.is_array()) {
            for (const auto & item : schema) {
                visit(item);
            }
        } else if (schema.is_object()) {
            check_bounds(schema);
            if (n_paths(schema) > N_VALUES_MAX) {
                refuse(what_,
                       "its alternatives lead to more than " + std::to_string(N_VALUES_MAX) + " choices at once.");
            }
            for (const auto & [key, item] : schema.items()) {
                visit_member(key, item);
            }
        }
    }

  private:
    const common_json &           root_;
    const std::string &           what_;
    bool                          is_strict_;
    size_t                        n_keys_   = 0;
    size_t                        n_values_ = 0;
    std::map<std::string, size_t> n_paths_of_;  // by reference; 0 while it is being counted

    // What a reference within the document leads to; nullptr: llama.cpp tells.
    const common_json * target_of(const std::string & ref) const {
        if (ref.compare(0, 2, "#/") != 0) {
            return nullptr;
        }
        const common_json * at = &root_;
        for (size_t begin = 2; begin <= ref.size();) {
            const size_t      end  = std::min(ref.find('/', begin), ref.size());
            const std::string name = ref.substr(begin, end - begin);
            if (!at->is_object() || !at->contains(name)) {
                return nullptr;
            }
            at    = &at->at(name);
            begin = end + 1;
        }
        return at;
    }

    // In how many ways a value can begin as its alternatives and references say, at most N_VALUES_MAX + 1. llama.cpp
    // follows each of them at once, also where they lead to the same.
    size_t n_paths(const common_json & schema) {
        if (!schema.is_object()) {
            return 1;
        }
        size_t n = 0;
        for (const char * several : { "anyOf", "oneOf", "allOf" }) {
            if (schema.contains(several) && schema.at(several).is_array()) {
                for (const auto & item : schema.at(several)) {
                    n = std::min(n + n_paths(item), N_VALUES_MAX + 1);
                }
            }
        }
        if (schema.contains("$ref") && schema.at("$ref").is_string()) {
            const std::string ref   = schema.at("$ref").get<std::string>();
            const auto        known = n_paths_of_.find(ref);
            if (known != n_paths_of_.end()) {
                n += known->second;
            } else if (const common_json * target = target_of(ref)) {
                n_paths_of_[ref] = 0;
                n_paths_of_[ref] = n_paths(*target);
                n += n_paths_of_[ref];
            }
        }
        return std::min(std::max<size_t>(n, 1), N_VALUES_MAX + 1);
    }

    void count_key(const std::string & key) {
        if (++n_keys_ > N_KEYS_MAX) {
            refuse(what_, "it has more than " + std::to_string(N_KEYS_MAX) + " keys.");
        }
        if (key.size() > N_KEY_BYTES_MAX) {
            refuse(what_, "a key is longer than " + std::to_string(N_KEY_BYTES_MAX) + " bytes.");
        }
    }

    void visit_member(const std::string & key, const common_json & value) {
        count_key(key);
        if (key == "enum" && value.is_array()) {
            n_values_ += value.size();
            if (n_values_ > N_VALUES_MAX) {
                refuse(what_, "its enums have more than " + std::to_string(N_VALUES_MAX) + " values.");
            }
        }
        // data, not a schema
        if (key == "const" || key == "enum" || key == "default" || key == "examples") {
            return;
        }
        if (key == "pattern" && value.is_string()) {
            check_pattern(value.get<std::string>());
        }
        if (is_strict_ && NOT_ENFORCED.count(key) > 0 && !is_false(value)) {
            refuse(what_, "\"" + key + "\" cannot be enforced.");
        }
        if ((key == "properties" || key == "$defs" || key == "definitions") && value.is_object()) {
            for (const auto & [name, schema] : value.items()) {
                count_key(name);
                visit(schema);
            }
            return;
        }
        visit(value);
    }

    // Asks for nothing, such as uniqueItems: false.
    static bool is_false(const common_json & value) { return value.is_boolean() && !value.get<bool>(); }

    void check_pattern(const std::string & pattern) {
        const std::string problem = pattern_problem(pattern);
        if (!problem.empty()) {
            refuse(what_, "the pattern " + common_json(pattern).dump_safe() + ": " + problem);
        }
        if (is_strict_ && !is_pattern_supported(pattern)) {
            refuse(what_, "the pattern " + common_json(pattern).dump_safe() +
                              " is not supported; it must begin with ^, end with $ and use only literals, classes, "
                              "groups, alternatives and repetitions.");
        }
    }

    // The grammar of bounds in the wrong order would have no end.
    void check_bounds(const common_json & schema) {
        check_pair(schema, "minLength", "maxLength");
        check_pair(schema, "minItems", "maxItems");
        check_pair(schema, "minProperties", "maxProperties");
        for (const char * low : { "minimum", "exclusiveMinimum" }) {
            for (const char * high : { "maximum", "exclusiveMaximum" }) {
                check_pair(schema, low, high);
            }
        }
        check_magnitude(schema);
        const bool is_number = has_type(schema, "number");
        for (const char * bound : { "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum" }) {
            if (is_strict_ && is_number && schema.contains(bound)) {
                refuse(what_, "\"" + std::string(bound) + "\" can be enforced for the type integer only.");
            }
        }
        check_required(schema);
    }

    static bool has_type(const common_json & schema, const std::string & name) {
        if (!schema.contains("type")) {
            return false;
        }
        const common_json & type = schema.at("type");
        if (!type.is_array()) {
            return type == common_json(name);
        }
        for (const auto & each : type) {
            if (each == common_json(name)) {
                return true;
            }
        }
        return false;
    }

    void check_magnitude(const common_json & schema) {
        const bool has_low  = schema.contains("minimum") || schema.contains("exclusiveMinimum");
        const bool has_high = schema.contains("maximum") || schema.contains("exclusiveMaximum");
        check_each(schema, { "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum" },
                   has_low && has_high ? BOUND_MAX : LONE_BOUND_MAX);
        check_each(schema, { "minLength", "maxLength", "minItems", "maxItems" }, LENGTH_MAX);
    }

    void check_each(const common_json & schema, const std::vector<std::string> & keys, double most) {
        for (const std::string & key : keys) {
            if (schema.contains(key) && schema.at(key).is_number() && std::abs(schema.at(key).get<double>()) > most) {
                refuse(what_, "\"" + key + "\" is too large; at most " + std::to_string((int64_t) most) +
                                  " can be enforced here.");
            }
        }
    }

    void check_pair(const common_json & schema, const std::string & low, const std::string & high) {
        if (!schema.contains(low) || !schema.contains(high)) {
            return;
        }
        const common_json & a = schema.at(low);
        const common_json & b = schema.at(high);
        if (a.is_number() && b.is_number() && a.get<double>() > b.get<double>()) {
            refuse(what_, low + " is larger than " + high + ".");
        }
    }

    // A property that is required and not described would be left out of the grammar.
    void check_required(const common_json & schema) {
        if (!is_strict_ || !schema.contains("required")) {
            return;
        }
        const common_json & required = schema.at("required");
        if (!required.is_array()) {
            refuse(what_, "\"required\" must be a list of names.");
        }
        const bool has_properties = schema.contains("properties") && schema.at("properties").is_object();
        for (const auto & name : required) {
            if (!name.is_string()) {
                refuse(what_, "\"required\" must be a list of names.");
            }
            if (has_properties && !schema.at("properties").contains(name.get<std::string>())) {
                refuse(what_, "it requires " + name.dump_safe() + ", which is not among its properties.");
            }
        }
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
        SchemaCheck(json, what, is_strict).visit(json);
        return json_schema_to_grammar(json);
    } catch (const RequestError &) {
        throw;
    } catch (const std::exception & e) {
        refuse(what, reason_of(e));
    }
}
