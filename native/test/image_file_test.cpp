#include "image_file.h"

#include "check.h"
#include "pictures.h"

#include <cstdlib>
#include <random>

static std::array<int, 3> pixel(const Pixels & pixels, int32_t x, int32_t y) {
    const size_t at = ((size_t) y * (size_t) pixels.width + (size_t) x) * 3;
    return { pixels.rgb[at], pixels.rgb[at + 1], pixels.rgb[at + 2] };
}

static bool is_about(const std::array<int, 3> & pixel, const Colour & colour) {
    return std::abs(pixel[0] - colour[0]) < 12 && std::abs(pixel[1] - colour[1]) < 12 &&
           std::abs(pixel[2] - colour[2]) < 12;
}

static std::string refusal(const ImageBytes & bytes) {
    try {
        read_image(bytes, 2);
    } catch (const RequestError & error) {
        CHECK(error.code == ErrorCode::InvalidImage);
        CHECK_EQUAL(error.input, 2);
        const std::string sentence = error.what();
        CHECK(sentence.find("Image 3 ") == 0 && sentence.back() == '.');
        return sentence;
    }
    return {};
}

static bool says(const std::string & text, const char * words) {
    return text.find(words) != std::string::npos;
}

static void reads_every_kind() {
    const Pixels drawn = read_image(png(3, 2, [](int32_t x, int32_t y) { return x == 1 && y == 1 ? BLUE : RED; }), 0);
    CHECK_EQUAL(drawn.width, 3);
    CHECK_EQUAL(drawn.height, 2);
    CHECK(is_about(pixel(drawn, 0, 1), RED) && is_about(pixel(drawn, 1, 1), BLUE));
    for (const char * jpeg : { JPEG_RED, JPEG_PROGRESSIVE, JPEG_CMYK }) {
        const Pixels pixels = read_image(from_base64(jpeg), 0);
        CHECK_EQUAL(pixels.width, 16);
        CHECK_EQUAL(pixels.height, 8);
        CHECK(is_about(pixel(pixels, 7, 3), RED));
    }
    const Pixels first = read_image(from_base64(GIF_TWO), 0);
    CHECK(first.width == 8 && is_about(pixel(first, 4, 4), RED));
    CHECK(is_about(pixel(read_image(png(1, 1, [](int32_t, int32_t) { return GREEN; }), 0), 0, 0), GREEN));
}

static void puts_white_behind_what_is_transparent() {
    CHECK(is_about(pixel(read_image(from_base64(PNG_CLEAR), 0), 3, 3), { 255, 255, 255 }));
}

// A JPEG with an Exif segment that says how the camera was held.
static ImageBytes held(uint8_t orientation, bool little) {
    ImageBytes       jpeg = from_base64(JPEG_PAIR);
    ImageBytes       exif = { 0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f', 0, 0 };
    const ImageBytes data = little ? ImageBytes{ 'I', 'I', 42, 0, 8, 0,           0, 0, 1, 0, 0x12, 1, 3,
                                                 0,   1,   0,  0, 0, orientation, 0, 0, 0, 0, 0,    0, 0 }
                                   : ImageBytes{ 'M', 'M', 0, 42, 0, 0, 0,           8, 0, 1, 1, 0x12, 0,
                                                 3,   0,   0, 0,  1, 0, orientation, 0, 0, 0, 0, 0,    0 };
    exif.insert(exif.end(), data.begin(), data.end());
    jpeg.insert(jpeg.begin() + 2, exif.begin(), exif.end());
    return jpeg;
}

static void turns_a_photograph_upright() {
    struct Expected {
        uint8_t orientation;
        bool    is_tall;
        int32_t red_x, red_y, blue_x, blue_y;
    };
    const std::vector<Expected> cases = {
        { 1, false, 4, 4, 28, 4 }, { 2, false, 28, 4, 4, 4 }, { 3, false, 28, 4, 4, 4 },
        { 4, false, 4, 4, 28, 4 }, { 5, true, 4, 4, 4, 28 },  { 6, true, 4, 4, 4, 28 },
        { 7, true, 4, 28, 4, 4 },  { 8, true, 4, 28, 4, 4 },  { 9, false, 4, 4, 28, 4 },
    };
    for (const Expected & expected : cases) {
        for (const bool little : { true, false }) {
            const Pixels pixels = read_image(held(expected.orientation, little), 0);
            CHECK_EQUAL(pixels.width, expected.is_tall ? 8 : 32);
            CHECK_EQUAL(pixels.height, expected.is_tall ? 32 : 8);
            CHECK(is_about(pixel(pixels, expected.red_x, expected.red_y), RED));
            CHECK(is_about(pixel(pixels, expected.blue_x, expected.blue_y), BLUE));
        }
    }
}

static void says_what_is_wrong() {
    CHECK(says(refusal({}), "is empty"));
    CHECK(says(refusal({ 'h', 'i' }), "no image that can be read"));
    CHECK(says(refusal(from_base64(WEBP)), "a WebP file"));
    // what it says of its size is not what it has
    ImageBytes giant = png(8, 8, [](int32_t, int32_t) { return RED; });
    giant[18] = giant[22] = 0x20;
    CHECK(says(refusal(giant), "is too large: it has 8200 x 8200 pixels"));
}

static void refuses_what_is_cut_off() {
    for (const char * text : { JPEG_RED, JPEG_PROGRESSIVE, JPEG_CMYK, GIF_TWO }) {
        ImageBytes bytes = from_base64(text);
        while (bytes.size() > 1) {
            bytes.resize(bytes.size() - 1 - bytes.size() / 16);
            CHECK(!refusal(bytes).empty());
        }
    }
    ImageBytes bytes = png(16, 16, [](int32_t, int32_t) { return RED; });
    bytes.resize(bytes.size() / 2);
    CHECK(says(refusal(bytes), "damaged or cut off"));
}

// Whatever is sent: an image or a sentence.
static void survives_damage() {
    std::mt19937 random(3);
    for (const ImageBytes & whole :
         { from_base64(JPEG_RED), from_base64(JPEG_PROGRESSIVE), from_base64(JPEG_CMYK), from_base64(GIF_TWO),
           from_base64(PNG_CLEAR), held(6, true), png(9, 9, [](int32_t, int32_t) { return BLUE; }) }) {
        for (int round = 0; round < 300; round++) {
            ImageBytes bytes = whole;
            for (uint32_t n = 1 + random() % 8; n > 0; n--) {
                bytes[8 + random() % (bytes.size() - 8)] = (uint8_t) random();
            }
            try {
                const Pixels pixels = read_image(bytes, 2);
                CHECK_EQUAL(pixels.rgb.size(), (size_t) pixels.width * (size_t) pixels.height * 3);
            } catch (const RequestError & error) {
                CHECK(error.code == ErrorCode::InvalidImage);
            }
        }
    }
}

int main() {
    RUN(reads_every_kind);
    RUN(puts_white_behind_what_is_transparent);
    RUN(turns_a_photograph_upright);
    RUN(says_what_is_wrong);
    RUN(refuses_what_is_cut_off);
    RUN(survives_damage);
}
