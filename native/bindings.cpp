// Binds the engine to Python and does nothing else: arrays in, arrays out, the GIL released.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "entropy_engine.hpp"
#include "kernels.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using boxwise::Code;
using boxwise::Engine;
using boxwise::EntropyEngine;

namespace {

template <class T, int Dims>
using In = nb::ndarray<const T, nb::ndim<Dims>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::object to_numpy(std::vector<T>&& values, std::vector<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}

boxwise::Rows to_rows(const Engine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
                      const In<Code, 2>& codes) {
  const std::size_t count = codes.shape(0);
  if (lower.shape(0) != count || upper.shape(0) != count)
    throw std::invalid_argument("lower, upper and codes differ in their number of rows");
  if (lower.shape(1) != engine.n_continuous() || upper.shape(1) != engine.n_continuous() ||
      codes.shape(1) != engine.n_categorical())
    throw std::invalid_argument("the rows have another number of features than the model");
  return {count, lower.data(), upper.data(), codes.data()};
}

template <class T>
std::vector<T> to_vector(const In<T, 1>& array) {
  return std::vector<T>(array.data(), array.data() + array.shape(0));
}

std::vector<boxwise::Range> to_ranges(const std::vector<double>& low,
                                      const std::vector<double>& high,
                                      const std::vector<bool>& growing) {
  if (low.size() != high.size() || low.size() != growing.size())
    throw std::invalid_argument("low, high and growing differ in length");
  std::vector<boxwise::Range> ranges;
  for (std::size_t j = 0; j < low.size(); ++j) {
    const bool unseen = low[j] != low[j] && high[j] != high[j];
    ranges.push_back({unseen ? boxwise::UNSET : low[j], unseen ? -boxwise::UNSET : high[j],
                      static_cast<bool>(growing[j])});
  }
  return ranges;
}

nb::dict snapshot(const Engine& engine) {
  boxwise::Snapshot all;
  {
    nb::gil_scoped_release released;
    all = engine.snapshot();
  }
  const std::size_t boxes = all.n.size(), n = engine.n_continuous();
  const std::size_t sets = all.first.size(), entries = all.code.size();
  std::vector<double> low, high;
  std::vector<std::uint8_t> growing;
  for (const auto& range : all.ranges) {
    const bool unseen = range.low > range.high;
    low.push_back(unseen ? NAN : range.low);
    high.push_back(unseen ? NAN : range.high);
    growing.push_back(range.growing);
  }
  nb::dict result;
  result["V"] = to_numpy(std::move(all.V), {boxes, n});
  result["W"] = to_numpy(std::move(all.W), {boxes, n});
  result["n"] = to_numpy(std::move(all.n), {boxes});
  result["label"] = to_numpy(std::move(all.label), {boxes});
  result["id"] = to_numpy(std::move(all.id), {boxes});
  result["first"] = to_numpy(std::move(all.first), {sets});
  result["code"] = to_numpy(std::move(all.code), {entries});
  result["times"] = to_numpy(std::move(all.times), {entries});
  result["low"] = to_numpy(std::move(low), {n});
  result["high"] = to_numpy(std::move(high), {n});
  result["growing"] = to_numpy(std::move(growing), {n});
  result["n_classes"] = all.n_classes;
  result["next_id"] = all.next_id;
  return result;
}

void restore(Engine& engine, const In<double, 2>& V, const In<double, 2>& W,
             const In<std::uint32_t, 1>& n, const In<std::int32_t, 1>& label,
             const In<std::uint64_t, 1>& id, const In<std::uint64_t, 1>& first,
             const In<Code, 1>& code, const In<std::uint32_t, 1>& times, std::size_t n_classes,
             std::uint64_t next_id) {
  boxwise::Snapshot all;
  all.V.assign(V.data(), V.data() + V.size());
  all.W.assign(W.data(), W.data() + W.size());
  all.n = to_vector(n);
  all.label = to_vector(label);
  all.id = to_vector(id);
  all.first = to_vector(first);
  all.code = to_vector(code);
  all.times = to_vector(times);
  all.n_classes = n_classes;
  all.next_id = next_id;
  nb::gil_scoped_release released;
  engine.restore(all);
}

}  // namespace

NB_MODULE(_native, m) {
  nb::class_<Engine>(m, "Engine")
      .def("learn",
           [](Engine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
              const In<Code, 2>& codes, const In<std::int32_t, 1>& labels) {
             const auto rows = to_rows(engine, lower, upper, codes);
             if (labels.shape(0) != rows.count)
               throw std::invalid_argument("one label per row is needed");
             nb::gil_scoped_release released;
             engine.learn(rows, labels.data());
           },
           "lower"_a, "upper"_a, "codes"_a, "labels"_a)
      .def("predict",
           [](const Engine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
              const In<Code, 2>& codes) {
             const auto rows = to_rows(engine, lower, upper, codes);
             std::vector<std::int32_t> labels(rows.count);
             {
               nb::gil_scoped_release released;
               engine.predict(rows, labels.data());
             }
             return to_numpy(std::move(labels), {rows.count});
           },
           "lower"_a, "upper"_a, "codes"_a)
      .def("probabilities",
           [](const Engine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
              const In<Code, 2>& codes, std::optional<std::size_t> n_classes) {
             const auto rows = to_rows(engine, lower, upper, codes);
             std::size_t classes = 0;
             std::vector<double> shares;
             {
               nb::gil_scoped_release released;
               classes = n_classes.value_or(engine.n_classes());
               shares = engine.probabilities(rows, classes);
             }
             return to_numpy(std::move(shares), {rows.count, classes});
           },
           "lower"_a, "upper"_a, "codes"_a, "n_classes"_a = nb::none())
      .def("memberships",
           [](const Engine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
              const In<Code, 2>& codes) {
             const auto rows = to_rows(engine, lower, upper, codes);
             std::pair<std::size_t, std::vector<double>> degrees;
             {
               nb::gil_scoped_release released;
               degrees = engine.memberships(rows);
             }
             return to_numpy(std::move(degrees.second), {rows.count, degrees.first});
           },
           "lower"_a, "upper"_a, "codes"_a)
      .def("snapshot", &snapshot)
      .def("restore", &restore, "V"_a, "W"_a, "n"_a, "label"_a, "id"_a, "first"_a, "code"_a,
           "times"_a, "n_classes"_a, "next_id"_a)
      .def("remove", &Engine::remove, "id"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("n_classes", &Engine::n_classes, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("n_boxes", &Engine::n_boxes, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("bytes", &Engine::bytes, nb::call_guard<nb::gil_scoped_release>());

  nb::class_<EntropyEngine, Engine>(m, "EntropyEngine")
      .def("__init__",
           [](EntropyEngine* self, std::size_t n_categorical, double theta, double delta,
              double alpha, std::vector<double> gamma, bool mean, const std::vector<double>& low,
              const std::vector<double>& high, const std::vector<bool>& growing) {
             new (self) EntropyEngine(low.size(), n_categorical,
                                      {theta, delta, alpha, std::move(gamma), mean},
                                      to_ranges(low, high, growing));
           },
           "n_categorical"_a, "theta"_a, "delta"_a, "alpha"_a, "gamma"_a, "mean"_a, "low"_a,
           "high"_a, "growing"_a)
      .def("configure",
           [](EntropyEngine& engine, double theta, double delta, double alpha,
              std::vector<double> gamma, bool mean) {
             engine.configure({theta, delta, alpha, std::move(gamma), mean});
           },
           "theta"_a, "delta"_a, "alpha"_a, "gamma"_a, "mean"_a,
           nb::call_guard<nb::gil_scoped_release>())
      .def("merge", &EntropyEngine::merge, "kept"_a, "other"_a,
           nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("rejections", &EntropyEngine::rejections,
                   nb::call_guard<nb::gil_scoped_release>());
}
