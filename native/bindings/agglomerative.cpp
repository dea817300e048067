// Binds AgglomerativeEngine.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agglomerative/agglomerate.hpp"
#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace boxwise {

namespace {

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
          similarity == "short"  ? Similarity::SHORT
          : similarity == "long" ? Similarity::LONG
                                 : Similarity::MID,
          min_similarity};
}

}  // namespace

void bind_agglomerative(nb::module_& m) {
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
             check_labels(rows, labels);
             GilReleased released;
             engine.learn(rows, labels.data(), std::max<std::size_t>(threads, 1));
           },
           "lower"_a, "upper"_a, "codes"_a, "labels"_a, "threads"_a = 1)
      .def("join", &AgglomerativeEngine::join, "other"_a,
           nb::call_guard<GilReleased>());
}

}  // namespace boxwise
