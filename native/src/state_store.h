#pragma once

#include "checkpoints.h"
#include "image_places.h"
#include "prefix_cache.h"

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

// States of sequences that had to leave their slot, in host memory, within a byte budget and N_ENTRIES_MAX; the least
// recently used one goes first. Pure: it keeps bytes, the engine gets them from and puts them into the context.
class StateStore {
  public:
    // Every new prompt is compared with all entries, which a small model's states would otherwise make many thousands.
    static constexpr size_t N_ENTRIES_MAX = 256;

    struct Entry {
        std::vector<int32_t> tokens;  // what the state was computed from
        std::vector<uint8_t> state;
        int32_t              anywhere_from = 0;  // see ResumePoints
        Checkpoints          checkpoints;

        std::shared_ptr<const ImagePlaces> places = nullptr;  // of images among the tokens; none: no images

        ResumePoints resume() const { return { anywhere_from, checkpoints.lengths() }; }
        uint64_t     n_bytes() const { return state.size() + checkpoints.n_bytes(); }
    };

    using Stored = std::shared_ptr<const Entry>;

    explicit StateStore(uint64_t max_bytes = 0) : max_bytes_(max_bytes) {}

    // An entry of this many bytes would be kept. Ask before fetching a state.
    bool would_keep(uint64_t n_bytes) const { return n_bytes <= max_bytes_; }

    // Some entry begins with these tokens and can be taken up right after them: storing them again would add nothing.
    bool covers(const std::vector<int32_t> & tokens) const;

    // Takes an entry, drops those that it covers, and as many old ones as the budget asks for.
    void put(Entry entry);

    // All entries, most recently used first; indices are valid until the next put() or use().
    std::vector<ComputedPrefix> prefixes() const;

    // The entry at an index of prefixes(); it becomes the most recently used. It lives on when the store drops it.
    Stored use(int32_t index);

    uint64_t n_bytes() const { return n_bytes_; }
    size_t   n_entries() const { return entries_.size(); }

  private:
    uint64_t          max_bytes_;
    uint64_t          n_bytes_ = 0;
    std::list<Stored> entries_;  // most recently used first
};
