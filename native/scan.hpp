// What learning and predicting share when they pass over the boxes of a group, block by block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "group.hpp"
#include "kernels.hpp"

namespace boxwise {

constexpr std::size_t BLOCK = 256;  // a block's working arrays stay in the first-level cache

// When no more than this many boxes of a block are still in question, they are looked at singly.
constexpr std::size_t few(std::size_t m) { return m / 8; }

namespace padding {
template <std::uint32_t value>
struct Row {
  alignas(64) std::uint32_t entries[BLOCK];
  constexpr Row() : entries() { std::fill_n(entries, BLOCK, value); }
};
inline constexpr Row<0> ZEROS;
inline constexpr Row<std::numeric_limits<std::uint32_t>::max()> ONES;
}  // namespace padding

// The counts that each box of a block has for the values of a sample, taken together.
class Counts {
 public:
  // The sum over the features.
  void total(const Group& g, const Code* codes, Slot begin, std::size_t m, double* sum) {
    std::fill_n(sum, m, 0.0);
    in_fours(g, codes, begin, m, padding::ZEROS.entries,
             [&](const std::uint32_t* const* rows) { kernels::add(rows, sum, m); });
  }

  // In how many features the box has seen the value.
  void known(const Group& g, const Code* codes, Slot begin, std::size_t m, double* sum) {
    std::fill_n(sum, m, 0.0);
    in_fours(g, codes, begin, m, padding::ZEROS.entries,
             [&](const std::uint32_t* const* rows) { kernels::known(rows, sum, m); });
  }

  // The least over the features.
  void least(const Group& g, const Code* codes, Slot begin, std::size_t m, std::uint32_t* low) {
    std::fill_n(low, m, std::numeric_limits<std::uint32_t>::max());
    const bool seen = in_fours(g, codes, begin, m, padding::ONES.entries,
                               [&](auto rows) { kernels::least(rows, low, m); });
    if (!seen) std::fill_n(low, m, 0u);
  }

 private:
  // Returns false if no box of the group has seen one of the values.
  template <class Use>
  bool in_fours(const Group& g, const Code* codes, Slot begin, std::size_t m,
                const std::uint32_t* pad, Use use) {
    bool all = true;
    for (std::size_t j = 0; j < g.D.size(); j += 4) {
      const std::uint32_t* rows[4] = {pad, pad, pad, pad};
      for (std::size_t k = 0; k < 4 && j + k < g.D.size(); ++k) {
        const std::uint32_t* row = g.D[j + k].row(codes[j + k], begin, m, scratch_[k]);
        if (row != nullptr) rows[k] = row;
        all = all && row != nullptr;
      }
      use(rows);
    }
    return all;
  }

  alignas(64) std::uint32_t scratch_[4][BLOCK];
};

// The places in a block that pass, without a branch to be guessed wrong.
class Passing {
 public:
  Passing(const double* over, std::size_t m) {
    for (std::size_t i = 0; i < m; ++i) append(i, over[i] <= 0);
  }
  // `inside` has room for a block; most of it is zero, so that eight entries go at a time.
  Passing(const std::uint8_t* inside, std::size_t m) {
    for (std::size_t i = 0; i < m; i += 8) {
      std::uint64_t eight;
      std::memcpy(&eight, inside + i, 8);
      if (eight == 0) continue;
      for (std::size_t k = i; k < std::min(i + 8, m); ++k) append(k, inside[k] != 0);
    }
  }
  const std::uint16_t* begin() const { return place_; }
  const std::uint16_t* end() const { return place_ + count_; }

 private:
  void append(std::size_t i, bool passes) {
    place_[count_] = static_cast<std::uint16_t>(i);
    count_ += passes;
  }

  std::size_t count_ = 0;
  std::uint16_t place_[BLOCK + 1];
};

inline double stick_out(double v, double w, double xl, double xu, double slope) {
  if (v > w) return 0.0;  // never seen in this feature
  return std::max(xu - w, v - xl) * slope;
}

}  // namespace boxwise
