// The boxes of a class in spatial order: leaves of boxes that lie together, and a hull around each.
// A leaf whose hull is further from a sample than the best box so far is left out unseen. It is a
// copy, made for predicting many rows, and does not follow changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "group.hpp"
#include "scan.hpp"

namespace boxwise {

class Arrangement {
 public:
  static constexpr std::size_t LEAF = 32;

  // Of a group without categorical features; `scale` makes distances in its features comparable.
  Arrangement(const Group& g, const std::vector<double>& scale);

  // Calls visit(boxes, begin, m) for the leaves in which a box may reach the bar, the nearest first;
  // `visit` may raise the bar.
  template <class Probes, class Visit>
  void search(const Probes& probes, const double& bar, Aligned<double>& bounds, Visit visit) const {
    bounds.assign(leaves_, 0.0);
    for (const auto& p : probes)
      kernels::distance(V_[p.j].data(), W_[p.j].data(), p.xl, p.xu, p.slope, false, bounds.data(),
                        leaves_);
    const auto open = [&](std::size_t leaf) {
      const std::size_t begin = leaf * LEAF;
      visit(boxes_, begin, std::min(LEAF, boxes_.size() - begin));
    };
    const auto nearest = static_cast<std::size_t>(
        std::min_element(bounds.begin(), bounds.end()) - bounds.begin());
    open(nearest);
    for (std::size_t leaf = 0; leaf < leaves_; ++leaf)
      if (leaf != nearest && 1.0 - std::min(bounds[leaf], 1.0) >= bar - ROUNDING) open(leaf);
  }

 private:
  Group boxes_;
  std::size_t leaves_;
  std::vector<Aligned<double>> V_, W_;  // the hulls
};

}  // namespace boxwise
