// Binds LearningEngine and Engine, the bases of all engines, and the quantile scales.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "bindings/snapshots.hpp"
#include "engine/engine.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace boxwise {

namespace {

nb::dict snapshot(const Engine& engine) {
  Snapshot all;
  {
    GilReleased released;
    all = engine.snapshot();
  }
  return to_dict(std::move(all));
}

// The class of each row, -1 where there was none yet; with n_classes, which counts those of the rows,
// also the probabilities.
nb::object test_then_train(LearningEngine& engine, const In<double, 2>& lower,
                           const In<double, 2>& upper, const In<Code, 2>& codes,
                           const In<std::int32_t, 1>& labels,
                           const std::optional<In<double, 1>>& weights,
                           std::optional<std::size_t> n_classes) {
  auto rows = to_rows(engine, lower, upper, codes);
  check_labels(rows, labels);
  set_weights(weights, rows);
  std::vector<std::int32_t> predicted(rows.count);
  std::vector<double> shares(rows.count * n_classes.value_or(0));
  {
    GilReleased released;
    Answers answers{predicted.data()};
    if (n_classes) {
      std::size_t needed = engine.n_classes();
      for (std::size_t row = 0; row < rows.count; ++row)
        needed = std::max(needed, static_cast<std::size_t>(labels.data()[row] + 1));
      if (*n_classes < needed) throw std::invalid_argument("there are more classes");
      answers = {predicted.data(), shares.data(), *n_classes};
    }
    engine.test_then_train(rows, labels.data(), answers);
  }
  auto classes = to_numpy(std::move(predicted), {rows.count});
  if (!n_classes) return nb::cast(std::move(classes));
  return nb::make_tuple(std::move(classes), to_numpy(std::move(shares), {rows.count, *n_classes}));
}

void restore(Engine& engine, const nb::kwargs& state) {
  Snapshot all;
  StateReader reader(state);
  reader.read(all);
  reader.finish();
  GilReleased released;
  engine.restore(all);
}

}  // namespace

void bind_engines(nb::module_& m) {
  m.def("survey",
        [](const In<double, 1>& low, const In<double, 1>& high) {
          if (low.shape(0) != high.shape(0))
            throw std::invalid_argument("low and high differ in length");
          QuantileScale scale;
          scale.survey(low.shape(0), low.data(), high.data());
          return to_state(scale);
        },
        "low"_a, "high"_a);
  m.def("join_scales",
        [](const In<double, 1>& states) {
          QuantileScale all;
          for (const auto& scale : to_scales(states)) all.join(scale);
          return to_state(all);
        },
        "states"_a);

  nb::class_<LearningEngine>(m, "LearningEngine")
      .def("learn",
           [](LearningEngine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
              const In<Code, 2>& codes, const In<std::int32_t, 1>& labels) {
             const auto rows = to_rows(engine, lower, upper, codes);
             check_labels(rows, labels);
             GilReleased released;
             engine.learn(rows, labels.data());
           },
           "lower"_a, "upper"_a, "codes"_a, "labels"_a)
      .def("test_then_train", &test_then_train, "lower"_a, "upper"_a, "codes"_a, "labels"_a,
           "weights"_a = nb::none(), "n_classes"_a = nb::none())
      .def("predict",
           [](const LearningEngine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
              const In<Code, 2>& codes, std::size_t threads) {
             const auto rows = to_rows(engine, lower, upper, codes);
             std::vector<std::int32_t> labels(rows.count);
             {
               GilReleased released;
               engine.predict(rows, labels.data(), threads);
             }
             return to_numpy(std::move(labels), {rows.count});
           },
           "lower"_a, "upper"_a, "codes"_a, "threads"_a = 1)
      .def("probabilities",
           [](const LearningEngine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
              const In<Code, 2>& codes, std::optional<std::size_t> n_classes,
              std::size_t threads) {
             const auto rows = to_rows(engine, lower, upper, codes);
             std::size_t classes = 0;
             std::vector<double> shares;
             {
               GilReleased released;
               classes = n_classes.value_or(engine.n_classes());
               shares = engine.probabilities(rows, classes, threads);
             }
             return to_numpy(std::move(shares), {rows.count, classes});
           },
           "lower"_a, "upper"_a, "codes"_a, "n_classes"_a = nb::none(), "threads"_a = 1)
      .def("memberships",
           [](const LearningEngine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
              const In<Code, 2>& codes, std::size_t threads) {
             return rows_by_boxes(engine, &LearningEngine::memberships, lower, upper, codes, threads);
           },
           "lower"_a, "upper"_a, "codes"_a, "threads"_a = 1)
      .def("remove", &LearningEngine::remove, "id"_a, nb::call_guard<GilReleased>())
      .def_prop_ro("n_classes", &LearningEngine::n_classes, nb::call_guard<GilReleased>())
      .def_prop_ro("n_boxes", &LearningEngine::n_boxes, nb::call_guard<GilReleased>())
      .def_prop_ro("bytes", &LearningEngine::bytes, nb::call_guard<GilReleased>());

  nb::class_<Engine, LearningEngine>(m, "Engine")
      .def("snapshot", &snapshot)
      .def("restore", &restore);
}

}  // namespace boxwise
