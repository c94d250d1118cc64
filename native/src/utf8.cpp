#include "utf8.h"

static const char * const REPLACEMENT = "\xEF\xBF\xBD";

std::string Utf8Assembler::push(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size() + pending_.size());

    for (size_t i = 0; i < bytes.size();) {
        const uint8_t byte = (uint8_t) bytes[i];

        if (n_needed_ == 0) {
            i++;
            lower_ = 0x80;
            upper_ = 0xBF;
            if (byte < 0x80) {
                out.push_back((char) byte);
                continue;
            }
            if (byte >= 0xC2 && byte <= 0xDF) {
                n_needed_ = 1;
            } else if (byte >= 0xE0 && byte <= 0xEF) {
                n_needed_ = 2;
                // overlong forms and surrogates are not characters
                if (byte == 0xE0)
                    lower_ = 0xA0;
                if (byte == 0xED)
                    upper_ = 0x9F;
            } else if (byte >= 0xF0 && byte <= 0xF4) {
                n_needed_ = 3;
                // overlong forms and code points above U+10FFFF
                if (byte == 0xF0)
                    lower_ = 0x90;
                if (byte == 0xF4)
                    upper_ = 0x8F;
            } else {
                out += REPLACEMENT;
                continue;
            }
            pending_.assign(1, (char) byte);
            continue;
        }

        if (byte < lower_ || byte > upper_) {
            // the subpart ends here; this byte is looked at again as a first one
            out += REPLACEMENT;
            pending_.clear();
            n_needed_ = 0;
            continue;
        }

        i++;
        lower_ = 0x80;
        upper_ = 0xBF;
        pending_.push_back((char) byte);
        if (--n_needed_ == 0) {
            out += pending_;
            pending_.clear();
        }
    }

    return out;
}

std::string Utf8Assembler::flush() {
    if (pending_.empty()) {
        return {};
    }
    pending_.clear();
    n_needed_ = 0;
    return REPLACEMENT;
}
