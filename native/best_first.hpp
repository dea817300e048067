// Finds the boxes of highest membership in an index: whatever may hold the best is looked at first,
// pages, then leaves, then boxes, until nothing that is left can reach the bar. What reaches it by
// less than rounding is looked at too: ties count. Where too many leaves would have to be opened, it
// gives up: passing over all boxes takes less.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest.hpp"
#include "scan.hpp"

namespace boxwise {

class BestFirst {
 public:
  // A sample, and what the membership of a box is made of: alpha * (1 - distance) + beta * share.
  struct Question {
    std::vector<lanes::Side> sides;
    std::vector<lanes::Values> values;
    Weights weights;
  };
  Question question;

  bool empty() const { return queue_.empty(); }
  void clear() {
    queue_.clear();
    leaves_ = 0;
  }
  void add(const Forest& forest, std::size_t group) {
    leaves_ += forest.n_leaves();
    const auto& blocks = forest.blocks();
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      measure(blocks[b], blocks[b].low_V(), blocks[b].high_W());
      for (std::size_t i = 0; i < blocks[b].count; ++i)
        push({bounds_[i], &forest, group, static_cast<std::uint32_t>(b * lanes::COUNT + i), false});
    }
  }

  // Calls visit(group, slot) for all boxes that may reach the bar; `visit` may raise it. Returns false
  // if it has given up.
  template <class Visit>
  bool search(const double& bar, Visit visit) {
    std::size_t budget = FEW_LEAVES + leaves_ / PART;
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end());
      const Place place = queue_.back();
      queue_.pop_back();
      if (place.bound < bar - ROUNDING) return true;
      if (!place.is_leaf)
        open_page(place, bar);
      else if (budget-- > 0)
        open_leaf(place, bar, visit);
      else
        return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t FEW_LEAVES = 8, PART = 6;

  struct Place {
    double bound;
    const Forest* forest;
    std::size_t group;
    std::uint32_t number;
    bool is_leaf;
    bool operator<(const Place& other) const { return bound < other.bound; }
  };

  void push(const Place& place) {
    queue_.push_back(place);
    std::push_heap(queue_.begin(), queue_.end());
  }

  // What one category adds to the membership.
  double unit(std::size_t features) const {
    return features > 0 ? question.weights.beta / static_cast<double>(features) : 0.0;
  }

  template <class Columns>
  void measure(const Columns& s, const double* V, const double* W) {
    const auto& [sides, values, weights] = question;
    lanes::bounds(V, W, sides.data(), sides.size(), s.masks(), values.data(), values.size(),
                  weights.alpha, unit(s.r), s.alive(), bounds_);
  }

  void open_page(const Place& place, double bar) {
    const Forest::Page& page = place.forest->page(place.number);
    measure(page, page.low_V(), page.high_W());
    for (Word left = lanes::reach(bounds_, bar - ROUNDING, page.alive()); left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      push({bounds_[i], place.forest, place.group, page.leaves[i], true});
    }
  }

  template <class Visit>
  void open_leaf(const Place& place, const double& bar, Visit visit) {
    const Forest::Leaf& leaf = place.forest->leaf(place.number);
    const auto& [sides, values, weights] = question;
    Word left = lanes::reach(leaf.V(), leaf.W(), sides.data(), sides.size(), leaf.masks(),
                             values.data(), values.size(), weights.alpha, unit(leaf.r),
                             bar - ROUNDING, leaf.alive());
    if (left == 0) return;
    // The best of them first, which rules out most of the others.
    if (std::popcount(left) > 1) {
      measure(leaf, leaf.V(), leaf.W());
      std::size_t top = 0;
      double most = -1;
      for (Word rest = left; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(rest));
        if (bounds_[i] <= most) continue;
        most = bounds_[i];
        top = i;
      }
      visit(place.group, leaf.slots[top]);
      left = lanes::reach(bounds_, bar - ROUNDING, left & ~(Word{1} << top));
    }
    for (; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      visit(place.group, leaf.slots[i]);
    }
  }

  std::vector<Place> queue_;  // a heap
  std::size_t leaves_ = 0;
  alignas(64) double bounds_[lanes::COUNT];
};

}  // namespace boxwise
