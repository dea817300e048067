// Parameters found by gradient descent on the log-loss, one step a row, with step sizes by RMSProp:
// for each column a multiplier of the bandwidth (numeric) or the backoff (categorical), which is
// large where the column does not matter; the decay constant of old boxes; the temperature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace boxwise::evidence {

class Relevance {
 public:
  Relevance(std::size_t n_numeric, std::size_t n_categorical);

  double numeric(std::size_t j) const { return value_[j]; }
  double categorical(std::size_t j) const { return value_[n_ + j]; }
  double decay() const { return value_[n_ + r_]; }
  double temperature() const { return value_[n_ + r_ + 1]; }
  std::size_t n_numeric() const { return n_; }
  std::size_t size() const { return log_.size(); }

  // The gradient of the log-loss by the logarithms of all parameters, in the order above.
  void step(const std::vector<double>& gradient);

  const std::vector<double>& logs() const { return log_; }
  const std::vector<double>& squares() const { return squares_; }
  std::uint64_t steps() const { return steps_; }
  void restore(std::vector<double> logs, std::vector<double> squares, std::uint64_t steps);

 private:
  void refresh();

  std::size_t n_, r_;
  std::vector<double> log_, squares_, value_;  // squares: the squared gradients, discounted
  std::uint64_t steps_ = 0;
};

}  // namespace boxwise::evidence
