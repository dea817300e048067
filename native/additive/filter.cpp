#include "filter.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/clones.hpp"

namespace boxwise::additive {

using std::size_t;

namespace {
constexpr size_t LANES = 8;           // rows of a covariance are padded to whole ones
constexpr double MOST_WEIGHT = 1e9;   // in a file
constexpr double TOLERANCE = 1e-9;    // of a variance that may have come out below 0

CLONES void add_row(double x, const double* row, size_t stride, double* RESTRICT gain) {
  for (size_t i = 0; i < stride; ++i) gain[i] += x * row[i];
}

CLONES void step_along(double step, const double* gain, size_t stride, double* RESTRICT weights) {
  for (size_t i = 0; i < stride; ++i) weights[i] += step * gain[i];
}

// covariance -= gain gain^T, which stays symmetric to the bit.
CLONES void reduce(const double* gain, size_t size, size_t stride, double* RESTRICT covariance) {
  for (size_t a = 0; a < size; ++a) {
    const double own = gain[a];
    double* row = covariance + a * stride;
    for (size_t b = 0; b < stride; ++b) row[b] -= own * gain[b];
  }
}
}  // namespace

void Filter::CovarianceBlock::reserve(size_t more) {
  if (more > stride) {
    const size_t wider = (more + LANES - 1) / LANES * LANES;
    Aligned<double> moved(wider * wider);
    for (size_t i = 0; i < size; ++i) std::copy(row(i), row(i) + size, moved.data() + i * wider);
    covariance = std::move(moved);
    stride = wider;
    weights.resize(stride);
    first.resize(stride);
  }
  size = more;
}

void Filter::grow(const Layout& layout) {
  blocks_.resize(layout.n_blocks());
  for (; known_ < layout.size(); ++known_) {
    const auto [b, i] = layout.place(known_);
    CovarianceBlock& block = blocks_[b];
    block.reserve(i + 1);
    block.weights[i] = known_ == Layout::BOXES ? 1.0 : 0.0;
    block.first[i] = block.row(i)[i] = layout.first_variance(known_);
  }
}

void Filter::decouple(const Layout& before, const Layout& after) {
  Filter kept(drift_);
  kept.grow(after);
  for (size_t a = 0; a < known_; ++a) {
    const auto [block, i] = before.place(a);
    const auto [own, at] = after.place(a);
    kept.blocks_[own].weights[at] = blocks_[block].weights[i];
    for (size_t b = 0; b < known_; ++b) {
      const auto [other, to] = after.place(b);
      if (other == own) kept.blocks_[own].row(at)[to] = blocks_[block].row(i)[before.place(b).position];
    }
  }
  *this = std::move(kept);
}

double Filter::logit(const Row& row) const {
  double sum = 0;
  for (const RowInput& input : row) sum += input.x * weight(input.place);
  return sum;
}

void Filter::update(const Row& row, double error, double curvature) {
  static thread_local std::vector<Aligned<double>> gains;  // covariance * row, by block
  static thread_local std::vector<size_t> touched;         // blocks
  if (gains.size() < blocks_.size()) gains.resize(blocks_.size());
  touched.clear();
  for (const RowInput& input : row) {
    const auto [b, i] = input.place;
    const CovarianceBlock& block = blocks_[b];
    if (touched.empty() || touched.back() != b) {  // the blocks come in order
      touched.push_back(b);
      gains[b].assign(block.stride, 0.0);
    }
    add_row(input.x, block.row(i), block.stride, gains[b].data());
  }
  double variance = 0;  // of the logit
  for (const RowInput& input : row) variance += input.x * gains[input.place.block][input.place.position];
  variance = std::max(variance, 0.0);
  const double step = error / (1 + curvature * variance);
  const double scale = std::sqrt(curvature / (1 + curvature * variance));
  for (size_t b : touched) {
    CovarianceBlock& block = blocks_[b];
    double* gain = gains[b].data();
    step_along(step, gain, block.stride, block.weights.data());
    for (size_t i = 0; i < block.stride; ++i) gain[i] *= scale;
    reduce(gain, block.size, block.stride, block.covariance.data());
    // Only up to the first variance: a direction that no row excites does not wind up.
    for (size_t i = 0; i < block.size; ++i) {
      double& own = block.row(i)[i];
      if (own < block.first[i]) own += drift_ * block.first[i];
    }
  }
}

// The linear input keeps its weight or loses it. The hats get the mean of two monotone sequences, the
// running maximum from the left and the running minimum from the right, which is the isotonic fit with
// the least maximum distance. Weights that are monotone stay as they are, to the bit.
void Filter::project(const Layout& layout, size_t column, double direction) {
  const Slots& slots = layout.slots();
  const auto begin = layout.find(slots.first(column) + Slots::LINEAR);
  if (begin < 0 || static_cast<size_t>(begin) >= known_) return;  // the inputs of a number come together
  const auto weight_of = [&](size_t i) -> double& {
    const auto [block, position] = layout.place(static_cast<size_t>(begin) + i);
    return blocks_[block].weights[position];
  };
  if (direction * weight_of(0) < 0) weight_of(0) = 0;
  double least[HATS];  // from here on
  least[HATS - 1] = direction * weight_of(HATS);
  for (size_t i = HATS - 1; i-- > 0;) least[i] = std::min(direction * weight_of(1 + i), least[i + 1]);
  double most = -INFINITY;  // so far
  for (size_t i = 0; i < HATS; ++i) {
    most = std::max(most, direction * weight_of(1 + i));
    if (least[i] < most) weight_of(1 + i) = direction * ((least[i] + most) / 2);
  }
}

Filter Filter::mirrored(const Layout& layout) const {
  Filter other = *this;
  const auto [of_boxes, at] = layout.place(Layout::BOXES);
  for (size_t b = 0; b < blocks_.size(); ++b)
    for (size_t i = 0; i < blocks_[b].size; ++i) {
      const bool is_boxes = b == of_boxes && i == at;
      if (!is_boxes) other.blocks_[b].weights[i] *= -1;
      if (b != of_boxes || is_boxes) continue;
      other.blocks_[b].row(i)[at] *= -1;
      other.blocks_[b].row(at)[i] *= -1;
    }
  return other;
}

void Filter::save(const Layout& layout, std::vector<double>& weights,
                  std::vector<double>& covariances) const {
  for (size_t index = 0; index < known_; ++index) weights.push_back(weight(layout.place(index)));
  for (const CovarianceBlock& block : blocks_)
    for (size_t i = 0; i < block.size; ++i)
      covariances.insert(covariances.end(), block.row(i), block.row(i) + i + 1);
}

void Filter::restore(const Layout& layout, const double*& weights, const double*& covariances) {
  *this = Filter(drift_);
  grow(layout);
  for (size_t index = 0; index < known_; ++index) {
    const auto [b, i] = layout.place(index);
    blocks_[b].weights[i] = *weights++;
    if (!(std::abs(blocks_[b].weights[i]) <= MOST_WEIGHT))
      throw std::invalid_argument("a weight of the additive layer is not possible");
  }
  for (CovarianceBlock& block : blocks_) {
    for (size_t i = 0; i < block.size; ++i)
      for (size_t k = 0; k <= i; ++k) block.row(i)[k] = block.row(k)[i] = *covariances++;
    block.check();
  }
}

// Cholesky's decomposition: a matrix without one is no covariance, and would let weights grow without
// bound.
void Filter::CovarianceBlock::check() const {
  std::vector<double> lower(size * size);
  for (size_t i = 0; i < size; ++i)
    for (size_t k = 0; k <= i; ++k) {
      double left = row(i)[k];
      for (size_t m = 0; m < k; ++m) left -= lower[i * size + m] * lower[k * size + m];
      if (i == k) {
        left += TOLERANCE;
        if (!(left > 0 && row(i)[i] <= 2 * first[i]))
          throw std::invalid_argument("a covariance of the additive layer is not possible");
        lower[i * size + i] = std::sqrt(left);
      } else {
        lower[i * size + k] = left / lower[k * size + k];
      }
    }
}

size_t Filter::bytes() const {
  size_t total = 0;
  for (const CovarianceBlock& block : blocks_)
    total += (block.covariance.capacity() + 2 * block.weights.capacity()) * sizeof(double);
  return total;
}

}  // namespace boxwise::additive
