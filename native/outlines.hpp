// Where the boxes of a class lie, roughly: their intervals in bytes, rounded outwards, 64 boxes
// together. From them follows how far a sample is from a box at least, at an eighth of what must be
// read to know it; most boxes are ruled out by it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "column.hpp"
#include "kernels.hpp"

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
  bool holds(double v, double w) const { return v <= w && place(v) >= 0 && place(w) <= 255; }

 private:
  static constexpr double ROUNDING = 1e-6;  // in bytes; far more than there is
  double place(double x) const { return (x - origin) * per_unit; }
  static double clamped(double x) { return std::clamp(x, 0.0, 255.0); }
};

class Outlines {
 public:
  static constexpr std::size_t LOT = kernels::LOT;

  explicit Outlines(std::size_t features) : ends_(2 * features) {}

  void make_room(std::size_t boxes) {
    while (lots_.size() < (boxes + LOT - 1) / LOT * ends_)
      for (std::size_t f = 0; f < ends_; ++f) lots_.push_back(nobody(f));
  }
  // Of a box, for which there is room, in feature j.
  void draw(std::size_t slot, std::size_t j, Ruler& ruler, double v, double w) {
    ruler.within = ruler.within && ruler.holds(v, w);
    entry(slot, 2 * j) = v > w ? 0 : ruler.below(v);
    entry(slot, 2 * j + 1) = v > w ? 255 : ruler.above(w);
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

// A sample on the scale of outlines.
struct Marks {
  std::vector<kernels::Mark> now, before;  // by the rulers of now; of boxes that may not be redrawn yet
  bool either = false;                     // whether there may be such
  double worth = 0;                        // how far a byte is, or less

  // By how many bytes it sticks out of the boxes of some lots, at least.
  void measure(const std::uint8_t* lots, std::size_t features, std::size_t count,
               std::uint8_t* far) const {
    kernels::outlined(lots, features, count, now.data(), now.size(), far);
    if (!either) return;
    alignas(64) std::uint8_t other[kernels::MOST_TOGETHER];
    kernels::outlined(lots, features, count, before.data(), before.size(), other);
    for (std::size_t i = 0; i < count * Outlines::LOT; ++i) far[i] = std::min(far[i], other[i]);
  }
};

}  // namespace boxwise
