#include "chat_parser.h"

#include <algorithm>
#include <cstring>
#include <random>

// Bytes that may be parsed for each byte of output, and at first.
static constexpr int64_t N_CREDIT_PER_BYTE = 6;
static constexpr int64_t N_CREDIT_FIRST    = 2048;

// A text longer than this is shortened to its ends. No parse depends on what is between them.
static constexpr size_t N_TEXT_MAX = 1024;
static constexpr size_t N_TEXT_END = 32;

// A parse fails for good when it goes on to fail for so long; until then a mark may only be incomplete.
static constexpr size_t N_FAILED_MAX = 512;

// llama.cpp's parser is recursive.
static constexpr size_t N_DEPTH_MAX = 64;

using Kind = ParsedOutput::Leaf::Kind;

ChatParser::ChatParser(const common_chat_parser_params & params) : output_(params), credit_(N_CREDIT_FIRST) {
    // what the prompt brings along of the answer is not news
    const ParsedOutput begun = output_.parse("");
    content_                 = begun.content;
    reasoning_               = begun.reasoning;
}

ChatParser::Delta ChatParser::push(std::string_view text, bool is_final) {
    Delta delta;
    if (is_plain_) {
        delta.content = std::string(text);
        return delta;
    }
    credit_ += N_CREDIT_PER_BYTE * (int64_t) text.size();
    text_.append(text);
    const bool goes_on = leaf_.kind == Kind::None                                               ? false
                         : leaf_.kind == Kind::ContentJson || leaf_.kind == Kind::ArgumentsJson ? scan_json(delta)
                                                                                                : scan_text(delta);
    if (!goes_on) {
        count_brackets(text);
    }
    if (n_open_ > N_DEPTH_MAX) {
        leave_format(delta);
    } else if (is_final || !goes_on) {
        parse(is_final, delta);
    }
    return delta;
}

// Quotes are not looked at: that costs a format at worst that nobody writes.
void ChatParser::count_brackets(std::string_view text) {
    for (const char c : text) {
        if (c == '{' || c == '[') {
            n_open_++;
        } else if ((c == '}' || c == ']') && n_open_ > 0) {
            n_open_--;
        }
    }
}

// Bytes of text_ before a mark that may have begun: llama.cpp's parser takes a text to end in front of one, and what it
// makes of the rest is then no more than a guess.
size_t ChatParser::n_settled() const {
    size_t first = text_.size();
    for (const std::string & delimiter : output_.delimiters()) {
        for (size_t n = std::min(delimiter.size() - 1, text_.size()); n > 0 && text_.size() - n < first; n--) {
            if (text_.compare(text_.size() - n, n, delimiter, 0, n) == 0) {
                first = text_.size() - n;
            }
        }
    }
    return first;
}

void ChatParser::parse(bool is_final, Delta & delta) {
    const size_t n_bytes = is_final ? text_.size() : n_settled();
    const auto   cost    = (int64_t) (output_.n_prompt_bytes() + n_bytes);
    leaf_                = {};
    if (n_bytes == 0 || (!is_final && (n_bytes == n_last_parsed_ || cost > credit_))) {
        return;
    }
    credit_ -= cost;
    n_bytes_parsed_ += n_bytes;
    n_last_parsed_ = n_bytes;

    const ParsedOutput parsed = output_.parse(std::string_view(text_).substr(0, n_bytes));
    if (parsed.status == ParsedOutput::Status::Failed) {
        n_failed_since_ = n_failed_since_ == 0 ? text_.size() : n_failed_since_;
        if (is_final || text_.size() >= n_failed_since_ + N_FAILED_MAX) {
            leave_format(delta);
        }
        return;
    }
    n_failed_since_ = 0;
    take(parsed, delta);
    if (is_plain_) {
        return;
    }
    if (is_final) {
        tell_rest(parsed, delta);
    } else {
        follow(parsed);
    }
}

// What now is there and has not been told. False: something else has been told.
static bool add_new(std::string & told, const std::string & now, std::string & delta) {
    if (now.size() >= told.size()) {
        if (now.compare(0, told.size(), told) != 0) {
            return false;
        }
        delta.append(now, told.size(), std::string::npos);
        told = now;
        return true;
    }
    return told.compare(0, now.size(), now) == 0;
}

void ChatParser::take(const ParsedOutput & parsed, Delta & delta) {
    if (!add_new(reasoning_, parsed.reasoning, delta.reasoning) || !add_new(content_, parsed.content, delta.content)) {
        leave_format(delta);
        return;
    }
    take_calls(parsed.calls, delta);
    n_covered_ = std::max(n_covered_, parsed.n_covered);
    last_      = parsed.last;
}

// For a call to which the model gave none. Nine letters and digits: what the strictest templates ask for.
static std::string new_call_id() {
    static constexpr char              DIGITS[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    thread_local std::mt19937_64       random(std::random_device{}());
    std::uniform_int_distribution<int> digit(0, (int) sizeof(DIGITS) - 2);
    std::string                        out;
    for (int i = 0; i < 9; i++) {
        out += DIGITS[digit(random)];
    }
    return out;
}

void ChatParser::take_calls(const std::vector<ToolCall> & calls, Delta & delta) {
    for (size_t i = 0; i < calls.size() && !is_plain_; i++) {
        ToolCallDelta piece;
        piece.index = (int32_t) i;
        if (i == calls_.size()) {
            piece.id   = calls[i].id.empty() ? new_call_id() : calls[i].id;
            piece.name = calls[i].name;
            calls_.push_back({ piece.id, piece.name, "" });
        }
        if (calls[i].name != calls_[i].name || !add_new(calls_[i].arguments, calls[i].arguments, piece.arguments)) {
            leave_format(delta);
            return;
        }
        if (!piece.name.empty() || !piece.arguments.empty()) {
            delta.tool_calls.push_back(std::move(piece));
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// between parses

static bool ends_with(const std::string & text, std::string_view end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Where what has been told is what stands at the leaf, the leaf is followed.
void ChatParser::follow(const ParsedOutput & parsed) {
    const Leaf &           leaf = parsed.leaf;
    const std::string_view told = std::string_view(text_).substr(leaf.start, leaf.end - leaf.start);
    // before an empty leaf, what comes next may still be a mark or the white space in front of it
    switch (told.empty() ? Kind::None : leaf.kind) {
        case Kind::None:
            return;
        case Kind::Content:
        case Kind::ContentJson:
            leaf_ = ends_with(content_, told) ? leaf : Leaf();
            break;
        case Kind::Reasoning:
            leaf_ = ends_with(reasoning_, told) ? leaf : Leaf();
            break;
        case Kind::Argument:
            leaf_ = !calls_.empty() && ends_with(calls_.back().arguments, '"' + json_escaped(told)) ? leaf : Leaf();
            break;
        case Kind::ArgumentsJson:
            // the end may be white space, which waits
            leaf_ = !calls_.empty() && told.compare(0, calls_.back().arguments.size(), calls_.back().arguments) == 0
                        ? leaf
                        : Leaf();
            n_covered_ = leaf.start + (leaf_.kind == Kind::None ? 0 : calls_.back().arguments.size());
            break;
    }
    n_scanned_ = leaf.end;
    n_open_    = 0;
    if (leaf_.kind == Kind::ContentJson || leaf_.kind == Kind::ArgumentsJson) {
        json_ = JsonScanner();
        for (size_t i = leaf_.start; i < leaf_.end; i++) {
            if (json_.push(text_[i]) != JsonScanner::State::Open) {
                leaf_ = {};
                return;
            }
        }
    }
}

// From a byte of text_ on, the first place where a delimiter stands or may have begun; npos: none.
size_t ChatParser::find_delimiter(size_t from) const {
    for (size_t i = from; i < text_.size(); i++) {
        for (const std::string & delimiter : output_.delimiters()) {
            const size_t n = std::min(delimiter.size(), text_.size() - i);
            if (text_[i] == delimiter[0] && text_.compare(i, n, delimiter, 0, n) == 0) {
                return i;
            }
        }
    }
    return std::string::npos;
}

// True: the text goes on, as far as one can see.
bool ChatParser::scan_text(Delta & delta) {
    const size_t found = find_delimiter(n_scanned_);
    const size_t end   = std::min(found, text_.size());
    tell_leaf(end, delta);
    n_scanned_ = end;
    if (found == std::string::npos) {
        shorten_leaf();
        return true;
    }
    const auto is_whole = [&](const std::string & delimiter) {
        return text_.compare(found, delimiter.size(), delimiter) == 0;
    };
    return std::none_of(output_.delimiters().begin(), output_.delimiters().end(), is_whole);
}

bool ChatParser::scan_json(Delta & delta) {
    size_t end     = n_covered_;
    bool   goes_on = true;
    for (; n_scanned_ < text_.size() && goes_on; n_scanned_++) {
        const JsonScanner::State state = json_.push(text_[n_scanned_]);
        if (json_.depth() > N_DEPTH_MAX) {
            n_open_ = json_.depth();
        }
        goes_on              = state == JsonScanner::State::Open && n_open_ <= N_DEPTH_MAX;
        const bool is_number = state == JsonScanner::State::Complete && leaf_.kind == Kind::ContentJson;
        const bool may_wait  = leaf_.kind == Kind::ArgumentsJson && std::isspace((unsigned char) text_[n_scanned_]);
        if (state != JsonScanner::State::Invalid && !is_number && json_.is_settled() && !may_wait) {
            end = n_scanned_ + 1;
        }
    }
    // a character is told whole
    while (end > n_covered_ && end < text_.size() && ((unsigned char) text_[end] & 0xC0) == 0x80) {
        end--;
    }
    tell_leaf(end, delta);
    return goes_on;
}

// Tells the leaf's text up to a byte of text_.
void ChatParser::tell_leaf(size_t end, Delta & delta) {
    if (end <= n_covered_) {
        return;
    }
    const std::string text = text_.substr(n_covered_, end - n_covered_);
    n_covered_             = end;
    switch (leaf_.kind) {
        case Kind::None:
            return;
        case Kind::Content:
        case Kind::ContentJson:
            content_ += text;
            delta.content += text;
            return;
        case Kind::Reasoning:
            reasoning_ += text;
            delta.reasoning += text;
            return;
        case Kind::Argument:
        case Kind::ArgumentsJson: {
            ToolCallDelta piece;
            piece.index     = (int32_t) calls_.size() - 1;
            piece.arguments = leaf_.kind == Kind::Argument ? json_escaped(text) : text;
            calls_.back().arguments += piece.arguments;
            delta.tool_calls.push_back(std::move(piece));
            return;
        }
    }
}

// Takes the inside out of a long text, here and in what has been told of it.
void ChatParser::shorten_leaf() {
    std::string * told = leaf_.kind == Kind::Content     ? &content_
                         : leaf_.kind == Kind::Reasoning ? &reasoning_
                                                         : nullptr;
    if (told == nullptr || n_covered_ != text_.size() || text_.size() - leaf_.start < N_TEXT_MAX) {
        return;
    }
    const auto is_inside = [&](size_t at) { return ((unsigned char) text_[at] & 0xC0) == 0x80; };
    size_t     from      = leaf_.start + N_TEXT_END;
    size_t     to        = text_.size() - N_TEXT_END;
    while (is_inside(from)) {
        from++;
    }
    while (is_inside(to)) {
        to++;
    }
    const std::string joined = text_.substr(leaf_.start, from - leaf_.start) + text_.substr(to);
    for (const std::string & delimiter : output_.delimiters()) {
        if (joined.find(delimiter) != std::string::npos) {
            return;
        }
    }
    const size_t n_out = to - from;
    told->erase(told->size() - (text_.size() - from), n_out);
    text_.erase(from, n_out);
    n_covered_ = n_scanned_ = text_.size();
    n_last_parsed_          = 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// the end

// What is held back because a mark may have begun belongs to the text in which it stands, or is content.
void ChatParser::tell_rest(const ParsedOutput & parsed, Delta & delta) {
    if (parsed.status == ParsedOutput::Status::Complete || last_ == ParsedOutput::Part::Call ||
        n_covered_ >= text_.size()) {
        return;
    }
    const std::string rest        = text_.substr(n_covered_);
    const auto        is_begun    = [&](const std::string & mark) { return mark.compare(0, rest.size(), rest) == 0; };
    const bool        in_thoughts = last_ == ParsedOutput::Part::Reasoning &&
                             std::any_of(output_.delimiters().begin(), output_.delimiters().end(), is_begun);
    (in_thoughts ? delta.reasoning : delta.content) += rest;
    n_covered_ = text_.size();
}

void ChatParser::leave_format(Delta & delta) {
    is_plain_ = true;
    leaf_     = {};
    delta.content.append(text_, n_covered_, std::string::npos);
    n_covered_ = text_.size();
}

int32_t ChatParser::n_complete_calls() const {
    return (int32_t) std::count_if(calls_.begin(), calls_.end(), [](const ToolCall & call) {
        return is_json_object(call.arguments.data(), call.arguments.size());
    });
}
