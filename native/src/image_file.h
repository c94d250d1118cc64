#pragma once

#include "request.h"

#include <cstdint>
#include <vector>

// An image as a person sees it.
struct Pixels {
    int32_t              width  = 0;
    int32_t              height = 0;
    std::vector<uint8_t> rgb;  // row by row, three bytes each
};

// Most pixels of one image: what is unpacked takes three bytes each, whatever the file's size is.
constexpr int64_t N_PIXELS_MAX = 40'000'000;

// Reads a PNG, a JPEG (upright, as its camera says), or the first picture of a GIF; what is transparent lies on white.
// Throws RequestError(InvalidImage) that says what is wrong, with index as its input.
Pixels read_image(const ImageBytes & bytes, int32_t index);
