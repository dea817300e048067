#include "store/quantized_bounds.hpp"

#include "tests/check.hpp"

using namespace boxwise;

namespace {
struct Interval {
  double low, high;  // low > high: the box has not seen the feature
};
using Boxes = std::vector<std::vector<Interval>>;  // by box, by feature

Boxes random_boxes(check::Random& random, std::size_t count, std::size_t features) {
  Boxes boxes(count, std::vector<Interval>(features));
  for (auto& box : boxes)
    for (Interval& side : box) {
      const double low = 100 * random.unit();
      side = random.below(8) == 0 ? Interval{1e300, -1e300} : Interval{low, low + 20 * random.unit()};
    }
  return boxes;
}

double distance(const std::vector<Interval>& box, const std::vector<double>& x, double slope) {
  double most = 0;
  for (std::size_t j = 0; j < x.size(); ++j)
    if (box[j].low <= box[j].high)
      most = std::max({most, slope * (box[j].low - x[j]), slope * (x[j] - box[j].high)});
  return most;
}

// The boxes on scales from `low` to `high`, with room for whole tiles.
struct Fixture {
  Fixture(const Boxes& boxes, std::size_t features, double low, double high, double slope)
      : features(features), bounds(features), quantizers(features) {
    bounds.make_room(boxes.size());
    for (Quantizer& q : quantizers) {
      q.origin = low;
      q.per_unit = 255 / (high - low);
      q.measure(slope);
    }
    for (std::size_t slot = 0; slot < boxes.size(); ++slot)
      for (std::size_t j = 0; j < features; ++j)
        bounds.quantize(slot, j, quantizers[j], boxes[slot][j].low, boxes[slot][j].high);
  }
  QuantizedQuery query(const std::vector<double>& x) const {
    QuantizedQuery all;
    all.step = quantizers[0].step;
    all.make(quantizers, {}, [&](const auto& of, auto& out) {
      for (std::size_t j = 0; j < features; ++j)
        out.push_back({j, of[j].above(x[j]), of[j].below(x[j]), of[j].beyond(x[j], x[j])});
    });
    return all;
  }
  std::vector<std::uint8_t> far(const std::vector<double>& x, std::size_t boxes) const {
    std::vector<std::uint8_t> out(QuantizedBounds::tiles(boxes) * QuantizedBounds::TILE);
    query(x).measure(bounds.from(0), features, QuantizedBounds::tiles(boxes), out.data());
    return out;
  }
  std::size_t features;
  QuantizedBounds bounds;
  std::vector<Quantizer> quantizers;
};
}  // namespace

TEST(a_distance_is_never_overstated_and_nearly_right) {
  check::Random random(1);
  const Boxes boxes = random_boxes(random, 150, 3);
  constexpr double SLOPE = 0.01;
  // A scale around all boxes, and one that cuts them off.
  for (const auto& [low, high] : {std::pair{-5.0, 125.0}, std::pair{30.0, 70.0}}) {
    const Fixture fixture(boxes, 3, low, high, SLOPE);
    const double step = fixture.quantizers[0].step;
    for (int again = 0; again < 50; ++again) {
      std::vector<double> x(3);
      for (double& value : x) value = 300 * random.unit() - 100;
      const auto far = fixture.far(x, boxes.size());
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        const double exact = distance(boxes[i], x, SLOPE);
        CHECK(far[i] * step <= exact + 1e-9);
        // Where the scale covers all of them, only rounding is lost.
        const bool covered = low < 0 && std::all_of(x.begin(), x.end(), [&](double value) {
          return value >= low && value <= high;
        });
        if (covered) CHECK(far[i] * step >= std::min(exact, 254 * step) - 3 * step);
      }
    }
  }
}

TEST(a_slot_without_a_box_is_far_away) {
  check::Random random(2);
  const Boxes boxes = random_boxes(random, 3, 1);
  const Fixture fixture(boxes, 1, 0, 120, 1);
  const auto far = fixture.far({60.0}, 3);
  for (std::size_t i = 3; i < QuantizedBounds::TILE; ++i) CHECK(far[i] > 100);
}

TEST(the_last_box_moves_into_a_gap) {
  check::Random random(3);
  Boxes boxes = random_boxes(random, 70, 2);
  Fixture fixture(boxes, 2, -5, 125, 1);
  fixture.bounds.move_last(4, 69);
  boxes[4] = boxes.back();
  boxes.pop_back();
  const Fixture fresh(boxes, 2, -5, 125, 1);
  for (std::size_t slot = 0; slot < boxes.size(); ++slot) {
    std::uint8_t moved[4], wanted[4];
    fixture.bounds.read(slot, moved, 1);
    fresh.bounds.read(slot, wanted, 1);
    for (int f = 0; f < 4; ++f) CHECK(moved[f] == wanted[f]);
  }
}

TEST(only_boxes_that_would_be_too_long_are_oversized) {
  check::Random random(4);
  const Boxes boxes = random_boxes(random, 200, 2);
  const Fixture fixture(boxes, 2, -5, 125, 1);
  int left_out = 0;
  for (int again = 0; again < 40; ++again) {
    const double limit = 15 + 20 * random.unit();
    const std::vector<double> x{100 * random.unit(), 100 * random.unit()};
    Extents extents;
    extents.make(fixture.quantizers, {}, [&](const auto& quantizers, auto& out) {
      for (std::size_t j = 0; j < 2; ++j)
        if (const auto extent = quantizers[j].extent(j, x[j], x[j], limit)) out.push_back(*extent);
    });
    std::vector<std::uint8_t> out(QuantizedBounds::tiles(200) * QuantizedBounds::TILE);
    extents.measure(fixture.bounds.from(0), 2, QuantizedBounds::tiles(200), out.data());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      bool fits = true, too_long = false;
      for (std::size_t j = 0; j < 2; ++j) {
        const double grown = std::max(boxes[i][j].high, x[j]) - std::min(boxes[i][j].low, x[j]);
        fits = fits && grown <= limit;
        too_long = too_long || (boxes[i][j].low <= boxes[i][j].high && grown > limit + 5);
      }
      if (fits) CHECK(out[i] == 0);
      if (too_long) CHECK(out[i] != 0);
      left_out += out[i] != 0;
    }
  }
  CHECK(left_out > 1000);
}

TEST(between_two_scales_the_smaller_distance_counts) {
  check::Random random(5);
  const Boxes boxes = random_boxes(random, 64, 1);
  const Fixture old(boxes, 1, 0, 130, 1), now(boxes, 1, -100, 400, 1);
  for (const Fixture* drawn : {&old, &now}) {
    QuantizedQuery query;
    query.make(now.quantizers, old.quantizers, [&](const auto& of, auto& out) {
      out.push_back({0, of[0].above(110.0), of[0].below(110.0), 0});
    });
    std::vector<std::uint8_t> far(64);
    query.measure(drawn->bounds.from(0), 1, 1, far.data());
    for (std::size_t i = 0; i < 64; ++i)
      CHECK(far[i] * drawn->quantizers[0].step <= distance(boxes[i], {110.0}, 1) + 1e-9);
  }
}
