// What learning and predicting share when they pass over the boxes of a group, block by block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "group.hpp"
#include "kernels.hpp"

namespace boxwise {

constexpr std::size_t BLOCK = 256;  // a block's working arrays stay in the first-level cache

// When no more than this many boxes of a block are still in question, they are looked at singly.
constexpr std::size_t few(std::size_t m) { return m / 8; }

template <class Sum>
struct Counts {
  alignas(64) Sum sum[BLOCK];
  alignas(64) std::uint32_t low[BLOCK];
  alignas(64) std::uint32_t scratch[BLOCK];

  // The sum and the least of the counts that each box of the block has for the sample's values.
  void tally(const Group& g, const Code* codes, Slot begin, std::size_t m) {
    std::fill_n(sum, m, Sum{0});
    std::fill_n(low, m, std::numeric_limits<std::uint32_t>::max());
    for (std::size_t j = 0; j < g.D.size(); ++j) {
      if (const std::uint32_t* row = g.D[j].row(codes[j], begin, m, scratch))
        kernels::tally(row, sum, low, m);
      else
        std::fill_n(low, m, 0u);
    }
  }
};

inline double stick_out(double v, double w, double xl, double xu, double slope) {
  if (v > w) return 0.0;  // never seen in this feature
  return std::max(xu - w, v - xl) * slope;
}

}  // namespace boxwise
