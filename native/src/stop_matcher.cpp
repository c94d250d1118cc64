#include "stop_matcher.h"

#include <algorithm>

StopMatcher::StopMatcher(std::vector<std::string> stops) : stops_(std::move(stops)) {}

std::string StopMatcher::push(std::string_view text) {
    if (matched_) {
        return {};
    }

    std::string window = std::move(held_);
    window.append(text);
    held_.clear();

    // the stop string that is complete first, so that the result does not depend on how the text is cut
    size_t match     = std::string::npos;
    size_t match_end = std::string::npos;
    for (size_t i = 0; i < stops_.size(); i++) {
        const size_t begin = window.find(stops_[i]);
        if (begin == std::string::npos) {
            continue;
        }
        const size_t end = begin + stops_[i].size();
        if (end < match_end || (end == match_end && begin < match)) {
            match     = begin;
            match_end = end;
            match_    = (int) i;
        }
    }
    if (match != std::string::npos) {
        matched_ = true;
        window.resize(match);
        return window;
    }

    // the longest tail that is a proper prefix of some stop string
    size_t n_held = 0;
    for (const std::string & stop : stops_) {
        for (size_t n = std::min(window.size(), stop.size() - 1); n > n_held; n--) {
            if (window.compare(window.size() - n, n, stop, 0, n) == 0) {
                n_held = n;
            }
        }
    }
    held_ = window.substr(window.size() - n_held);
    window.resize(window.size() - n_held);
    return window;
}

std::string StopMatcher::flush() {
    std::string out = std::move(held_);
    held_.clear();
    return out;
}
