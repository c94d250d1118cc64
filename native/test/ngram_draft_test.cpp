#include "ngram_draft.h"

#include "check.h"

#include <algorithm>
#include <random>

using Tokens = std::vector<int32_t>;

static NgramDraft index_of(const Tokens & text) {
    NgramDraft draft;
    for (const int32_t token : text) {
        draft.push(token);
    }
    return draft;
}

static void proposes_what_followed_before() {
    const auto proposal = index_of({ 1, 2, 3, 4, 5, 6, 7, 9, 1, 2, 3 }).draft(4);
    CHECK(proposal.tokens == Tokens({ 4, 5, 6, 7 }));
    CHECK_EQUAL(proposal.n_match, 3);
}

static void proposes_nothing_where_nothing_repeats() {
    CHECK(index_of({}).draft(8).tokens.empty());
    CHECK(index_of({ 1, 2, 3 }).draft(8).tokens.empty());
    CHECK(index_of({ 1, 2, 3, 4, 5, 6, 7, 8 }).draft(8).tokens.empty());
    CHECK(index_of({ 1, 2, 3, 4, 2, 3 }).draft(8).tokens.empty());  // two tokens are no evidence
    CHECK(index_of({ 1, 2, 3, 1, 2, 3 }).draft(0).tokens.empty());
}

static void prefers_the_longer_repetition_and_then_the_newer() {
    CHECK(index_of({ 7, 1, 2, 3, 50, 8, 1, 2, 3, 60, 7, 1, 2, 3 }).draft(1).tokens == Tokens({ 50 }));
    CHECK(index_of({ 7, 1, 2, 3, 50, 8, 1, 2, 3, 60, 9, 1, 2, 3 }).draft(1).tokens == Tokens({ 60 }));
}

static void goes_on_periodically_past_the_end() {
    const auto proposal = index_of({ 1, 2, 3, 4, 1, 2, 3, 4, 1 }).draft(10);
    CHECK(proposal.tokens == Tokens({ 2, 3, 4, 1, 2, 3, 4, 1, 2, 3 }));
    CHECK(index_of({ 5, 5, 5, 5 }).draft(3).tokens == Tokens({ 5, 5, 5 }));
}

// The length of the longest ending (up to N_MATCH_MAX) that also ends at some earlier place.
static int32_t longest_repetition(const Tokens & text) {
    int32_t best = 0;
    for (size_t place = 0; place + 1 < text.size(); place++) {
        int32_t n = 0;
        while (n < NgramDraft::N_MATCH_MAX && (size_t) n <= place &&
               text[place - (size_t) n] == text[text.size() - 1 - (size_t) n]) {
            n++;
        }
        best = std::max(best, n);
    }
    return best;
}

// Over random texts, repetitive ones and such that are neither: a proposal is what followed some earlier place with the
// same n_match tokens before it, there is one whenever a run of three repeats, and in texts without many repetitions of
// one run it is the longest one there is.
static void keeps_its_promises_for_any_text() {
    std::mt19937 random(11);
    for (int round = 0; round < 400; round++) {
        const uint32_t n_vocab = 2 + random() % 200;
        const size_t   n_text  = random() % 700;
        NgramDraft     draft;
        Tokens         text;
        while (text.size() < n_text) {
            if (text.size() > 8 && random() % 12 == 0) {
                const size_t from = random() % (text.size() - 4);
                for (size_t i = 0; i < 1 + random() % 30 && text.size() < n_text; i++) {
                    text.push_back(text[from + i]);
                    draft.push(text.back());
                }
            } else {
                text.push_back((int32_t) (random() % n_vocab));
                draft.push(text.back());
            }
        }
        CHECK_EQUAL(draft.size(), text.size());
        const auto    n_max      = (int32_t) (random() % 40);
        const auto    proposal   = draft.draft(n_max);
        const int32_t repetition = longest_repetition(text);
        if (n_max == 0 || repetition < NgramDraft::N_MATCH_MIN) {
            CHECK(proposal.tokens.empty());
            continue;
        }
        CHECK_EQUAL(proposal.tokens.size(), (size_t) n_max);
        CHECK(proposal.n_match >= NgramDraft::N_MATCH_MIN && proposal.n_match <= repetition);
        if (n_vocab > 60) {
            CHECK_EQUAL(proposal.n_match, repetition);
        }
        bool is_copied = false;
        for (size_t place = (size_t) proposal.n_match - 1; place + 1 < text.size() && !is_copied; place++) {
            Tokens extended = text;
            extended.insert(extended.end(), proposal.tokens.begin(), proposal.tokens.end());
            is_copied = std::equal(text.end() - proposal.n_match, text.end(),
                                   text.begin() + (std::ptrdiff_t)(place + 1) - proposal.n_match) &&
                        std::equal(proposal.tokens.begin(), proposal.tokens.end(),
                                   extended.begin() + (std::ptrdiff_t) place + 1);
        }
        CHECK(is_copied);
    }
}

// One token again and again makes the worst chain; a draft must not walk all of it.
static void stays_quick_in_a_long_monotonous_text() {
    NgramDraft draft;
    size_t     n_proposed = 0;
    for (int i = 0; i < 200'000; i++) {
        draft.push(i % 1000 == 0 ? 2 : 1);
        n_proposed += draft.draft(4).tokens.size();
    }
    CHECK(n_proposed > 700'000);
}

int main() {
    RUN(proposes_what_followed_before);
    RUN(proposes_nothing_where_nothing_repeats);
    RUN(prefers_the_longer_repetition_and_then_the_newer);
    RUN(goes_on_periodically_past_the_end);
    RUN(keeps_its_promises_for_any_text);
    RUN(stays_quick_in_a_long_monotonous_text);
}
