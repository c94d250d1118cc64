#include "image_places.h"

int32_t position_at(const ImagePlaces & places, int32_t n_tokens) {
    int32_t position = n_tokens;
    for (const ImagePlace & place : places) {
        if (place.first + place.n_tokens > n_tokens) {
            break;
        }
        position -= place.n_tokens - place.n_pos;
    }
    return position;
}

int32_t tokens_before(const ImagePlaces & places, int32_t position) {
    int32_t n_tokens = position;
    for (const ImagePlace & place : places) {
        if (n_tokens <= place.first) {
            break;
        }
        // so many positions of it and behind it are before
        const int32_t n_behind = n_tokens - place.first - place.n_pos;
        n_tokens               = place.first + place.n_tokens + (n_behind > 0 ? n_behind : 0);
    }
    return n_tokens;
}
