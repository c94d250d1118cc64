#include "draft_length.h"

#include "check.h"

#include <algorithm>
#include <random>

static const DraftCost CHEAP = { 0.0, 0.2, 0 };

// Guesses of a text in which each holds with this chance; returns how many were made and how many held.
static std::pair<int32_t, int32_t> run(DraftLength & length, double chance, const DraftCost & cost, int32_t n_steps,
                                       int32_t * n_tries = nullptr) {
    std::mt19937                           random(5);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    int32_t                                n_drafted = 0;
    int32_t                                n_held    = 0;
    for (int32_t step = 0; step < n_steps; step++) {
        const int32_t n = length.next(cost, 32);
        CHECK(n >= 0 && n <= 32);
        int32_t n_accepted = 0;
        while (n_accepted < n && uniform(random) < chance) {
            n_accepted++;
        }
        if (n > 0) {
            if (n_tries != nullptr) {
                (*n_tries)++;
            }
            length.observe(n, n_accepted);
        }
        n_drafted += n;
        n_held += n_accepted;
        CHECK(length.acceptance() > 0.0 && length.acceptance() < 1.0);
    }
    return { n_drafted, n_held };
}

static void grows_where_guesses_hold() {
    DraftLength   length;
    const int32_t first = length.next(CHEAP, 32);
    CHECK(first >= 1 && first < 16);
    run(length, 1.0, CHEAP, 20);
    CHECK_EQUAL(length.next(CHEAP, 32), 32);
    CHECK_EQUAL(length.next(CHEAP, 7), 7);
    CHECK_EQUAL(length.next(CHEAP, 0), 0);
}

static void costs_next_to_nothing_in_hopeless_text() {
    DraftLength length;
    const auto [n_drafted, n_held] = run(length, 0.0, CHEAP, 10'000);
    CHECK_EQUAL(n_held, 0);
    CHECK(n_drafted >= 10'000 / 257);
    CHECK(n_drafted < 300);
}

static void comes_back_when_the_text_changes() {
    DraftLength length;
    run(length, 0.0, CHEAP, 5'000);
    run(length, 1.0, CHEAP, 600);
    CHECK(length.next(CHEAP, 32) > 16);
}

static void does_not_pay_more_than_it_gets() {
    double worst = 0.0;
    for (const double chance : { 0.1, 0.3, 0.5, 0.7, 0.9, 0.99 }) {
        for (const double per_token : { 0.02, 0.1, 0.3, 0.6, 0.9, 2.0 }) {
            for (const double fixed : { 0.0, 0.5, 2.0 }) {
                DraftLength length;
                int32_t     n_tries            = 0;
                const auto [n_drafted, n_held] = run(length, chance, { fixed, per_token, 0 }, 20'000, &n_tries);
                // what the guesses cost beyond what they gave, in tokens, against one token a step
                const double lost = (n_drafted * per_token + n_tries * fixed - n_held) / 20'000;
                worst             = std::max(worst, lost);
            }
        }
    }
    std::printf("%.3f of a token a step lost at worst\n", worst);
    CHECK(worst < 0.03);
}

static void takes_long_guesses_where_short_ones_do_not_pay() {
    // as measured: a step of two tokens takes three times as long as one, each further token 0.45 of it
    const DraftCost steep = { 1.4, 0.45, 0 };
    DraftLength     length;
    const auto [n_drafted, n_held] = run(length, 1.0, steep, 400);
    CHECK(length.next(steep, 32) == 32);
    CHECK(length.next(steep, 2) <= 2);
    CHECK(n_drafted == n_held && n_drafted > 400);
}

static void asks_for_nothing_where_a_guess_costs_a_whole_token() {
    DraftLength length;
    const auto [n_drafted, n_held] = run(length, 0.99, { 0.0, 3.0, 0 }, 1'000);
    CHECK(n_drafted < 150);
    CHECK(n_held <= n_drafted);
}

static void learns_what_guesses_cost_first() {
    DraftLength length(0.1);
    CHECK_EQUAL(length.next({ 0.0, 5.0, 16 }, 32), 16);
    CHECK_EQUAL(length.next({ 0.0, 5.0, 2 }, 32), 2);
    CHECK_EQUAL(length.next({ 0.0, 5.0, 16 }, 8), 1);  // no room to learn in
}

static void ignores_guesses_that_were_not_decided() {
    DraftLength  length(0.6);
    const double before = length.acceptance();
    length.observe(0, 0);
    CHECK_EQUAL(length.acceptance(), before);
}

int main() {
    RUN(grows_where_guesses_hold);
    RUN(costs_next_to_nothing_in_hopeless_text);
    RUN(comes_back_when_the_text_changes);
    RUN(does_not_pay_more_than_it_gets);
    RUN(takes_long_guesses_where_short_ones_do_not_pay);
    RUN(asks_for_nothing_where_a_guess_costs_a_whole_token);
    RUN(learns_what_guesses_cost_first);
    RUN(ignores_guesses_that_were_not_decided);
}
