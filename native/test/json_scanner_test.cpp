#include "json_scanner.h"

#include "check.h"
#include "json.h"  // llama.cpp common

#include <random>
#include <string>

using State = JsonScanner::State;

// The state after the last byte that was taken.
static State scan(const std::string & text) {
    JsonScanner scanner;
    State       state = State::Open;
    for (size_t i = 0; i < text.size() && state == State::Open; i++) {
        state = scanner.push(text[i]);
    }
    return state;
}

static void follows_whole_values() {
    for (const char * text :
         { "{}", "[]", "\"\"", "true", "false", "null", R"({"a":[1,-2.5e+3,"\u00e9\\",{}],"b":null})",
           " { \"a\" : [ ] } ", "0 ", "[0]", "[1E5]" }) {
        CHECK(scan(text) == State::Complete);
    }
    for (const char * text : { "", "{", "[", "\"a", "tru", "12", "{\"a\"", "{\"a\":", "[1,", "\"\\", "\"\\u00", "-" }) {
        CHECK(scan(text) == State::Open);
    }
    for (const char * text : { "}", "]", ",", ":", "x", "[1 2]", "{1}", "{\"a\" 1}", "{\"a\":1,}", "[1,]", "01", "1.x",
                               "1ex", "-x", "\"\\x", "\"\\u00g", "trux", "[1}", "{\"a\":1]" }) {
        CHECK(scan(text) == State::Invalid);
    }
    CHECK(is_json_object("{\"a\": 1}", 8));
    CHECK(!is_json_object("{\"a\": 1} ", 9));
    CHECK(!is_json_object("[1]", 3));
}

// Against a JSON parser, over texts by chance.
static void agrees_with_a_parser() {
    const std::string                  bytes = "{}[]\",:\\u01 e.-+truefalsn";
    std::mt19937                       random(5);
    std::uniform_int_distribution<int> pick(0, (int) bytes.size() - 1), length(1, 8);
    int                                n_valid = 0;
    for (int i = 0; i < 200000; i++) {
        std::string text;
        for (int n = length(random); n > 0; n--) {
            text += bytes[(size_t) pick(random)];
        }
        // a blank ends a number
        const bool   is_json  = !common_json::parse_no_throw(text).is_discarded();
        const size_t first    = text.find_first_not_of(' ');
        const bool  is_number = first != std::string::npos && std::string("-01").find(text[first]) != std::string::npos;
        JsonScanner scanner;
        State       state = State::Open;
        for (const char c : text + " ") {
            if (state == State::Complete && c == ' ') {
                continue;
            }
            state = state == State::Open ? scanner.push(c) : State::Invalid;
            // what ends a number is no part of it
            if (state == State::Complete && is_number && c != ' ') {
                state = State::Invalid;
            }
        }
        // the parser refuses numbers that no double holds
        const bool is_huge = state == State::Complete && text.find('e') != std::string::npos;
        if ((state == State::Complete) != is_json && !is_huge) {
            CHECK_EQUAL(text, std::string());
        }
        n_valid += is_json ? 1 : 0;
    }
    CHECK(n_valid > 100);
}

int main() {
    RUN(follows_whole_values);
    RUN(agrees_with_a_parser);
}
