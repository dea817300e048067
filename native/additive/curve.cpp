#include "curve.hpp"

#include <algorithm>

namespace boxwise::additive {

using evidence::Scales;
using std::size_t;

namespace {
// Values from the least to the largest, at which the functions of a column bend: its scale does at its
// own points, the hats at equal steps of rank, the linear input where it stops to rise.
std::vector<double> bends(const Range& range) {
  std::vector<double> all;
  for (size_t k = 0; k < HATS; ++k) {
    const double rank = static_cast<double>(k) / static_cast<double>(HATS - 1);
    all.push_back(range.scale ? range.scale->value_at(rank)
                              : range.low + rank * (range.high - range.low));
  }
  double low = range.low, high = range.high;
  if (range.scale) {
    const std::vector<double>& points = range.scale->points();
    low = points.front();
    high = points.back();
    all.insert(all.end(), points.begin(), points.end());
    for (double end : range.scale->standardised_ends()) all.push_back(end);
  }
  std::erase_if(all, [&](double value) { return !(value > low && value < high); });
  all.insert(all.end(), {low, high});
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// By value: the share of the rows of the scale that is nearest to it; 0 at values that only bend.
std::vector<double> shares(const Range& range, const std::vector<double>& values) {
  std::vector<double> all(values.size());
  if (!range.scale) return all;
  const std::vector<double>& points = range.scale->points();
  for (size_t i = 0; i < points.size(); ++i) {
    const double before = (*range.scale)(points[i > 0 ? i - 1 : i]);
    const double after = (*range.scale)(points[i + 1 < points.size() ? i + 1 : i]);
    const auto at = std::lower_bound(values.begin(), values.end(), points[i]) - values.begin();
    all[static_cast<size_t>(at)] = (after - before) / 2;
  }
  return all;
}

// Shares out the rows of each hat among the values under it, by how many rows of the scale are there; a
// hat over none of these gives its rows to the value at its top.
std::vector<double> rows_by_value(const Layer& layer, size_t first,
                                  const std::vector<std::vector<Active>>& inputs,
                                  const std::vector<double>& shares) {
  std::vector<double> rows(inputs.size());
  for (size_t hat = first + 1; hat <= first + HATS; ++hat) {
    std::vector<double> height(inputs.size()), part(inputs.size());
    double sum = 0;
    for (size_t i = 0; i < inputs.size(); ++i)
      for (const Active& input : inputs[i])
        if (input.slot == hat) {
          height[i] = input.x;
          sum += part[i] = input.x * shares[i];
        }
    if (!(sum > 0)) {
      part.assign(inputs.size(), 0.0);
      part[static_cast<size_t>(std::max_element(height.begin(), height.end()) - height.begin())] = sum = 1;
    }
    for (size_t i = 0; i < rows.size(); ++i) rows[i] += layer.rows(hat) * part[i] / sum;
  }
  return rows;
}

void add_point(const Layer& layer, const std::vector<Active>& inputs, size_t n_classes, Curve& curve) {
  const auto [mixed, lately] = layer.contribution(inputs, n_classes);
  curve.mixed.insert(curve.mixed.end(), mixed.begin(), mixed.end());
  curve.lately.insert(curve.lately.end(), lately.begin(), lately.end());
}
}  // namespace

Curve numeric_curve(const Layer& layer, const Scales& scales, size_t column, size_t n_classes) {
  Curve curve;
  const Slots& slots = layer.slots();
  const size_t first = slots.first(column);
  if (scales.is_ready(column)) {
    const Range& range = scales.ranges()[column];
    curve.values = bends(range);
    std::vector<std::vector<Active>> inputs(curve.values.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const double at = scales.position(column, curve.values[i]);
      slots.read_number({column, at, at, curve.values[i], curve.values[i]}, scales, inputs[i]);
      add_point(layer, inputs[i], n_classes, curve);
    }
    curve.rows = rows_by_value(layer, first, inputs, shares(range, curve.values));
  }
  add_point(layer, {{first + Slots::MISSING, 1.0}}, n_classes, curve);
  curve.rows.push_back(layer.rows(first + Slots::MISSING));
  return curve;
}

Curve categorical_curve(const Layer& layer, size_t column, double values_known, size_t n_classes) {
  Curve curve;
  const size_t first = layer.slots().first(column);
  const auto points = std::min(static_cast<size_t>(values_known), Slots::CATEGORICAL);
  for (size_t i = 0; i < points; ++i) {
    add_point(layer, {{first + i, 1.0}}, n_classes, curve);
    curve.rows.push_back(layer.rows(first + i));
  }
  return curve;
}

}  // namespace boxwise::additive
