// A numeric feature measured by rank: a monotone function that follows the distribution of its
// values, from 0 at the least to 1 at the largest, exactly as in reference/quantiles.py. Values are
// kept in a quantile sketch of compactors (Manku, Rajagopalan and Lindsay, 1998): of every full level,
// one value in two goes on to the next and counts twice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace boxwise {

class QuantileScale {
 public:
  // Take note of a value, or of both ends of an interval. Returns whether the function has changed:
  // it does after the first value, with the first that differs, and whenever there are half as many
  // again as the last time.
  bool meet(double low, double high);
  // Take note of values that `meet` will be told of later, and of which it need not take note then.
  void survey(std::size_t count, const double* low, const double* high);
  void join(const QuantileScale& other);  // the values of both

  bool is_ready() const;  // there are two values
  double operator()(double x) const;
  // The distance to the median by that of the outer twentieths, from -2 to 2: about -1 at the 5th
  // percentile and 1 at the 95th. 0 until there are two values.
  double standardised(double x) const;
  // The values beyond which it is -2 and 2.
  std::array<double, 2> standardised_ends() const { return {median_ - spread_, median_ + spread_}; }
  // The least value of at least this rank; there must be two values.
  double value_at(double rank) const;
  // The values between which the function is straight, rising.
  const std::vector<double>& points() const { return x_; }
  // The same for many values; NaN gives any number.
  void positions(const double* values, std::size_t m, double* out) const;

  // All there is to it, in one array: its length, then the rest.
  std::vector<double> state() const;
  static QuantileScale from_state(const std::vector<double>& state);
  bool operator==(const QuantileScale& other) const = default;

 private:
  struct Level {
    std::vector<double> values;
    bool odd = false;  // which of two goes on next time
    bool operator==(const Level& other) const = default;
  };
  struct Weighted {
    double value;
    std::uint64_t times;  // values that it stands for
  };
  void add(double low, double high);
  void put(std::size_t level, double value);
  void promote(std::size_t level);
  void refresh();
  double between(double x, std::size_t i) const;
  void set_spread();
  const std::vector<Weighted>& sorted_values() const;  // valid until the next call
  static void merge(const Weighted* a, const Weighted* middle, const Weighted* end, Weighted* out);

  std::vector<Level> levels_;
  double low_ = 0, high_ = 0;  // the least and the largest value
  std::uint64_t seen_ = 0, due_ = 1, ahead_ = 0;
  std::vector<double> x_, y_;  // the function goes straight from one of these points to the next
  double median_ = 0, spread_ = 0;  // follow from the points
};

}  // namespace boxwise
