#pragma once

#include <cstdint>
#include <vector>

// Where images stand among the tokens of a prompt. An image takes as many tokens as it has embeddings; most models also
// count as many positions for it, but those that give each embedding a row and a column count fewer. Pure.
struct ImagePlace {
    int32_t first    = 0;  // index of its first token in the prompt
    int32_t n_tokens = 0;
    int32_t n_pos    = 0;  // positions that it takes
};

// In order, without overlaps.
using ImagePlaces = std::vector<ImagePlace>;

// Position of the token that follows the first n_tokens of them, which do not end within an image.
int32_t position_at(const ImagePlaces & places, int32_t n_tokens);

// How many tokens lie before a position; for one within an image, the tokens up to the image's end.
int32_t tokens_before(const ImagePlaces & places, int32_t position);
