#include "box_group.hpp"

#include <algorithm>
#include <limits>

#include "kernels/vector_math.hpp"

namespace boxwise::evidence {

using kernels::log_of;
using std::size_t;

namespace {
constexpr double LOG2_E = 1.4426950408889634;
constexpr double NOT_SEEN = std::numeric_limits<double>::quiet_NaN();

template <class Array>
void move_last(Array& array, size_t slot) {
  array[slot] = array.back();
  array.pop_back();
}
}  // namespace

double plogp(double m) {
  static const std::vector<double> small = [] {  // whole numbers, which most counts are
    std::vector<double> values(1024);
    for (size_t i = 1; i < values.size(); ++i) {
      const auto x = static_cast<double>(i);
      values[i] = x * (log_of(x) * LOG2_E);
    }
    return values;
  }();
  const auto whole = static_cast<size_t>(m);
  if (whole < small.size() && static_cast<double>(whole) == m) return small[whole];
  return m * (log_of(m) * LOG2_E);
}

const double* BoxGroup::counts(size_t j, std::int32_t value) const {
  const auto& of_values = categorical[j].counts;
  if (value < 0 || static_cast<size_t>(value) >= of_values.size()) return nullptr;
  const auto& of_boxes = of_values[static_cast<size_t>(value)];
  return of_boxes.empty() ? nullptr : of_boxes.data();
}

double BoxGroup::count(size_t j, std::int32_t value, size_t slot) const {
  const double* of_boxes = counts(j, value);
  return of_boxes ? of_boxes[slot] : 0.0;
}

void BoxGroup::extend() {
  for (Numeric& column : numeric) {
    column.V.push_back(0.0);  // a column without a value yet: as wide as the scale
    column.W.push_back(1.0);
    column.seen.push_back(0.0);
    column.raw_low.push_back(NOT_SEEN);
    column.raw_high.push_back(NOT_SEEN);
  }
  for (Categorical& column : categorical) {
    for (auto& of_boxes : column.counts)
      if (!of_boxes.empty()) of_boxes.push_back(0.0);
    column.plogp.push_back(0.0);
    column.mode.push_back(0.0);
  }
  n.push_back(0.0);
  log_n.push_back(0.0);
  norm.push_back(1.0);
  log_norm.push_back(0.0);
  last.push_back(0.0);
  id.push_back(0);
  per_n.resize(padded(size()));
}

void BoxGroup::create(const Query& x, double weight, double clock, std::uint64_t new_id) {
  extend();
  id.back() = new_id;
  take(size() - 1, x, weight, clock);
}

void BoxGroup::take(size_t slot, const Query& x, double weight, double clock) {
  stretch(slot, x);
  for (size_t j = 0; j < categorical.size(); ++j) add_count(j, x.values[j], slot, weight);
  set_rows(slot, n[slot] + weight);
  set_last(slot, clock);
}

void BoxGroup::stretch(size_t slot, const Query& x) {
  for (const Query::Number& number : x.numbers) {
    Numeric& column = numeric[number.j];
    const bool first = column.seen[slot] == 0;
    column.seen[slot] = 1;
    column.boxes += first;
    if (first || number.raw_low < column.raw_low[slot]) {
      column.raw_low[slot] = number.raw_low;
      column.V[slot] = number.low;
    }
    if (first || number.raw_high > column.raw_high[slot]) {
      column.raw_high[slot] = number.raw_high;
      column.W[slot] = number.high;
    }
  }
}

void BoxGroup::set_rows(size_t slot, double rows) {
  n[slot] = rows;
  log_n[slot] = log_of(rows);
  per_n[slot] = 1 / rows;
}

void BoxGroup::set_last(size_t slot, double clock) {
  last[slot] = clock;
  newest = std::max(newest, clock);
}

void BoxGroup::add_count(size_t j, std::int32_t value, size_t slot, double weight) {
  Categorical& column = categorical[j];
  const auto v = static_cast<size_t>(value);
  if (v >= column.counts.size()) column.counts.resize(v + 1);
  if (column.counts[v].empty()) column.counts[v].assign(size(), 0.0);
  double& count = column.counts[v][slot];
  column.plogp[slot] += plogp(count + weight) - plogp(count);
  count += weight;
  column.mode[slot] = std::max(column.mode[slot], count);
}

void BoxGroup::remove(size_t slot) {
  for (Numeric& column : numeric) {
    column.boxes -= column.seen[slot] != 0;
    move_last(column.V, slot);
    move_last(column.W, slot);
    move_last(column.seen, slot);
    move_last(column.raw_low, slot);
    move_last(column.raw_high, slot);
  }
  for (Categorical& column : categorical) {
    for (auto& of_boxes : column.counts)
      if (!of_boxes.empty()) move_last(of_boxes, slot);
    move_last(column.plogp, slot);
    move_last(column.mode, slot);
  }
  move_last(n, slot);
  move_last(log_n, slot);
  move_last(norm, slot);
  move_last(log_norm, slot);
  per_n[slot] = per_n[size() - 1];
  per_n[size() - 1] = 0;
  const bool was_newest = last[slot] == newest;
  move_last(last, slot);
  if (was_newest) newest = last.empty() ? 0 : *std::max_element(last.begin(), last.end());
  move_last(id, slot);
}

void BoxGroup::append(const BoxGroup& other, size_t slot) {
  extend();
  const size_t to = size() - 1;
  for (size_t j = 0; j < numeric.size(); ++j) {
    numeric[j].V[to] = other.numeric[j].V[slot];
    numeric[j].W[to] = other.numeric[j].W[slot];
    numeric[j].seen[to] = other.numeric[j].seen[slot];
    numeric[j].boxes += numeric[j].seen[to] != 0;
    numeric[j].raw_low[to] = other.numeric[j].raw_low[slot];
    numeric[j].raw_high[to] = other.numeric[j].raw_high[slot];
  }
  add_counts(to, other, slot);
  set_rows(to, other.n[slot]);
  set_last(to, other.last[slot]);
  id[to] = other.id[slot];
}

void BoxGroup::unite(size_t slot, const Query& grown, const BoxGroup& other, size_t from) {
  stretch(slot, grown);
  add_counts(slot, other, from);
  set_rows(slot, n[slot] + other.n[from]);
  set_last(slot, std::max(last[slot], other.last[from]));
}

void BoxGroup::add_counts(size_t slot, const BoxGroup& other, size_t from) {
  for (size_t j = 0; j < categorical.size(); ++j) {
    const auto& of_values = other.categorical[j].counts;
    for (size_t v = 0; v < of_values.size(); ++v)
      if (!of_values[v].empty() && of_values[v][from] > 0)
        add_count(j, static_cast<std::int32_t>(v), slot, of_values[v][from]);
  }
}

void BoxGroup::read(size_t slot, Query& x) const {
  x.numbers.clear();
  for (size_t j = 0; j < numeric.size(); ++j) {
    const Numeric& column = numeric[j];
    if (column.seen[slot] != 0)
      x.numbers.push_back({j, column.V[slot], column.W[slot], column.raw_low[slot],
                           column.raw_high[slot]});
  }
  x.values.resize(categorical.size());
  for (size_t j = 0; j < categorical.size(); ++j) {
    std::int32_t v = 0;
    while (count(j, v, slot) < categorical[j].mode[slot]) ++v;
    x.values[j] = v;
  }
}

size_t BoxGroup::bytes() const {
  size_t doubles = 4 * n.capacity() + per_n.capacity() + last.capacity() + id.capacity();
  for (const Numeric& column : numeric)
    doubles += 3 * column.V.capacity() + column.raw_low.capacity() +
               column.raw_high.capacity();
  for (const Categorical& column : categorical) {
    doubles += column.plogp.capacity() + column.mode.capacity();
    for (const auto& of_boxes : column.counts) doubles += of_boxes.capacity() + 3;
  }
  return doubles * sizeof(double) + sizeof *this;
}

}  // namespace boxwise::evidence
