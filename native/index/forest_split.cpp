#include "index/forest_split.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.hpp"

namespace boxwise {

using std::size_t;

namespace {
template <class Use>
void each_bit(Word bits, Use use) {
  for (; bits != 0; bits &= bits - 1) use(static_cast<size_t>(std::countr_zero(bits)));
}
size_t size(Word part) { return static_cast<size_t>(std::popcount(part)); }
}  // namespace

Forest::Splitter::Splitter(const Leaf& leaf, const Splitting& splitting)
    : leaf_(leaf), margins_(splitting.margins), skip_(splitting.skip) {
  Rule place, category;
  Word by_place_left = 0, by_category_left = 0;
  const bool placed = by_place(place, by_place_left);
  const bool sorted = by_category(category, by_category_left, true) ||
                      (!placed && by_category(category, by_category_left, false));
  if (!placed && !sorted) {  // they are all alike: new ones will go right
    rule.threshold = -4 * UNSET;
    rule.categorical = leaf.n == 0;
    left = lanes::first(leaf.count / 2);
    return;
  }
  const bool choose = placed && (!sorted || cost(by_place_left) < cost(by_category_left));
  rule = choose ? place : category;
  left = choose ? by_place_left : by_category_left;
}

// In the feature in which the boxes lie furthest apart, at the widest gap of those near the middle.
bool Forest::Splitter::by_place(Rule& rule, Word& left) const {
  const size_t m = leaf_.count;
  std::array<double, lanes::COUNT> centres;
  double most = 0;
  for (size_t j = 0; j < leaf_.n; ++j) {
    const double *V = leaf_.numbers(j), *W = leaf_.numbers(leaf_.n + j);
    double low = UNSET, high = -UNSET;
    for (size_t i = 0; i < m; ++i) {
      low = std::min(low, V[i] + W[i]);
      high = std::max(high, V[i] + W[i]);
    }
    if (!(high - low > most * margins_[j])) continue;
    most = (high - low) / std::max(margins_[j], 1 / UNSET);
    rule.j = j;
  }
  if (!(most > 0)) return false;
  const double *V = leaf_.numbers(rule.j), *W = leaf_.numbers(leaf_.n + rule.j);
  for (size_t i = 0; i < m; ++i) centres[i] = V[i] + W[i];
  std::sort(centres.begin(), centres.begin() + static_cast<std::ptrdiff_t>(m));
  double gap = 0;
  const auto look = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (!(centres[i] - centres[i - 1] > gap)) continue;
      gap = centres[i] - centres[i - 1];
      rule.threshold = centres[i];
    }
  };
  look(std::max<size_t>(m / 4, 1), m - m / 4);
  if (gap == 0) look(1, m);
  left = 0;
  for (size_t i = 0; i < m; ++i)
    if (V[i] + W[i] < rule.threshold) left |= Word{1} << i;
  return left != 0;
}

// In the feature whose values fall into two parts of most equal size.
bool Forest::Splitter::by_category(Rule& rule, Word& left, bool skip) const {
  const size_t m = leaf_.count;
  size_t best = 0;
  const ValueRows& rows = *leaf_.rows;
  for (size_t j = 0; j < rows.features(); ++j) {
    if (skip && skip_[j]) continue;
    const Word* value_masks = leaf_.value_masks() + rows.begin(j);
    std::array<std::uint8_t, 64> times;
    Word seen = 0;
    for (size_t bit = 0; bit < rows.count(j); ++bit) {
      times[bit] = static_cast<std::uint8_t>(size(value_masks[bit]));
      if (times[bit] > 0) seen |= Word{1} << bit;
    }
    if (size(seen) < 2) continue;
    std::array<std::uint8_t, 64> bits;
    size_t count = 0;
    each_bit(seen, [&](size_t bit) { bits[count++] = static_cast<std::uint8_t>(bit); });
    std::sort(bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>(count),
              [&](auto a, auto b) { return times[a] > times[b]; });
    Word values = 0xaaaaaaaaaaaaaaaa & ~seen;  // of those to come, half
    size_t here = 0, there = 0;
    for (size_t k = 0; k < count; ++k) {
      if (here <= there) values |= Word{1} << bits[k];
      (here <= there ? here : there) += times[bits[k]];
    }
    Word part = 0;
    each_bit(seen & values, [&](size_t bit) { part |= value_masks[bit]; });
    const size_t balance = std::min(size(part), m - size(part));
    if (balance <= best) continue;
    best = balance;
    rule = {true, j, values, 0};
    left = part;
  }
  return best > 0;
}

double Forest::Splitter::cost(Word left) const {
  const Word right = lanes::first(leaf_.count) & ~left;
  return cost_of(left) + cost_of(right);
}

// The logarithm of the chance that a sample that is like one of the boxes has to look into this part,
// for each box in it.
double Forest::Splitter::cost_of(Word part) const {
  const double m = static_cast<double>(leaf_.count);
  double log_chance = 0;
  for (size_t j = 0; j < leaf_.n; ++j) {
    const double *V = leaf_.numbers(j), *W = leaf_.numbers(leaf_.n + j);
    double low = UNSET, high = -UNSET, least = UNSET, most = -UNSET;
    for (size_t i = 0; i < leaf_.count; ++i) {
      const bool within = (part >> i & 1) != 0;
      least = std::min(least, V[i]);
      most = std::max(most, W[i]);
      low = within ? std::min(low, V[i]) : low;
      high = within ? std::max(high, W[i]) : high;
    }
    const double margin = 2 * margins_[j];
    if (margin > 0 && low <= high)
      log_chance += std::log((high - low + margin) / (most - least + margin));
  }
  const ValueRows& rows = *leaf_.rows;
  for (size_t j = 0; j < rows.features(); ++j) {
    if (skip_[j]) continue;
    const Word* value_masks = leaf_.value_masks() + rows.begin(j);
    Word found = 0;  // boxes that share a value with one of the part
    for (size_t bit = 0; bit < rows.count(j); ++bit)
      if ((value_masks[bit] & part) != 0) found |= value_masks[bit];
    log_chance += std::log(static_cast<double>(size(found)) / m);
  }
  return log_chance * static_cast<double>(size(part));
}

}  // namespace boxwise
