#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Turns the bytes of successive tokens into valid UTF-8 text. A character that is split over tokens is held back until
// it is complete; bytes that can never become a character give one U+FFFD for each maximal subpart, as browsers do
// (WHATWG Encoding, "UTF-8 decoder").
class Utf8Assembler {
  public:
    // Returns the text that is now complete; may be empty.
    std::string push(std::string_view bytes);

    // Ends the stream: an incomplete character becomes one U+FFFD.
    std::string flush();

    // Bytes of an incomplete character are held back.
    bool holds_back() const { return !pending_.empty(); }

  private:
    std::string pending_;          // lead byte and the continuation bytes seen so far
    uint8_t     n_needed_ = 0;     // continuation bytes still missing
    uint8_t     lower_    = 0x80;  // bounds of the next continuation byte
    uint8_t     upper_    = 0xBF;
};
