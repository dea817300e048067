// The change-in-entropy test in closed form. With g(k) = (k+1) log2(k+1) - k log2(k) and g(0) = 0,
// equation (10) is Z_j = (g(n) - g(count)) / (n + 1): no sums over the values of the feature.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace boxwise {

class EntropyTest {
 public:
  static constexpr double ROUNDING = 1e-12;  // as in the reference

  EntropyTest(double delta, bool mean, std::size_t n_features)
      : bound_(delta + ROUNDING), mean_(mean), r_(static_cast<double>(n_features)) {}

  // No change of entropy is above 1: then nothing has to be asked.
  bool takes_any() const { return bound_ > 1.0; }

  // Equation (11), version 1: the least count, in every feature, that a box of n samples asks for (exact).
  // Version 2: a sum of counts below which the mean cannot pass; `passes` decides above it.
  std::uint32_t min_count(std::uint32_t n) {
    if (n >= MAX_CACHED_SAMPLES) return mean_ ? min_count_sum(n) : min_count_each(n);
    while (min_counts_.size() <= n) {
      const auto k = static_cast<std::uint32_t>(min_counts_.size());
      min_counts_.push_back(mean_ ? min_count_sum(k) : min_count_each(k));
    }
    return min_counts_[n];
  }

  // In how many features a box of n samples may lack the value of a sample that it takes: in all or
  // none for version 1; for version 2 at most that many.
  std::uint32_t max_missing(std::uint32_t n) {
    if (n >= MAX_CACHED_SAMPLES) return compute_max_missing(n);
    while (max_missing_.size() <= n) {
      const auto k = static_cast<std::uint32_t>(max_missing_.size());
      max_missing_.push_back(compute_max_missing(k));
    }
    return max_missing_[n];
  }

  // Equation (12), version 2: whether the mean of Z_j passes, given the sum of g(count) over the features.
  bool passes(std::uint32_t n, double sum_of_g) const {
    return (g(n) - sum_of_g / r_) / (static_cast<double>(n) + 1.0) <= bound_;
  }

  static double g(std::uint32_t k) {
    // No vector: threads may still ask while the process ends and statics are destroyed.
    static const auto remembered = first_of_g();
    return k < remembered.size() ? remembered[k] : compute_g(k);
  }

 private:
  static double compute_g(std::uint32_t k) {
    if (k == 0) return 0.0;
    const double x = k;
    return (x + 1.0) * std::log2(x + 1.0) - x * std::log2(x);
  }

  static std::array<double, 1u << 12> first_of_g() {
    std::array<double, 1u << 12> values;
    for (std::uint32_t k = 0; k < values.size(); ++k) values[k] = compute_g(k);
    return values;
  }

  static constexpr std::uint32_t MAX_CACHED_SAMPLES = 1u << 16;

  std::uint32_t min_count_each(std::uint32_t n) const {
    const double g_n = g(n), samples = static_cast<double>(n) + 1.0;
    std::uint32_t fails = 0, least = n;  // Z falls as the count rises, and is 0 at count = n
    if (g_n / samples <= bound_) return 0;
    while (least - fails > 1) {
      const std::uint32_t middle = fails + (least - fails) / 2;
      ((g_n - g(middle)) / samples <= bound_ ? least : fails) = middle;
    }
    return least;
  }

  // g is concave, so the mean of g(count) is at most g at the mean count, between two integers on
  // the straight line. One is taken off for rounding: this only ever lets more boxes through.
  std::uint32_t min_count_sum(std::uint32_t n) const {
    const double asked = g(n) - bound_ * (static_cast<double>(n) + 1.0);
    if (asked <= 0.0) return 0;
    std::uint32_t below = 0, above = n;  // g(below) < asked; asked <= g(above) up to rounding
    while (above - below > 1) {
      const std::uint32_t middle = below + (above - below) / 2;
      (g(middle) >= asked ? above : below) = middle;
    }
    const double part = (asked - g(below)) / (g(above) - g(below));
    const double sum = r_ * (below + std::min(part, 1.0)) * (1.0 - 1e-9) - 1.0;
    return static_cast<std::uint32_t>(std::clamp(sum, 0.0, 4294967295.0));
  }

  // No count exceeds n, and g rises. What is added for rounding only ever lets more boxes through.
  std::uint32_t compute_max_missing(std::uint32_t n) {
    const auto all = static_cast<std::uint32_t>(r_);
    if (!mean_) return min_count(n) == 0 ? all : 0;
    std::uint32_t lack = 0;
    while (lack < all && passes(n, (r_ - (lack + 1)) * g(n) * (1 + 1e-9) + 1e-9)) ++lack;
    return lack;
  }

  double bound_;
  bool mean_;
  double r_;
  std::vector<std::uint32_t> min_counts_, max_missing_;
};

}  // namespace boxwise
