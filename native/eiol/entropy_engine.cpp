#include "eiol/entropy_engine.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace boxwise {

using std::size_t;

namespace {
constexpr double MIN_SLOPE_KEPT = 0.98;  // of the slope that a quantizer was made for
constexpr double SPARE = 32;         // this part of a range has room at either end: more than it grows
constexpr double LEAST_SHARE = 1e-9;  // of the largest gamma, for a feature to have a quantizer
}  // namespace

EntropyEngine::EntropyEngine(size_t n_numeric, size_t n_categorical, EntropySettings settings,
                             std::vector<Range> ranges)
    : Engine(n_numeric, n_categorical, std::move(ranges)),
      alpha_(0),
      beta_(0),
      entropy_(0, false, n_categorical) {
  groups_[0].is_quantized = needs_quantized_bounds();  // it is older than this
  configure(std::move(settings));
}

std::unique_ptr<LearningEngine> EntropyEngine::fresh() const {
  return std::make_unique<EntropyEngine>(n_, r_, settings_, ranges_);
}

void EntropyEngine::configure(EntropySettings settings) {
  check(settings);
  const auto writer = writing();
  settings_ = std::move(settings);
  alpha_ = weights(settings_.alpha).alpha;
  beta_ = weights(settings_.alpha).beta;
  entropy_ = EntropyTest(settings_.delta, settings_.mean, r_);
  quantizers_.assign(n_, {});
  before_.clear();
  set_sizes(settings_.theta, settings_.gamma);
  refresh_all_thresholds();
  before_.clear();  // all are quantised
}

Weights EntropyEngine::weights(double alpha) const {
  const double on_numbers = r_ == 0 ? 1.0 : n_ == 0 ? 0.0 : alpha;
  return {on_numbers, 1 - on_numbers};
}

void EntropyEngine::check(const EntropySettings& settings) const {
  check_sizes(settings.theta, settings.gamma);
  if (!(settings.delta >= 0 && std::isfinite(settings.delta)))
    throw std::invalid_argument("delta is below 0");
  if (!(settings.alpha >= 0 && settings.alpha <= 1))
    throw std::invalid_argument("alpha is not in [0, 1]");
}

void EntropyEngine::refresh_thresholds(Group& g, Slot slot) {
  g.engine_data[slot] = r_ == 0 ? 0 : entropy_.min_count(g.n[slot]);
}

void EntropyEngine::quantize(Group& g, Slot slot) {
  if (!g.is_quantized) return;
  quantized_any_ = true;
  for (size_t j = 0; j < n_; ++j)
    g.quantized.quantize(slot, j, quantizers_[j], g.V[j][slot], g.W[j][slot]);
}

// A quantizer serves until the range has grown by a part that matters. With a new one boxes are
// requantised some at a time, so that no row waits; meanwhile a box may follow either.
void EntropyEngine::measured(size_t j) {
  if (!needs_quantized_bounds()) return;
  quantizers_.resize(n_);
  const double slope = quantizers_[j].slope;
  const bool may_change = before_.empty() || !quantized_any_;  // else once all are requantised
  if (may_change && (slope_[j] > slope || slope_[j] < slope * MIN_SLOPE_KEPT)) {
    if (before_.empty()) {
      before_ = quantizers_;
      for (Group& g : groups_) g.quantized.requantized = 0;
    }
    quantizers_[j] = new_quantizer(j);
    quantized_any_ = false;
    if (count() <= REQUANTIZED) requantize(REQUANTIZED);
  }
  for (auto* quantizers : {&quantizers_, &before_})
    if (!quantizers->empty()) (*quantizers)[j].measure(slope_[j]);
}

Quantizer EntropyEngine::new_quantizer(size_t j) const {
  const double share = gamma_[j] / *std::max_element(gamma_.begin(), gamma_.end());
  const double low = rescaled_ ? 0.0 : ranges_[j].low, spare = width(j) / SPARE;
  Quantizer quantizer;
  quantizer.origin = low - spare;
  quantizer.slope = slope_[j];
  if (slope_[j] > 0 && share > LEAST_SHARE)
    quantizer.per_unit = 255 * share / (width(j) + 2 * spare);
  return quantizer;
}

// Features whose quantizers have not changed are as they were.
void EntropyEngine::requantize(size_t boxes) {
  quantized_any_ = true;
  for (Group& g : groups_) {
    if (!g.is_quantized) continue;
    size_t& done = g.quantized.requantized;
    const size_t first = done, end = std::min(g.size(), first + boxes);
    for (size_t j = 0; j < n_; ++j) {
      Quantizer& quantizer = quantizers_[j];
      if (quantizer.same_scale(before_[j])) {
        quantizer.within = quantizer.within && before_[j].within;
        continue;
      }
      const double *V = g.V[j].data(), *W = g.W[j].data();
      for (size_t slot = first; slot < end; ++slot)
        g.quantized.quantize(slot, j, quantizer, V[slot], W[slot]);
    }
    if (BoxIndex* index = g.index.get())
      for (size_t slot = first; slot < end; ++slot) index->requantized(g, static_cast<Slot>(slot));
    done = end;
    boxes -= end - first;
    if (done < g.size()) return;
  }
  before_.clear();
  for (size_t j = 0; j < n_; ++j) measured(j);  // some may have grown since
}

std::uint64_t EntropyEngine::rejections() const {
  const auto reader = reading();
  return rejections_;
}

void EntropyEngine::set_index(IndexMode mode, size_t capacity) {
  if (capacity < 2 || capacity > lanes::COUNT)
    throw std::invalid_argument("a leaf holds 2 to 64 boxes");
  const auto writer = writing();
  index_mode_ = mode;
  leaf_capacity_ = capacity;
  for (Group& g : groups_) g.index.set(nullptr);
}

void EntropyEngine::merge(std::uint64_t kept, std::uint64_t other) {
  const auto writer = writing();
  const Place a = find(kept), b = find(other);
  if (kept == other) throw std::invalid_argument("a box cannot be merged with itself");
  if (a.group != b.group) throw std::invalid_argument("boxes of different classes cannot be merged");
  Group& g = groups_[a.group];
  Box box = g.at(a.slot);
  box.add(g.at(b.slot));
  g.remove(b.slot);
  g.remove(find(kept).slot);
  box.id = kept;
  insert(a.group, box);
}

}  // namespace boxwise
