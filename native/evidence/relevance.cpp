#include "relevance.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/vector_math.hpp"

namespace boxwise::evidence {

using kernels::exp_of;
using std::size_t;

namespace {
constexpr double RATE = 0.2;               // of a step, in the logarithm
constexpr double DISCOUNT = 0.99;          // of squared gradients, at most
constexpr double FIRST_SQUARES = 0.03;     // taken as seen before, so that the first steps are small
constexpr double MOST_LOG = 5;             // no logarithm leaves [-5, 5]
constexpr double MOST_LOG_TEMPERATURE = 1.5;
constexpr double FIRST_LOG_DECAY = 1;
}  // namespace

Relevance::Relevance(size_t n_numeric, size_t n_categorical)
    : n_(n_numeric), r_(n_categorical), log_(n_ + r_ + 2), squares_(n_ + r_ + 2) {
  log_[n_ + r_] = FIRST_LOG_DECAY;
  refresh();
}

void Relevance::step(const std::vector<double>& gradient) {
  const double steps = static_cast<double>(steps_++);
  const double kept = std::min(DISCOUNT, steps / (steps + 2));
  for (size_t j = 0; j < log_.size(); ++j) {
    if (!std::isfinite(gradient[j])) continue;
    squares_[j] = squares_[j] * kept + gradient[j] * gradient[j];
    const double most = j == n_ + r_ + 1 ? MOST_LOG_TEMPERATURE : MOST_LOG;
    const double moved = log_[j] - RATE * gradient[j] / std::sqrt(FIRST_SQUARES + squares_[j]);
    log_[j] = std::min(std::max(moved, -most), most);
  }
  refresh();
}

void Relevance::restore(std::vector<double> logs, std::vector<double> squares, std::uint64_t steps) {
  log_ = std::move(logs);
  squares_ = std::move(squares);
  steps_ = steps;
  refresh();
}

void Relevance::refresh() {
  value_.resize(log_.size());
  for (size_t j = 0; j < log_.size(); ++j) value_[j] = exp_of(log_[j]);
}

}  // namespace boxwise::evidence
