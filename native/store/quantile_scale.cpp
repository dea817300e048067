#include "store/quantile_scale.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "kernels/clones.hpp"
#include "kernels/kernels.hpp"

namespace boxwise {

using std::size_t;
using std::uint64_t;

namespace {
constexpr size_t FULL = 256;       // values of a level
constexpr double STEP = 1.0 / 64;  // between two points of the function, at least
constexpr double LOW_RANK = 0.05;  // of the outer twentieths
constexpr size_t LEVELS = 48;      // more values than can be counted

// Values of a level lie in sorted runs, so that no row has to sort many: one of each power of two
// that their number has as a binary digit, the longest first; a run of TAIL at the end may be cut short.
constexpr size_t TAIL = 16;

size_t run_length(size_t values) { return values < TAIL ? 1 : std::bit_floor(values); }

// Merge sort, a step for each value: merges the runs at the end that are equally long.
void merge_last_runs(std::vector<double>& values) {
  if (values.size() % TAIL != 0) return;
  std::sort(values.end() - TAIL, values.end());
  for (size_t run = TAIL; values.size() % (2 * run) == 0; run *= 2) {
    const auto middle = values.end() - static_cast<std::ptrdiff_t>(run);
    std::inplace_merge(middle - static_cast<std::ptrdiff_t>(run), middle, values.end());
  }
}

bool has_sorted_runs(const std::vector<double>& values) {
  for (auto begin = values.begin(); begin != values.end();) {
    const auto left = static_cast<size_t>(values.end() - begin);
    const auto end = begin + static_cast<std::ptrdiff_t>(run_length(left));
    if (!std::is_sorted(begin, end)) return false;
    begin = end;
  }
  return true;
}

std::invalid_argument damaged() { return std::invalid_argument("the scale of a feature is damaged"); }
}  // namespace

bool QuantileScale::meet(double low, double high) {
  if (ahead_ > 0) {
    --ahead_;
    return false;
  }
  add(low, high);
  if (seen_ < due_ && (is_ready() || high_ - low_ <= NO_WIDTH)) return false;
  refresh();
  return true;
}

void QuantileScale::survey(size_t count, const double* low, const double* high) {
  for (size_t i = 0; i < count; ++i) {
    if (std::isnan(low[i])) continue;
    add(low[i], high[i]);
    ++ahead_;
  }
  if (seen_ > 0) refresh();
}

void QuantileScale::join(const QuantileScale& other) {
  if (other.seen_ == 0) return;
  low_ = seen_ == 0 ? other.low_ : std::min(low_, other.low_);
  high_ = seen_ == 0 ? other.high_ : std::max(high_, other.high_);
  for (size_t level = 0; level < other.levels_.size(); ++level)
    for (double value : other.levels_[level].values) put(level, value);
  seen_ += other.seen_;
  refresh();
}

void QuantileScale::add(double low, double high) {
  low_ = seen_ == 0 ? low : std::min(low_, low);
  high_ = seen_ == 0 ? high : std::max(high_, high);
  put(0, low);
  if (low != high) put(0, high);
  ++seen_;
}

void QuantileScale::put(size_t level, double value) {
  if (levels_.size() <= level) levels_.resize(level + 1);
  levels_[level].values.push_back(value);
  merge_last_runs(levels_[level].values);
  if (levels_[level].values.size() == FULL) promote(level);
}

// Every second value of a full level, which is sorted, goes on to the next.
void QuantileScale::promote(size_t level) {
  if (levels_.size() <= level + 1) levels_.resize(level + 2);
  std::vector<double> half;
  half.reserve(FULL / 2);
  for (size_t i = levels_[level].odd ? 1 : 0; i < FULL; i += 2) half.push_back(levels_[level].values[i]);
  levels_[level].values.clear();
  levels_[level].odd = !levels_[level].odd;
  std::vector<double>& next = levels_[level + 1].values;
  if (next.size() % half.size() != 0) {  // only after a join
    for (double value : half) put(level + 1, value);
    return;
  }
  next.insert(next.end(), half.begin(), half.end());
  if (next.size() < FULL) return;
  std::inplace_merge(next.begin(), next.begin() + FULL / 2, next.end());
  promote(level + 1);
}

void QuantileScale::refresh() {
  due_ = seen_ + std::max<uint64_t>(1, seen_ / 2);
  const std::vector<Weighted>& values = sorted_values();
  uint64_t total = 0;
  for (const Weighted& one : values) total += one.times;
  // A value's rank is in the middle of those that are equal to it.
  x_.clear();
  y_.clear();
  const auto point = [&](double x, double rank) {
    if (!x_.empty() && x < high_ && rank < y_.back() + STEP) return;
    x_.push_back(x);
    y_.push_back(rank);
  };
  if (low_ < values.front().value) point(low_, 0.0);
  uint64_t below = 0;
  for (size_t i = 0; i < values.size();) {
    uint64_t upto = below;
    const double value = values[i].value;
    for (; i < values.size() && values[i].value == value; ++i) upto += values[i].times;
    point(value, static_cast<double>(below + upto) / (2.0 * static_cast<double>(total)));
    below = upto;
  }
  if (high_ > values.back().value) point(high_, 1.0);
  const double first = y_.front(), all = y_.back() - first;
  for (double& y : y_) y = all > 0 ? (y - first) / all : 0.0;
  set_spread();
}

// Merges two sorted runs that follow each other. No branch depends on the values: it could not be predicted.
void QuantileScale::merge(const Weighted* a, const Weighted* middle, const Weighted* end, Weighted* out) {
  const Weighted* b = middle;
  while (a < middle && b < end) {
    const bool second = b->value < a->value;
    *out++ = *(second ? b : a);
    a += !second;
    b += second;
  }
  std::copy(b, end, std::copy(a, middle, out));
}

// All values of the sketch, by merging the runs of the levels in pairs.
const std::vector<QuantileScale::Weighted>& QuantileScale::sorted_values() const {
  static thread_local std::vector<Weighted> values, merged;
  static thread_local std::vector<size_t> ends;  // of the runs
  values.clear();
  ends.clear();
  for (size_t level = 0; level < levels_.size(); ++level) {
    const std::vector<double>& of_level = levels_[level].values;
    for (size_t begin = 0; begin < of_level.size();) {
      size_t end = begin + run_length(of_level.size() - begin);
      const bool is_tail = end == begin + 1;  // values that are in no order yet
      if (is_tail) end = of_level.size();
      const size_t first = values.size();
      for (; begin < end; ++begin) values.push_back({of_level[begin], uint64_t{1} << level});
      if (is_tail)
        std::sort(values.begin() + static_cast<std::ptrdiff_t>(first), values.end(),
                  [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
      ends.push_back(values.size());
    }
  }
  merged.resize(values.size());
  while (ends.size() > 1) {
    size_t begin = 0, runs = 0;
    for (size_t i = 0; i < ends.size(); i += 2) {
      const size_t middle = ends[i], end = i + 1 < ends.size() ? ends[i + 1] : middle;
      merge(values.data() + begin, values.data() + middle, values.data() + end, merged.data() + begin);
      ends[runs++] = begin = end;
    }
    ends.resize(runs);
    values.swap(merged);
  }
  return values;
}

bool QuantileScale::is_ready() const { return x_.size() > 1 && x_.back() - x_.front() > NO_WIDTH; }

double QuantileScale::operator()(double x) const {
  return between(x, static_cast<size_t>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin()));
}

// The position of a value of which the first `i` points are not above.
double QuantileScale::between(double x, size_t i) const {
  if (!is_ready()) return x;
  const double whole = x_.back() - x_.front();
  if (i == 0) return std::max((x - x_.front()) / whole, -LARGEST);
  if (i == x_.size()) return std::min(1.0 + (x - x_.back()) / whole, LARGEST);
  const double along = (x - x_[i - 1]) / (x_[i] - x_[i - 1]);
  return std::min(y_[i - 1] + along * (y_[i] - y_[i - 1]), y_[i]);
}

double QuantileScale::value_at(double rank) const {
  auto i = static_cast<size_t>(std::lower_bound(y_.begin(), y_.end(), rank) - y_.begin());
  i = std::min(std::max<size_t>(i, 1), y_.size() - 1);  // a file's ranks may begin above 0
  const double along = (rank - y_[i - 1]) / (y_[i] - y_[i - 1]);
  return x_[i - 1] + along * (x_[i] - x_[i - 1]);
}

void QuantileScale::set_spread() {
  if (!is_ready()) return;
  const double low = value_at(LOW_RANK), high = value_at(1 - LOW_RANK);
  median_ = value_at(0.5);
  spread_ = high - low > NO_WIDTH ? high - low : x_.back() - x_.front();
}

double QuantileScale::standardised(double x) const {
  if (!is_ready()) return 0.0;
  return std::min(std::max(2 * (x - median_) / spread_, -2.0), 2.0);
}

namespace {
constexpr size_t BLOCK = 64;  // values
constexpr size_t WORTH_A_BLOCK = 16;  // fewer are found sooner by bisection

// By value: how many points are not above it. Comparing with all of them has no branch to mispredict.
CLONES void count_points(const double* x, size_t points, const double* values, double* RESTRICT counts) {
  for (size_t i = 0; i < BLOCK; ++i) counts[i] = 0;
  for (size_t k = 0; k < points; ++k)
    for (size_t i = 0; i < BLOCK; ++i) counts[i] += x[k] <= values[i] ? 1.0 : 0.0;
}
}  // namespace

void QuantileScale::positions(const double* values, size_t m, double* out) const {
  double block[BLOCK] = {}, counts[BLOCK];
  for (size_t begin = 0; begin < m; begin += BLOCK) {
    const size_t size = std::min(BLOCK, m - begin);
    if (size < WORTH_A_BLOCK) {
      for (size_t i = begin; i < m; ++i) out[i] = (*this)(values[i]);
      return;
    }
    std::copy(values + begin, values + begin + size, block);
    count_points(x_.data(), x_.size(), block, counts);
    for (size_t i = 0; i < size; ++i) out[begin + i] = between(block[i], static_cast<size_t>(counts[i]));
  }
}

std::vector<double> QuantileScale::state() const {
  std::vector<double> all = {0,
                             static_cast<double>(seen_),
                             static_cast<double>(due_),
                             static_cast<double>(ahead_),
                             low_,
                             high_,
                             static_cast<double>(levels_.size()),
                             static_cast<double>(x_.size())};
  for (const Level& level : levels_) {
    all.push_back(static_cast<double>(level.values.size()));
    all.push_back(level.odd ? 1 : 0);
    all.insert(all.end(), level.values.begin(), level.values.end());
  }
  all.insert(all.end(), x_.begin(), x_.end());
  all.insert(all.end(), y_.begin(), y_.end());
  all[0] = static_cast<double>(all.size());
  return all;
}

// Nothing is trusted: it may come from a damaged file.
QuantileScale QuantileScale::from_state(const std::vector<double>& state) {
  size_t at = 0;
  const auto number = [&] {
    if (at >= state.size() || !std::isfinite(state[at])) throw damaged();
    return state[at++];
  };
  const auto whole = [&](double most) {
    const double x = number();
    if (!(x >= 0 && x <= most) || x != std::floor(x)) throw damaged();
    return static_cast<uint64_t>(x);
  };
  const auto value = [&] {
    const double x = number();
    if (!(x >= -LARGEST && x <= LARGEST)) throw damaged();
    return x;
  };
  QuantileScale scale;
  if (whole(0x1p53) != state.size()) throw damaged();
  scale.seen_ = whole(0x1p53);
  scale.due_ = whole(0x1p53);
  scale.ahead_ = whole(0x1p53);
  scale.low_ = value();
  scale.high_ = value();
  scale.levels_.resize(whole(LEVELS));
  const size_t points = whole(static_cast<double>(state.size()));
  size_t held = 0;
  for (Level& level : scale.levels_) {
    held += whole(FULL - 1);
    level.values.resize(static_cast<size_t>(state[at - 1]));
    level.odd = whole(1) == 1;
    for (double& x : level.values) x = value();
    if (!has_sorted_runs(level.values)) std::sort(level.values.begin(), level.values.end());
  }
  for (size_t i = 0; i < points; ++i) scale.x_.push_back(value());
  for (size_t i = 0; i < points; ++i) scale.y_.push_back(value());
  const auto rises = [](const std::vector<double>& v) {
    return std::adjacent_find(v.begin(), v.end(), std::greater_equal<>()) == v.end();
  };
  const bool empty = scale.seen_ == 0;
  if (at != state.size() || !rises(scale.x_) || !rises(scale.y_) || empty != (points == 0) ||
      empty != (held == 0) ||
      std::any_of(scale.y_.begin(), scale.y_.end(), [](double y) { return y < 0 || y > 1; }))
    throw damaged();
  scale.set_spread();
  return scale;
}

}  // namespace boxwise
