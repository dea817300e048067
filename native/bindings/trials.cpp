// Binds the trials of `tune`: many settings, learned and tested on folds of the same rows.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "tuning/trials.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace boxwise {

namespace {

// The arrays of a fold, kept alive.
struct FoldArrays {
  In<double, 2> lower, upper;
  In<Code, 2> codes;
  In<std::int32_t, 1> labels;
  In<double, 2> test_lower, test_upper;
  In<Code, 2> test_codes;

  Fold rows_for(const LearningEngine& engine) const {
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
  std::map<const FoldArrays*, Fold> rows;
  for (std::size_t i = 0; i < count; ++i) rows[folds[i]] = folds[i]->rows_for(*prototypes[i]);
  std::vector<std::vector<std::int32_t>> predicted(count);
  std::vector<std::vector<double>> shares(count);
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < count; ++i) {
    const Fold& fold = rows[folds[i]];
    predicted[i].resize(fold.test.count);
    trials.push_back({prototypes[i], &fold, predicted[i].data(),
                      probabilities ? &shares[i] : nullptr});
  }
  {
    GilReleased released;
    run(trials, threads, [&](std::size_t done) {
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

void bind_trials(nb::module_& m) {
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

}  // namespace boxwise
