#include "index/packed_copy.hpp"

#include <numeric>
#include <tuple>

namespace boxwise {

using std::size_t;

namespace {
using Order = std::vector<Slot>;
constexpr size_t MIN_SAMPLED = 32;  // boxes from which a spread is estimated
constexpr size_t MAX_LEAVES_WITHOUT_HULLS = 6;

// Orders the boxes by a kd-tree: halves them at the median centre in the feature of the widest spread,
// then each half in the same way.
void kd_sort(const Group& g, const std::vector<double>& scale, Order::iterator begin,
             Order::iterator end) {
  const auto count = static_cast<size_t>(end - begin);
  if (count <= PackedCopy::LEAF) return;
  const auto step = static_cast<std::ptrdiff_t>(count / MIN_SAMPLED + 1);  // some boxes will do
  const auto centre = [&](size_t j, Slot slot) { return g.V[j][slot] + g.W[j][slot]; };
  size_t widest = 0;
  double width = -1;
  for (size_t j = 0; j < g.V.size(); ++j) {
    double low = centre(j, *begin), high = low;
    for (auto at = begin; end - at > step; at += step) {
      low = std::min(low, centre(j, *at));
      high = std::max(high, centre(j, *at));
    }
    if ((high - low) * scale[j] <= width) continue;
    width = (high - low) * scale[j];
    widest = j;
  }
  // Whole leaves on the left, so that all but the last leaf are full.
  const size_t leaves = (count + PackedCopy::LEAF - 1) / PackedCopy::LEAF;
  const auto middle = begin + static_cast<std::ptrdiff_t>(leaves / 2 * PackedCopy::LEAF);
  std::nth_element(begin, middle, end,
                   [&](Slot a, Slot b) { return centre(widest, a) < centre(widest, b); });
  kd_sort(g, scale, begin, middle);
  kd_sort(g, scale, middle, end);
}

// A box without a value in a feature is near everywhere in it.
double low_end(double v, double w) { return v > w ? -UNSET : v; }
double high_end(double v, double w) { return v > w ? UNSET : w; }

// Intervals into leaves; the last leaf is filled up with the last one.
template <class IntervalOf>
Aligned<double> packed(size_t count, size_t features, IntervalOf interval_of) {
  constexpr size_t LEAF = PackedCopy::LEAF;
  const size_t leaves = (count + LEAF - 1) / LEAF;
  Aligned<double> all(leaves * features * 2 * LEAF);
  for (size_t i = 0; i < leaves * LEAF; ++i)
    for (size_t j = 0; j < features; ++j) {
      double* place = all.data() + (i / LEAF * features + j) * 2 * LEAF + i % LEAF;
      std::tie(place[0], place[LEAF]) = interval_of(std::min(i, count - 1), j);
    }
  return all;
}
}  // namespace

PackedCopy::PackedCopy(const Group& g, const std::vector<double>& scale)
    : n_(g.V.size()), leaves_((g.size() + LEAF - 1) / LEAF), order_(g.size()) {
  std::iota(order_.begin(), order_.end(), Slot{0});
  if (leaves_ > MAX_LEAVES_WITHOUT_HULLS) kd_sort(g, scale, order_.begin(), order_.end());
  boxes_ = packed(g.size(), n_, [&](size_t i, size_t j) {
    const double v = g.V[j][order_[i]], w = g.W[j][order_[i]];
    return std::pair(low_end(v, w), high_end(v, w));
  });
  if (leaves_ <= MAX_LEAVES_WITHOUT_HULLS) return;
  hulls_ = packed(leaves_, n_, [&](size_t leaf, size_t j) {
    const double* low = boxes_.data() + (leaf * n_ + j) * 2 * LEAF;
    return std::pair(*std::min_element(low, low + LEAF),
                     *std::max_element(low + LEAF, low + 2 * LEAF));
  });
}

}  // namespace boxwise
