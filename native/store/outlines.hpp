// Where the boxes of a class lie, roughly: their intervals in bytes, rounded outwards, 64 boxes
// together. From them follows how far a sample is from a box at least, at an eighth of what must be
// read to know it; most boxes are ruled out by it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "store/column.hpp"
#include "kernels/kernels.hpp"

namespace boxwise {

// How the numbers of a feature become bytes. What lies beyond the ends counts as the end: a distance
// is never overstated.
struct Ruler {
  double origin = 0, per_unit = 0;  // per_unit is 0 while the feature has no width
  bool within = true;               // all boxes drawn by it lie between the ends
  double slope = 0;                 // of the membership, when the ruler was made
  double mark = 0;                  // how far a byte is, in terms of the membership; 0: not drawn

  void measure(double slope_now) { mark = per_unit > 0 ? slope_now / per_unit : 0.0; }
  std::uint8_t below(double x) const {
    return static_cast<std::uint8_t>(clamped(place(x) - ROUNDING));
  }
  std::uint8_t above(double x) const {
    const double up = clamped(place(x) + ROUNDING);
    const auto whole = static_cast<int>(up);
    return static_cast<std::uint8_t>(up > whole ? whole + 1 : whole);
  }
  // How far beyond one of the ends, in whole bytes; of an interval both ends would have to be known.
  std::uint8_t beyond(double xl, double xu) const {
    if (!within || xl != xu) return 0;
    return static_cast<std::uint8_t>(clamped(std::max(-place(xl), place(xu) - 255) - ROUNDING));
  }
  // With [xl, xu] in it, a box that is not longer than `limit` covers at most so many bytes: each end is
  // rounded outwards, by a byte at most, and what lies beyond the scale is drawn shorter. Nothing if
  // these may be all.
  std::optional<kernels::Extent> extent(std::size_t j, double xl, double xu, double limit) const {
    const double most = limit * per_unit + 3 + 10 * ROUNDING;
    if (mark == 0 || most >= 256) return std::nullopt;
    const int low = std::max(above(xl) - 1, 0), high = std::min(below(xu) + 1, 255);
    return kernels::Extent{j, static_cast<std::uint8_t>(low), static_cast<std::uint8_t>(high),
                           static_cast<std::uint8_t>(most)};
  }
  bool holds(double v, double w) const { return v <= w && place(v) >= 0 && place(w) <= 255; }
  bool draws_like(const Ruler& other) const {
    return origin == other.origin && per_unit == other.per_unit;
  }

 private:
  static constexpr double ROUNDING = 1e-6;  // in bytes; far more than there is
  double place(double x) const { return (x - origin) * per_unit; }
  static double clamped(double x) { return std::clamp(x, 0.0, 255.0); }
};

class Outlines {
 public:
  static constexpr std::size_t LOT = kernels::LOT;
  static constexpr std::size_t lots(std::size_t boxes) { return (boxes + LOT - 1) / LOT; }

  explicit Outlines(std::size_t features) : ends_(2 * features) {}

  void make_room(std::size_t boxes) {
    if (empty()) lots_.reserve(ends_);
    while (lots_.size() < lots(boxes) * ends_)
      for (std::size_t f = 0; f < ends_; ++f) lots_.push_back(nobody(f));
  }
  // Of a box, for which there is room, in feature j.
  void draw(std::size_t slot, std::size_t j, Ruler& ruler, double v, double w) {
    ruler.within = ruler.within && ruler.holds(v, w);
    entry(slot, 2 * j) = v > w ? 0 : ruler.below(v);
    entry(slot, 2 * j + 1) = v > w ? 255 : ruler.above(w);
  }
  // Of a box, for which there is room, as others have it.
  void copy(std::size_t slot, const Outlines& others, std::size_t from) {
    for (std::size_t f = 0; f < ends_; ++f)
      entry(slot, f) = others.lots_[from / LOT * ends_ + f].entries[from % LOT];
  }
  // Drop the box in `slot`, put the last one there.
  void move_last(std::size_t slot, std::size_t last) {
    if (empty()) return;
    redrawn = std::min(redrawn, slot);
    for (std::size_t f = 0; f < ends_; ++f) {
      entry(slot, f) = entry(last, f);
      entry(last, f) = nobody(f).entries[0];
    }
  }
  bool empty() const { return lots_.size() == 0; }
  // The ends of a box, `step` apart in `to`.
  void read(std::size_t slot, std::uint8_t* to, std::size_t step) const {
    const Lot* lot = &lots_[slot / LOT * ends_];
    for (std::size_t f = 0; f < ends_; ++f) to[f * step] = lot[f].entries[slot % LOT];
  }
  // From a lot of boxes on: the lower ends and the upper ends of LOT boxes, feature by feature.
  const std::uint8_t* from(std::size_t slot) const { return lots_[slot / LOT * ends_].entries; }
  std::size_t bytes() const { return lots_.bytes(); }

  std::size_t redrawn = 0;  // boxes before this one have been drawn by the latest rulers

 private:
  struct Lot {
    std::uint8_t entries[LOT];
  };
  static Lot nobody(std::size_t f) {  // where there is no box, nothing is near
    Lot lot;
    std::fill_n(lot.entries, LOT, static_cast<std::uint8_t>(f % 2 == 0 ? 255 : 0));
    return lot;
  }
  std::uint8_t& entry(std::size_t slot, std::size_t f) {
    return lots_[slot / LOT * ends_ + f].entries[slot % LOT];
  }

  std::size_t ends_;  // of a box
  Column<Lot> lots_;
};

// Something on the scale of outlines: by the rulers of now, and of boxes that may not be redrawn yet.
template <class T>
struct ByRulers {
  std::vector<T> now, before;
  bool either = false;  // whether there may be such

  // put(rulers, out) puts what there is by some rulers into `out`.
  template <class Put>
  void make(const std::vector<Ruler>& rulers, const std::vector<Ruler>& former, Put put) {
    now.clear();
    put(rulers, now);
    either = !former.empty();
    before.clear();
    if (either) put(former, before);
  }

 protected:
  // measure(by, out) for the boxes of some lots; of those of either ruler the lower.
  template <class Measure>
  void lowest(std::size_t lots, std::uint8_t* out, Measure measure) const {
    measure(now, out);
    if (!either) return;
    alignas(64) std::uint8_t other[kernels::MOST_TOGETHER];
    measure(before, other);
    for (std::size_t i = 0; i < lots * Outlines::LOT; ++i) out[i] = std::min(out[i], other[i]);
  }
};

// A sample, or an interval.
struct Marks : ByRulers<kernels::Mark> {
  double worth = 0;  // how far a byte is, or less

  // By how many bytes it sticks out of the boxes of some lots, at least.
  void measure(const std::uint8_t* lots, std::size_t features, std::size_t count,
               std::uint8_t* far) const {
    lowest(count, far, [&](const auto& marks, std::uint8_t* out) {
      kernels::outlined(lots, features, count, marks.data(), marks.size(), out);
    });
  }
};

// How long a box may be with a sample in it.
struct Extents : ByRulers<kernels::Extent> {
  // Not zero for the boxes of some lots that would certainly be longer.
  void measure(const std::uint8_t* lots, std::size_t features, std::size_t count,
               std::uint8_t* out) const {
    lowest(count, out, [&](const auto& extents, std::uint8_t* to) {
      kernels::oversized(lots, features, count, extents.data(), extents.size(), to);
    });
  }
};

}  // namespace boxwise
