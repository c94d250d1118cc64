#pragma once

// Small pictures for tests.

#include "image_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

// 16 x 8, red, baseline
inline const char * const JPEG_RED =
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxO"
    "UlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P"
    "T09PT09PT0//wAARCAAIABADAREAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QA"
    "FgEBAQEAAAAAAAAAAAAAAAAAAAUH/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8An0ZpID//2Q==";

// the same, progressive
inline const char * const JPEG_PROGRESSIVE =
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxO"
    "UlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P"
    "T09PT09PT0//wgARCAAIABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAVAQEBAAAAAAAAAAAAAAAAAAAEBv/a"
    "AAwDAQACEAMQAAABngVJ/8QAFBABAAAAAAAAAAAAAAAAAAAAEP/aAAgBAQABBQI//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgB"
    "AwEBPwF//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPwF//8QAFBABAAAAAAAAAAAAAAAAAAAAEP/aAAgBAQAGPwI//8QA"
    "FBABAAAAAAAAAAAAAAAAAAAAEP/aAAgBAQABPyE//9oADAMBAAIAAwAAABAP/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEB"
    "PxB//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPxB//8QAFBABAAAAAAAAAAAAAAAAAAAAEP/aAAgBAQABPxA//9k=";

// the same in four inks
inline const char * const JPEG_CMYK =
    "/9j/7gAOQWRvYmUAZAAAAAAC/9sAQwANCQoLCggNCwoLDg4NDxMgFRMSEhMnHB4XIC4pMTAuKS0sMzpKPjM2RjcsLUBXQUZMTlJT"
    "UjI+WmFaUGBKUVJP/9sAQwEODg4TERMmFRUmTzUtNU9PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P"
    "T09PT09P/8AAFAgACAAQBAEiAAIRAQMRAQQiAP/EABYAAQEBAAAAAAAAAAAAAAAAAAAFB//EABQQAQAAAAAAAAAAAAAAAAAAAAD/"
    "xAAVAQEBAAAAAAAAAAAAAAAAAAAFB//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAOBAEAAhEDEQQAAD8AvgGU2acA/9k=";

// 32 x 8, left half red, right half blue
inline const char * const JPEG_PAIR =
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMU"
    "FRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU"
    "FBQUFBQUFBT/wAARCAAIACADAREAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAcI/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/E"
    "ABYBAQEBAAAAAAAAAAAAAAAAAAAJB//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AM6MMVTAQJcZHQB//9k=";

// 8 x 8, red, then blue
inline const char * const GIF_TWO =
    "R0lGODlhCAAIAPAAAP8AAAAAACH5BAAAAAAAIf8LTkVUU0NBUEUyLjADAQAAACwAAAAACAAIAAACB4SPqcvtXQAAIfkEAAAAAAAs"
    "AAAAAAgACACAAAD/AAAAAgeEj6nL7V0AADs=";

// 8 x 8, blue and wholly transparent
inline const char * const PNG_CLEAR =
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQMAAAD+wSzIAAAABGdBTUEAALGPC/xhBQAAACBjSFJNAAB6JgAAgIQAAPoAAACA6AAA"
    "dTAAAOpgAAA6mAAAF3CculE8AAAABlBMVEUAAP////973JksAAAAAXRSTlMAQObYZgAAAAFiS0dEAf8CLd4AAAAHdElNRQfqCx4U"
    "ECo2S1PSAAAAC0lEQVQI12NgQAUAABAAAaHFIcEAAAAldEVYdGRhdGU6Y3JlYXRlADIwMjYtMTEtMzBUMjA6MTY6NDIrMDA6MDCh"
    "WagRAAAAJXRFWHRkYXRlOm1vZGlmeQAyMDI2LTExLTMwVDIwOjE2OjQyKzAwOjAw0AQQrQAAAABJRU5ErkJggg==";

// 8 x 8
inline const char * const WEBP =
    "UklGRjwAAABXRUJQVlA4IDAAAADQAQCdASoIAAgAAgA0JaACdLoB+AADsAD+8MQL/yC5YXXI1/8gP+QH/ID/+PIAAAA=";

inline ImageBytes from_base64(const std::string & text) {
    static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    ImageBytes               out;
    uint32_t                 bits   = 0;
    int                      n_bits = 0;
    for (const char c : text) {
        const size_t digit = digits.find(c);
        if (digit == std::string::npos) {
            break;
        }
        bits = bits << 6 | (uint32_t) digit;
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            out.push_back((uint8_t) (bits >> n_bits));
        }
    }
    return out;
}

using Colour = std::array<uint8_t, 3>;

inline constexpr Colour RED   = { 255, 0, 0 };
inline constexpr Colour GREEN = { 0, 255, 0 };
inline constexpr Colour BLUE  = { 0, 0, 255 };

inline void put_number(ImageBytes & out, uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        out.push_back((uint8_t) (value >> shift));
    }
}

inline void put_chunk(ImageBytes & out, const std::string & type, const ImageBytes & data) {
    put_number(out, (uint32_t) data.size());
    const size_t begin = out.size();
    out.insert(out.end(), type.begin(), type.end());
    out.insert(out.end(), data.begin(), data.end());
    uint32_t crc = 0xffffffff;
    for (size_t i = begin; i < out.size(); i++) {
        crc ^= out[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (0xedb88320 & (0 - (crc & 1)));
        }
    }
    put_number(out, ~crc);
}

// A PNG whose pixels are stored without compression.
inline ImageBytes png(int32_t width, int32_t height, const std::function<Colour(int32_t, int32_t)> & colour_at) {
    ImageBytes rows;
    for (int32_t y = 0; y < height; y++) {
        rows.push_back(0);
        for (int32_t x = 0; x < width; x++) {
            const Colour colour = colour_at(x, y);
            rows.insert(rows.end(), colour.begin(), colour.end());
        }
    }
    ImageBytes data = { 0x78, 0x01 };
    uint32_t   a = 1, b = 0;
    for (const uint8_t byte : rows) {
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
    }
    for (size_t at = 0; at < rows.size(); at += 65535) {
        const auto n = (uint16_t) std::min<size_t>(65535, rows.size() - at);
        data.push_back(at + n == rows.size() ? 1 : 0);
        for (const uint16_t value : { n, (uint16_t) ~n }) {
            data.push_back((uint8_t) value);
            data.push_back((uint8_t) (value >> 8));
        }
        data.insert(data.end(), rows.begin() + (std::ptrdiff_t) at, rows.begin() + (std::ptrdiff_t)(at + n));
    }
    put_number(data, b << 16 | a);

    ImageBytes header;
    put_number(header, (uint32_t) width);
    put_number(header, (uint32_t) height);
    header.insert(header.end(), { 8, 2, 0, 0, 0 });
    ImageBytes out = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
    put_chunk(out, "IHDR", header);
    put_chunk(out, "IDAT", data);
    put_chunk(out, "IEND", {});
    return out;
}

inline std::shared_ptr<const ImageBytes> picture(const Colour & colour, int32_t width = 32, int32_t height = 32) {
    return std::make_shared<const ImageBytes>(png(width, height, [&](int32_t, int32_t) { return colour; }));
}
