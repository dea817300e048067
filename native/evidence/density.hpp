// The likelihood of a row in the boxes of a class: value and gradient. A box of n rows, from V to W
// on scales from 0 to 1, has the density
//
//   e(x) = product over numeric columns of      exp(-d / h) / (W - V + 2 h)
//        * product over categorical columns of  (count + a p) / (n + a)
//
// where d is how far x lies outside the interval, h the bandwidth and a the backoff, each times the
// multiplier of the column, and p the share of the value in the class. Columns without a value in
// the row are left out. A box counts with its rows, less with age: n / (1 + age / decay)^2, where
// the age is the share of all rows that came between its last and the last of its class. Besides its boxes a class has a
// background component as wide as the scales, with a share of its rows.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/aligned.hpp"
#include "box_group.hpp"
#include "class_stats.hpp"
#include "query.hpp"
#include "relevance.hpp"

namespace boxwise::evidence {

struct DensitySettings {
  double bandwidth = 0.3, backoff = 8, background = 0.1;
};

// Terms that depend on the class and the row but not on the box.
struct Terms {
  std::vector<double> bandwidth;       // by number of the query
  std::vector<double> missing;         // bandwidths of the other numeric columns
  std::vector<double> backoff, share;  // by categorical column
  double background;                   // the weighted log-density of the background component
  double decay, clock;
  double newest;  // the clock at the last row that a box of the class took
};

struct GroupLikelihood {
  Terms terms;
  // By box, padded to whole lanes: weight * e(x) = mantissa * exp(log), the mantissa from 1 up to 2.
  Aligned<double> mantissas, logs;
  Aligned<double> parts;  // by box: its share in the likelihood of the class
  double background = 0;  // the share of the background component
  double squares = 0;     // the sum of the squared shares of the boxes, each by its rows
  double log_sum = 0;     // the logarithm of the likelihood of the class
};

void bind(const Query& x, const ClassStats& stats, const Relevance& relevance,
          const std::vector<double>& values_known, const DensitySettings& settings, double clock,
          Terms& terms);
// Computes what the densities of some boxes have in common for all rows; called after their sides or rows
// have changed, boxes have gone, or the relevance has changed. All boxes are done where a column has
// got its first value, or lost its last.
void normalise(const Relevance& relevance, const DensitySettings& settings, std::size_t begin,
               std::size_t end, BoxGroup& group);
// Fills in all but the terms, which are bound already.
void evaluate(const Query& x, const BoxGroup& group, double background_rows, GroupLikelihood& out);
// Adds `factor` times the gradient of log_sum by the logarithms of the parameters.
void add_gradient(const Query& x, const BoxGroup& group, const GroupLikelihood& at, double factor,
                  std::vector<double>& gradient);
// How near a row is to a box: 1 inside, with the most frequent values of the box; less the farther
// outside and the rarer its values.
double closeness(const Query& x, const BoxGroup& group, std::size_t slot, const Terms& terms);
// The terms of log e(x) by column: numeric ones first, then categorical ones; 0 where x has no value.
void log_terms(const Query& x, const BoxGroup& group, std::size_t slot, const Terms& terms, double* out);
void background_terms(const Query& x, const Terms& terms, std::size_t n_numeric, double* out);
// The share of all rows between the last of a box and the last of its class.
double age(double last, const Terms& terms);
double faded_weight(double n, double last, const Terms& terms);

}  // namespace boxwise::evidence
