#include "pattern_check.h"

#include <algorithm>
#include <cstdint>
#include <optional>

// Groups within groups.
static constexpr int32_t N_DEPTH_MAX = 32;
// One counted repetition, and all of a pattern written out.
static constexpr int64_t N_REPEAT_MAX = 2000;
static constexpr int64_t N_ITEMS_MAX  = 20000;

namespace {

struct Repetition {
    int64_t n_min = 1;
    int64_t n_max = 1;  // -1: without end
};

// A part of the pattern: how many items it becomes, and whether it can match nothing.
struct Part {
    int64_t n_items     = 0;
    bool    is_nullable = true;
};

class PatternCheck {
  public:
    explicit PatternCheck(const std::string & pattern) : text_(pattern) {}

    std::string problem() {
        alternatives(0);
        return problem_;
    }

  private:
    const std::string & text_;
    size_t              at_ = 0;
    std::string         problem_;

    bool is_over() const { return at_ >= text_.size() || !problem_.empty(); }

    void fail(const std::string & reason) {
        if (problem_.empty()) {
            problem_ = reason;
        }
    }

    Part alternatives(int32_t depth) {
        Part all = { 0, false };
        while (true) {
            const Part one  = sequence(depth);
            all.n_items     = all.n_items + one.n_items;
            all.is_nullable = all.is_nullable || one.is_nullable;
            if (is_over() || text_[at_] != '|') {
                return all;
            }
            at_++;
        }
    }

    Part sequence(int32_t depth) {
        Part all;
        while (!is_over() && text_[at_] != '|' && text_[at_] != ')') {
            const Part one  = repeated(depth);
            all.n_items     = all.n_items + one.n_items;
            all.is_nullable = all.is_nullable && one.is_nullable;
            if (all.n_items > N_ITEMS_MAX) {
                fail("its repetitions come to more than " + std::to_string(N_ITEMS_MAX) + " items.");
            }
        }
        return all;
    }

    Part repeated(int32_t depth) {
        const Part item = atom(depth);
        if (is_over()) {
            return item;
        }
        const size_t     begin      = at_;
        const Repetition repetition = read_repetition();
        if (at_ == begin || !problem_.empty()) {
            return item;
        }
        const std::string shown = text_.substr(begin, at_ - begin);
        if (repetition.n_max >= 0 && repetition.n_min > repetition.n_max) {
            fail("the bounds of " + shown + " are in the wrong order.");
        }
        if (std::max(repetition.n_min, repetition.n_max) > N_REPEAT_MAX) {
            fail(shown + " repeats more than " + std::to_string(N_REPEAT_MAX) + " times.");
        }
        if (item.is_nullable && std::max(repetition.n_min, repetition.n_max) > 1) {
            fail(shown + " repeats something that may be empty.");
        }
        const int64_t n_times = std::max<int64_t>(1, std::max(repetition.n_min, repetition.n_max));
        return { item.n_items * n_times, item.is_nullable || repetition.n_min == 0 };
    }

    Part atom(int32_t depth) {
        const char c = text_[at_++];
        switch (c) {
            case '(':
                return group(depth);
            case '[':
                skip_class();
                return { 1, false };
            case '\\':
                at_ = std::min(at_ + 1, text_.size());
                return { 1, false };
            case '^':
            case '$':
                return {};
            default:
                return { 1, false };
        }
    }

    Part group(int32_t depth) {
        if (depth >= N_DEPTH_MAX) {
            fail("its groups are nested more than " + std::to_string(N_DEPTH_MAX) + " levels deep.");
            return {};
        }
        const Part inside = alternatives(depth + 1);
        if (!is_over()) {
            at_++;  // the closing parenthesis
        }
        return inside;
    }

    void skip_class() {
        while (at_ < text_.size() && text_[at_] != ']') {
            at_ += text_[at_] == '\\' ? 2 : 1;
        }
        at_ = std::min(at_ + 1, text_.size());
    }

    // Stays where it is when there is none.
    Repetition read_repetition() {
        switch (text_[at_]) {
            case '?':
                at_++;
                return { 0, 1 };
            case '*':
                at_++;
                return { 0, -1 };
            case '+':
                at_++;
                return { 1, -1 };
            case '{':
                return read_bounds();
            default:
                return {};
        }
    }

    Repetition read_bounds() {
        const size_t end = text_.find('}', at_);
        if (end == std::string::npos) {
            return {};
        }
        const std::string inside = text_.substr(at_ + 1, end - at_ - 1);
        const size_t      comma  = inside.find(',');
        const auto        low    = number(inside.substr(0, comma));
        const auto        high   = comma == std::string::npos ? low : number(inside.substr(comma + 1));
        at_                      = end + 1;
        const bool is_open       = comma != std::string::npos && comma + 1 == inside.size();
        if (!low || (!high && !is_open)) {
            fail("the repetition {" + inside.substr(0, 40) + "} makes no sense.");
            return {};
        }
        return { *low, is_open ? -1 : *high };
    }

    // Beyond what is allowed it is only known to be so.
    static std::optional<int64_t> number(const std::string & digits) {
        if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) {
            return std::nullopt;
        }
        return digits.size() > 9 ? N_REPEAT_MAX + 1 : std::stoll(digits);
    }
};

}  // namespace

std::string pattern_problem(const std::string & pattern) {
    return PatternCheck(pattern).problem();
}
