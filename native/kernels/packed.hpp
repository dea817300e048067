// Packs a comparison of 64 lanes into the bits of a word, for kernels compiled for several processors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/clones.hpp"

namespace boxwise {

// From memory: shifts by the loop's variable are not turned into vector instructions.
alignas(64) inline constexpr auto BITS = [] {
  std::array<std::uint64_t, 64> bits{};
  for (std::size_t i = 0; i < 64; ++i) bits[i] = std::uint64_t{1} << i;
  return bits;
}();

// Zero or all ones for each lane, in whole eights, into one bit each. Part of its callers, to be
// compiled as they are.
[[gnu::always_inline]] static inline std::uint64_t packed(const std::uint64_t* RESTRICT ok,
                                                          std::size_t end) {
  std::uint64_t part[8] = {};
  for (std::size_t i = 0; i < end; i += 8)
    for (std::size_t k = 0; k < 8; ++k) part[k] |= ok[i + k] & BITS[i + k];
  for (std::size_t k = 1; k < 8; ++k) part[0] |= part[k];
  return part[0];
}

}  // namespace boxwise
