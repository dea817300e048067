#include "lanes.hpp"

#include <bit>

#include "clones.hpp"
#include "kernels.hpp"
#include "packed.hpp"

namespace boxwise::lanes {

using std::size_t;

namespace {
// Lanes to look at, in whole eights.
inline size_t end_of(Word alive) {
  return (COUNT - static_cast<size_t>(std::countl_zero(alive)) + 7) / 8 * 8;
}
}  // namespace

// Once no more than this many lanes are left, they are looked at singly.
constexpr int FEW = 6;

// Lane by lane: bits for which `passes` holds.
template <class Passes>
[[gnu::always_inline]] static inline Word singly(Word alive, Passes passes) {
  for (Word left = alive; left != 0; left &= left - 1)
    if (!passes(static_cast<size_t>(std::countr_zero(left)))) alive &= ~(left & (~left + 1));
  return alive;
}

// passes(V, W, x, lane) in all features of x; columns of V and W follow each other.
template <class Feature, class Passes>
[[gnu::always_inline]] static inline Word in_all(const double* V, const double* W,
                                                 const Feature* x, size_t count, Word alive,
                                                 Passes passes) {
  if (alive == 0) return 0;
  const size_t end = end_of(alive);
  alignas(64) Word ok[COUNT];
  size_t f = 0;
  for (; f < count && std::popcount(alive) > FEW; ++f) {
    const Feature side = x[f];
    const double *RESTRICT v = V + side.j * COUNT, *RESTRICT w = W + side.j * COUNT;
    for (size_t i = 0; i < end; ++i) ok[i] = passes(v[i], w[i], side, i) ? ~Word{0} : 0;
    alive &= packed(ok, end);
  }
  return singly(alive, [&](size_t i) {
    for (size_t k = f; k < count; ++k)
      if (!passes(V[x[k].j * COUNT + i], W[x[k].j * COUNT + i], x[k], i)) return false;
    return true;
  });
}

CLONES Word can_grow(const double* V, const double* W, const Growth* x, size_t count, Word alive) {
  return in_all(V, W, x, count, alive, [](double v, double w, const Growth& side, size_t) {
    return (w > side.xu ? w : side.xu) - (v < side.xl ? v : side.xl) <= side.limit;
  });
}

CLONES Word meet(const double* V, const double* W, const Interval* x, size_t count, Word alive) {
  return in_all(V, W, x, count, alive, [](double v, double w, const Interval& side, size_t) {
    return static_cast<bool>((v <= side.high) & (side.low <= w));
  });
}

CLONES Word hold(const Word* masks, const Values* x, size_t count, const Word* RESTRICT allowed,
                 Word alive) {
  if (alive == 0) return 0;
  const size_t end = end_of(alive);
  alignas(64) Word left[COUNT], ok[COUNT];  // left: may still be missing; below 0: too many were
  for (size_t i = 0; i < end; ++i) left[i] = allowed[i];
  size_t f = 0;
  for (; f < count && std::popcount(alive) > FEW; ++f) {
    const Word* RESTRICT mask = masks + x[f].j * COUNT;
    const Word bit = x[f].bits;
    for (size_t i = 0; i < end; ++i) {
      left[i] -= (mask[i] & bit) == 0;
      ok[i] = static_cast<std::int64_t>(left[i]) >= 0 ? ~Word{0} : 0;
    }
    alive &= packed(ok, end);
  }
  return singly(alive, [&](size_t i) {
    auto lack = static_cast<std::int64_t>(left[i]);
    for (size_t k = f; k < count && lack >= 0; ++k) lack -= (masks[x[k].j * COUNT + i] & x[k].bits) == 0;
    return lack >= 0;
  });
}

CLONES Word own(const Word* RESTRICT column, Word value, const Word* RESTRICT allowed, Word mixed,
                Word alive) {
  alignas(64) Word ok[COUNT];
  if (alive == 0) return 0;
  const size_t end = end_of(alive);
  for (size_t i = 0; i < end; ++i) {
    const Word exempt = allowed[i] | (column[i] & mixed);
    ok[i] = (exempt != 0) | (column[i] == value) ? ~Word{0} : 0;
  }
  return alive & packed(ok, end);
}

CLONES Word own(const Word* RESTRICT column, Word bits, const Word* RESTRICT allowed,
                const Word* RESTRICT mixed, Word alive) {
  alignas(64) Word ok[COUNT];
  if (alive == 0) return 0;
  const size_t end = end_of(alive);
  for (size_t i = 0; i < end; ++i)
    ok[i] = (allowed[i] | mixed[i] | (column[i] & bits)) != 0 ? ~Word{0} : 0;
  return alive & packed(ok, end);
}

CLONES Word equal(const Word* RESTRICT column, Word value, Word alive) {
  alignas(64) Word ok[COUNT];
  if (alive == 0) return 0;
  const size_t end = end_of(alive);
  for (size_t i = 0; i < end; ++i) ok[i] = column[i] == value ? ~Word{0} : 0;
  return alive & packed(ok, end);
}

CLONES Word intersect(const Word* RESTRICT column, Word bits, Word alive) {
  alignas(64) Word ok[COUNT];
  if (alive == 0) return 0;
  const size_t end = end_of(alive);
  for (size_t i = 0; i < end; ++i) ok[i] = (column[i] & bits) != 0 ? ~Word{0} : 0;
  return alive & packed(ok, end);
}

CLONES Word between(const Word* RESTRICT all, const Word* RESTRICT some, Word bits, Word alive) {
  alignas(64) Word ok[COUNT];
  if (alive == 0) return 0;
  const size_t end = end_of(alive);
  for (size_t i = 0; i < end; ++i)
    ok[i] = ((bits & ~some[i]) | (all[i] & ~bits)) == 0 ? ~Word{0} : 0;
  return alive & packed(ok, end);
}

// How far x sticks out of a box; not at all in a feature that the box has never seen.
[[gnu::always_inline]] static inline double out(double v, double w, const Side& side) {
  const double above = side.xu - w, below = v - side.xl;
  const double far = (above > below ? above : below) * side.slope;
  return v > w ? 0.0 : far;
}

CLONES void bounds(const double* V, const double* W, const Side* sides, size_t count,
                   const Word* masks, const Values* values, size_t n_values, double alpha,
                   double unit, Word alive, double* RESTRICT bound) {
  if (alive == 0) return;
  const size_t end = end_of(alive);
  alignas(64) double dist[COUNT], held[COUNT];
  for (size_t i = 0; i < end; ++i) dist[i] = held[i] = 0;
  for (size_t f = 0; f < count; ++f) {
    const Side side = sides[f];
    const double *RESTRICT v = V + side.j * COUNT, *RESTRICT w = W + side.j * COUNT;
    for (size_t i = 0; i < end; ++i) {
      const double far = out(v[i], w[i], side);
      dist[i] = dist[i] > far ? dist[i] : far;
    }
  }
  for (size_t f = 0; f < n_values; ++f) {
    const Word* RESTRICT mask = masks + values[f].j * COUNT;
    const Word bit = values[f].bits;
    for (size_t i = 0; i < end; ++i) held[i] += (mask[i] & bit) != 0 ? 1.0 : 0.0;
  }
  for (size_t i = 0; i < end; ++i)
    bound[i] = alpha * (1.0 - (dist[i] < 1.0 ? dist[i] : 1.0)) + unit * held[i];
}

CLONES Word reach(const double* V, const double* W, const Side* sides, size_t count,
                  const Word* masks, const Values* values, size_t n_values, double alpha,
                  double unit, double bar, Word alive) {
  if (alive == 0) return 0;
  const size_t end = end_of(alive);
  alignas(64) double room[COUNT];  // how far away a box may be; beyond 1 the distance does not count
  alignas(64) Word ok[COUNT], held[COUNT];
  for (size_t i = 0; i < end; ++i) held[i] = 0;
  for (size_t f = 0; f < n_values; ++f) {
    const Word* RESTRICT mask = masks + values[f].j * COUNT;
    const Word bit = values[f].bits;
    for (size_t i = 0; i < end; ++i) held[i] += (mask[i] & bit) != 0;
  }
  const double scale = alpha > 1 / UNSET ? 1 / alpha : UNSET;
  for (size_t i = 0; i < end; ++i) {
    const double over = (alpha + unit * static_cast<double>(held[i]) - bar) * scale;
    room[i] = over < 1.0 ? over : UNSET;
    ok[i] = over >= 0 ? ~Word{0} : 0;
  }
  alive &= packed(ok, end);
  return in_all(V, W, sides, count, alive, [&](double v, double w, const Side& side, size_t i) {
    return out(v, w, side) <= room[i];
  });
}

CLONES Word reach(const double* RESTRICT bound, double bar, Word alive) {
  alignas(64) Word ok[COUNT];
  if (alive == 0) return 0;
  const size_t end = end_of(alive);
  for (size_t i = 0; i < end; ++i) ok[i] = bound[i] >= bar ? ~Word{0} : 0;
  return alive & packed(ok, end);
}

}  // namespace boxwise::lanes
