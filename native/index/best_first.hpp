// Best-first branch and bound for the boxes of highest membership in an index (Hjaltason and Samet,
// 1999): pages and leaves are opened by their upper bounds, the highest first, until none that is left
// reaches the threshold to within rounding; boxes that tie are all visited. Where too many leaves
// would have to be opened it gives up, for passing over all boxes takes less.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/clones.hpp"
#include "index/forest.hpp"
#include "store/scan.hpp"

namespace boxwise {

class BestFirst {
 public:
  // The numbers of a sample, and what the membership of a box is made of: alpha * (1 - distance) +
  // beta * share.
  struct Query {
    std::vector<lanes::Side> sides;
    Weights weights;
    const QuantizedQuery* quantized;  // for leaves with quantised bounds
  };
  Query query;
  // The values of the sample that boxes of a group hold, but for those that only these few hold.
  struct GroupQuery {
    std::size_t group;
    std::vector<lanes::Value> values;
    std::vector<Slot> few;  // in order
  };

  bool empty() const { return queue_.empty(); }
  void clear() {
    queue_.clear();
    parts_.clear();
    n_groups_ = 0;
    leaves_ = 0;
  }
  GroupQuery& new_group(std::size_t group) {
    if (n_groups_ == groups_.size()) groups_.emplace_back();
    GroupQuery& own = groups_[n_groups_++];
    own.group = group;
    own.values.clear();
    own.few.clear();
    return own;
  }
  // Adds a forest of the group of the last group query.
  void add(const Forest& forest) {
    leaves_ += forest.n_leaves();
    const auto& superpages = forest.superpages();
    if (superpages.empty()) return;
    const auto part = static_cast<std::uint32_t>(parts_.size());
    parts_.push_back({&forest, n_groups_ - 1});
    for (std::size_t b = 0; b < superpages.size(); ++b) {
      const Forest::Summary& s = superpages[b];
      const auto x = sample(groups_[n_groups_ - 1], s.rows->features());
      lanes::bounds(s.low_V(), s.high_W(), s.value_masks(), x, s.alive(), bounds_);
      for (std::size_t i = 0; i < superpages[b].count; ++i)
        push({bounds_[i], part, static_cast<std::uint32_t>(b * lanes::COUNT + i) * 2});
    }
  }

  // Calls visit(group, slot) for all boxes that may reach the threshold; `visit` may raise it.
  // Returns false if it has given up.
  template <class Visit>
  bool search(const double& threshold, Visit visit) {
    std::size_t budget = FEW_LEAVES + leaves_ / PART;
    for (std::size_t k = 0; k < n_groups_; ++k)
      for (const Slot slot : groups_[k].few) visit(groups_[k].group, slot);
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end());
      const Place place = queue_.back();
      queue_.pop_back();
      if (place.bound < threshold - ROUNDING) return true;
      if (!place.is_leaf())
        open_page(place, threshold);
      else if (budget-- > 0)
        open_leaf(place, threshold, visit);
      else
        return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t FEW_LEAVES = 8, PART = 3;

  struct Part {
    const Forest* forest;
    std::size_t own;
  };
  struct Place {
    double bound;
    std::uint32_t part, code;  // code: of a page or, with the lowest bit set, of a leaf
    std::size_t number() const { return code / 2; }
    bool is_leaf() const { return code % 2 == 1; }
    bool operator<(const Place& other) const { return bound < other.bound; }
  };

  void push(const Place& place) {
    queue_.push_back(place);
    std::push_heap(queue_.begin(), queue_.end());
  }

  // The membership that one category is worth.
  double unit(std::size_t features) const {
    return features > 0 ? query.weights.beta / static_cast<double>(features) : 0.0;
  }

  lanes::Sample sample(const GroupQuery& own, std::size_t features) const {
    return {query.sides.data(), query.sides.size(),  own.values.data(),
            own.values.size(),     query.weights.alpha, unit(features)};
  }

  // Prefetches the first that is read of a leaf that is likely to be opened.
  static void fetch(const Forest::Leaf& leaf, const GroupQuery& own) {
    const Word* value_masks = leaf.value_masks();
    for (const lanes::Value& value : own.values) PREFETCH(value_masks + value.row);
  }

  void open_page(const Place& place, double threshold) {
    const Part& part = parts_[place.part];
    const Forest::Page& page = part.forest->page(place.number());
    const lanes::Sample x = sample(groups_[part.own], page.rows->features());
    Word left = lanes::reach(page.low_V(), page.high_W(), page.value_masks(), x,
                             threshold - ROUNDING, page.alive());
    if (page.has_shares()) {
      lanes::bounds(page.low_V(), page.high_W(), page.shares(), x, left, bounds_);
      left = lanes::reach(bounds_, threshold - ROUNDING, left);
    } else {
      lanes::bounds(page.low_V(), page.high_W(), page.value_masks(), x, left, bounds_);
    }
    for (; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      push({bounds_[i], place.part, page.items[i] * 2 + 1});
      fetch(part.forest->leaf(page.items[i]), groups_[part.own]);
    }
  }

  template <class Visit>
  void open_leaf(const Place& place, const double& threshold, Visit visit) {
    const Part& part = parts_[place.part];
    const Forest::Leaf& leaf = part.forest->leaf(place.number());
    const GroupQuery& own = groups_[part.own];
    const lanes::Sample x = sample(own, leaf.rows->features());
    const double enough = threshold - ROUNDING;
    Word left = leaf.is_quantized()
                    ? lanes::reach({leaf.quantized(), leaf.n, *query.quantized},
                                   leaf.value_masks(), x, enough, leaf.alive())
                    : lanes::reach(leaf.V(), leaf.W(), leaf.value_masks(), x, enough,
                                   leaf.alive());
    if (left == 0) return;
    const auto look_at = [&](std::size_t i) {
      if (!std::binary_search(own.few.begin(), own.few.end(), leaf.items[i]))
        visit(own.group, leaf.items[i]);
    };
    // The best of them first, which rules out most of the others.
    if (std::popcount(left) > 1 || leaf.has_shares()) {
      if (leaf.has_shares())
        lanes::bounds(leaf.V(), leaf.W(), leaf.shares(), x, left, bounds_);
      else
        lanes::bounds(leaf.V(), leaf.W(), leaf.value_masks(), x, left, bounds_);
      std::size_t top = 0;
      double most = -1;
      for (Word rest = left; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(rest));
        if (bounds_[i] <= most) continue;
        most = bounds_[i];
        top = i;
      }
      if (most < enough) return;
      look_at(top);
      left = lanes::reach(bounds_, threshold - ROUNDING, left & ~(Word{1} << top));
    }
    for (; left != 0; left &= left - 1) look_at(static_cast<std::size_t>(std::countr_zero(left)));
  }

  std::vector<Place> queue_;  // a heap
  std::vector<Part> parts_;
  std::vector<GroupQuery> groups_;  // the first n_groups_ are in use
  std::size_t n_groups_ = 0;
  std::size_t leaves_ = 0;
  alignas(64) double bounds_[lanes::COUNT];
};

}  // namespace boxwise
