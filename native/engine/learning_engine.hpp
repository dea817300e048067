// The interface of all engines: rows in, classes out. The common bindings, the reader of dict rows and
// trials know no more of an engine than this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "store/count_column.hpp"
#include "store/quantile_scale.hpp"
#include "store/matrix.hpp"

namespace boxwise {

// Range of a numeric feature; low > high while no value has been seen. With a scale, the feature is
// measured by rank; all features of a model are, or none.
struct Range {
  double low;
  double high;
  bool growing;
  std::optional<QuantileScale> scale = {};
  bool operator==(const Range& other) const = default;
};

// Rows as the caller holds them. NaN is a missing number, a negative code a value never learned.
struct Rows {
  std::size_t count;
  const double* lower;
  const double* upper;
  const Code* codes;
  const double* weights = nullptr;  // the weight of each row, for engines that take any; null: 1
};

// Where the answers to some rows go: the class of each (-1: none), and if `shares` is not null the
// probabilities of the first n_classes classes, row by row. All are zeros at first.
struct Answers {
  std::int32_t* labels;
  double* shares = nullptr;
  std::size_t n_classes = 0;

  double* shares_of(std::size_t row) const { return shares + row * n_classes; }
};

class LearningEngine {
 public:
  virtual ~LearningEngine() = default;
  // An engine with the same settings and ranges that has learned nothing; call it before learning.
  virtual std::unique_ptr<LearningEngine> fresh() const = 0;

  virtual void learn(const Rows& rows, const std::int32_t* labels) = 0;
  // Whether rows may be learned in several calls; if not, `learn` itself must be stopped on the
  // way.
  virtual bool needs_all_rows() const { return false; }
  // Called every now and then by a `learn` that needs all rows; what it throws ends the learning.
  virtual void set_pulse(std::function<void()>) {}
  virtual void remove(std::uint64_t id) = 0;

  // Predict each row, then learn it; no class (-1) where there was none yet, and no probability of
  // classes to come. Not for engines that need all rows.
  virtual void test_then_train(const Rows& rows, const std::int32_t* labels, Answers answers) = 0;

  // These three share the rows out among so many threads; what comes out does not depend on them.
  virtual void predict(const Rows& rows, std::int32_t* labels, std::size_t threads = 1) const = 0;
  // For the first n_classes classes, however many there are by now.
  virtual std::vector<double> probabilities(const Rows& rows, std::size_t n_classes,
                                            std::size_t threads = 1) const = 0;
  // A row for each row, a column for each box.
  virtual Matrix memberships(const Rows& rows, std::size_t threads = 1) const = 0;

  virtual std::size_t n_numeric() const = 0;
  virtual std::size_t n_categorical() const = 0;
  virtual std::size_t n_classes() const = 0;
  virtual std::size_t n_boxes() const = 0;
  virtual std::size_t bytes() const = 0;
};

}  // namespace boxwise
