// The scales of the numeric columns: from the units of the input to positions from 0 to 1, by the
// range of a column or by the ranks of its values. Both follow the rows that are learned.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/learning_engine.hpp"
#include "query.hpp"

namespace boxwise::evidence {

class Scales {
 public:
  explicit Scales(std::vector<Range> ranges) : ranges_(std::move(ranges)) {}

  bool is_ready(std::size_t j) const;  // there are two values
  double position(std::size_t j, double value) const;
  // The distance to the middle, from -2 to 2: by ranks that to the median, about 1 at the 95th
  // percentile; by range 2 at its end.
  double standardised(std::size_t j, double value) const;
  void positions(std::size_t j, const double* values, std::size_t m, double* out) const;
  // Takes note of a value to learn; returns whether positions in the column have changed.
  bool meet(std::size_t j, double low, double high);
  // Columns that boxes do not see from now on; none if it is empty.
  void set_apart(std::vector<bool> apart) { apart_ = std::move(apart); }
  // A row as the boxes see it, and the numbers that only curves see.
  void read(const double* lower, const double* upper, const Code* codes, std::size_t n_categorical,
            Query& x) const;

  std::size_t size() const { return ranges_.size(); }
  const std::vector<Range>& ranges() const { return ranges_; }

 private:
  std::vector<Range> ranges_;
  std::vector<bool> apart_;  // by column, or empty
};

}  // namespace boxwise::evidence
