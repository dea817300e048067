// The weights of a logistic model, learned row by row by an extended Kalman filter: each row is an
// observation of the label with the curvature p (1 - p), and the weights drift as a random walk. S.
// Haykin (ed.), "Kalman Filtering and Neural Networks", 2001. With a block for each column it is the
// decoupled filter of G. V. Puskorius and L. A. Feldkamp (1994): weights of different columns are
// taken as uncorrelated.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/aligned.hpp"
#include "inputs.hpp"

namespace boxwise::additive {

// An input of a row: its number, where its weight is, its value.
struct RowInput {
  std::size_t index;
  Layout::Place place;
  double x;
};
using Row = std::vector<RowInput>;

class Filter {
 public:
  // `drift`: the variance that each row adds, as a share of the first variance, up to which it may
  // grow again.
  explicit Filter(double drift) : drift_(drift) {}

  // Takes in the inputs that have been met since.
  void grow(const Layout& layout);
  // The same weights where the layout has other blocks now; covariances across blocks are given up.
  void decouple(const Layout& before, const Layout& after);
  double logit(const Row& row) const;
  // Learns a row, of which the logit has the derivative `error` and the curvature given.
  void update(const Row& row, double error, double curvature);
  // Makes the curve of a numeric column monotone: rising with a direction of 1, falling with -1.
  void project(const Layout& layout, std::size_t column, double direction);
  // The filter of the other of two classes: all weights negated but that of the boxes.
  Filter mirrored(const Layout& layout) const;

  double weight(Layout::Place place) const { return blocks_[place.block].weights[place.position]; }
  // The lower triangles of the covariances, block after block.
  void save(const Layout& layout, std::vector<double>& weights, std::vector<double>& covariances) const;
  // Throws std::invalid_argument unless the covariances are possible.
  void restore(const Layout& layout, const double*& weights, const double*& covariances);
  std::size_t bytes() const;

 private:
  struct CovarianceBlock {
    std::size_t size = 0, stride = 0;
    Aligned<double> weights, first, covariance;  // first: the variances at the start
    const double* row(std::size_t i) const { return covariance.data() + i * stride; }
    double* row(std::size_t i) { return covariance.data() + i * stride; }
    void reserve(std::size_t size);
    void check() const;
  };
  double drift_;
  std::size_t known_ = 0;  // inputs that it has weights for
  std::vector<CovarianceBlock> blocks_;
};

}  // namespace boxwise::additive
