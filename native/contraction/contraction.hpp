// Contraction: two boxes of different classes that overlap are cut apart in one feature, exactly
// as in reference/contraction.py.
#pragma once

#include <vector>

namespace boxwise {

constexpr double EPSILON = 1e-5;  // what is left between the two, as a share of the range

struct Bounds {
  std::vector<double> V, W;
};

// Whether the boxes overlap, touching included; a feature never seen (V > W) meets nothing.
bool meet(const Bounds& a, const Bounds& b);

// Cut box a, which has grown, and box b apart in the feature of smallest overlap, epsilon (one for
// each feature) from each other. Returns whether there was something to cut.
bool contract(Bounds& a, Bounds& b, const std::vector<double>& epsilon);

}  // namespace boxwise
