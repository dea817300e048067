#include "kernels.hpp"

#include <bit>
#include <cstring>
#include <limits>

#include "clones.hpp"
#include "membership.hpp"
#include "packed.hpp"

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
    const double* RESTRICT sum, const Bar& bar) {
  constexpr int FEW = 2;
  const auto [alpha, unit, least] = bar;
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
  for (size_t f = 0; f < n_sides && std::popcount(left) > FEW; f += 2) {
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

// A whole lot is compiled apart: its lanes stay in registers.
CLONES uint64_t reaching(const Side* RESTRICT sides, size_t n_sides, size_t begin, size_t end,
                         const double* RESTRICT sum, const Bar& bar) {
  if (end - begin == 64) return reaching_of(64, sides, n_sides, begin, sum, bar);
  return reaching_of(end - begin, sides, n_sides, begin, sum, bar);
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

CLONES void unseen(const uint32_t* RESTRICT counts, float price, float* RESTRICT lost, size_t m) {
  for (size_t i = 0; i < m; ++i) lost[i] += counts[i] == 0 ? price : 0.0f;
}

CLONES void lacking(const uint64_t* RESTRICT words, uint64_t bit, float price,
                    float* RESTRICT lost, size_t m) {
  for (size_t i = 0; i < m; ++i) lost[i] += (words[i] & bit) == 0 ? price : 0.0f;
}

// A logarithm is at most what the bits of a number, taken as a whole number, say of it, and a little.
CLONES float loudness(const double* RESTRICT weight, const float* RESTRICT lost, size_t m,
                      float* RESTRICT loud) {
  constexpr float LOG_2 = 0.693147181f, OFF = 0.0861f;
  for (size_t i = 0; i < m; ++i) {
    const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(weight[i]));
    loud[i] = (static_cast<float>(bits) * 0x1p-23f - 127 + OFF) * LOG_2 - lost[i];
  }
  float top = loud[0];
  for (size_t i = 1; i < m; ++i) top = top > loud[i] ? top : loud[i];
  return top;
}

CLONES uint64_t reached(const float* RESTRICT degree, float bar) {
  uint64_t ok[LOT];
  for (size_t i = 0; i < LOT; ++i) ok[i] = degree[i] >= bar ? ~uint64_t{0} : 0;
  return packed(ok, LOT);
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

// So many features at a time: the products stay in registers.
template <size_t n_features>
[[gnu::always_inline]] static inline void back_off_from(const Backing* RESTRICT features,
                                                        const uint32_t* RESTRICT n,
                                                        double* RESTRICT product, size_t m) {
  const uint32_t* counts[n_features + 1];
  double own[n_features + 1], backoff[n_features + 1];
  for (size_t f = 0; f < n_features; ++f) {
    counts[f] = features[f].counts;
    own[f] = features[f].own;
    backoff[f] = features[f].backoff;
  }
  for (size_t i = 0; i < m; ++i) {
    double share = 1, all = 1;
    const auto samples = static_cast<double>(n[i]);
    for (size_t f = 0; f < n_features; ++f) {
      share *= static_cast<double>(counts[f][i]) + own[f];
      all *= samples + backoff[f];
    }
    product[i] = share / all;
  }
}

CLONES void back_off(const Backing* RESTRICT features, size_t n_features,
                     const uint32_t* RESTRICT n, double* RESTRICT product, size_t m) {
  static_assert(MOST_BACKINGS == 8);
  switch (n_features) {
    case 0: return back_off_from<0>(features, n, product, m);
    case 1: return back_off_from<1>(features, n, product, m);
    case 2: return back_off_from<2>(features, n, product, m);
    case 3: return back_off_from<3>(features, n, product, m);
    case 4: return back_off_from<4>(features, n, product, m);
    case 5: return back_off_from<5>(features, n, product, m);
    case 6: return back_off_from<6>(features, n, product, m);
    case 7: return back_off_from<7>(features, n, product, m);
    default: return back_off_from<8>(features, n, product, m);
  }
}

CLONES void fade(const uint32_t* RESTRICT n, const double* RESTRICT last, double newest,
                 double rows, double memory, double* RESTRICT weight, size_t m) {
  for (size_t i = 0; i < m; ++i) {
    const double faded = 1.0 + (newest - last[i]) / rows / memory;
    weight[i] = static_cast<double>(n[i]) / (faded * faded);
  }
}

// log(2^k z) = k log 2 + 2 artanh((z - 1) / (z + 1)), with z between the roots of 1/2 and 2.
[[gnu::always_inline]] static inline double log_of(double x) {
  constexpr uint64_t ROOT = 0x3fe6a09e667f3bcd, ONE = 0x3ff0000000000000;  // of 1/2; 1
  constexpr uint64_t EXPONENT = 0xfff0000000000000, TWO_52 = 0x4330000000000000;
  const uint64_t bits = std::bit_cast<uint64_t>(x), over = bits - ROOT;
  const double z = std::bit_cast<double>(bits - (over & EXPONENT));
  const double k = std::bit_cast<double>(((over + ONE) >> 52) | TWO_52) - (0x1p52 + 1023);
  const double s = (z - 1.0) / (z + 1.0), q = s * s;
  double series = 1.0 / 21;
  series = series * q + 1.0 / 19;
  series = series * q + 1.0 / 17;
  series = series * q + 1.0 / 15;
  series = series * q + 1.0 / 13;
  series = series * q + 1.0 / 11;
  series = series * q + 1.0 / 9;
  series = series * q + 1.0 / 7;
  series = series * q + 1.0 / 5;
  series = series * q + 1.0 / 3;
  return k * 0.6931471805599453 + (2.0 * s + 2.0 * s * q * series);
}

CLONES void add_log(const double* RESTRICT x, double* RESTRICT sum, size_t m) {
  constexpr uint64_t ONE_EXPONENT = uint64_t{1} << 52;  // lifts infinity into the sign
  for (size_t i = 0; i < m; ++i) {
    const uint64_t infinite = (std::bit_cast<uint64_t>(x[i]) + ONE_EXPONENT) >> 63;
    sum[i] += log_of(x[i]) + std::bit_cast<double>((0 - infinite) & std::bit_cast<uint64_t>(UNSET));
  }
}

CLONES double most(const double* RESTRICT x, size_t m) {
  double lanes[8];
  for (double& lane : lanes) lane = x[0];
  size_t i = 0;
  for (; i + 8 <= m; i += 8)
    for (size_t k = 0; k < 8; ++k) lanes[k] = lanes[k] > x[i + k] ? lanes[k] : x[i + k];
  for (; i < m; ++i) lanes[0] = lanes[0] > x[i] ? lanes[0] : x[i];
  for (double lane : lanes) lanes[0] = lanes[0] > lane ? lanes[0] : lane;
  return lanes[0];
}

CLONES double lowest(const double* RESTRICT x, size_t m) {
  double lanes[8];
  for (double& lane : lanes) lane = x[0];
  size_t i = 0;
  for (; i + 8 <= m; i += 8)
    for (size_t k = 0; k < 8; ++k) lanes[k] = lanes[k] < x[i + k] ? lanes[k] : x[i + k];
  for (; i < m; ++i) lanes[0] = lanes[0] < x[i] ? lanes[0] : x[i];
  for (double lane : lanes) lanes[0] = lanes[0] < lane ? lanes[0] : lane;
  return lanes[0];
}

CLONES std::int64_t whole_parts(const double* RESTRICT x, double by, size_t m) {
  std::int64_t sum = 0;
  for (size_t i = 0; i < m; ++i) sum += static_cast<std::int64_t>(x[i] * by);
  return sum;
}

CLONES void fade_slopes(const double* RESTRICT weight, const double* RESTRICT last, double newest,
                        double rows, double memory, double* RESTRICT slope, size_t m) {
  for (size_t i = 0; i < m; ++i) {
    const double age = (newest - last[i]) / rows;
    slope[i] = weight[i] * (2 * age / (memory + age));
  }
}

CLONES void number_slopes(const Tail& tail, const uint32_t* RESTRICT slots,
                          const double* RESTRICT weight, double* RESTRICT slope, size_t m) {
  const auto [V, W, xl, xu, unit, bandwidth, both] = tail;
  for (size_t i = 0; i < m; ++i) {
    const double v = V[slots[i]], w = W[slots[i]], above = xu - w, below = v - xl;
    const double most = above > below ? above : below, away = (most > 0 ? most : 0.0) * unit;
    const double of_box = weight[i] * (away / bandwidth - both / ((w - v) * unit + both));
    slope[i] = v > w ? 0.0 : of_box;
  }
}

CLONES void category_slopes(const uint32_t* RESTRICT times, const uint32_t* RESTRICT n,
                            const uint32_t* RESTRICT slots, double own, double backoff,
                            const double* RESTRICT weight, double* RESTRICT slope, size_t m) {
  for (size_t i = 0; i < m; ++i)
    slope[i] = weight[i] * (own / (static_cast<double>(times[i]) + own) -
                            backoff / (static_cast<double>(n[slots[i]]) + backoff));
}

CLONES void fall_short(const double* RESTRICT x, const double* RESTRICT y, double least,
                       double* RESTRICT over, size_t m) {
  for (size_t i = 0; i < m; ++i) over[i] = least - x[i] * y[i];
}

CLONES double most_product(const double* RESTRICT x, const double* RESTRICT y, size_t m) {
  double lanes[8] = {};
  size_t i = 0;
  for (; i + 8 <= m; i += 8)
    for (size_t k = 0; k < 8; ++k) {
      const double product = x[i + k] * y[i + k];
      lanes[k] = lanes[k] > product ? lanes[k] : product;
    }
  for (; i < m; ++i) lanes[0] = lanes[0] > x[i] * y[i] ? lanes[0] : x[i] * y[i];
  for (double lane : lanes) lanes[0] = lanes[0] > lane ? lanes[0] : lane;
  return lanes[0];
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
