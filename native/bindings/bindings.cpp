// Binds the engine to Python and does nothing else: arrays in, arrays out, the GIL released.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agglomerative/agglomerate.hpp"
#include "contraction/bound_engine.hpp"
#include "bindings/cells.hpp"
#include "contraction/contraction_engine.hpp"
#include "eiol/entropy_engine.hpp"
#include "bindings/evidence.hpp"
#include "bindings/gil.hpp"
#include "kernels/kernels.hpp"
#include "bindings/numpy_arrays.hpp"
#include "bindings/row_reader.hpp"
#include "tuning/trials.hpp"
#include "bindings/version.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using boxwise::AgglomerativeEngine;
using boxwise::BoundEngine;
using boxwise::call_python;
using boxwise::Code;
using boxwise::ContractionEngine;
using boxwise::add_ranges;
using boxwise::Engine;
using boxwise::EntropyEngine;
using boxwise::GilHeld;
using boxwise::GilReleased;
using boxwise::In;
using boxwise::LearningEngine;
using boxwise::rows_by_boxes;
using boxwise::to_column;
using boxwise::to_numpy;
using boxwise::to_ranges;
using boxwise::to_rows;
using boxwise::to_scales;
using boxwise::to_state;
using boxwise::to_vector;

namespace {

nb::dict to_dict(boxwise::Snapshot&& all) {
  const std::size_t boxes = all.n.size(), n = all.ranges.size();
  const std::size_t sets = all.first.size(), entries = all.code.size();
  nb::dict result;
  result["V"] = to_numpy(std::move(all.V), {boxes, n});
  result["W"] = to_numpy(std::move(all.W), {boxes, n});
  result["n"] = to_numpy(std::move(all.n), {boxes});
  result["label"] = to_numpy(std::move(all.label), {boxes});
  result["id"] = to_numpy(std::move(all.id), {boxes});
  result["first"] = to_numpy(std::move(all.first), {sets});
  result["code"] = to_numpy(std::move(all.code), {entries});
  result["times"] = to_numpy(std::move(all.times), {entries});
  add_ranges(all.ranges, result);
  result["n_classes"] = all.n_classes;
  result["next_id"] = all.next_id;
  return result;
}

nb::dict snapshot(const Engine& engine) {
  boxwise::Snapshot all;
  {
    GilReleased released;
    all = engine.snapshot();
  }
  return to_dict(std::move(all));
}

nb::dict bound_snapshot(const BoundEngine& engine) {
  boxwise::BoundSnapshot all;
  {
    GilReleased released;
    all = engine.bound_snapshot();
  }
  const std::size_t boxes = all.n.size(), values = all.seen_first.size();
  const std::size_t entries = all.seen_class.size(), r = engine.n_categorical();
  nb::dict result = to_dict(std::move(all));  // the boxes; what follows is not touched by it
  result["bounds"] = to_numpy(std::move(all.bounds), {boxes, 2 * r});
  result["n_values"] = to_numpy(std::move(all.n_values), {r});
  result["seen_first"] = to_numpy(std::move(all.seen_first), {values});
  result["seen_class"] = to_numpy(std::move(all.seen_class), {entries});
  result["seen_times"] = to_numpy(std::move(all.seen_times), {entries});
  return result;
}

template <class Snapshot = boxwise::Snapshot>
Snapshot to_snapshot(const In<double, 2>& V, const In<double, 2>& W,
                     const In<std::uint32_t, 1>& n, const In<std::int32_t, 1>& label,
                     const In<std::uint64_t, 1>& id, const In<std::uint64_t, 1>& first,
                     const In<Code, 1>& code, const In<std::uint32_t, 1>& times,
                     std::size_t n_classes, std::uint64_t next_id) {
  Snapshot all;
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
  return all;
}

void restore(Engine& engine, const In<double, 2>& V, const In<double, 2>& W,
             const In<std::uint32_t, 1>& n, const In<std::int32_t, 1>& label,
             const In<std::uint64_t, 1>& id, const In<std::uint64_t, 1>& first,
             const In<Code, 1>& code, const In<std::uint32_t, 1>& times, std::size_t n_classes,
             std::uint64_t next_id) {
  const auto all = to_snapshot(V, W, n, label, id, first, code, times, n_classes, next_id);
  GilReleased released;
  engine.restore(all);
}

void restore_bounds(BoundEngine& engine, const In<double, 2>& V, const In<double, 2>& W,
                    const In<std::uint32_t, 1>& n, const In<std::int32_t, 1>& label,
                    const In<std::uint64_t, 1>& id, const In<std::uint64_t, 1>& first,
                    const In<Code, 1>& code, const In<std::uint32_t, 1>& times,
                    const In<Code, 2>& bounds, const In<std::uint64_t, 1>& n_values,
                    const In<std::uint64_t, 1>& seen_first, const In<Code, 1>& seen_class,
                    const In<std::uint32_t, 1>& seen_times, std::size_t n_classes,
                    std::uint64_t next_id) {
  auto all = to_snapshot<boxwise::BoundSnapshot>(V, W, n, label, id, first, code, times, n_classes,
                                                 next_id);
  all.bounds.assign(bounds.data(), bounds.data() + bounds.size());
  all.n_values = to_vector(n_values);
  all.seen_first = to_vector(seen_first);
  all.seen_class = to_vector(seen_class);
  all.seen_times = to_vector(seen_times);
  GilReleased released;
  engine.restore(all);
}

boxwise::AgglomerativeSettings agglomerative_settings(double theta, std::vector<double> gamma,
                                                      double delta, double alpha, bool mean,
                                                      std::size_t max_boxes,
                                                      const std::string& method,
                                                      const std::string& similarity,
                                                      double min_similarity) {
  if (method != "agglo2" && method != "agglosm")
    throw std::invalid_argument("the method must be agglo2 or agglosm");
  if (similarity != "short" && similarity != "long" && similarity != "mid")
    throw std::invalid_argument("the similarity must be short, long or mid");
  return {{theta, delta, alpha, std::move(gamma), mean, max_boxes},
          method == "agglosm",
          similarity == "short"  ? boxwise::Similarity::SHORT
          : similarity == "long" ? boxwise::Similarity::LONG
                                 : boxwise::Similarity::MID,
          min_similarity};
}

void set_index(EntropyEngine& engine, const std::string& mode, std::size_t leaf) {
  using boxwise::IndexMode;
  if (mode != "auto" && mode != "on" && mode != "small" && mode != "off")
    throw std::invalid_argument("the index is auto, on, small or off");
  GilReleased released;
  engine.set_index(mode == "auto"    ? IndexMode::AUTO
                   : mode == "on"    ? IndexMode::ON
                   : mode == "small" ? IndexMode::SMALL
                                     : IndexMode::OFF,
                   leaf);
}

// Lets Ctrl-C through while the engine is at work.
void look_after_signals() {
  GilHeld held;
  if (call_python(PyErr_CheckSignals) != 0) throw nb::python_error();
}

// The arrays of a fold, kept alive.
struct FoldArrays {
  In<double, 2> lower, upper;
  In<Code, 2> codes;
  In<std::int32_t, 1> labels;
  In<double, 2> test_lower, test_upper;
  In<Code, 2> test_codes;

  boxwise::Fold rows_for(const LearningEngine& engine) const {
    const auto train = to_rows(engine, lower, upper, codes);
    if (labels.shape(0) != train.count)
      throw std::invalid_argument("one label per row is needed");
    return {train, labels.data(), to_rows(engine, test_lower, test_upper, test_codes)};
  }
};

// For each trial: predictions, probabilities (or None), number of boxes, seconds to learn and predict.
nb::list run_trials(const std::vector<const LearningEngine*>& prototypes,
                    const std::vector<const FoldArrays*>& folds, bool probabilities,
                    std::size_t threads, const std::optional<nb::callable>& report) {
  if (prototypes.size() != folds.size())
    throw std::invalid_argument("one fold per engine is needed");
  if (threads == 0) throw std::invalid_argument("at least one thread is needed");
  const std::size_t count = prototypes.size();
  std::map<const FoldArrays*, boxwise::Fold> rows;
  for (std::size_t i = 0; i < count; ++i) rows[folds[i]] = folds[i]->rows_for(*prototypes[i]);
  std::vector<std::vector<std::int32_t>> predicted(count);
  std::vector<std::vector<double>> shares(count);
  std::vector<boxwise::Trial> trials;
  for (std::size_t i = 0; i < count; ++i) {
    const boxwise::Fold& fold = rows[folds[i]];
    predicted[i].resize(fold.test.count);
    trials.push_back({prototypes[i], &fold, predicted[i].data(),
                      probabilities ? &shares[i] : nullptr});
  }
  {
    GilReleased released;
    boxwise::run(trials, threads, [&](std::size_t done) {
      GilHeld held;
      if (call_python(PyErr_CheckSignals) != 0) throw nb::python_error();
      if (report) call_python([&] { (*report)(done); });
    });
  }
  nb::list results;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t tested = trials[i].fold->test.count;
    nb::object p = nb::none();
    if (probabilities) {
      const std::size_t classes = tested == 0 ? 0 : shares[i].size() / tested;
      p = to_numpy(std::move(shares[i]), {tested, classes});
    }
    results.append(nb::make_tuple(to_numpy(std::move(predicted[i]), {tested}), p, trials[i].boxes,
                                  trials[i].learn_seconds, trials[i].predict_seconds));
  }
  return results;
}

}  // namespace

NB_MODULE(_native, m) {
  // A thread that still holds a model when the interpreter ends is no leak worth a page of warnings.
  nb::set_leak_warnings(false);
  boxwise::outlive_python();
  m.attr("engine_version") = boxwise::engine_version();
  m.def("survey",
        [](const In<double, 1>& low, const In<double, 1>& high) {
          if (low.shape(0) != high.shape(0))
            throw std::invalid_argument("low and high differ in length");
          boxwise::QuantileScale scale;
          scale.survey(low.shape(0), low.data(), high.data());
          return to_state(scale);
        },
        "low"_a, "high"_a);
  m.def("join_scales",
        [](const In<double, 1>& states) {
          boxwise::QuantileScale all;
          for (const auto& scale : to_scales(states)) all.join(scale);
          return to_state(all);
        },
        "states"_a);

  nb::class_<LearningEngine>(m, "LearningEngine")
      .def("learn",
           [](LearningEngine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
              const In<Code, 2>& codes, const In<std::int32_t, 1>& labels) {
             const auto rows = to_rows(engine, lower, upper, codes);
             if (labels.shape(0) != rows.count)
               throw std::invalid_argument("one label per row is needed");
             GilReleased released;
             engine.learn(rows, labels.data());
           },
           "lower"_a, "upper"_a, "codes"_a, "labels"_a)
      .def("test_then_train",
           [](LearningEngine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
              const In<Code, 2>& codes, const In<std::int32_t, 1>& labels) {
             const auto rows = to_rows(engine, lower, upper, codes);
             if (labels.shape(0) != rows.count)
               throw std::invalid_argument("one label per row is needed");
             std::vector<std::int32_t> predicted(rows.count);
             {
               GilReleased released;
               engine.test_then_train(rows, labels.data(), predicted.data());
             }
             return to_numpy(std::move(predicted), {rows.count});
           },
           "lower"_a, "upper"_a, "codes"_a, "labels"_a)
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
      .def("restore", &restore, "V"_a, "W"_a, "n"_a, "label"_a, "id"_a, "first"_a, "code"_a,
           "times"_a, "n_classes"_a, "next_id"_a);

  nb::class_<EntropyEngine, Engine>(m, "EntropyEngine")
      .def("__init__",
           [](EntropyEngine* self, std::size_t n_categorical, double theta, double delta,
              double alpha, std::vector<double> gamma, bool mean, const std::vector<double>& low,
              const std::vector<double>& high, const std::vector<bool>& growing,
              const std::optional<In<double, 1>>& scales, std::size_t max_boxes) {
             new (self) EntropyEngine(low.size(), n_categorical,
                                      {theta, delta, alpha, std::move(gamma), mean, max_boxes},
                                      to_ranges(low, high, growing, scales));
           },
           "n_categorical"_a, "theta"_a, "delta"_a, "alpha"_a, "gamma"_a, "mean"_a, "low"_a,
           "high"_a, "growing"_a, "scales"_a = nb::none(), "max_boxes"_a = 0)
      .def("configure",
           [](EntropyEngine& engine, double theta, double delta, double alpha,
              std::vector<double> gamma, bool mean, std::size_t max_boxes) {
             engine.configure({theta, delta, alpha, std::move(gamma), mean, max_boxes});
           },
           "theta"_a, "delta"_a, "alpha"_a, "gamma"_a, "mean"_a, "max_boxes"_a = 0,
           nb::call_guard<GilReleased>())
      .def("merge", &EntropyEngine::merge, "kept"_a, "other"_a,
           nb::call_guard<GilReleased>())
      .def("set_index", &set_index, "mode"_a, "leaf"_a = boxwise::lanes::COUNT)
      .def_prop_ro("rejections", &EntropyEngine::rejections,
                   nb::call_guard<GilReleased>());

  boxwise::evidence::bind_engine(m);

  nb::class_<ContractionEngine, Engine>(m, "ContractionEngine")
      .def("__init__",
           [](ContractionEngine* self, std::size_t n_categorical, double theta,
              std::vector<double> gamma, double beta, const std::vector<double>& low,
              const std::vector<double>& high, const std::vector<bool>& growing) {
             new (self) ContractionEngine(low.size(), n_categorical, {theta, std::move(gamma), beta},
                                          to_ranges(low, high, growing));
           },
           "n_categorical"_a, "theta"_a, "gamma"_a, "beta"_a, "low"_a, "high"_a, "growing"_a)
      .def("configure",
           [](ContractionEngine& engine, double theta, std::vector<double> gamma, double beta) {
             engine.configure({theta, std::move(gamma), beta});
           },
           "theta"_a, "gamma"_a, "beta"_a, nb::call_guard<GilReleased>());

  nb::class_<BoundEngine, Engine>(m, "BoundEngine")
      .def("__init__",
           [](BoundEngine* self, std::size_t n_categorical, double theta,
              std::vector<double> gamma, double eta, const std::vector<double>& low,
              const std::vector<double>& high, const std::vector<bool>& growing) {
             new (self) BoundEngine(low.size(), n_categorical, {theta, std::move(gamma), eta},
                                    to_ranges(low, high, growing), look_after_signals);
           },
           "n_categorical"_a, "theta"_a, "gamma"_a, "eta"_a, "low"_a, "high"_a, "growing"_a)
      .def("configure",
           [](BoundEngine& engine, double theta, std::vector<double> gamma, double eta) {
             engine.configure({theta, std::move(gamma), eta});
           },
           "theta"_a, "gamma"_a, "eta"_a, nb::call_guard<GilReleased>())
      .def("snapshot", &bound_snapshot)
      .def("restore", &restore_bounds, "V"_a, "W"_a, "n"_a, "label"_a, "id"_a, "first"_a,
           "code"_a, "times"_a, "bounds"_a, "n_values"_a, "seen_first"_a, "seen_class"_a,
           "seen_times"_a, "n_classes"_a, "next_id"_a)
      .def_prop_ro("bytes", &BoundEngine::bytes, nb::call_guard<GilReleased>());

  nb::class_<AgglomerativeEngine, EntropyEngine>(m, "AgglomerativeEngine")
      .def("__init__",
           [](AgglomerativeEngine* self, std::size_t n_categorical, double theta,
              std::vector<double> gamma, double delta, double alpha, bool mean,
              const std::string& method, const std::string& similarity, double min_similarity,
              const std::vector<double>& low, const std::vector<double>& high,
              const std::vector<bool>& growing, const std::optional<In<double, 1>>& scales,
              std::size_t max_boxes) {
             new (self) AgglomerativeEngine(
                 low.size(), n_categorical,
                 agglomerative_settings(theta, std::move(gamma), delta, alpha, mean, max_boxes, method,
                                        similarity, min_similarity),
                 to_ranges(low, high, growing, scales), look_after_signals);
           },
           "n_categorical"_a, "theta"_a, "gamma"_a, "delta"_a, "alpha"_a, "mean"_a, "method"_a,
           "similarity"_a, "min_similarity"_a, "low"_a, "high"_a, "growing"_a,
           "scales"_a = nb::none(), "max_boxes"_a = 0)
      .def("configure",
           [](AgglomerativeEngine& engine, double theta, std::vector<double> gamma, double delta,
              double alpha, bool mean, const std::string& method, const std::string& similarity,
              double min_similarity, std::size_t max_boxes) {
             auto settings = agglomerative_settings(theta, std::move(gamma), delta, alpha, mean,
                                                    max_boxes, method, similarity, min_similarity);
             GilReleased released;
             engine.configure(std::move(settings));
           },
           "theta"_a, "gamma"_a, "delta"_a, "alpha"_a, "mean"_a, "method"_a, "similarity"_a,
           "min_similarity"_a, "max_boxes"_a = 0)
      .def("learn",
           [](AgglomerativeEngine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
              const In<Code, 2>& codes, const In<std::int32_t, 1>& labels, std::size_t threads) {
             const auto rows = to_rows(engine, lower, upper, codes);
             if (labels.shape(0) != rows.count)
               throw std::invalid_argument("one label per row is needed");
             GilReleased released;
             engine.learn(rows, labels.data(), std::max<std::size_t>(threads, 1));
           },
           "lower"_a, "upper"_a, "codes"_a, "labels"_a, "threads"_a = 1)
      .def("join", &AgglomerativeEngine::join, "other"_a,
           nb::call_guard<GilReleased>());

  m.def(
      "read_numbers",
      [](nb::list column) -> std::optional<nb::object> {
        return to_column(boxwise::cells::read_numbers(column));
      },
      "column"_a);
  m.def(
      "read_codes",
      [](nb::list column, nb::dict codes, bool unknown) -> std::optional<nb::object> {
        return to_column(boxwise::cells::read_codes(column, codes, unknown));
      },
      "column"_a, "codes"_a, "unknown"_a);
  nb::class_<boxwise::RowReader>(m, "RowReader")
      .def(nb::init<nb::object, nb::dict, nb::tuple, nb::tuple, nb::object>(), "engine"_a, "keys"_a,
           "continuous"_a, "vocabularies"_a, "labels"_a)
      .def("learn", &boxwise::RowReader::learn, "row"_a.none(), "label"_a.none())
      .def("predict", &boxwise::RowReader::predict, "row"_a.none())
      .def("probabilities", &boxwise::RowReader::probabilities, "row"_a.none());

  nb::class_<FoldArrays>(m, "Fold")
      .def("__init__",
           [](FoldArrays* self, In<double, 2> lower, In<double, 2> upper, In<Code, 2> codes,
              In<std::int32_t, 1> labels, In<double, 2> test_lower, In<double, 2> test_upper,
              In<Code, 2> test_codes) {
             new (self) FoldArrays{lower, upper, codes, labels, test_lower, test_upper, test_codes};
           },
           "lower"_a, "upper"_a, "codes"_a, "labels"_a, "test_lower"_a, "test_upper"_a,
           "test_codes"_a);
  m.def("run_trials", &run_trials, "prototypes"_a, "folds"_a, "probabilities"_a, "threads"_a,
        "report"_a = nb::none());
}
