// The inner loops: straight passes over contiguous arrays, one entry per box, that the compiler
// turns into vector instructions. All numbers that come here are finite: missing values are left
// out by the caller, and a feature that a box has never seen is stored as V = UNSET, W = -UNSET.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace boxwise {

constexpr double UNSET = 1e300;  // inputs are limited to LARGEST, so no interval reaches it
constexpr double LARGEST = 1e150;
constexpr double ANY_DISTANCE = std::numeric_limits<double>::max();  // none is larger
constexpr double NO_WIDTH = 1e-150;  // a range no wider than this counts as a single point

namespace kernels {

constexpr std::size_t MOST_TOGETHER = 256;  // boxes, for those that keep something in between

// Rows of counts, one entry per box, four at a time (pad with ZEROS or ONES): fewer passes.
// sum += a + b + c + d; exact in doubles, for sums of counts stay far below 2^53
constexpr std::uint32_t SMALL = 1u << 29;  // counts up to which it is quicker
void add(const std::uint32_t* const rows[4], bool small, double* sum, std::size_t m);
void add(const std::uint32_t* const rows[4], bool small, float* sum, std::size_t m);
// low = min(low, a, b, c, d)
void least(const std::uint32_t* const rows[4], std::uint32_t* low, std::size_t m);

// Boxes that have seen one value each: sum += code == wanted ? count : 0, over columns whose counts
// together fit in a byte. All arrays have room for whole tiles.
constexpr std::size_t TILE = 64;
struct Match {
  const std::uint8_t *code, *count;
  std::uint8_t wanted;
};
void add(const Match* columns, std::size_t n_columns, double* sum, std::size_t m);
void add(const Match* columns, std::size_t n_columns, float* sum, std::size_t m);

// sum += how many of a, b, c, d are not zero
void known(const std::uint32_t* const rows[4], double* sum, std::size_t m);

// out = code == wanted ? count : 0
void match(const std::uint8_t* code, const std::uint8_t* count, std::uint8_t wanted,
           std::uint32_t* out, std::size_t m);
void match(const std::uint32_t* code, const std::uint32_t* count, std::uint32_t wanted,
           std::uint32_t* out, std::size_t m);
// out = counts
void widen(const std::uint8_t* counts, std::uint32_t* out, std::size_t m);

// over = have >= need ? -1 : 1. Returns how many pass.
std::size_t require(const std::uint32_t* have, const std::uint32_t* need, double* over,
                    std::size_t m);
std::size_t require(const double* have, const std::uint32_t* need, double* over, std::size_t m);
// out = have < need. Returns how many pass.
std::size_t refuse(const std::uint32_t* have, const std::uint32_t* need, std::uint8_t* out,
                   std::size_t m);
std::size_t refuse(const double* have, const std::uint32_t* need, std::uint8_t* out, std::size_t m);

// differ |= row != n: zero stays where a box has seen one value only.
void differ(const std::uint32_t* row, const std::uint32_t* n, std::uint8_t* differ, std::size_t m);
// over = differ == 0 ? -1 : 1. Returns how many pass.
std::size_t agree(const std::uint8_t* differ, double* over, std::size_t m);

// One feature of a sample and of the boxes of a block, and how long a box may be in it.
struct Span {
  const double *V, *W;
  double xl, xu, limit;
};
// over = max(over, length after expansion - limit) in two features; `fresh`: over counts as -1.
// Returns how many pass (over <= 0).
std::size_t size(const Span& a, const Span& b, bool fresh, double* over, std::size_t m);
// out = over > 0
void outside(const double* over, std::uint8_t* out, std::size_t m);
// over = max(over, gap between [lo, hi] and the box). Returns how many pass (over <= 0).
std::size_t gap(const double* V, const double* W, double lo, double hi, double* over,
                std::size_t m);

// dist = max(dist, slope * how far x sticks out), where dist is 0 before the first feature;
// features that a box has never seen do not count.
void distance(const double* V, const double* W, double xl, double xu, double slope, bool first,
              double* dist, std::size_t m);

// One feature of a sample and of the boxes of a block.
struct Side {
  const double *V, *W;
  double xl, xu, slope;
};
// distance for any number of features at once; `first`: dist is 0 before them. All arrays have room
// for whole eights.
void distances(const Side* sides, std::size_t n_sides, bool first, double* dist, std::size_t m);
// Bits for those of up to 64 boxes from `begin` to `end`, in whole eights, that may reach
// alpha * (1 - min(dist, 1)) + unit * sum >= threshold. The distance is taken over so many features that
// few are left, or over all.
struct Threshold {
  double alpha, unit, threshold;
};
std::uint64_t reaching(const Side* sides, std::size_t n_sides, std::size_t begin, std::size_t end,
                       const double* sum, const Threshold& threshold);
// dist = distance over any number of features, for the entries at some places.
void distances_at(const Side* sides, std::size_t n_sides, const std::uint16_t* place,
                  std::size_t count, double* dist);
// Boxes with quantised bounds (see store/quantized_bounds.hpp) in tiles, 2 TILE bytes for each of
// `features` features: far = a lower bound of the distance from x to each box, in bytes.
struct QuantizedInterval {
  std::size_t j;
  std::uint8_t xl, xu;
  std::uint8_t over;  // the distance of x from the scale, beyond which no box is
};
void quantized_distances(const std::uint8_t* tiles, std::size_t features, std::size_t count,
                         const QuantizedInterval* intervals, std::size_t n_intervals,
                         std::uint8_t* far);
// out = not zero for boxes that, with x in them, cover more than `most` bytes in one of some
// features, but not all of the scale: such a box may never have seen the feature.
struct Extent {
  std::size_t j;
  std::uint8_t low, high, most;
};
void oversized(const std::uint8_t* tiles, std::size_t features, std::size_t count,
               const Extent* extents, std::size_t n_extents, std::uint8_t* out);
// The input of `reachable`, an upper bound, for the boxes of a block: counts of the values of a sample, which
// together fit in a byte, and the sum of others, if any; their quantised bounds and those of the
// sample, and a lower bound `far` of the distance in bytes, if given; and the share that one count
// is worth.
struct BoundInputs {
  const Match* matches;
  std::size_t n_matches;
  const float* sum;
  const std::uint8_t* tiles;
  std::size_t features;
  const QuantizedInterval* intervals;
  std::size_t n_intervals;
  const std::uint8_t* far;
  const float* unit;
};
// degree = max(alpha - step * far, 0) + beta * sum * unit. Returns the highest. Arrays of bytes
// have room for whole tiles, others for whole sixteens.
float reachable(const BoundInputs& boxes, float alpha, float step, float beta, std::size_t m,
                float* degree);
// The entries of a tile that reach the threshold, a bit each.
std::uint64_t reached(const float* degree, float threshold);
// Boxes packed in leaves (see index/packed_copy.hpp), `stride` numbers each, and a sample's
// features: dist = how far x sticks out, for LEAF boxes of each leaf; lowest = the least of a leaf.
constexpr std::size_t LEAF = 16;
struct Step {
  std::size_t j;
  double xl, xu, slope;
};
void leaves(const double* packed, std::size_t stride, std::size_t leaves, const Step* steps,
            std::size_t n_steps, double* dist, double* lowest);

// share = sum / (n * r)
void share(const double* sum, const std::uint32_t* n, double r, double* share, std::size_t m);

// degree = alpha * (1 - min(dist, 1)) + beta * share
void mix(const double* dist, const double* share, double alpha, double beta, double* degree,
         std::size_t m);

// The sum of counts.
std::uint64_t total(const std::uint32_t* counts, std::size_t m);

// The largest degree; not below 0.
double largest(const double* degree, std::size_t m);
// The sum of n over the boxes of that degree.
std::uint64_t samples(const double* degree, double wanted, const std::uint32_t* n, std::size_t m);

}  // namespace kernels
}  // namespace boxwise
