#include "pattern_check.h"

#include "check.h"

#include <random>

static void takes_what_people_write() {
    for (const char * pattern :
         { "", "^$", "^a$", "^[a-z]{2,5}$", "^\\d{4}-\\d{2}-\\d{2}$", "^(foo|bar)+$", "^(a|b)?$", "^([A-Z]{3}-?){2}$",
           "^a{3,}$", "^a{0,1000}$", "^[^\\]{]*$", "^\\{2,1\\}$", "^[{2,1}]$", "^((\\d+\\.)?\\d+)$", "^(a?b){30}$" }) {
        CHECK_EQUAL(pattern_problem(pattern), "");
    }
}

static void refuses_what_has_no_end() {
    for (const char * pattern :
         { "^a{2,1}$", "^(ab){10,2}c$", "^((((a?){30}){30}){2}){1}$", "^(a*){3}$", "^(|a){5}$",
           "^a{99999999999999999999}$", "^a{3000}$", "^((a{100}){100}){100}$", "^a{x}$", "^a{,3}$" }) {
        CHECK(!pattern_problem(pattern).empty());
    }
    CHECK(!pattern_problem(std::string(5000, '(')).empty());
}

// Whatever the bytes are, it comes to an end with an answer.
static void ends_on_any_text() {
    static const std::string SIGNS = "ab()[]{}|*+?\\^$,019-.";
    std::mt19937             random(2);
    int32_t                  n_refused = 0;
    for (int32_t round = 0; round < 20000; round++) {
        std::string pattern;
        for (size_t i = 0; i < random() % 60; i++) {
            pattern += SIGNS[random() % SIGNS.size()];
        }
        n_refused += pattern_problem(pattern).empty() ? 0 : 1;
    }
    CHECK(n_refused > 100 && n_refused < 20000);
}

int main() {
    RUN(takes_what_people_write);
    RUN(refuses_what_has_no_end);
    RUN(ends_on_any_text);
}
