#include "image_places.h"

#include "check.h"

#include <random>

static void counts_positions_behind_images() {
    // four tokens in two rows, then an image whose tokens are its positions
    const ImagePlaces places = { { 3, 4, 2 }, { 10, 5, 5 } };
    CHECK_EQUAL(position_at(places, 0), 0);
    CHECK_EQUAL(position_at(places, 3), 3);
    CHECK_EQUAL(position_at(places, 7), 5);
    CHECK_EQUAL(position_at(places, 8), 6);
    CHECK_EQUAL(position_at(places, 15), 13);
    CHECK_EQUAL(position_at({}, 8), 8);
}

static void finds_the_tokens_before_a_position() {
    const ImagePlaces places = { { 3, 4, 2 }, { 10, 5, 5 } };
    CHECK_EQUAL(tokens_before(places, 3), 3);
    CHECK_EQUAL(tokens_before(places, 4), 7);  // within the first image
    CHECK_EQUAL(tokens_before(places, 5), 7);
    CHECK_EQUAL(tokens_before(places, 6), 8);
    CHECK_EQUAL(tokens_before(places, 8), 10);
    CHECK_EQUAL(tokens_before(places, 13), 15);
    CHECK_EQUAL(tokens_before({}, 9), 9);
}

static void gives_the_same_tokens_back_for_any_places() {
    std::mt19937 random(7);
    for (int round = 0; round < 2000; round++) {
        ImagePlaces places;
        int32_t     end = 0;
        for (uint32_t n = random() % 4; n > 0; n--) {
            const auto first    = end + (int32_t) (random() % 5);
            const auto n_tokens = 1 + (int32_t) (random() % 9);
            places.push_back({ first, n_tokens, 1 + (int32_t) (random() % (uint32_t) n_tokens) });
            end = first + n_tokens;
        }
        size_t next = 0;
        for (int32_t n = 0; n <= end + 5; n++) {
            while (next < places.size() && n >= places[next].first + places[next].n_tokens) {
                next++;
            }
            if (next < places.size() && n > places[next].first) {
                continue;  // within an image
            }
            CHECK_EQUAL(tokens_before(places, position_at(places, n)), n);
        }
    }
}

int main() {
    RUN(counts_positions_behind_images);
    RUN(finds_the_tokens_before_a_position);
    RUN(gives_the_same_tokens_back_for_any_places);
}
