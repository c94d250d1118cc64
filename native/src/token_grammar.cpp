#include "token_grammar.h"

#include "common.h"         // llama.cpp common
#include "llama-grammar.h"  // llama.cpp's own grammar engine: a token's text can be taken in part, errors have reasons
#include "request.h"

#include <algorithm>
#include <cmath>

// llama.cpp parses groups and follows rules recursively.
static constexpr size_t N_GROUPS_MAX = 256;
static constexpr size_t N_BYTES_MAX  = 4 * 1024 * 1024;
// Within so many bytes a pattern must match; std::regex needs stack with the length of its match.
static constexpr size_t N_TRIGGER_BYTES = 512;

[[noreturn]] static void refuse(const std::string & reason) {
    throw RequestError(ErrorCode::InvalidGrammar, "The grammar cannot be used: " + reason);
}

// The deepest nesting of groups outside of literals, classes and comments.
static size_t group_depth(const std::string & gbnf) {
    size_t depth = 0, deepest = 0;
    char   closing = 0;  // what ends the literal, class or comment in which the text is
    for (size_t i = 0; i < gbnf.size(); i++) {
        const char c = gbnf[i];
        if (closing != 0) {
            i += c == '\\' && closing != '\n' ? 1 : 0;
            closing = c == closing ? 0 : closing;
        } else if (c == '"' || c == '[' || c == '#') {
            closing = c == '[' ? ']' : c == '#' ? '\n' : c;
        } else if (c == '(') {
            deepest = std::max(deepest, ++depth);
        } else if (c == ')' && depth > 0) {
            depth--;
        }
    }
    return deepest;
}

// llama.cpp's reason: what it expected, with the rest of the grammar behind it, of which the beginning is enough.
static std::string reason_of(const std::exception & e) {
    std::string text = e.what();
    if (text.size() > 160) {
        text = text.substr(0, 160) + "…";
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text + ".";
}

static const char * skip_space(const char * text) {
    while (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n' || *text == '#') {
        if (*text == '#') {
            while (*text != 0 && *text != '\n') {
                text++;
            }
        } else {
            text++;
        }
    }
    return text;
}

static llama_grammar * parse(const llama_vocab * vocab, const std::string & gbnf) {
    if (gbnf.size() > N_BYTES_MAX) {
        refuse("it is larger than " + std::to_string(N_BYTES_MAX / 1024 / 1024) + " MiB.");
    }
    if (group_depth(gbnf) > N_GROUPS_MAX) {
        refuse("its groups are nested more than " + std::to_string(N_GROUPS_MAX) + " levels deep.");
    }
    llama_grammar_parser parser(vocab);
    try {
        for (const char * at = skip_space(gbnf.c_str()); *at != 0;) {
            at = parser.parse_rule(at);
        }
    } catch (const std::exception & e) {
        refuse(reason_of(e));
    }
    for (const auto & [name, id] : parser.symbol_ids) {
        if (id >= parser.rules.size() || parser.rules[id].empty()) {
            refuse("the rule " + name + " is not defined.");
        }
    }
    const auto root = parser.symbol_ids.find("root");
    if (root == parser.symbol_ids.end()) {
        refuse("it has no rule root.");
    }
    llama_grammar_stack rules = parser.c_rules();
    llama_grammar *     out   = llama_grammar_init_impl(vocab, rules.data(), rules.size(), root->second);
    if (out == nullptr) {
        refuse("a rule begins with itself (left recursion).");
    }
    return out;
}

void TokenGrammar::Deleter::operator()(llama_grammar * grammar) const {
    llama_grammar_free_impl(grammar);
}

TokenGrammar::TokenGrammar(const llama_vocab * vocab, const GrammarSpec & spec, std::unordered_set<llama_token> shown)
    : vocab_(vocab), shown_(std::move(shown)), grammar_(parse(vocab, spec.gbnf)), is_awaiting_(spec.is_lazy),
      words_(spec.trigger_words), thinking_(spec.thinking_start, spec.thinking_ends) {
    if (is_awaiting_) {
        for (const std::string & pattern : spec.trigger_patterns) {
            patterns_.emplace_back(pattern);
        }
        thinking_.push(spec.generation_prompt);
        return;
    }
    try {
        llama_grammar_accept_str(*grammar_, spec.prefill);
    } catch (const std::exception &) {
        refuse("the answer's beginning, which the prompt brings along, does not fit it.");
    }
}

TokenGrammar::~TokenGrammar() = default;

std::string TokenGrammar::piece(llama_token token) const {
    return common_token_to_piece(vocab_, token, true);
}

bool TokenGrammar::is_hidden(llama_token token) const {
    return llama_vocab_is_control(vocab_, token) && !llama_vocab_is_eog(vocab_, token) && shown_.count(token) == 0;
}

bool TokenGrammar::allows(llama_token token) const {
    if (!is_active()) {
        return true;
    }
    if (is_hidden(token)) {
        return false;
    }
    llama_token_data       data  = { token, 0.0f, 0.0f };
    llama_token_data_array array = { &data, 1, -1, false };
    llama_grammar_apply_impl(*grammar_, &array);
    return data.logit > -INFINITY;
}

void TokenGrammar::filter(std::vector<llama_token_data> & candidates) const {
    if (!is_active()) {
        return;
    }
    const auto drop = [&](auto is_out) {
        candidates.erase(std::remove_if(candidates.begin(), candidates.end(), is_out), candidates.end());
    };
    drop([&](const llama_token_data & data) { return is_hidden(data.id); });
    llama_token_data_array array = { candidates.data(), candidates.size(), -1, false };
    llama_grammar_apply_impl(*grammar_, &array);
    drop([](const llama_token_data & data) { return !(data.logit > -INFINITY); });
}

bool TokenGrammar::may_end() const {
    const llama_grammar_stacks & stacks = llama_grammar_get_stacks(grammar_.get());
    return !is_active() ||
           std::any_of(stacks.begin(), stacks.end(), [](const llama_grammar_stack & stack) { return stack.empty(); });
}

void TokenGrammar::accept(llama_token token) {
    if (!grammar_ || llama_vocab_is_eog(vocab_, token)) {
        return;
    }
    try {
        if (is_awaiting_) {
            await_trigger(piece(token));
        } else {
            llama_grammar_accept_token(*grammar_, token, piece(token));
        }
    } catch (const std::exception &) {
        grammar_.reset();
    }
}

void TokenGrammar::await_trigger(const std::string & text) {
    const size_t n_old = text_.size();
    text_ += thinking_.push(text);
    const size_t start = find_trigger(n_old);
    if (start != std::string::npos) {
        is_awaiting_ = false;
        llama_grammar_accept_str(*grammar_, text_.substr(start));
        text_.clear();
        return;
    }
    if (text_.size() > 2 * N_TRIGGER_BYTES) {
        text_.erase(0, text_.size() - N_TRIGGER_BYTES);
        is_whole_ = false;
    }
}

// Where in text_ the grammar begins; npos: no trigger. n_old: bytes that have been looked at before.
size_t TokenGrammar::find_trigger(size_t n_old) const {
    size_t first = std::string::npos;
    for (const std::string & word : words_) {
        first = std::min(first, text_.find(word, n_old - std::min(n_old, word.size())));
    }
    const auto flags = is_whole_ ? std::regex_constants::match_default : std::regex_constants::match_not_bol;
    for (const std::regex & pattern : patterns_) {
        std::smatch match;
        if (text_.size() > n_old && std::regex_search(text_, match, pattern, flags)) {
            size_t group = 0;
            for (size_t i = match.size(); i-- > 1;) {
                group = match.length(i) > 0 ? i : group;
            }
            first = std::min(first, (size_t) match.position(group));
        }
    }
    return first;
}
