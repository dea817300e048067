#include "arrangement.hpp"

#include <numeric>

namespace boxwise {

using std::size_t;

namespace {
using Order = std::vector<Slot>;
constexpr size_t SAMPLED = 32;

// Halve the boxes by their centres in the feature in which these lie furthest apart, and so on.
void arrange(const Group& g, const std::vector<double>& scale, Order::iterator begin,
             Order::iterator end) {
  const auto count = static_cast<size_t>(end - begin);
  if (count <= Arrangement::LEAF) return;
  const auto step = static_cast<std::ptrdiff_t>(count / SAMPLED + 1);  // some boxes will do
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
  const size_t leaves = (count + Arrangement::LEAF - 1) / Arrangement::LEAF;
  const auto middle = begin + static_cast<std::ptrdiff_t>(leaves / 2 * Arrangement::LEAF);
  std::nth_element(begin, middle, end,
                   [&](Slot a, Slot b) { return centre(widest, a) < centre(widest, b); });
  arrange(g, scale, begin, middle);
  arrange(g, scale, middle, end);
}

Order arranged(const Group& g, const std::vector<double>& scale) {
  Order order(g.size());
  std::iota(order.begin(), order.end(), Slot{0});
  arrange(g, scale, order.begin(), order.end());
  return order;
}
}  // namespace

Arrangement::Arrangement(const Group& g, const std::vector<double>& scale)
    : boxes_(g.in_order(arranged(g, scale))),
      leaves_((g.size() + LEAF - 1) / LEAF),
      V_(g.V.size(), Aligned<double>(leaves_, UNSET)),
      W_(g.V.size(), Aligned<double>(leaves_, -UNSET)) {
  for (size_t j = 0; j < V_.size(); ++j) {
    for (size_t i = 0; i < g.size(); ++i) {
      const double v = boxes_.V[j][i], w = boxes_.W[j][i];
      double &low = V_[j][i / LEAF], &high = W_[j][i / LEAF];
      low = std::min(low, v > w ? -UNSET : v);  // a box that never saw the feature is near everywhere
      high = std::max(high, v > w ? UNSET : w);
    }
  }
}

}  // namespace boxwise
