#include "quantile_scale.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "kernels.hpp"

namespace boxwise {

using std::size_t;
using std::uint64_t;

namespace {
constexpr size_t FULL = 256;       // values of a level
constexpr double STEP = 1.0 / 64;  // between two points of the function, at least
constexpr size_t LEVELS = 48;      // more values than can be counted

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
  std::vector<double>& values = levels_[level].values;
  values.push_back(value);
  if (values.size() < FULL) return;
  std::vector<double> all = std::exchange(values, {});
  std::sort(all.begin(), all.end());
  for (size_t i = levels_[level].odd ? 1 : 0; i < FULL; i += 2) put(level + 1, all[i]);
  levels_[level].odd = !levels_[level].odd;
}

void QuantileScale::refresh() {
  due_ = seen_ + std::max<uint64_t>(1, seen_ / 2);
  std::vector<std::pair<double, uint64_t>> values;  // and how many each stands for
  for (size_t level = 0; level < levels_.size(); ++level)
    for (double value : levels_[level].values) values.emplace_back(value, uint64_t{1} << level);
  std::sort(values.begin(), values.end());
  uint64_t total = 0;
  for (const auto& [value, times] : values) total += times;
  // A value's rank is in the middle of those that are equal to it.
  x_.clear();
  y_.clear();
  const auto point = [&](double x, double rank) {
    if (!x_.empty() && x < high_ && rank < y_.back() + STEP) return;
    x_.push_back(x);
    y_.push_back(rank);
  };
  if (low_ < values.front().first) point(low_, 0.0);
  uint64_t below = 0;
  for (size_t i = 0; i < values.size();) {
    uint64_t upto = below;
    const double value = values[i].first;
    for (; i < values.size() && values[i].first == value; ++i) upto += values[i].second;
    point(value, static_cast<double>(below + upto) / (2.0 * static_cast<double>(total)));
    below = upto;
  }
  if (high_ > values.back().first) point(high_, 1.0);
  const double first = y_.front(), all = y_.back() - first;
  for (double& y : y_) y = all > 0 ? (y - first) / all : 0.0;
}

bool QuantileScale::is_ready() const { return x_.size() > 1 && x_.back() - x_.front() > NO_WIDTH; }

double QuantileScale::operator()(double x) const {
  if (!is_ready()) return x;
  const double whole = x_.back() - x_.front();
  if (x < x_.front()) return std::max((x - x_.front()) / whole, -LARGEST);
  if (x >= x_.back()) return std::min(1.0 + (x - x_.back()) / whole, LARGEST);
  const auto i = static_cast<size_t>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin());
  const double along = (x - x_[i - 1]) / (x_[i] - x_[i - 1]);
  return std::min(y_[i - 1] + along * (y_[i] - y_[i - 1]), y_[i]);
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
  return scale;
}

}  // namespace boxwise
