// A row as the boxes see it: positions on the scales of the columns, codes of the values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace boxwise::evidence {

// The most values of a categorical column that are told apart; all that come later share one code.
constexpr std::int32_t MOST_VALUES = 255;

struct Query {
  struct Number {  // a numeric column in which the row has a value
    std::size_t j;
    double low, high;          // positions on the scale of the column, from 0 to 1
    double raw_low, raw_high;  // in the units of the input
  };
  std::vector<Number> numbers;
  std::vector<std::int32_t> values;  // by categorical column; below 0: never learned
  std::vector<Number> apart;         // those that boxes do not see: of columns with a monotone curve
};

}  // namespace boxwise::evidence
