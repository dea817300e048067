// Binds EntropyEngine: EIOL-GFMM and merging.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "eiol/entropy_engine.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace boxwise {

namespace {

void set_index(EntropyEngine& engine, const std::string& mode, std::size_t leaf) {
  if (mode != "auto" && mode != "on" && mode != "small" && mode != "off")
    throw std::invalid_argument("the index is auto, on, small or off");
  GilReleased released;
  engine.set_index(mode == "auto"    ? IndexMode::AUTO
                   : mode == "on"    ? IndexMode::ON
                   : mode == "small" ? IndexMode::SMALL
                                     : IndexMode::OFF,
                   leaf);
}

}  // namespace

void bind_eiol(nb::module_& m) {
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
      .def("set_index", &set_index, "mode"_a, "leaf"_a = lanes::COUNT)
      .def_prop_ro("rejections", &EntropyEngine::rejections,
                   nb::call_guard<GilReleased>());
}

}  // namespace boxwise
