#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// Counts the cells of a KV cache that all sequences share, where several sequences may hold the same cell. llama.cpp
// does not tell how many are free. Pure: a cell here is a number that stands for one of llama.cpp's.
class CellLedger {
  public:
    // The cells of one sequence, one for each of its tokens, in order.
    using Cells = std::vector<int32_t>;

    // Makes a sequence hold n_tokens cells: takes fresh ones for those it lacks, gives up the last ones it has too
    // many.
    void resize(Cells & cells, size_t n_tokens);

    // Makes an empty sequence hold the first n_tokens cells of another one.
    void share(const Cells & from, size_t n_tokens, Cells & cells);

    // Held by at least one sequence.
    int32_t n_used() const { return n_used_; }

  private:
    std::vector<int32_t> n_holders_;  // of each cell
    std::vector<int32_t> free_;
    int32_t              n_used_ = 0;
};
