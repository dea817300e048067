// Binds the engines that cut overlapping boxes apart: ContractionEngine and BoundEngine.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "bindings/snapshots.hpp"
#include "contraction/bound_engine.hpp"
#include "contraction/contraction_engine.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace boxwise {

namespace {

nb::dict bound_snapshot(const BoundEngine& engine) {
  BoundSnapshot all;
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

void restore_bounds(BoundEngine& engine, const nb::kwargs& state) {
  BoundSnapshot all;
  StateReader reader(state);
  reader.read(all);
  reader.read<Code, 2>("bounds", all.bounds).read<std::uint64_t, 1>("n_values", all.n_values);
  reader.read<std::uint64_t, 1>("seen_first", all.seen_first);
  reader.read<Code, 1>("seen_class", all.seen_class);
  reader.read<std::uint32_t, 1>("seen_times", all.seen_times);
  reader.finish();
  GilReleased released;
  engine.restore(all);
}

}  // namespace

void bind_contraction(nb::module_& m) {
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
      .def("restore", &restore_bounds)
      .def_prop_ro("bytes", &BoundEngine::bytes, nb::call_guard<GilReleased>());
}

}  // namespace boxwise
