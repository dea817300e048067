// Distances between the values of one categorical feature, exactly as in reference/castillo.py: two
// values are near each other if the classes are about as frequent with the one as with the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "store/group.hpp"

namespace boxwise {

// For each value, by code: how many of its rows are of each class, in order of class.
using ClassCounts = std::vector<std::vector<Tally>>;

class ValueDistance {
 public:
  static constexpr Code NONE = -1;  // no value: a bound that is not set

  ValueDistance() = default;
  // `order`: the values as they were seen first. It decides which of two that are as far is found.
  ValueDistance(const ClassCounts& counts, const std::vector<Code>& order);

  // From a bound to a value, from 0 to 1: 0 if the bound is not set, 1 to a value that no labelled
  // row has (below 0: no row at all).
  double operator()(Code bound, Code value) const {
    if (bound == value || bound == NONE) return 0.0;
    const Kind a = kind(bound), b = kind(value);
    return a == UNKNOWN || b == UNKNOWN ? 1.0 : between(a, b);
  }

  // The value furthest from `stays`, but not further than `extent`, among those in the order that
  // are known and not excluded; the first seen of several; NONE if there is none.
  template <class Excluded>
  Code furthest(Code stays, double extent, Excluded excluded) const;

  std::size_t bytes() const;

 private:
  // Values with the same shares are of one kind, so that many values need not be many to compare.
  using Kind = std::uint32_t;
  static constexpr Kind UNKNOWN = std::numeric_limits<Kind>::max();
  struct Share {
    Code label;
    double share;
    bool operator==(const Share&) const = default;
  };
  using Shares = std::vector<Share>;  // in order of class, without those that are 0

  Kind kind(Code code) const {
    // Codes below 0, of values never seen, are beyond the end too.
    const auto at = static_cast<std::size_t>(static_cast<std::uint32_t>(code));
    return at < kinds_.size() ? kinds_[at] : UNKNOWN;
  }
  double between(Kind a, Kind b) const {
    return table_.empty() ? measure(a, b) : table_[a * shares_.size() + b];
  }
  double measure(Kind a, Kind b) const;
  void sort_out(const std::vector<Shares>& shares, const std::vector<Code>& known);
  double find_largest() const;
  double largest_of_two_classes() const;

  std::vector<Kind> kinds_;                // by code
  std::vector<std::uint32_t> rank_;        // by code: its place in the order
  std::vector<Shares> shares_;             // by kind
  std::vector<std::vector<Code>> values_;  // by kind, as they were seen first
  double largest_ = 0;
  bool apart_ = false;                     // exactly two values: 1 apart, whatever their shares
  std::vector<double> table_;              // all distances, where there are few kinds
};

template <class Excluded>
Code ValueDistance::furthest(Code stays, double extent, Excluded excluded) const {
  const Kind from = kind(stays);
  double reached = -1;
  Code found = NONE;
  for (Kind k = 0; k < shares_.size(); ++k) {
    const double d = from == UNKNOWN ? 1.0 : between(from, k);
    if (d > extent || d < reached) continue;
    for (const Code code : values_[k]) {
      if (d == reached && rank_[code] > rank_[found]) break;
      if (excluded(code)) continue;
      reached = d;
      found = code;
      break;
    }
  }
  return found;
}

}  // namespace boxwise
