#pragma once

#include <string>
#include <string_view>
#include <vector>

// Finds stop strings in streamed text, also across pushes. Text that could be the beginning of a stop string is held
// back until it is ruled out or the stream ends, so that nothing of a stop string is ever emitted.
class StopMatcher {
  public:
    // stops: valid UTF-8, none empty
    explicit StopMatcher(std::vector<std::string> stops = {});

    // Returns the text that can be emitted. After a match it ends right before the stop string that is complete
    // first (of two that end together: the one that begins first), and every later push gives nothing.
    std::string push(std::string_view text);

    // Ends the stream without a match: returns what was held back.
    std::string flush();

    bool matched() const { return matched_; }
    // Which of the stops it was; -1 without a match. Of two equal ones the first.
    int  match() const { return match_; }
    bool holds_back() const { return !held_.empty(); }

  private:
    std::vector<std::string> stops_;
    std::string              held_;
    bool                     matched_ = false;
    int                      match_   = -1;
};
