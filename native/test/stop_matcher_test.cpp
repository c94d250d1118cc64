#include "stop_matcher.h"

#include "check.h"

#include <random>

static void passes_text_without_stops() {
    StopMatcher matcher;
    CHECK_EQUAL(matcher.push("anything"), std::string("anything"));
    CHECK(!matcher.holds_back());
}

static void matches_over_a_border() {
    StopMatcher matcher({ "beta gamma" });
    CHECK_EQUAL(matcher.push("alpha be"), std::string("alpha "));
    CHECK_EQUAL(matcher.push("ta ga"), std::string());
    CHECK_EQUAL(matcher.push("mma delta"), std::string());
    CHECK(matcher.matched());
    CHECK_EQUAL(matcher.push("more"), std::string());
    CHECK_EQUAL(matcher.flush(), std::string());
}

static void matches_inside_one_push() {
    StopMatcher matcher({ "STOP" });
    CHECK_EQUAL(matcher.push("before STOP after"), std::string("before "));
    CHECK(matcher.matched());
}

static void takes_the_first_complete_of_several() {
    StopMatcher matcher({ "world", "lo w", "o w" });
    CHECK_EQUAL(matcher.match(), -1);
    CHECK_EQUAL(matcher.push("hello world"), std::string("hel"));
    CHECK_EQUAL(matcher.match(), 1);
}

static void releases_what_is_ruled_out() {
    StopMatcher matcher({ "DEFGHIJ" });
    CHECK_EQUAL(matcher.push("ABCDEF"), std::string("ABC"));
    CHECK(matcher.holds_back());
    CHECK_EQUAL(matcher.push("X"), std::string("DEFX"));
    CHECK(!matcher.holds_back());
}

static void gives_the_held_text_at_the_end() {
    StopMatcher matcher({ "abc" });
    CHECK_EQUAL(matcher.push("xab"), std::string("x"));
    CHECK_EQUAL(matcher.flush(), std::string("ab"));
}

static void finds_a_restarted_prefix() {
    StopMatcher matcher({ "aab" });
    CHECK_EQUAL(matcher.push("aa"), std::string());
    CHECK_EQUAL(matcher.push("ab"), std::string("a"));
    CHECK(matcher.matched());
}

// Property: the emitted text ends before the stop string that is complete first, however the text is cut.
static void equals_a_plain_search() {
    std::mt19937 random(2);
    for (int round = 0; round < 5000; round++) {
        const auto word = [&](size_t n) {
            std::string out;
            for (size_t i = 0; i < n; i++) {
                out.push_back((char) ('a' + random() % 2));
            }
            return out;
        };
        const std::string              text  = word(20);
        const std::vector<std::string> stops = { word(1 + random() % 5), word(1 + random() % 5) };

        StopMatcher matcher(stops);
        std::string out;
        for (size_t i = 0; i < text.size();) {
            const size_t n = 1 + random() % 4;
            out += matcher.push(std::string_view(text).substr(i, n));
            i += n;
        }
        out += matcher.flush();

        std::string expected = text;
        for (size_t end = 1; end <= text.size() && expected == text; end++) {
            for (const std::string & stop : stops) {
                if (end >= stop.size() && text.compare(end - stop.size(), stop.size(), stop) == 0) {
                    expected = std::min(expected, text.substr(0, end - stop.size()));
                }
            }
        }
        CHECK_EQUAL(out, expected);
    }
}

int main() {
    RUN(passes_text_without_stops);
    RUN(matches_over_a_border);
    RUN(matches_inside_one_push);
    RUN(takes_the_first_complete_of_several);
    RUN(releases_what_is_ruled_out);
    RUN(gives_the_held_text_at_the_end);
    RUN(finds_a_restarted_prefix);
    RUN(equals_a_plain_search);
}
