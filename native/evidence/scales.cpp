#include "scales.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.hpp"

namespace boxwise::evidence {

using std::size_t;

namespace {
constexpr double FARTHEST = 100;  // from the scale; beyond, one place is as unlikely as another
}

bool Scales::is_ready(size_t j) const {
  const Range& range = ranges_[j];
  return range.scale ? range.scale->is_ready() : range.high - range.low > NO_WIDTH;
}

double Scales::standardised(size_t j, double value) const {
  if (ranges_[j].scale) return ranges_[j].scale->standardised(value);
  return std::min(std::max(4 * position(j, value) - 2, -2.0), 2.0);
}

double Scales::position(size_t j, double value) const {
  const Range& range = ranges_[j];
  if (!is_ready(j)) return 0.0;
  const double at =
      range.scale ? (*range.scale)(value) : (value - range.low) / (range.high - range.low);
  return std::min(std::max(at, -FARTHEST), FARTHEST);
}

void Scales::positions(size_t j, const double* values, size_t m, double* out) const {
  const Range& range = ranges_[j];
  if (!range.scale || !range.scale->is_ready()) {
    for (size_t i = 0; i < m; ++i) out[i] = position(j, values[i]);
    return;
  }
  range.scale->positions(values, m, out);
  for (size_t i = 0; i < m; ++i) out[i] = std::min(std::max(out[i], -FARTHEST), FARTHEST);
}

bool Scales::meet(size_t j, double low, double high) {
  Range& range = ranges_[j];
  const bool ranked = range.scale && range.scale->meet(low, high);
  if (!range.growing || (low >= range.low && high <= range.high)) return ranked;
  range.low = std::min(range.low, low);
  range.high = std::max(range.high, high);
  return ranked || !range.scale;
}

void Scales::read(const double* lower, const double* upper, const Code* codes, size_t n_categorical,
                  Query& x) const {
  x.numbers.clear();
  x.apart.clear();
  for (size_t j = 0; j < ranges_.size(); ++j) {
    if (std::isnan(lower[j])) continue;
    const double low = position(j, lower[j]);
    const double high = lower[j] == upper[j] ? low : position(j, upper[j]);
    auto& seen = apart_.empty() || !apart_[j] ? x.numbers : x.apart;
    seen.push_back({j, low, high, lower[j], upper[j]});
  }
  x.values.resize(n_categorical);
  for (size_t j = 0; j < n_categorical; ++j) x.values[j] = std::min(codes[j], MOST_VALUES);
}

}  // namespace boxwise::evidence
