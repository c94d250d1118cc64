#include "thinking_span.h"

#include <algorithm>

ThinkingSpan::ThinkingSpan(std::string start, std::vector<std::string> ends)
    : start_(std::move(start)), ends_(std::move(ends)), n_tail_max_(start_.size()) {
    for (const std::string & end : ends_) {
        n_tail_max_ = std::max(n_tail_max_, end.size());
    }
}

static bool ends_with(const std::string & text, const std::string & tag) {
    return !tag.empty() && text.size() >= tag.size() && text.compare(text.size() - tag.size(), tag.size(), tag) == 0;
}

std::string ThinkingSpan::push(std::string_view text) {
    if (start_.empty()) {
        return std::string(text);
    }
    std::string out;
    for (const char c : text) {
        tail_ += c;
        if (tail_.size() > n_tail_max_) {
            tail_.erase(0, tail_.size() - n_tail_max_);
        }
        if (!is_inside_) {
            out += c;
            if (ends_with(tail_, start_)) {
                is_inside_ = true;
                tail_.clear();
            }
            continue;
        }
        const auto end =
            std::find_if(ends_.begin(), ends_.end(), [&](const std::string & tag) { return ends_with(tail_, tag); });
        if (end != ends_.end()) {
            out += *end;
            is_inside_ = false;
            tail_.clear();
        }
    }
    return out;
}
