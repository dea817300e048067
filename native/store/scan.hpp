// Passes over the boxes of a group, block by block, for learning and predicting: sums of counts,
// distances, the size test. Boxes that can no longer matter are left out on the way.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "store/group.hpp"
#include "kernels/kernels.hpp"
#include "kernels/membership.hpp"

namespace boxwise {

constexpr std::size_t BLOCK = 256;  // a block's working arrays stay in the first-level cache

// When no more than this many boxes of a block are still in question, they are looked at singly.
constexpr std::size_t few(std::size_t m) { return m / 32; }

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
    if (!gather(g, codes, begin, m, sum)) std::fill_n(sum, m, 0.0);
    if (n_matches > 0) kernels::add(matches, n_matches, sum, m);
  }
  // Nearly, and without the columns that it leaves in `matches`. Returns false if these are all.
  // There is room for whole sixteens, which become zeros.
  template <class Sum>
  bool gather(const Group& g, const Code* codes, Slot begin, std::size_t m, Sum* sum) {
    bool summed = false;
    const std::uint32_t* rows[4];
    std::size_t in_rows = 0;
    const std::size_t most = std::clamp<std::size_t>(255 / std::max(g.most_samples, 1u), 1, MAX_MATCHES);
    const auto begin_sum = [&] {
      if (!summed) std::fill_n(sum, (m + 15) / 16 * 16, Sum{0});
      summed = true;
    };
    const auto add_rows = [&] {
      begin_sum();
      std::fill(rows + in_rows, rows + 4, padding::ZEROS.entries);
      kernels::add(rows, g.most_samples < kernels::SMALL, sum, m);
      in_rows = 0;
    };
    n_matches = 0;
    for (std::size_t j = 0; j < g.D.size(); ++j) {
      if (const auto plain = g.D[j].plain(begin, m)) {
        if (codes[j] < 0 || codes[j] > std::numeric_limits<std::uint8_t>::max()) continue;
        if (n_matches == most) {
          begin_sum();
          kernels::add(matches, n_matches, sum, m);
          n_matches = 0;
        }
        matches[n_matches++] = {plain->code, plain->count, static_cast<std::uint8_t>(codes[j])};
      } else if (const auto* row = g.D[j].row(codes[j], begin, m, scratch_[in_rows])) {
        rows[in_rows++] = row;
        if (in_rows == 4) add_rows();
      }
    }
    if (in_rows > 0) add_rows();
    return summed;
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

  static constexpr std::size_t MAX_MATCHES = 32;  // features whose counts are added in bytes at once
  kernels::Match matches[MAX_MATCHES];
  std::size_t n_matches = 0;

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

// The places in a block that pass, without a branch to be guessed wrong: where a byte is zero, or a
// double is at most zero.
class Passing {
 public:
  Passing(const std::uint8_t* out, std::size_t m) {
    constexpr std::uint64_t LOW = 0x7f7f7f7f7f7f7f7f;
    for (std::size_t i = 0; i < m; i += 8) {
      std::uint64_t eight;
      std::memcpy(&eight, out + i, 8);
      eight = ~(((eight & LOW) + LOW) | eight | LOW);  // the highest bit of each byte that is zero
      if (i + 8 > m) eight &= (std::uint64_t{1} << 8 * (m - i)) - 1;
      for (; eight != 0; eight &= eight - 1)
        place_[count_++] = static_cast<std::uint16_t>(i + std::countr_zero(eight) / 8);
    }
  }
  Passing(const double* over, std::size_t m) : Passing(Out(over, m).entries, m) {}
  const std::uint16_t* begin() const { return place_; }
  const std::uint16_t* end() const { return place_ + count_; }
  std::size_t size() const { return count_; }

 private:
  struct Out {
    Out(const double* over, std::size_t m) { kernels::outside(over, entries, m); }
    alignas(64) std::uint8_t entries[BLOCK];
  };
  std::size_t count_ = 0;
  std::uint16_t place_[BLOCK];
};

// More than the estimates of a membership, all of whose terms are at most 1, can be off: by
// rounding, and because memberships are compared in whole units.
constexpr double ROUNDING = 2 / UNITS_PER_ONE;

// The weights of a membership, alpha * (1 - distance) + beta * share.
struct Weights {
  double alpha, beta;
};
constexpr std::size_t MIN_MEASURED = 8;  // boxes that are measured together: each may raise the threshold

// How far a sample is from the boxes of a block.
template <class Probes>
void measure_distances(const Group& g, const Probes& probes, std::size_t begin, std::size_t m,
                       double* dist) {
  constexpr std::size_t SIDES_AT_ONCE = 16;
  kernels::Side sides[SIDES_AT_ONCE];
  std::size_t f = 0;
  do {
    const std::size_t first = f;
    for (; f < probes.size() && f - first < SIDES_AT_ONCE; ++f) {
      const auto& p = probes[f];
      sides[f - first] = {&g.V[p.j][begin], &g.W[p.j][begin], p.xl, p.xu, p.slope};
    }
    kernels::distances(sides, f - first, first == 0, dist, m);
  } while (f < probes.size());
}

// Calls use(place, distance) for the boxes of a block that may reach a threshold, which `use` may
// raise, by alpha * (1 - distance) + unit * sum. Each feature can only lower a membership: 64 boxes
// are looked at together, feature by feature, until few of them are as near as one must be that
// reaches the threshold, to within ROUNDING. How far away those are is then measured one by one.
template <class Probes, class Use>
void visit_near(const Group& g, const Probes& probes, const double* sum, std::size_t begin,
                std::size_t m, double alpha, double unit, const double& threshold, Use use) {
  static thread_local std::vector<kernels::Side> sides;
  sides.clear();
  for (const auto& p : probes)
    sides.push_back({&g.V[p.j][begin], &g.W[p.j][begin], p.xl, p.xu, p.slope});
  std::uint16_t places[BLOCK];
  double dist[BLOCK];
  std::size_t count = 0;
  for (std::size_t i = 0; i < m; i += 64) {
    const std::size_t end = std::min(i + 64, whole(m));
    std::uint64_t left = kernels::reaching(sides.data(), sides.size(), i, end, sum,
                                           {alpha, unit, threshold - ROUNDING});
    if (m - i < 64) left &= (std::uint64_t{1} << (m - i)) - 1;
    for (; left != 0; left &= left - 1)
      places[count++] = static_cast<std::uint16_t>(i + std::countr_zero(left));
    if (count < MIN_MEASURED && i + 64 < m) continue;
    kernels::distances_at(sides.data(), sides.size(), places, count, dist);
    for (std::size_t k = 0; k < count; ++k) use(places[k], dist[k]);
    count = 0;
  }
}

// The size test over the features, two at a time, while many boxes of a block pass: over <= 0.
// Returns how many pass and counts the features tested. `fresh`: nothing was tested before.
template <class SpanOf>
std::size_t pass_size(std::size_t features, SpanOf span_of, std::size_t passing, bool fresh,
                      double* over, std::size_t m, std::size_t& sized) {
  if (fresh && features == 0) std::fill_n(over, m, -1.0);
  for (sized = 0; sized < features && passing > few(m); sized = std::min(sized + 2, features))
    passing = kernels::size(span_of(sized), span_of(std::min(sized + 1, features - 1)),
                            fresh && sized == 0, over, m);
  return passing;
}

inline double stick_out(double v, double w, double xl, double xu, double slope) {
  if (v > w) return 0.0;  // never seen in this feature
  return std::max(xu - w, v - xl) * slope;
}

}  // namespace boxwise
