// Conversions between NumPy arrays and the rows, ranges and tables of the engines. Arrays that are
// returned own their memory; arrays that come in are not copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/gil.hpp"
#include "kernels/kernels.hpp"
#include "engine/learning_engine.hpp"

namespace boxwise {

namespace nb = nanobind;

template <class T, int Dims>
using In = nb::ndarray<const T, nb::ndim<Dims>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::object to_numpy(std::vector<T>&& values, std::vector<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}

template <class T>
std::optional<nb::object> to_column(std::optional<std::vector<T>>&& values) {
  if (!values) return std::nullopt;
  const std::size_t count = values->size();
  return to_numpy(std::move(*values), {count});
}

inline Rows to_rows(const LearningEngine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
                      const In<Code, 2>& codes) {
  const std::size_t count = codes.shape(0);
  if (lower.shape(0) != count || upper.shape(0) != count)
    throw std::invalid_argument("lower, upper and codes differ in their number of rows");
  if (lower.shape(1) != engine.n_numeric() || upper.shape(1) != engine.n_numeric() ||
      codes.shape(1) != engine.n_categorical())
    throw std::invalid_argument("the rows have another number of features than the model");
  return {count, lower.data(), upper.data(), codes.data()};
}

// Table of rows x boxes that a method of an engine returns.
template <class E, class Method>
nb::object rows_by_boxes(const E& engine, Method method, const In<double, 2>& lower,
                         const In<double, 2>& upper, const In<Code, 2>& codes,
                         std::size_t threads) {
  const auto rows = to_rows(engine, lower, upper, codes);
  const auto compute = [&] {
    GilReleased released;
    return (engine.*method)(rows, threads);
  };
  Matrix said = compute();
  double* cells = said.cells.release();
  nb::capsule owner(cells, [](void* p) noexcept { Matrix::Free()(static_cast<double*>(p)); });
  return nb::cast(nb::ndarray<nb::numpy, double>(cells, {rows.count, said.columns}, owner));
}

inline void check_labels(const Rows& rows, const In<std::int32_t, 1>& labels) {
  if (labels.shape(0) != rows.count) throw std::invalid_argument("one label per row is needed");
}

inline void set_weights(const std::optional<In<double, 1>>& weights, Rows& rows) {
  if (!weights) return;
  if (weights->shape(0) != rows.count) throw std::invalid_argument("one weight per row is needed");
  rows.weights = weights->data();
}

template <class T>
std::vector<T> to_vector(const In<T, 1>& array) {
  return std::vector<T>(array.data(), array.data() + array.shape(0));
}

// The scales of the features one after the other, each an array that begins with its length; or
// nothing.
inline std::vector<QuantileScale> to_scales(const std::optional<In<double, 1>>& states) {
  std::vector<QuantileScale> scales;
  const std::size_t all = states ? states->shape(0) : 0;
  for (std::size_t begin = 0; begin < all;) {
    const double *state = states->data() + begin, left = static_cast<double>(all - begin);
    if (!(state[0] >= 1 && state[0] <= left))
      throw std::invalid_argument("the scales of the features are damaged");
    const auto size = static_cast<std::size_t>(state[0]);
    scales.push_back(QuantileScale::from_state({state, state + size}));
    begin += size;
  }
  return scales;
}

inline nb::object to_state(const QuantileScale& scale) {
  std::vector<double> state = scale.state();
  const std::size_t size = state.size();
  return to_numpy(std::move(state), {size});
}

inline std::vector<Range> to_ranges(const std::vector<double>& low,
                                      const std::vector<double>& high,
                                      const std::vector<bool>& growing,
                                      const std::optional<In<double, 1>>& states = {}) {
  if (low.size() != high.size() || low.size() != growing.size())
    throw std::invalid_argument("low, high and growing differ in length");
  auto scales = to_scales(states);
  if (!scales.empty() && scales.size() != low.size())
    throw std::invalid_argument("one scale per numeric feature is needed");
  std::vector<Range> ranges;
  ranges.reserve(low.size());
  for (std::size_t j = 0; j < low.size(); ++j) {
    const bool unseen = low[j] != low[j] && high[j] != high[j];
    ranges.push_back({unseen ? UNSET : low[j], unseen ? -UNSET : high[j],
                      static_cast<bool>(growing[j])});
    if (!scales.empty()) ranges.back().scale = std::move(scales[j]);
  }
  return ranges;
}

// The ranges and scales of the features, as arrays of a snapshot.
inline void add_ranges(const std::vector<Range>& ranges, nb::dict& result) {
  std::vector<double> low, high;
  std::vector<std::uint8_t> growing;
  std::vector<double> scales;
  for (const auto& range : ranges) {
    if (range.scale) {
      const auto state = range.scale->state();
      scales.insert(scales.end(), state.begin(), state.end());
    }
    const bool unseen = range.low > range.high;
    low.push_back(unseen ? NAN : range.low);
    high.push_back(unseen ? NAN : range.high);
    growing.push_back(range.growing);
  }
  const std::size_t n = ranges.size(), scaled = scales.size();
  result["low"] = to_numpy(std::move(low), {n});
  result["high"] = to_numpy(std::move(high), {n});
  result["growing"] = to_numpy(std::move(growing), {n});
  if (scaled > 0) result["scales"] = to_numpy(std::move(scales), {scaled});
}

}  // namespace boxwise
