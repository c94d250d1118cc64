#pragma once

#include <cstdint>
#include <list>
#include <vector>

// KV cache states of sequences that had to leave their slot, in host memory, within a byte budget; the least recently
// used one goes first. Pure: it keeps bytes, the engine gets them from and puts them into the context.
class StateStore {
  public:
    struct Entry {
        std::vector<int32_t> tokens;  // what the state was computed from
        std::vector<uint8_t> state;
    };

    explicit StateStore(uint64_t max_bytes = 0) : max_bytes_(max_bytes) {}

    // A state of this many bytes would be kept. Ask before fetching one.
    bool would_keep(uint64_t n_bytes) const { return n_bytes <= max_bytes_; }

    // Some entry begins with these tokens: storing them again would add nothing.
    bool covers(const std::vector<int32_t> & tokens) const;

    // Takes an entry, drops those whose tokens it begins with, and as many old ones as the budget asks for.
    void put(Entry entry);

    // Token sequences of all entries, most recently used first; indices are valid until the next put() or use().
    std::vector<const std::vector<int32_t> *> tokens() const;

    // The entry at an index of tokens(); it becomes the most recently used.
    const Entry & use(int32_t index);

    uint64_t n_bytes() const { return n_bytes_; }

  private:
    uint64_t         max_bytes_;
    uint64_t         n_bytes_ = 0;
    std::list<Entry> entries_;  // most recently used first
};
