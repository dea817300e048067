// The split of a full leaf: by the categories of one feature or by the place of the boxes in another,
// whichever is expected to let a sample visit fewer boxes of both parts.
#pragma once

#include <vector>

#include "index/forest.hpp"

namespace boxwise {

class Forest::Splitter {
 public:
  Splitter(const Leaf& leaf, const Splitting& splitting);

  Rule rule;
  Word left = 0;  // the boxes that the rule sends there

 private:
  bool by_place(Rule& rule, Word& left) const;
  bool by_category(Rule& rule, Word& left, bool skip) const;
  double cost(Word left) const;
  double cost_of(Word part) const;

  const Leaf& leaf_;
  const std::vector<double>& margins_;
  const std::vector<bool>& skip_;
};

}  // namespace boxwise
