#pragma once

#include <string>
#include <string_view>
#include <vector>

// Which part of an output is reasoning, by the template's tags. Pure.
class ThinkingSpan {
  public:
    // start: empty where the template has no reasoning. ends: any of them ends it.
    ThinkingSpan(std::string start, std::vector<std::string> ends);

    // Takes the next piece of the output; returns what of it is not reasoning. The tags count as no reasoning, because
    // what ends it may itself begin a tool call.
    std::string push(std::string_view text);

  private:
    std::string              start_;
    std::vector<std::string> ends_;
    std::string              tail_;  // of the current span, as long as a tag at most
    bool                     is_inside_ = false;
    size_t                   n_tail_max_;
};
