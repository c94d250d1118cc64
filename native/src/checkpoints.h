#pragma once

#include <cstdint>
#include <memory>
#include <vector>

// The part of a sequence's state that cannot be cut (recurrent state, sliding window), as it was at some lengths of the
// sequence, so that a prompt which continues only the beginning of it need not be computed whole. Pure: it keeps bytes,
// the engine gets them from and puts them into the context. States are shared between copies of a list.
class Checkpoints {
  public:
    using State = std::shared_ptr<const std::vector<uint8_t>>;

    // Most checkpoints of one sequence: each turn of a conversation leaves one, and old turns are seldom gone back to.
    static constexpr size_t N_MAX = 8;

    // Keeps a state of the first n_tokens (> 0). Beyond N_MAX another one is given up.
    void add(int32_t n_tokens, State state);

    // Gives up the one that is missed least: it has the least to compute from the one before it. The longest stays to
    // the last. False: there is none.
    bool drop_one();

    // Drops those of more than n_tokens.
    void truncate(int32_t n_tokens);

    void clear() { entries_.clear(); }

    // The state at exactly this length, or none.
    State at(int32_t n_tokens) const;

    // All lengths, ascending.
    std::vector<int32_t> lengths() const;

    bool   empty() const { return entries_.empty(); }
    size_t size() const { return entries_.size(); }

    // Of this list alone.
    uint64_t n_bytes() const;

    // Gives up checkpoints until all lists together take at most max_bytes, a shared state counted once: those of the
    // first list first.
    static void limit(const std::vector<Checkpoints *> & lists, uint64_t max_bytes);

  private:
    struct Entry {
        int32_t n_tokens;
        State   state;
    };

    std::vector<Entry> entries_;  // ascending n_tokens

    void drop_least(size_t n_candidates, int32_t spared);
};
