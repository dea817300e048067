// The curve of one column: what the layer adds to the logits at the values of the column, and how many
// learned rows lie there.
#pragma once

#include <cstddef>
#include <vector>

#include "evidence/scales.hpp"
#include "layer.hpp"

namespace boxwise::additive {

// The points of a numeric column are its `values`, then the missing value; those of a categorical
// column the values that have an input each, then all others together, if there are any.
struct Curve {
  std::vector<double> values;  // in the units of the input, rising; the curve is straight between them
  std::vector<double> rows;    // by point; a row between two values counts for one nearby
  // Points x classes: what is added to the logits, and what the filters of fastest drift would add.
  std::vector<double> mixed, lately;
};

Curve numeric_curve(const Layer& layer, const evidence::Scales& scales, std::size_t column,
                    std::size_t n_classes);
Curve categorical_curve(const Layer& layer, std::size_t column, double values_known,
                        std::size_t n_classes);

}  // namespace boxwise::additive
