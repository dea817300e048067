// What can be said of the boxes of a class before there is a sample, for many samples at once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "aligned.hpp"
#include "group.hpp"

namespace boxwise {

// The boxes of a class with those next to each other that are near each other, and what the boxes of a
// lot have in common.
struct Terrain {
  Terrain(const Group& g, const std::vector<Slot>& order);
  void weigh(const double* weight);  // of the boxes

  Group group;
  Outlines hulls;            // of lots: an entry for each
  Aligned<double> heaviest;  // by lot: the weight of a box at most
  // By feature, by lot: a bit for each value that a box has seen, modulo as many as there are.
  std::vector<Aligned<std::uint64_t>> values;
  std::size_t lots() const { return Outlines::lots(group.size()); }
};

struct Census {
  std::uint64_t samples = 0;
  double level = 0;        // what makes up for samples that faded
  Aligned<double> weight;  // by box: its samples, less with age
  std::shared_ptr<const Terrain> terrain;  // if it was made; then boxes are in its order here

  void count_values(const Group& g);
  std::uint64_t seen(std::size_t j, Code code) const;

 private:
  struct Total {
    Code code;
    std::uint64_t times;
  };
  std::vector<std::vector<Total>> totals_;  // by feature, in order of code
};

}  // namespace boxwise
