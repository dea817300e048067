// A packed copy of the boxes of a class without categorical features, for predicting many rows:
// leaves of boxes, one after the other in memory, in the order of a kd-tree, with a hull around
// each leaf. A leaf whose hull is further from a sample than the best box so far is skipped. The
// copy does not follow changes of the model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "store/group.hpp"
#include "kernels/kernels.hpp"
#include "store/scan.hpp"

namespace boxwise {

class PackedCopy {
 public:
  static constexpr std::size_t LEAF = kernels::LEAF;

  struct Scratch {  // working memory of a search, kept between searches
    std::vector<kernels::Step> steps;
    Aligned<double> bounds, lowest, dist;
  };

  // `scale` makes distances in the features of the group comparable.
  PackedCopy(const Group& g, const std::vector<double>& scale);

  // Calls visit(slot, distance) for boxes that may reach the threshold, among them all whose
  // membership, in whole units, is the highest that reaches it; `visit` may raise the threshold.
  template <class Probes, class Visit>
  void search(const Probes& probes, const double& threshold, Scratch& work, Visit visit) const {
    work.steps.clear();
    for (const auto& p : probes) work.steps.push_back({p.j, p.xl, p.xu, p.slope});
    if (hulls_.empty())
      open(0, leaves_, threshold, work, visit);
    else
      search_near(threshold, work, visit);
  }

 private:
  template <class Visit>
  void search_near(const double& threshold, Scratch& work, Visit visit) const {
    const std::size_t hulls = hulls_.size() / (2 * LEAF * n_) * LEAF;
    work.bounds.resize(hulls);
    work.lowest.resize(hulls / LEAF);
    measure(hulls_, 0, hulls / LEAF, work, work.bounds.data());
    const auto nearest = static_cast<std::size_t>(
        std::min_element(work.bounds.begin(), work.bounds.begin() + leaves_) -
        work.bounds.begin());
    open(nearest, nearest + 1, threshold, work, visit);
    double most = furthest(threshold);
    for (std::size_t leaf = 0; leaf < leaves_; ++leaf) {
      if (!(work.bounds[leaf] <= most) || leaf == nearest) continue;
      open(leaf, leaf + 1, threshold, work, visit);
      most = furthest(threshold);
    }
  }

  template <class Visit>
  void open(std::size_t first, std::size_t last, const double& threshold, Scratch& work,
            Visit visit) const {
    work.dist.resize((last - first) * LEAF);
    work.lowest.resize(std::max(work.lowest.size(), last - first));
    measure(boxes_, first, last, work, work.dist.data());
    for (std::size_t leaf = first; leaf < last; ++leaf) {
      const double lowest = work.lowest[leaf - first];
      if (!(lowest <= furthest(threshold))) continue;
      // Only the best of the leaf matter; from 1 on, or what is rounded to it, the distance does
      // not count.
      const double most = lowest < 1.0 - ROUNDING ? lowest + ROUNDING : UNSET * UNSET;
      const double* dist = work.dist.data() + (leaf - first) * LEAF;
      const std::size_t begin = leaf * LEAF, count = std::min(LEAF, order_.size() - begin);
      for (std::size_t k = 0; k < count; ++k)
        if (dist[k] <= most) visit(order_[begin + k], dist[k]);
    }
  }

  void measure(const Aligned<double>& packed, std::size_t first, std::size_t last, Scratch& work,
               double* dist) const {
    kernels::leaves(packed.data() + first * 2 * LEAF * n_, 2 * LEAF * n_, last - first,
                    work.steps.data(), work.steps.size(), dist, work.lowest.data());
  }

  // How far away a box may be that reaches the threshold; beyond 1 the distance does not count.
  static double furthest(double threshold) {
    return threshold > ROUNDING ? 1.0 - threshold + 2 * ROUNDING : UNSET * UNSET;
  }

  std::size_t n_, leaves_;
  std::vector<Slot> order_;  // of the boxes, as packed
  Aligned<double> boxes_;    // leaf by leaf, feature by feature: the lower bounds, the upper bounds
  Aligned<double> hulls_;    // of the leaves, packed in the same way; none if there are few leaves
};

}  // namespace boxwise
