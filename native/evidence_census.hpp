// What can be said of the boxes of a class before there is a sample, for many samples at once.
#pragma once

#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "group.hpp"

namespace boxwise {

struct Census {
  std::uint64_t samples = 0;
  double newest = 0;       // the last row that a box of the class took
  std::int64_t left = 0;   // of the samples, in crumbs, where boxes fade
  double level = 0;        // what makes up for it
  Aligned<double> weight;  // by box: its samples, less with age

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
