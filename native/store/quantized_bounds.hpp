// Quantised bounds: the intervals of the boxes of a class in a byte per end, rounded outwards, in tiles
// of 64 boxes. They give a lower bound of the distance from a sample to a box while an eighth of the
// bytes is read; most boxes are ruled out by it. (The VA-file of Weber, Schek and Blott, 1998, does the
// same for points.) Invariant: a quantised interval contains the interval, so no distance is overstated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "store/column.hpp"
#include "kernels/kernels.hpp"

namespace boxwise {

// The scale of a feature: numbers become bytes. Numbers beyond an end of the scale become that end, so
// a distance is never overstated.
struct Quantizer {
  double origin = 0, per_unit = 0;  // per_unit is 0 while the feature has no width
  bool within = true;               // all boxes quantised by it lie between the ends
  double slope = 0;                 // of the membership, when the quantizer was made
  double step = 0;                  // the distance, in the membership, of one byte; 0: not quantised

  void measure(double slope_now) { step = per_unit > 0 ? slope_now / per_unit : 0.0; }
  std::uint8_t below(double x) const {
    return static_cast<std::uint8_t>(clamped(place(x) - ROUNDING));
  }
  std::uint8_t above(double x) const {
    const double up = clamped(place(x) + ROUNDING);
    const auto whole = static_cast<int>(up);
    return static_cast<std::uint8_t>(up > whole ? whole + 1 : whole);
  }
  // The distance beyond an end of the scale in whole bytes; only for points, for boxes are cut off too.
  std::uint8_t beyond(double xl, double xu) const {
    if (!within || xl != xu) return 0;
    return static_cast<std::uint8_t>(clamped(std::max(-place(xl), place(xu) - 255) - ROUNDING));
  }
  // The most bytes that a box not longer than `limit` covers with [xl, xu] in it: each end is rounded
  // outwards, by a byte at most, and cut off at the end of the scale. Nothing if any box passes.
  std::optional<kernels::Extent> extent(std::size_t j, double xl, double xu, double limit) const {
    const double most = limit * per_unit + 3 + 10 * ROUNDING;
    if (step == 0 || most >= 256) return std::nullopt;
    const int low = std::max(above(xl) - 1, 0), high = std::min(below(xu) + 1, 255);
    return kernels::Extent{j, static_cast<std::uint8_t>(low), static_cast<std::uint8_t>(high),
                           static_cast<std::uint8_t>(most)};
  }
  bool holds(double v, double w) const { return v <= w && place(v) >= 0 && place(w) <= 255; }
  bool same_scale(const Quantizer& other) const {
    return origin == other.origin && per_unit == other.per_unit;
  }

 private:
  static constexpr double ROUNDING = 1e-6;  // in bytes; far more than occurs
  double place(double x) const { return (x - origin) * per_unit; }
  static double clamped(double x) { return std::clamp(x, 0.0, 255.0); }
};

class QuantizedBounds {
 public:
  static constexpr std::size_t TILE = kernels::TILE;
  static constexpr std::size_t tiles(std::size_t boxes) { return (boxes + TILE - 1) / TILE; }

  explicit QuantizedBounds(std::size_t features) : ends_(2 * features) {}

  void make_room(std::size_t boxes) {
    if (empty()) tiles_.reserve(ends_);
    while (tiles_.size() < tiles(boxes) * ends_)
      for (std::size_t f = 0; f < ends_; ++f) tiles_.push_back(empty_tile(f));
  }
  // Quantise feature j of a box for which there is room.
  void quantize(std::size_t slot, std::size_t j, Quantizer& quantizer, double v, double w) {
    quantizer.within = quantizer.within && quantizer.holds(v, w);
    entry(slot, 2 * j) = v > w ? 0 : quantizer.below(v);
    entry(slot, 2 * j + 1) = v > w ? 255 : quantizer.above(w);
  }
  // Copy all features of a box, for which there is room, from elsewhere.
  void copy(std::size_t slot, const QuantizedBounds& others, std::size_t from) {
    for (std::size_t f = 0; f < ends_; ++f)
      entry(slot, f) = others.tiles_[from / TILE * ends_ + f].entries[from % TILE];
  }
  // Drop the box in `slot`, put the last one there.
  void move_last(std::size_t slot, std::size_t last) {
    if (empty()) return;
    requantized = std::min(requantized, slot);
    for (std::size_t f = 0; f < ends_; ++f) {
      entry(slot, f) = entry(last, f);
      entry(last, f) = empty_tile(f).entries[0];
    }
  }
  bool empty() const { return tiles_.size() == 0; }
  // The ends of a box, `step` apart in `to`.
  void read(std::size_t slot, std::uint8_t* to, std::size_t step) const {
    const Tile* tile = &tiles_[slot / TILE * ends_];
    for (std::size_t f = 0; f < ends_; ++f) to[f * step] = tile[f].entries[slot % TILE];
  }
  // The tile of a box: feature by feature the lower, then the upper ends of TILE boxes. The next tiles
  // follow.
  const std::uint8_t* from(std::size_t slot) const { return tiles_[slot / TILE * ends_].entries; }
  std::size_t bytes() const { return tiles_.bytes(); }

  std::size_t requantized = 0;  // boxes before this one are quantised by the latest quantizers

 private:
  struct Tile {
    std::uint8_t entries[TILE];
  };
  static Tile empty_tile(std::size_t f) {  // a slot without a box is far from everything
    Tile tile;
    std::fill_n(tile.entries, TILE, static_cast<std::uint8_t>(f % 2 == 0 ? 255 : 0));
    return tile;
  }
  std::uint8_t& entry(std::size_t slot, std::size_t f) {
    return tiles_[slot / TILE * ends_ + f].entries[slot % TILE];
  }

  std::size_t ends_;  // of a box
  Column<Tile> tiles_;
};

// Something in quantised units: by the quantizers of now, and by those before them, which boxes that are
// not requantised yet still follow.
template <class T>
struct ByQuantizers {
  std::vector<T> now, before;
  bool either = false;  // whether there may be such boxes

  // put(quantizers, out) quantises into `out`.
  template <class Put>
  void make(const std::vector<Quantizer>& quantizers, const std::vector<Quantizer>& former,
            Put put) {
    now.clear();
    put(quantizers, now);
    either = !former.empty();
    before.clear();
    if (either) put(former, before);
  }

 protected:
  // measure(by, out) for the boxes of `tiles` tiles: the lower result of the two kinds of quantizers.
  template <class Measure>
  void lowest(std::size_t tiles, std::uint8_t* out, Measure measure) const {
    measure(now, out);
    if (!either) return;
    alignas(64) std::uint8_t other[kernels::MOST_TOGETHER];
    measure(before, other);
    for (std::size_t i = 0; i < tiles * QuantizedBounds::TILE; ++i)
      out[i] = std::min(out[i], other[i]);
  }
};

// The quantised query: a sample, or an interval.
struct QuantizedQuery : ByQuantizers<kernels::QuantizedInterval> {
  double step = 0;  // the least distance, in the membership, of one byte of a feature

  // A lower bound of the distance to the boxes of `count` tiles, in bytes.
  void measure(const std::uint8_t* tiles, std::size_t features, std::size_t count,
               std::uint8_t* far) const {
    lowest(count, far, [&](const auto& x, std::uint8_t* out) {
      kernels::quantized_distances(tiles, features, count, x.data(), x.size(), out);
    });
  }
};

// The longest that a box may be with a sample in it.
struct Extents : ByQuantizers<kernels::Extent> {
  // Not zero for the boxes of `count` tiles that would certainly be longer.
  void measure(const std::uint8_t* tiles, std::size_t features, std::size_t count,
               std::uint8_t* out) const {
    lowest(count, out, [&](const auto& extents, std::uint8_t* to) {
      kernels::oversized(tiles, features, count, extents.data(), extents.size(), to);
    });
  }
};

}  // namespace boxwise
