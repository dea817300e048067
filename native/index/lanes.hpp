// Passes over 64 lanes at a time: the boxes of a leaf, the leaves of a page, the pages of a superpage
// (see forest.hpp). Columns follow each other, 64 entries each. As in kernels.hpp, all numbers are
// finite.
//
// Values of a categorical feature are kept as bitmasks (a bitmap index): a row for each value,
// modulo their number, with a bit for each lane that holds it. A value of a sample is one word to
// read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "store/quantized_bounds.hpp"

namespace boxwise::lanes {

using Word = std::uint64_t;
constexpr std::size_t COUNT = 64;

// All lanes below m.
constexpr Word first(std::size_t m) { return m < COUNT ? (Word{1} << m) - 1 : ~Word{0}; }

// A feature of a sample, and how long a box may be in it.
struct Growth {
  std::size_t j;
  double xl, xu, limit;
};
// Each of these returns which of the lanes in `alive` pass.
// max(W, xu) - min(V, xl) <= limit in all features
Word can_grow(const double* V, const double* W, const Growth* x, std::size_t count, Word alive);

struct Interval {
  std::size_t j;
  double low, high;
};
// V <= high and low <= W in all features
Word meet(const double* V, const double* W, const Interval* x, std::size_t count, Word alive);

// A categorical feature and the value that is looked for in it.
struct Value {
  std::size_t j;
  std::int32_t code;
  std::size_t row;
};
// All values are held.
Word hold(const Word* value_masks, const Value* x, std::size_t count, Word alive);
// At most `allowed` of the values are not held.
Word hold(const Word* value_masks, const Value* x, std::size_t count, const Word* allowed,
          Word alive);

// column = value, or exempt by a word: of boxes that accept no other values than their own
Word own(const Word* column, Word value, const Word* allowed, Word mixed, Word alive);
// The same of summaries: column & bits is not zero, or exempt.
Word own(const Word* column, Word bits, const Word* allowed, const Word* mixed, Word alive);

Word equal(const Word* column, Word value, Word alive);
Word intersect(const Word* column, Word bits, Word alive);
// some contains `bits`, and `bits` contains all
Word between(const Word* all, const Word* some, Word bits, Word alive);

// A feature of a sample whose membership is bounded.
struct Side {
  std::size_t j;
  double xl, xu, slope;
};
// All of the sample, and the weights of distance and of a value.
struct Sample {
  const Side* sides;
  std::size_t n_sides;
  const Value* values;
  std::size_t n_values;
  double alpha, unit;
};
// bound = alpha * (1 - min(distance, 1)) + unit * (values held), at least in the lanes in `alive`;
// V > W counts as near.
void bounds(const double* V, const double* W, const Word* value_masks, const Sample& x, Word alive,
            double* bound);
// The same with shares of values, in 255ths, instead of the values held.
void bounds(const double* V, const double* W, const std::uint8_t* shares, const Sample& x, Word alive,
            double* bound);
// Which of them reach a threshold, looking at no more features than it takes.
Word reach(const double* V, const double* W, const Word* value_masks, const Sample& x,
           double threshold, Word alive);
// The same, for boxes with quantised bounds: those that may reach it, by these.
struct QuantizedLeaf {
  const std::uint8_t* quantized;
  std::size_t features;
  const QuantizedQuery& query;
};
Word reach(const QuantizedLeaf& boxes, const Word* value_masks, const Sample& x, double threshold,
           Word alive);
// bound >= threshold
Word reach(const double* bound, double threshold, Word alive);

}  // namespace boxwise::lanes
