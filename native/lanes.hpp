// Passes over 64 lanes at a time: the boxes of a leaf, the leaves of a page, the pages of a block (see
// forest.hpp). Columns follow each other, 64 entries each. As in kernels.hpp, all numbers are finite.
#pragma once

#include <cstddef>
#include <cstdint>

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

// A categorical feature and the bits of the values that are looked for in it.
struct Values {
  std::size_t j;
  Word bits;
  std::int32_t code;
};
// masks & bits is zero in at most `allowed` features
Word hold(const Word* masks, const Values* x, std::size_t count, const Word* allowed, Word alive);

// column = value, or exempt by a word: of boxes that accept no other values than their own
Word own(const Word* column, Word value, const Word* allowed, Word mixed, Word alive);
// The same of summaries: column & bits is not zero, or exempt.
Word own(const Word* column, Word bits, const Word* allowed, const Word* mixed, Word alive);

Word equal(const Word* column, Word value, Word alive);
Word intersect(const Word* column, Word bits, Word alive);
// some contains `bits`, and `bits` contains all
Word between(const Word* all, const Word* some, Word bits, Word alive);

// A feature of a sample to be judged.
struct Side {
  std::size_t j;
  double xl, xu, slope;
};
// bound = alpha * (1 - min(distance, 1)) + unit * (features in which masks & bits is not zero), in
// all lanes up to the last in `alive`; V > W counts as near.
void bounds(const double* V, const double* W, const Side* sides, std::size_t count,
            const Word* masks, const Values* values, std::size_t n_values, double alpha, double unit,
            Word alive, double* bound);
// Which of them reach a bar, looking at no more features than it takes.
Word reach(const double* V, const double* W, const Side* sides, std::size_t count,
           const Word* masks, const Values* values, std::size_t n_values, double alpha, double unit,
           double bar, Word alive);
// bound >= bar
Word reach(const double* bound, double bar, Word alive);

}  // namespace boxwise::lanes
