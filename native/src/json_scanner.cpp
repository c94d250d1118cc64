#include "json_scanner.h"

#include <cctype>
#include <cstring>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

JsonScanner::State JsonScanner::end_value() {
    token_  = Token::None;
    expect_ = Expect::CommaOrEnd;
    return open_.empty() ? State::Complete : State::Open;
}

JsonScanner::State JsonScanner::push(char c) {
    switch (token_) {
        case Token::None:
            return begin(c);
        case Token::String:
            return push_string(c);
        case Token::Escape:
            n_hex_ = 4;
            token_ = c == 'u' ? Token::Hex : Token::String;
            return c != 0 && std::strchr("\"\\/bfnrtu", c) != nullptr ? State::Open : State::Invalid;
        case Token::Hex:
            token_ = --n_hex_ > 0 ? Token::Hex : Token::String;
            return std::isxdigit((unsigned char) c) ? State::Open : State::Invalid;
        case Token::Number:
            return push_number(c);
        case Token::Literal:
            if (c != *rest_) {
                return State::Invalid;
            }
            return *++rest_ == 0 ? end_value() : State::Open;
    }
    return State::Invalid;
}

JsonScanner::State JsonScanner::begin(char c) {
    if (std::isspace((unsigned char) c)) {
        return State::Open;
    }
    const bool wants_value = expect_ == Expect::Value || expect_ == Expect::ValueOrEnd;
    switch (c) {
        case '"':
            if (!wants_value && expect_ != Expect::Key && expect_ != Expect::KeyOrEnd) {
                return State::Invalid;
            }
            is_key_ = !wants_value;
            token_  = Token::String;
            return State::Open;
        case ':':
            if (expect_ != Expect::Colon) {
                return State::Invalid;
            }
            expect_ = Expect::Value;
            return State::Open;
        case ',':
            if (expect_ != Expect::CommaOrEnd || open_.empty()) {
                return State::Invalid;
            }
            expect_ = open_.back() == '{' ? Expect::Key : Expect::Value;
            return State::Open;
        case '{':
        case '[':
            if (!wants_value) {
                return State::Invalid;
            }
            open_.push_back(c);
            expect_ = c == '{' ? Expect::KeyOrEnd : Expect::ValueOrEnd;
            return State::Open;
        case '}':
        case ']': {
            const char opening = c == '}' ? '{' : '[';
            const bool may_end =
                expect_ == Expect::CommaOrEnd || expect_ == (c == '}' ? Expect::KeyOrEnd : Expect::ValueOrEnd);
            if (!may_end || open_.empty() || open_.back() != opening) {
                return State::Invalid;
            }
            open_.pop_back();
            return end_value();
        }
        default:
            break;
    }
    if (!wants_value) {
        return State::Invalid;
    }
    if (c == '-' || is_digit(c)) {
        token_  = Token::Number;
        number_ = c == '-' ? Number::Minus : c == '0' ? Number::Zero : Number::Integer;
        return State::Open;
    }
    token_ = Token::Literal;
    rest_  = c == 't' ? "rue" : c == 'f' ? "alse" : c == 'n' ? "ull" : "";
    return *rest_ == 0 ? State::Invalid : State::Open;
}

JsonScanner::State JsonScanner::push_string(char c) {
    if (c == '\\') {
        token_ = Token::Escape;
    } else if (c == '"') {
        if (!is_key_) {
            return end_value();
        }
        token_  = Token::None;
        expect_ = Expect::Colon;
    }
    return State::Open;
}

JsonScanner::State JsonScanner::push_number(char c) {
    const auto go = [&](Number next) {
        number_ = next;
        return State::Open;
    };
    switch (number_) {
        case Number::Minus:
            return is_digit(c) ? go(c == '0' ? Number::Zero : Number::Integer) : State::Invalid;
        case Number::Point:
            return is_digit(c) ? go(Number::Fraction) : State::Invalid;
        case Number::Exponent:
            return is_digit(c) ? go(Number::Digits) : c == '+' || c == '-' ? go(Number::Sign) : State::Invalid;
        case Number::Sign:
            return is_digit(c) ? go(Number::Digits) : State::Invalid;
        case Number::Zero:
        case Number::Integer:
            if (c == '.') {
                return go(Number::Point);
            }
            [[fallthrough]];
        case Number::Fraction:
            if (c == 'e' || c == 'E') {
                return go(Number::Exponent);
            }
            [[fallthrough]];
        case Number::Digits:
            break;
    }
    if (is_digit(c)) {
        return number_ == Number::Zero ? State::Invalid : State::Open;
    }
    if (c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-') {
        return State::Invalid;
    }
    const State state = end_value();
    return state == State::Open ? begin(c) : state;
}

bool is_json_object(const char * text, size_t n_bytes) {
    JsonScanner scanner;
    if (n_bytes == 0 || text[0] != '{') {
        return false;
    }
    for (size_t i = 0; i < n_bytes; i++) {
        const JsonScanner::State state = scanner.push(text[i]);
        if (state != JsonScanner::State::Open) {
            return state == JsonScanner::State::Complete && i + 1 == n_bytes;
        }
    }
    return false;
}
