// What is asked of the boxes of a class about one sample, and what they have said so far.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "evidence_census.hpp"
#include "evidence_engine.hpp"
#include "kernels.hpp"

namespace boxwise {

// So many boxes or fewer: it is quicker to compute all exactly.
inline constexpr std::size_t FEW_BOXES = 16;
inline constexpr double NEGLIGIBLE = -23;  // a box that says e^23 times less has no whole grain
// Sums are counted in grains: in whole numbers, and so in any order the same.
inline constexpr double GRAINS = 0x1p32;
// What a box adds to the sum of a class in which the largest is `most`.
inline std::uint64_t grains(double l, double most) {
  return l - most > NEGLIGIBLE ? static_cast<std::uint64_t>(std::exp(l - most) * GRAINS) : 0;
}
// What is left of the samples of a class is counted in such parts of one.
inline constexpr double CRUMBS = 0x1p24;

// For each box l = log(n e) is the sum of two parts, of the numbers and of the categories. What is
// said, in proportion to e^part, is only nearly right: where that might make a difference, `exact` has
// the terms of the specification.
struct EvidenceEngine::Part {
  bool asked;
  double choice;  // the bandwidth or the backoff
  Aligned<double> said;
  double top, most;  // of what is said, the largest; of the parts
  std::vector<kernels::Density> densities;  // of numbers
  double tails;                             // the logarithms of what extents are at least, together
  Aligned<double> logs;                     // with many of them
  std::vector<double> exact;  // NaN where it was not needed so far
  std::vector<Slot> known;    // the places where it was
};

struct EvidenceEngine::Question {
  const Sample* x;
  const Group* g;
  std::vector<double> units;   // by probe: 1 / the width of the feature; 0 if that has none
  std::vector<double> shares;  // of the values of x in the class
  const Census* census;        // of the class
  Aligned<double> away;        // by box: how far x sticks out, once the numbers are looked at
  std::vector<Part> numbers, categories;  // by bandwidth, by backoff
  Census made;                            // where none was kept
  bool sound;            // no product was too large or too small
  double scale, margin;  // of the last pair of parts: from products to grains, relative error
  double most;           // the largest l

  Part& numbers_of(std::size_t pair) { return numbers[pair / categories.size()]; }
  Part& categories_of(std::size_t pair) { return categories[pair % categories.size()]; }
};

// The probabilities that belong to the scores.
inline void soften(const double* scores, std::size_t classes, double temperature,
                   std::vector<double>& p) {
  p.resize(classes);
  const double most = *std::max_element(scores, scores + classes);
  double total = 0;
  for (std::size_t k = 0; k < classes; ++k)
    total += p[k] = std::exp((scores[k] - most) / temperature);
  for (double& part : p) part /= total;
}

// What still counts, `at_most`, of what was found after so many turns: the first boxes were few, and
// what was best then fades.
inline double fading(std::uint64_t turns, double at_most) {
  const auto before = static_cast<double>(turns);
  return std::min(at_most, before / (before + 2));
}

}  // namespace boxwise
