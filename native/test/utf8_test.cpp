#include "utf8.h"

#include "check.h"

#include <random>
#include <vector>

static const std::string REPLACEMENT = "\xEF\xBF\xBD";

static std::string whole(const std::string & bytes) {
    Utf8Assembler     utf8;
    const std::string text = utf8.push(bytes);
    return text + utf8.flush();
}

static void passes_valid_text() {
    const std::string text = "plain, \xC3\xA9, \xE6\xBC\xA2, \xF0\x9F\x98\x80";
    CHECK_EQUAL(whole(text), text);
}

static void holds_back_a_split_character() {
    Utf8Assembler utf8;
    CHECK_EQUAL(utf8.push("\xF0"), std::string());
    CHECK_EQUAL(utf8.push("\x9F\x98"), std::string());
    CHECK(utf8.holds_back());
    CHECK_EQUAL(utf8.push("\x80!"), std::string("\xF0\x9F\x98\x80!"));
    CHECK(!utf8.holds_back());
}

static void replaces_what_is_no_character() {
    CHECK_EQUAL(whole("a\x80"
                      "b"),
                "a" + REPLACEMENT + "b");
    CHECK_EQUAL(whole("\xC0\xAF"), REPLACEMENT + REPLACEMENT);                    // overlong
    CHECK_EQUAL(whole("\xED\xA0\x80"), REPLACEMENT + REPLACEMENT + REPLACEMENT);  // surrogate
    CHECK_EQUAL(whole("\xF4\x90\x80\x80"), REPLACEMENT + REPLACEMENT + REPLACEMENT + REPLACEMENT);
    CHECK_EQUAL(whole("\xE6\xBC"
                      "x"),
                REPLACEMENT + "x");  // one for the maximal subpart
}

static void ends_an_incomplete_character() {
    Utf8Assembler utf8;
    CHECK_EQUAL(utf8.push("ok \xE6\xBC"), std::string("ok "));
    CHECK_EQUAL(utf8.flush(), REPLACEMENT);
    CHECK_EQUAL(utf8.flush(), std::string());
}

// Property: how bytes are cut into pushes does not change the text, for any bytes.
static void does_not_depend_on_the_cuts() {
    std::mt19937                   random(1);
    const std::vector<std::string> pieces = { "a",        "\xC3",     "\xA9", "\xE6\xBC\xA2",
                                              "\xF0\x9F", "\x98\x80", "\xFF", "\xED\xA0" };
    for (int round = 0; round < 2000; round++) {
        std::string bytes;
        for (int i = 0; i < 12; i++) {
            bytes += pieces[random() % pieces.size()];
        }
        Utf8Assembler utf8;
        std::string   text;
        for (size_t i = 0; i < bytes.size();) {
            const size_t n = 1 + random() % 3;
            text += utf8.push(std::string_view(bytes).substr(i, n));
            i += n;
        }
        CHECK_EQUAL(text + utf8.flush(), whole(bytes));
    }
}

int main() {
    RUN(passes_valid_text);
    RUN(holds_back_a_split_character);
    RUN(replaces_what_is_no_character);
    RUN(ends_an_incomplete_character);
    RUN(does_not_depend_on_the_cuts);
}
