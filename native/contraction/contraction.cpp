#include "contraction/contraction.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace boxwise {

using std::size_t;

namespace {

constexpr double INF = std::numeric_limits<double>::infinity();

struct Interval {
  double &v, &w;
};

// Where a whole epsilon does not fit into the box that gives way, that box shrinks to a point and
// the gap is smaller; where rounding would swallow epsilon, the gap is that to the next number.
// So no box is ever turned inside out and the two never touch.
double beyond(double x, double epsilon, double end) {
  return std::min(std::max(x + epsilon, std::nextafter(x, INF)), end);
}

double short_of(double x, double epsilon, double end) {
  return std::max(std::min(x - epsilon, std::nextafter(x, -INF)), end);
}

// The left one begins and ends no later than the right one: cut at the middle of the overlap.
// The gap is taken from the right one; from the left one if the right one ends there.
void meet_halfway(Interval left, Interval right, double epsilon) {
  double middle = (left.w + right.v) / 2;
  if (middle == right.w) middle = right.v;  // neighbouring numbers: it was rounded up
  if (middle < right.w) {
    left.w = middle;
    right.v = beyond(middle, epsilon, right.w);
  } else {
    left.w = short_of(middle, epsilon, left.v);
  }
}

// The outer one reaches further on both sides: it keeps what is before the inner one, or beyond.
void cut_back(Interval outer, Interval inner, double epsilon, bool before) {
  if (before)
    outer.w = short_of(inner.v, epsilon, outer.v);
  else
    outer.v = beyond(inner.w, epsilon, outer.w);
}

void cut(Interval a, Interval b, double epsilon) {
  const double a_first = a.w - b.v, b_first = b.w - a.v;  // what each order would cost
  if (a.v <= b.v && a.w <= b.w)
    meet_halfway(a, b, epsilon);
  else if (b.v <= a.v && b.w <= a.w)
    meet_halfway(b, a, epsilon);
  else if (a.v < b.v)
    cut_back(a, b, epsilon, a_first < b_first);
  else
    cut_back(b, a, epsilon, b_first <= a_first);
}

}  // namespace

bool meet(const Bounds& a, const Bounds& b) {
  for (size_t j = 0; j < a.V.size(); ++j)
    if (!(a.V[j] <= b.W[j] && b.V[j] <= a.W[j])) return false;
  return true;
}

bool contract(Bounds& a, Bounds& b, const std::vector<double>& epsilon) {
  if (!meet(a, b)) return false;
  const size_t none = a.V.size();
  size_t smallest = none;
  double least = INF;
  for (size_t j = 0; j < a.V.size(); ++j) {
    if (a.V[j] == a.W[j] && b.V[j] == b.W[j]) continue;  // the same point: nothing to cut
    const double overlap = std::min(a.W[j] - b.V[j], b.W[j] - a.V[j]);
    const double share = epsilon[j] > 0 ? overlap / epsilon[j] : INF;
    if (smallest != none && share >= least) continue;
    smallest = j;
    least = share;
  }
  if (smallest == none) return false;
  cut({a.V[smallest], a.W[smallest]}, {b.V[smallest], b.W[smallest]}, epsilon[smallest]);
  return true;
}

}  // namespace boxwise
