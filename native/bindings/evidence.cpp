// Binds EvidenceEngine, the engine of HyperboxClassifier.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <string>

#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "evidence/engine.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace boxwise {

namespace {
using namespace evidence;

// Numeric columns, each with the code of a class and a sign.
using Monotone = std::vector<std::tuple<std::size_t, std::int32_t, std::int32_t>>;

Settings to_settings(double theta, double delta, std::size_t max_boxes, bool adapt,
                     std::vector<double> priors, bool additive, const Monotone& monotone) {
  std::vector<additive::Constraint> constraints;
  for (const auto& [column, label, sign] : monotone)
    constraints.push_back({column, label, static_cast<double>(sign)});
  return {{theta, delta}, max_boxes, adapt, std::move(priors), additive, std::move(constraints)};
}

nb::dict snapshot(const EvidenceEngine& engine) {
  Arrays arrays;
  std::vector<Range> ranges;
  std::size_t n_classes = 0;
  std::uint64_t next_id = 0;
  {
    GilReleased released;
    engine.read_state(arrays, ranges, n_classes, next_id);
  }
  nb::dict result;
  for (auto& [name, array] : arrays)
    std::visit([&](auto& a) { result[name.c_str()] = to_numpy(std::move(a.values), a.shape); }, array);
  add_ranges(ranges, result);
  result["n_classes"] = n_classes;
  result["next_id"] = next_id;
  return result;
}

template <class T>
bool add_if(const nb::handle& value, const std::string& name, Arrays& arrays) {
  nb::ndarray<const T, nb::c_contig, nb::device::cpu> array;
  if (!nb::try_cast(value, array, false)) return false;
  ArrayOf<T> copy{{array.data(), array.data() + array.size()}, {}};
  for (std::size_t d = 0; d < array.ndim(); ++d) copy.shape.push_back(array.shape(d));
  arrays[name] = std::move(copy);
  return true;
}

bool add(const nb::handle& value, const std::string& name, Arrays& arrays) {
  return add_if<double>(value, name, arrays) || add_if<std::uint64_t>(value, name, arrays) ||
         add_if<std::int32_t>(value, name, arrays);
}

void restore(EvidenceEngine& engine, nb::kwargs state) {
  Arrays arrays;
  std::size_t n_classes = 0;
  std::uint64_t next_id = 0;
  for (auto [key, value] : state) {
    const auto name = nb::cast<std::string>(key);
    bool taken = true;
    if (name == "n_classes")
      taken = nb::try_cast(value, n_classes);
    else if (name == "next_id")
      taken = nb::try_cast(value, next_id);
    else
      taken = add(value, name, arrays);
    if (!taken) throw std::invalid_argument(name + " has another form than expected");
  }
  GilReleased released;
  engine.restore(arrays, n_classes, next_id);
}

void learn(EvidenceEngine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
           const In<Code, 2>& codes, const In<std::int32_t, 1>& labels,
           const std::optional<In<double, 1>>& weights) {
  auto rows = to_rows(engine, lower, upper, codes);
  check_labels(rows, labels);
  set_weights(weights, rows);
  GilReleased released;
  engine.learn(rows, labels.data());
}

nb::dict terms(const EvidenceEngine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
               const In<Code, 2>& codes) {
  const auto rows = to_rows(engine, lower, upper, codes);
  if (rows.count != 1) throw std::invalid_argument("terms are those of one row");
  BoxTerms all = engine.terms(rows);
  const std::size_t boxes = all.log_weights.size(), classes = all.log_classes.size();
  const std::size_t columns = engine.n_numeric() + engine.n_categorical();
  nb::dict result;
  result["terms"] = to_numpy(std::move(all.terms), {boxes, columns});
  result["log_weights"] = to_numpy(std::move(all.log_weights), {boxes});
  result["background"] = to_numpy(std::move(all.background), {classes, columns});
  result["log_background_weights"] = to_numpy(std::move(all.log_background_weights), {classes});
  result["log_classes"] = to_numpy(std::move(all.log_classes), {classes});
  result["temperature"] = all.temperature;
  result["by_boxes"] = to_numpy(std::move(all.by_boxes), {classes});
  result["parts"] = to_numpy(std::move(all.parts), {classes, columns + 2});
  return result;
}

nb::list curves(const EvidenceEngine& engine) {
  std::vector<additive::Curve> all;
  {
    GilReleased released;
    all = engine.curves();
  }
  nb::list result;
  for (additive::Curve& curve : all) {
    const std::size_t values = curve.values.size(), points = curve.rows.size();
    const std::size_t classes = points > 0 ? curve.mixed.size() / points : 0;
    nb::dict one;
    one["values"] = to_numpy(std::move(curve.values), {values});
    one["rows"] = to_numpy(std::move(curve.rows), {points});
    one["mixed"] = to_numpy(std::move(curve.mixed), {points, classes});
    one["lately"] = to_numpy(std::move(curve.lately), {points, classes});
    result.append(one);
  }
  return result;
}
}  // namespace

void bind_evidence(nb::module_& m) {
  nb::class_<EvidenceEngine, LearningEngine>(m, "EvidenceEngine")
      .def("__init__",
           [](EvidenceEngine* self, std::size_t n_categorical, double theta, double delta,
              std::size_t max_boxes, bool adapt, std::vector<double> priors, bool additive,
              const std::vector<double>& low, const std::vector<double>& high,
              const std::vector<bool>& growing, const std::optional<In<double, 1>>& scales,
              const Monotone& monotone) {
             new (self) EvidenceEngine(low.size(), n_categorical,
                                       to_settings(theta, delta, max_boxes, adapt, std::move(priors),
                                                   additive, monotone),
                                       to_ranges(low, high, growing, scales));
           },
           "n_categorical"_a, "theta"_a, "delta"_a, "max_boxes"_a, "adapt"_a, "priors"_a, "additive"_a,
           "low"_a, "high"_a, "growing"_a, "scales"_a = nb::none(), "monotone"_a = Monotone())
      .def("configure",
           [](EvidenceEngine& engine, double theta, double delta, std::size_t max_boxes, bool adapt,
              std::vector<double> priors, bool additive, const Monotone& monotone) {
             engine.configure(to_settings(theta, delta, max_boxes, adapt, std::move(priors), additive,
                                          monotone));
           },
           "theta"_a, "delta"_a, "max_boxes"_a, "adapt"_a, "priors"_a, "additive"_a,
           "monotone"_a = Monotone(),
           nb::call_guard<GilReleased>())
      .def("learn", &learn, "lower"_a, "upper"_a, "codes"_a, "labels"_a, "weights"_a = nb::none())
      .def("snapshot", &snapshot)
      .def("restore", &restore)
      .def("merge_alike", &EvidenceEngine::merge_alike, "most"_a, nb::call_guard<GilReleased>())
      .def("responsibilities",
           [](const EvidenceEngine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
              const In<Code, 2>& codes, std::size_t threads) {
             return rows_by_boxes(engine, &EvidenceEngine::responsibilities, lower, upper, codes, threads);
           },
           "lower"_a, "upper"_a, "codes"_a, "threads"_a = 1)
      .def("supports",
           [](const EvidenceEngine& engine, const In<double, 2>& lower, const In<double, 2>& upper,
              const In<Code, 2>& codes, std::size_t threads) {
             const auto rows = to_rows(engine, lower, upper, codes);
             std::vector<double> all;
             {
               GilReleased released;
               all = engine.supports(rows, threads);
             }
             return to_numpy(std::move(all), {rows.count});
           },
           "lower"_a, "upper"_a, "codes"_a, "threads"_a = 1)
      .def("terms", &terms, "lower"_a, "upper"_a, "codes"_a)
      .def("curves", &curves)
      .def_prop_ro("multipliers", &EvidenceEngine::multipliers, nb::call_guard<GilReleased>())
      .def_prop_ro("prior", &EvidenceEngine::prior, nb::call_guard<GilReleased>())
      .def_prop_ro("drift", &EvidenceEngine::drift, nb::call_guard<GilReleased>())
      .def_prop_ro("warning", &EvidenceEngine::warning, nb::call_guard<GilReleased>());
}

}  // namespace boxwise
