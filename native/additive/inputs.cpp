#include "inputs.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace boxwise::additive {

using std::size_t;

namespace {
// The variance of a weight before anything is learned: small ones change little.
constexpr double FIRST_VARIANCE = 0.5, FIRST_OF_HAT = 0.15, FIRST_OF_BOXES = 0.15;

// Adds the values of the inputs of a number, times its share.
void add_number(double linear, double position, double share, double* values) {
  values[Slots::LINEAR] += share * linear;
  const double place = std::min(std::max(position, 0.0), 1.0) * static_cast<double>(HATS - 1);
  const size_t left = std::min(static_cast<size_t>(place), HATS - 2);
  const double along = place - static_cast<double>(left);
  values[1 + left] += share * (1 - along);
  values[2 + left] += share * along;
}
}  // namespace

void Slots::read_number(const evidence::Query::Number& number, const evidence::Scales& scales,
                        std::vector<Active>& out) const {
  double values[HATS + 1] = {};
  const bool point = number.raw_low == number.raw_high;
  const double share = point ? 1.0 : 0.5;
  add_number(scales.standardised(number.j, number.raw_low), number.low, share, values);
  if (!point) add_number(scales.standardised(number.j, number.raw_high), number.high, share, values);
  for (size_t i = 0; i <= HATS; ++i)
    if (values[i] != 0) out.push_back({number.j * NUMERIC + i, values[i]});
}

void Slots::read(const evidence::Query& x, const evidence::Scales& scales,
                 const std::vector<double>& values_known, std::vector<Active>& out) const {
  out.clear();
  auto number = x.numbers.begin(), apart = x.apart.begin();
  for (size_t j = 0; j < n_; ++j) {
    const evidence::Query::Number* own = nullptr;
    if (number != x.numbers.end() && number->j == j)
      own = &*number++;
    else if (apart != x.apart.end() && apart->j == j)
      own = &*apart++;
    if (!scales.is_ready(j)) continue;
    if (own == nullptr)
      out.push_back({j * NUMERIC + MISSING, 1.0});
    else
      read_number(*own, scales, out);
  }
  for (size_t j = 0; j < r_; ++j) {
    const auto known = static_cast<size_t>(values_known[j]);
    if (known < 2 || (x.values[j] < 0 && known < OWN_VALUES)) continue;
    const size_t value = x.values[j] < 0 ? OWN_VALUES : static_cast<size_t>(x.values[j]);
    out.push_back({first(n_ + j) + std::min(value, OWN_VALUES), 1.0});
  }
}

Layout::Layout(size_t n_numeric, size_t n_categorical)
    : slots_(n_numeric, n_categorical), index_of_(slots_.count(), -1), sizes_(1) {
  put(0);
  put(0);
}

void Layout::put(size_t block) { places_.push_back({block, sizes_[block]++}); }

void Layout::add(size_t slot) {
  index_of_[slot] = static_cast<std::ptrdiff_t>(size());
  met_.push_back(slot);
  put(decoupled_ ? 1 + slots_.column(slot) : 0);
}

void Layout::meet(const std::vector<Active>& inputs) {
  for (const Active& input : inputs) {
    if (index_of_[input.slot] >= 0) continue;
    if (!slots_.is_of_number(input.slot)) {
      add(input.slot);
      continue;
    }
    const size_t first = slots_.first(slots_.column(input.slot));
    for (size_t i = 0; i <= HATS; ++i) add(first + i);
  }
}

void Layout::decouple() { restore(std::vector<size_t>(met_), true); }

void Layout::restore(const std::vector<size_t>& met, bool decoupled) {
  decoupled_ = decoupled;
  std::fill(index_of_.begin(), index_of_.end(), -1);
  met_.clear();
  places_.clear();
  sizes_.assign(decoupled ? 1 + slots_.columns() : 1, 0);
  put(0);
  put(0);
  for (size_t slot : met) {
    if (slot >= slots_.count() || index_of_[slot] >= 0)
      throw std::invalid_argument("an input of the additive layer is not possible");
    add(slot);
  }
  for (size_t slot : met_) {
    if (!slots_.is_of_number(slot)) continue;
    const size_t first = slots_.first(slots_.column(slot));
    for (size_t i = 0; i <= HATS; ++i)
      if (index_of_[first + i] < 0)
        throw std::invalid_argument("a column of the additive layer lacks an input");
  }
}

double Layout::first_variance(size_t index) const {
  if (index == BOXES) return FIRST_OF_BOXES;
  return index != BIAS && slots_.is_hat(met_[index - 2]) ? FIRST_OF_HAT : FIRST_VARIANCE;
}

}  // namespace boxwise::additive
