// Category counts over all boxes of a class: the distribution to which each of its boxes backs off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "query.hpp"

namespace boxwise::evidence {

class ClassStats {
 public:
  explicit ClassStats(std::size_t n_categorical) : counts_(n_categorical) {}

  void add(std::size_t j, std::int32_t value, double weight) {
    auto& counts = counts_[j];
    if (static_cast<std::size_t>(value) >= counts.size())
      counts.resize(static_cast<std::size_t>(value) + 1);
    counts[static_cast<std::size_t>(value)] += weight;
  }
  void add_rows(double weight) { n_ += weight; }
  double n() const { return n_; }  // rows

  // The share of a value, smoothed so that each of the values known, and one more, is possible.
  double share(std::size_t j, std::int32_t value, double values_known) const {
    const auto& counts = counts_[j];
    const bool counted = value >= 0 && static_cast<std::size_t>(value) < counts.size();
    const double count = counted ? counts[static_cast<std::size_t>(value)] : 0.0;
    return (count + 1 / (values_known + 1)) / (n_ + 1);
  }

 private:
  double n_ = 0;
  std::vector<std::vector<double>> counts_;  // by categorical column, by value
};

}  // namespace boxwise::evidence
