#include "image_file.h"

#include "stb/stb_image.h"  // llama.cpp's copy, compiled into mtmd

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

namespace {

enum class Format { Png, Jpeg, Gif };

[[noreturn]] void refuse(int32_t index, const std::string & what) {
    throw RequestError(ErrorCode::InvalidImage, "Image " + std::to_string(index + 1) + " " + what, index);
}

bool begins(const ImageBytes & bytes, const char * magic, size_t n_magic, size_t at = 0) {
    return bytes.size() >= at + n_magic && memcmp(bytes.data() + at, magic, n_magic) == 0;
}

Format format_of(const ImageBytes & bytes, int32_t index) {
    if (begins(bytes, "\x89PNG\r\n\x1a\n", 8)) {
        return Format::Png;
    }
    if (begins(bytes, "\xff\xd8\xff", 3)) {
        return Format::Jpeg;
    }
    if (begins(bytes, "GIF87a", 6) || begins(bytes, "GIF89a", 6)) {
        return Format::Gif;
    }
    const char * const name = begins(bytes, "RIFF", 4) && begins(bytes, "WEBP", 4, 8)  ? "a WebP"
                              : begins(bytes, "ftypavif", 8, 4)                        ? "an AVIF"
                              : begins(bytes, "ftypheic", 8, 4)                        ? "a HEIC"
                              : begins(bytes, "BM", 2)                                 ? "a BMP"
                              : begins(bytes, "II*\0", 4) || begins(bytes, "MM\0*", 4) ? "a TIFF"
                                                                                       : nullptr;
    if (name != nullptr) {
        refuse(index, "is " + std::string(name) + " file, which cannot be read: send it as PNG, JPEG or GIF.");
    }
    refuse(index, bytes.empty() ? "is empty." : "is no image that can be read: send it as PNG, JPEG or GIF.");
}

// The segments of a JPEG up to its first scan, and what follows.
struct JpegFrame {
    size_t                scan     = 0;   // where the data of the first scan begins; 0: there is none
    std::optional<size_t> exif     = {};  // where the TIFF header of its Exif data begins
    size_t                exif_end = 0;
};

JpegFrame read_frame(const ImageBytes & bytes) {
    JpegFrame frame;
    size_t    at = 2;
    while (at + 4 <= bytes.size() && bytes[at] == 0xff) {
        const uint8_t marker = bytes[at + 1];
        if (marker == 0xff) {
            at++;  // filling
            continue;
        }
        const size_t end = at + 2 + ((size_t) bytes[at + 2] << 8 | bytes[at + 3]);
        if (end > bytes.size()) {
            break;
        }
        if (marker == 0xe1 && !frame.exif && begins(bytes, "Exif\0\0", 6, at + 4)) {
            frame.exif     = at + 10;
            frame.exif_end = end;
        }
        if (marker == 0xda) {
            frame.scan = end;
            break;
        }
        at = end;
    }
    return frame;
}

// What stb decodes of a file that is cut off is grey from there on, without an error.
bool is_whole_jpeg(const ImageBytes & bytes, const JpegFrame & frame) {
    const uint8_t end_marker[] = { 0xff, 0xd9 };
    return frame.scan > 0 && std::search(bytes.begin() + (std::ptrdiff_t) frame.scan, bytes.end(),
                                         std::begin(end_marker), std::end(end_marker)) != bytes.end();
}

// A GIF ends with a semicolon; some programs leave zeros behind it.
bool is_whole_gif(const ImageBytes & bytes) {
    const auto last = std::find_if(bytes.rbegin(), bytes.rend(), [](uint8_t byte) { return byte != 0; });
    return last != bytes.rend() && *last == 0x3b;
}

// Exif's orientation, 1..8; 1 where it says nothing: the first row is at the top, the first column at the left.
int orientation_of(const ImageBytes & bytes, const JpegFrame & frame) {
    if (!frame.exif) {
        return 1;
    }
    const size_t begin  = *frame.exif;
    const size_t n      = frame.exif_end - begin;
    const bool   little = begins(bytes, "II", 2, begin);
    const auto   number = [&](size_t at, size_t n_bytes) {
        uint32_t value = 0;
        for (size_t i = 0; i < n_bytes; i++) {
            value |= (uint32_t) bytes[begin + at + i] << 8 * (little ? i : n_bytes - 1 - i);
        }
        return value;
    };
    if (n < 8 || (!little && !begins(bytes, "MM", 2, begin))) {
        return 1;
    }
    const size_t directory = number(4, 4);
    if (directory > n || n - directory < 2) {
        return 1;
    }
    const size_t n_entries = number(directory, 2);
    for (size_t i = 0; i < n_entries; i++) {
        const size_t entry = directory + 2 + i * 12;
        if (entry + 12 > n) {
            break;
        }
        if (number(entry, 2) == 0x0112) {
            const uint32_t value = number(entry + 8, 2);
            return value >= 1 && value <= 8 ? (int) value : 1;
        }
    }
    return 1;
}

// The same picture with its first row at the top.
Pixels turned(Pixels pixels, int orientation) {
    if (orientation == 1) {
        return pixels;
    }
    const bool is_swapped = orientation >= 5;
    Pixels     out;
    out.width  = is_swapped ? pixels.height : pixels.width;
    out.height = is_swapped ? pixels.width : pixels.height;
    out.rgb.resize(pixels.rgb.size());
    const bool from_right  = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    for (int32_t y = 0; y < out.height; y++) {
        for (int32_t x = 0; x < out.width; x++) {
            const int32_t column = is_swapped ? y : x;
            const int32_t row    = is_swapped ? x : y;
            const int32_t from_x = from_right ? pixels.width - 1 - column : column;
            const int32_t from_y = from_bottom ? pixels.height - 1 - row : row;
            const size_t  from   = ((size_t) from_y * (size_t) pixels.width + (size_t) from_x) * 3;
            std::copy_n(pixels.rgb.begin() + (std::ptrdiff_t) from, 3,
                        out.rgb.begin() + (std::ptrdiff_t)(((size_t) y * (size_t) out.width + (size_t) x) * 3));
        }
    }
    return out;
}

// n_channels: 3, or 4 with the opacity last.
std::vector<uint8_t> on_white(const uint8_t * data, size_t n_pixels, int n_channels) {
    if (n_channels == 3) {
        return { data, data + n_pixels * 3 };
    }
    std::vector<uint8_t> rgb(n_pixels * 3);
    for (size_t i = 0; i < n_pixels; i++) {
        const uint32_t opacity = data[i * 4 + 3];
        for (size_t k = 0; k < 3; k++) {
            rgb[i * 3 + k] = (uint8_t) ((data[i * 4 + k] * opacity + 255 * (255 - opacity) + 127) / 255);
        }
    }
    return rgb;
}

}  // namespace

Pixels read_image(const ImageBytes & bytes, int32_t index) {
    const Format format = format_of(bytes, index);
    const bool   fits   = bytes.size() <= (size_t) INT_MAX;
    int          width  = 0;
    int          height = 0;
    int          n_file = 0;  // channels
    if (!fits || !stbi_info_from_memory(bytes.data(), (int) bytes.size(), &width, &height, &n_file) || width < 1 ||
        height < 1) {
        refuse(index, "is damaged, or far larger than what can be read.");
    }
    if ((int64_t) width * height > N_PIXELS_MAX) {
        refuse(index, "is too large: it has " + std::to_string(width) + " x " + std::to_string(height) +
                          " pixels, and at most " + std::to_string(N_PIXELS_MAX / 1'000'000) +
                          " million can be read. Make it smaller.");
    }
    const JpegFrame frame    = format == Format::Jpeg ? read_frame(bytes) : JpegFrame();
    const bool      is_whole = format == Format::Jpeg  ? is_whole_jpeg(bytes, frame)
                               : format == Format::Gif ? is_whole_gif(bytes)
                                                       : true;
    const int       n_wanted = format != Format::Jpeg && (n_file == 2 || n_file == 4) ? 4 : 3;

    const std::unique_ptr<uint8_t, void (*)(void *)> data(
        is_whole ? stbi_load_from_memory(bytes.data(), (int) bytes.size(), &width, &height, &n_file, n_wanted)
                 : nullptr,
        stbi_image_free);
    if (!data) {
        refuse(index, "is damaged or cut off.");
    }
    Pixels pixels;
    pixels.width  = width;
    pixels.height = height;
    pixels.rgb    = on_white(data.get(), (size_t) width * (size_t) height, n_wanted);
    return turned(std::move(pixels), orientation_of(bytes, frame));
}
