// The boxes of one class, as arrays with an entry per box (structure of arrays): an interval per
// numeric column, a count per value of a categorical column, weight and age. Boxes are kept in no
// order; removing one moves the last into its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/aligned.hpp"
#include "query.hpp"

namespace boxwise::evidence {

constexpr std::size_t SUM_LANES = 8;  // in which sums over boxes are added up

inline std::size_t padded(std::size_t boxes) {
  return (boxes + SUM_LANES - 1) / SUM_LANES * SUM_LANES;
}

struct BoxGroup {
  struct Numeric {
    Aligned<double> V, W;                  // the interval, on the scale of the column
    Aligned<double> seen;                  // 1, or 0 while there is no value
    std::vector<double> raw_low, raw_high;  // and in the units of the input; NaN: no value yet
    std::size_t boxes = 0;  // that have a value
    bool in_norm = false;   // the sides count in `norm`, as they do once a box has a value
  };
  struct Categorical {
    std::vector<Aligned<double>> counts;  // by value; empty: in no box
    std::vector<double> plogp;            // by box: sum of m log2(m) over its counts m
    std::vector<double> mode;             // by box: the largest count
  };
  std::vector<Numeric> numeric;
  std::vector<Categorical> categorical;
  Aligned<double> n;     // weight: the rows taken
  Aligned<double> log_n;
  Aligned<double> per_n;  // 1 / n, padded to whole lanes; 0 beyond the last box
  // norm * exp(log_norm): the product of all sides and row counts that a density is divided by, each with
  // the bandwidth or backoff of its column (see density.hpp, normalise).
  Aligned<double> norm, log_norm;
  Aligned<double> last;  // the clock when it took the last of them
  double newest = 0;     // the largest of these
  std::vector<std::uint64_t> id;

  BoxGroup(std::size_t n_numeric, std::size_t n_categorical)
      : numeric(n_numeric), categorical(n_categorical) {}

  std::size_t size() const { return id.size(); }
  // The counts of a value, one per box; null where no box has it.
  const double* counts(std::size_t j, std::int32_t value) const;
  double count(std::size_t j, std::int32_t value, std::size_t slot) const;

  void create(const Query& x, double weight, double clock, std::uint64_t new_id);
  void take(std::size_t slot, const Query& x, double weight, double clock);
  void remove(std::size_t slot);
  // Append box `slot` of another group.
  void append(const BoxGroup& other, std::size_t slot);
  // Box `slot` takes the counts of a box of another group, and grows to these intervals.
  void unite(std::size_t slot, const Query& grown, const BoxGroup& other, std::size_t from);
  // A box as a row: its intervals, and its most frequent values.
  void read(std::size_t slot, Query& x) const;
  void add_count(std::size_t j, std::int32_t value, std::size_t slot, double weight);
  void set_rows(std::size_t slot, double rows);
  void set_last(std::size_t slot, double clock);
  void stretch(std::size_t slot, const Query& x);
  void add_counts(std::size_t slot, const BoxGroup& other, std::size_t from);
  void extend();  // by a box without rows
  std::size_t bytes() const;
};

double plogp(double m);  // m log2(m)

}  // namespace boxwise::evidence
