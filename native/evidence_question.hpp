// What is asked of the boxes of a class about one sample, and what they have said so far.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "evidence_census.hpp"
#include "evidence_engine.hpp"

namespace boxwise {

// So many boxes or fewer: it is quicker to compute all exactly.
inline constexpr std::size_t FEW_BOXES = 16;
// What is left of the samples of a class is counted in such parts of one.
inline constexpr double CRUMBS = 0x1p24;

// For each box l = log(n e) is the sum of two parts, of the numbers and of the categories. What is
// said, e^(part - most), is only nearly right: where that might make a difference, `exact` has the
// terms of the specification.
struct EvidenceEngine::Part {
  bool asked;
  double choice;  // the bandwidth or the backoff
  Aligned<double> said;
  double most;
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
