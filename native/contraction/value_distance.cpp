#include "contraction/value_distance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace boxwise {

using std::size_t;

namespace {
constexpr size_t MAX_TABLED_KINDS = 256;  // of which a table of all distances is small
constexpr double ROUNDING = 1e-12;  // more than a square of a distance can be off by rounding
constexpr double FURTHEST = 2.0;  // the square of what is between two values that each have one class

// The sum of the squares, class by class; classes that neither has would add nothing.
template <class Shares>
double squared(const Shares& p, const Shares& q) {
  double total = 0;
  auto a = p.begin(), b = q.begin();
  while (a != p.end() || b != q.end()) {
    const bool left = b == q.end() || (a != p.end() && a->label <= b->label);
    const bool right = a == p.end() || (b != q.end() && b->label <= a->label);
    const double gap = (left ? a->share : 0.0) - (right ? b->share : 0.0);
    total += gap * gap;
    if (left) ++a;
    if (right) ++b;
  }
  return total;
}
}  // namespace

ValueDistance::ValueDistance(const ClassCounts& counts, const std::vector<Code>& order)
    : kinds_(counts.size(), UNKNOWN), rank_(counts.size(), 0) {
  std::vector<Shares> shares(counts.size());
  std::vector<Code> known;
  for (size_t place = 0; place < order.size(); ++place) {
    const Code code = order[place];
    rank_[code] = static_cast<std::uint32_t>(place);
    std::uint64_t all = 0;
    for (auto [label, times] : counts[code]) all += times;
    if (all == 0) continue;  // only unlabelled rows have it
    for (auto [label, times] : counts[code])
      shares[code].push_back({label, static_cast<double>(times) / static_cast<double>(all)});
    known.push_back(code);
  }
  apart_ = known.size() == 2;
  sort_out(shares, known);
  largest_ = find_largest();
  const size_t count = shares_.size();
  if (count > MAX_TABLED_KINDS) return;
  std::vector<double> table(count * count);
  for (Kind a = 0; a < count; ++a)
    for (Kind b = 0; b < count; ++b) table[a * count + b] = measure(a, b);
  table_ = std::move(table);
}

// Find the kinds, in the order in which their values were seen first.
void ValueDistance::sort_out(const std::vector<Shares>& shares, const std::vector<Code>& known) {
  const auto less = [&](Code a, Code b) {
    const auto smaller = [](const Share& p, const Share& q) {
      return p.label != q.label ? p.label < q.label : p.share < q.share;
    };
    return std::lexicographical_compare(shares[a].begin(), shares[a].end(), shares[b].begin(),
                                        shares[b].end(), smaller);
  };
  std::vector<Code> sorted = known;
  std::stable_sort(sorted.begin(), sorted.end(), less);
  std::vector<Code> model(shares.size(), NONE);  // the first seen with the same shares
  for (size_t i = 0; i < sorted.size(); ++i) {
    const bool same = i > 0 && !apart_ && shares[sorted[i]] == shares[sorted[i - 1]];
    model[sorted[i]] = same ? model[sorted[i - 1]] : sorted[i];
  }
  for (const Code code : known) {
    if (model[code] == code) {
      kinds_[code] = static_cast<Kind>(shares_.size());
      shares_.push_back(shares[code]);
      values_.emplace_back();
    } else {
      kinds_[code] = kinds_[model[code]];
    }
    values_[kinds_[code]].push_back(code);
  }
}

double ValueDistance::measure(Kind a, Kind b) const {
  if (a == b) return 0.0;
  if (apart_) return 1.0;
  return largest_ > 0 ? std::sqrt(squared(shares_[a], shares_[b])) / largest_ : 0.0;
}

// The largest distance between two kinds, without looking at all pairs: kinds are taken from the
// furthest from the mean inwards, and two are no further apart than the way by the mean.
double ValueDistance::find_largest() const {
  Code classes = 0;
  for (const Shares& p : shares_)
    for (const Share& share : p) classes = std::max(classes, share.label + 1);
  if (classes <= 2) return largest_of_two_classes();
  std::vector<double> mean(static_cast<size_t>(classes), 0.0);
  for (const Shares& p : shares_)
    for (auto [label, share] : p) mean[label] += share / static_cast<double>(shares_.size());
  const double norm = std::inner_product(mean.begin(), mean.end(), mean.begin(), 0.0);
  std::vector<std::pair<double, Kind>> radius;
  for (Kind k = 0; k < shares_.size(); ++k) {
    double square = norm;
    for (auto [label, share] : shares_[k])
      square += (share - mean[label]) * (share - mean[label]) - mean[label] * mean[label];
    radius.emplace_back(std::sqrt(std::max(square, 0.0) + ROUNDING), k);
  }
  std::sort(radius.rbegin(), radius.rend());
  double best = 0;
  for (size_t i = 1; i < radius.size() && best < FURTHEST; ++i) {
    const auto within = [&](size_t j) {
      const double way = radius[i].first + radius[j].first;
      return way * way < best;
    };
    if (within(0)) break;
    for (size_t j = 0; j < i && !within(j); ++j)
      best = std::max(best, squared(shares_[radius[i].second], shares_[radius[j].second]));
  }
  return std::sqrt(best);
}

// Shares of two classes lie on a line, and rounding keeps their order: the ends are furthest apart.
double ValueDistance::largest_of_two_classes() const {
  const auto share = [](const Shares& p, Code label) {
    for (const Share& s : p)
      if (s.label == label) return s.share;
    return 0.0;
  };
  const auto before = [&](const Shares& p, const Shares& q) {
    const double a = share(p, 0), b = share(q, 0);
    return a != b ? a < b : share(p, 1) > share(q, 1);
  };
  if (shares_.empty()) return 0.0;
  const auto [low, high] = std::minmax_element(shares_.begin(), shares_.end(), before);
  return std::sqrt(squared(*low, *high));
}

size_t ValueDistance::bytes() const {
  size_t total = (kinds_.capacity() + rank_.capacity()) * sizeof(std::uint32_t) +
                 table_.capacity() * sizeof(double);
  for (const auto& p : shares_) total += p.capacity() * sizeof(Share);
  for (const auto& v : values_) total += v.capacity() * sizeof(Code);
  return total;
}

}  // namespace boxwise
