#include "kernels/kernels.hpp"

#include <bit>
#include <cstring>
#include <limits>

#include "kernels/clones.hpp"
#include "kernels/membership.hpp"
#include "kernels/packed.hpp"

namespace boxwise::kernels {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

// How many of the entries, each 0 or 1, are 1. Part of its callers, to be compiled as they are.
[[gnu::always_inline]] static inline size_t count(const std::uint8_t* inside, size_t m) {
  size_t entries = 0, i = 0;
  for (; i + 8 <= m; i += 8) {
    uint64_t eight;
    std::memcpy(&eight, inside + i, 8);
    entries += static_cast<size_t>(std::popcount(eight));
  }
  for (; i < m; ++i) entries += inside[i];
  return entries;
}

template <class Sum>
[[gnu::always_inline]] static inline void add_rows(const uint32_t* const rows[4], bool small,
                                                   Sum* RESTRICT sum, size_t m) {
  const uint32_t *RESTRICT a = rows[0], *RESTRICT b = rows[1];
  const uint32_t *RESTRICT c = rows[2], *RESTRICT d = rows[3];
  if (small) {
    for (size_t i = 0; i < m; ++i)
      sum[i] += static_cast<Sum>(static_cast<std::int32_t>(a[i] + b[i] + c[i] + d[i]));
    return;
  }
  for (size_t i = 0; i < m; ++i) {
    const Sum ab = static_cast<Sum>(a[i]) + static_cast<Sum>(b[i]);
    const Sum cd = static_cast<Sum>(c[i]) + static_cast<Sum>(d[i]);
    sum[i] += ab + cd;
  }
}

CLONES void add(const uint32_t* const rows[4], bool small, double* sum, size_t m) {
  add_rows(rows, small, sum, m);
}
CLONES void add(const uint32_t* const rows[4], bool small, float* sum, size_t m) {
  add_rows(rows, small, sum, m);
}

CLONES void least(const uint32_t* const rows[4], uint32_t* RESTRICT low, size_t m) {
  const uint32_t *RESTRICT a = rows[0], *RESTRICT b = rows[1];
  const uint32_t *RESTRICT c = rows[2], *RESTRICT d = rows[3];
  for (size_t i = 0; i < m; ++i) {
    const uint32_t ab = a[i] < b[i] ? a[i] : b[i];
    const uint32_t cd = c[i] < d[i] ? c[i] : d[i];
    const uint32_t abcd = ab < cd ? ab : cd;
    low[i] = abcd < low[i] ? abcd : low[i];
  }
}

CLONES void known(const uint32_t* const rows[4], double* RESTRICT sum, size_t m) {
  const uint32_t *RESTRICT a = rows[0], *RESTRICT b = rows[1];
  const uint32_t *RESTRICT c = rows[2], *RESTRICT d = rows[3];
  for (size_t i = 0; i < m; ++i) {
    const int held = (a[i] != 0) + (b[i] != 0) + (c[i] != 0) + (d[i] != 0);
    sum[i] += static_cast<double>(held);
  }
}

CLONES void match(const std::uint8_t* RESTRICT code, const std::uint8_t* RESTRICT count,
                  std::uint8_t wanted, uint32_t* RESTRICT out, size_t m) {
  for (size_t i = 0; i < m; ++i)
    out[i] = static_cast<uint32_t>(count[i] & -static_cast<int>(code[i] == wanted));
}

CLONES void match(const uint32_t* RESTRICT code, const uint32_t* RESTRICT count, uint32_t wanted,
                  uint32_t* RESTRICT out, size_t m) {
  for (size_t i = 0; i < m; ++i) out[i] = count[i] & (0 - static_cast<uint32_t>(code[i] == wanted));
}

CLONES void widen(const std::uint8_t* RESTRICT counts, uint32_t* RESTRICT out, size_t m) {
  for (size_t i = 0; i < m; ++i) out[i] = counts[i];
}

CLONES size_t require(const uint32_t* RESTRICT have, const uint32_t* RESTRICT need,
                      double* RESTRICT over, size_t m) {
  size_t passing = 0;
  for (size_t i = 0; i < m; ++i) {
    over[i] = have[i] >= need[i] ? -1.0 : 1.0;
    passing += have[i] >= need[i];
  }
  return passing;
}

CLONES size_t require(const double* RESTRICT have, const uint32_t* RESTRICT need,
                      double* RESTRICT over, size_t m) {
  size_t passing = 0;
  for (size_t i = 0; i < m; ++i) {
    const bool passes = have[i] >= static_cast<double>(need[i]);
    over[i] = passes ? -1.0 : 1.0;
    passing += passes;
  }
  return passing;
}

CLONES size_t refuse(const uint32_t* RESTRICT have, const uint32_t* RESTRICT need,
                     std::uint8_t* RESTRICT out, size_t m) {
  uint32_t refused = 0;
  for (size_t i = 0; i < m; ++i) {
    out[i] = have[i] < need[i];
    refused += have[i] < need[i];
  }
  return m - refused;
}

CLONES size_t refuse(const double* RESTRICT have, const uint32_t* RESTRICT need,
                     std::uint8_t* RESTRICT out, size_t m) {
  uint32_t refused = 0;
  for (size_t i = 0; i < m; ++i) {
    const bool fails = have[i] < static_cast<double>(need[i]);
    out[i] = fails;
    refused += fails;
  }
  return m - refused;
}

CLONES void differ(const uint32_t* RESTRICT row, const uint32_t* RESTRICT n,
                   std::uint8_t* RESTRICT differ, size_t m) {
  for (size_t i = 0; i < m; ++i) differ[i] |= row[i] != n[i];
}

CLONES size_t agree(const std::uint8_t* RESTRICT differ, double* RESTRICT over, size_t m) {
  size_t passing = 0;
  for (size_t i = 0; i < m; ++i) {
    over[i] = differ[i] == 0 ? -1.0 : 1.0;
    passing += differ[i] == 0;
  }
  return passing;
}

// By how much a box that grew to x would be too long.
[[gnu::always_inline]] static inline double excess(double v, double w, const Span& span) {
  const double hi = w > span.xu ? w : span.xu, lo = v < span.xl ? v : span.xl;
  return (hi - lo) - span.limit;
}

CLONES size_t size(const Span& a, const Span& b, bool fresh, double* RESTRICT over, size_t m) {
  const double *RESTRICT Va = a.V, *RESTRICT Wa = a.W, *RESTRICT Vb = b.V, *RESTRICT Wb = b.W;
  const Span x = a, y = b;
  size_t passing = 0;
  for (size_t i = 0; i < m; ++i) {
    const double first = excess(Va[i], Wa[i], x), second = excess(Vb[i], Wb[i], y);
    const double most = first > second ? first : second, before = fresh ? -1.0 : over[i];
    over[i] = before > most ? before : most;
    passing += over[i] <= 0;
  }
  return passing;
}

CLONES size_t gap(const double* RESTRICT V, const double* RESTRICT W, double lo, double hi,
                  double* RESTRICT over, size_t m) {
  size_t passing = 0;
  for (size_t i = 0; i < m; ++i) {
    const double below = lo - W[i];
    const double above = V[i] - hi;
    const double apart = below > above ? below : above;
    over[i] = over[i] > apart ? over[i] : apart;
    passing += over[i] <= 0;
  }
  return passing;
}

CLONES void distance(const double* RESTRICT V, const double* RESTRICT W, double xl, double xu,
                     double slope, bool first, double* RESTRICT dist, size_t m) {
  for (size_t i = 0; i < m; ++i) {
    const double above = xu - W[i];
    const double below = V[i] - xl;
    double out = (above > below ? above : below) * slope;
    out = V[i] > W[i] ? 0.0 : out;
    const double before = first ? 0.0 : dist[i];
    dist[i] = before > out ? before : out;
  }
}

CLONES void outside(const double* RESTRICT over, std::uint8_t* RESTRICT out, size_t m) {
  for (size_t i = 0; i < m; ++i) out[i] = over[i] > 0;
}

// How far x sticks out of a box; not at all in a feature that the box has never seen.
[[gnu::always_inline]] static inline double out(double v, double w, const Side& side) {
  const double above = side.xu - w, below = v - side.xl;
  const double far = (above > below ? above : below) * side.slope;
  return v > w ? 0.0 : far;
}

// Whether x sticks out of a box by no more than that, or the box has never seen the feature.
[[gnu::always_inline]] static inline bool is_near(double v, double w, const Side& side,
                                                  double room) {
  const double above = side.xu - w, below = v - side.xl;
  const double far = above > below ? above : below;
  return (far * side.slope <= room) | (far > UNSET / 2);
}

[[gnu::always_inline]] static inline uint64_t reaching_of(
    size_t count, const Side* RESTRICT sides, size_t n_sides, size_t begin,
    const double* RESTRICT sum, const Threshold& threshold) {
  constexpr int MAX_SINGLY = 2;
  const auto [alpha, unit, least] = threshold;
  const double scale = alpha > 1 / UNSET ? 1 / alpha : UNSET;
  sum += begin;
  alignas(64) double room[64];  // how far away a box may be
  alignas(64) uint64_t ok[64];
  for (size_t i = 0; i < count; ++i) {
    const double over = (alpha + unit * sum[i] - least) * scale;
    room[i] = over < 1.0 ? over : ANY_DISTANCE;  // beyond 1 the distance does not count
    ok[i] = over >= 0 ? ~uint64_t{0} : 0;
  }
  uint64_t left = packed(ok, count);
  for (size_t f = 0; f < n_sides && std::popcount(left) > MAX_SINGLY; f += 2) {
    const Side x = sides[f], y = sides[f + 1 < n_sides ? f + 1 : f];
    const double *RESTRICT Vx = x.V + begin, *RESTRICT Wx = x.W + begin;
    const double *RESTRICT Vy = y.V + begin, *RESTRICT Wy = y.W + begin;
    for (size_t i = 0; i < count; ++i) {
      const bool near = is_near(Vx[i], Wx[i], x, room[i]) & is_near(Vy[i], Wy[i], y, room[i]);
      ok[i] = near ? ~uint64_t{0} : 0;
    }
    left &= packed(ok, count);
  }
  return left;
}

// A whole tile is compiled apart: its lanes stay in registers.
CLONES uint64_t reaching(const Side* RESTRICT sides, size_t n_sides, size_t begin, size_t end,
                         const double* RESTRICT sum, const Threshold& threshold) {
  if (end - begin == 64) return reaching_of(64, sides, n_sides, begin, sum, threshold);
  return reaching_of(end - begin, sides, n_sides, begin, sum, threshold);
}

CLONES void distances_at(const Side* RESTRICT sides, size_t n_sides,
                         const std::uint16_t* RESTRICT place, size_t count,
                         double* RESTRICT dist) {
  for (size_t i = 0; i < count; i += 8) {
    uint32_t at[8];
    double far[8] = {};
    const size_t lanes = count - i < 8 ? count - i : 8;
    for (size_t k = 0; k < 8; ++k) at[k] = place[k < lanes ? i + k : i];
    for (size_t f = 0; f < n_sides; ++f) {
      const Side x = sides[f];
      for (size_t k = 0; k < 8; ++k) {
        const double further = out(x.V[at[k]], x.W[at[k]], x);
        far[k] = far[k] > further ? far[k] : further;
      }
    }
    for (size_t k = 0; k < lanes; ++k) dist[i + k] = far[k];
  }
}

CLONES uint64_t reached(const float* RESTRICT degree, float threshold) {
  uint64_t ok[TILE];
  for (size_t i = 0; i < TILE; ++i) ok[i] = degree[i] >= threshold ? ~uint64_t{0} : 0;
  return packed(ok, TILE);
}

CLONES void share(const double* RESTRICT sum, const uint32_t* RESTRICT n, double r,
                  double* RESTRICT share, size_t m) {
  for (size_t i = 0; i < m; ++i) share[i] = sum[i] / (static_cast<double>(n[i]) * r);
}

CLONES void mix(const double* RESTRICT dist, const double* RESTRICT share, double alpha,
                double beta, double* RESTRICT degree, size_t m) {
  for (size_t i = 0; i < m; ++i) {
    const double b_num = 1.0 - (dist[i] < 1.0 ? dist[i] : 1.0);
    degree[i] = in_units(alpha * b_num + beta * share[i]);
  }
}

CLONES uint64_t total(const uint32_t* RESTRICT counts, size_t m) {
  uint64_t sum = 0;
  for (size_t i = 0; i < m; ++i) sum += counts[i];
  return sum;
}

CLONES double largest(const double* RESTRICT degree, size_t m) {
  double lanes[8] = {};
  size_t i = 0;
  for (; i + 8 <= m; i += 8)
    for (size_t k = 0; k < 8; ++k) lanes[k] = lanes[k] > degree[i + k] ? lanes[k] : degree[i + k];
  for (; i < m; ++i) lanes[0] = lanes[0] > degree[i] ? lanes[0] : degree[i];
  for (double lane : lanes) lanes[0] = lanes[0] > lane ? lanes[0] : lane;
  return lanes[0];
}

CLONES std::uint64_t samples(const double* RESTRICT degree, double wanted,
                             const uint32_t* RESTRICT n, size_t m) {
  std::uint64_t sum = 0;
  for (size_t i = 0; i < m; ++i) sum += degree[i] == wanted ? n[i] : 0;
  return sum;
}

}  // namespace boxwise::kernels
