// Kernels whose sums and maxima stay in registers while the features go by.
#include <bit>

#include "kernels/kernels.hpp"
#include "kernels/packs.hpp"

namespace boxwise::kernels {

using std::size_t;
using std::uint8_t;

template <class T, class P>
INLINED T highest(const P& lanes) {
  T most = 0;
  for (size_t k = 0; k < IN<P, T>; ++k) {
    const T lane = reinterpret_cast<const T*>(&lanes)[k];
    most = most > lane ? most : lane;
  }
  return most;
}

template <class Bytes>
INLINED void add_match(const Match& column, size_t i, Bytes& held) {
  held += at<Bytes>(column.code + i) == column.wanted ? at<Bytes>(column.count + i) : Bytes{};
}

template <size_t bytes, class Sum>
INLINED void add_in(const Match* RESTRICT columns, size_t n_columns, Sum* RESTRICT sum, size_t m) {
  using Bytes = Pack<uint8_t, bytes>;
  alignas(64) uint8_t all[MOST_TOGETHER];
  for (size_t i = 0; i < m; i += IN<Bytes, uint8_t>) {
    Bytes held = {};
    for (size_t f = 0; f < n_columns; ++f) add_match(columns[f], i, held);
    at<Bytes>(all + i) = held;
  }
  for (size_t i = 0; i < m; ++i) sum[i] += static_cast<Sum>(all[i]);
}
CLONES_BY_WIDTH(void, add, (const Match* columns, size_t n_columns, double* sum, size_t m),
                (columns, n_columns, sum, m))
CLONES_BY_WIDTH(void, add, (const Match* columns, size_t n_columns, float* sum, size_t m),
                (columns, n_columns, sum, m))

// By how many bytes x sticks out of boxes in one feature of a tile, from some of its entries on.
template <class Bytes>
INLINED void stick_out(const uint8_t* entries, const QuantizedInterval& x, Bytes& further) {
  const Bytes low = at<Bytes>(entries + 2 * x.j * TILE);
  const Bytes high = at<Bytes>(entries + (2 * x.j + 1) * TILE);
  const Bytes xl = Bytes{} + x.xl, xu = Bytes{} + x.xu;
  const Bytes below = (low > xl ? low : xl) - xl, above = (xu > high ? xu : high) - high;
  further = below > above ? below : above;
  if (x.over == 0) return;
  const auto room = static_cast<uint8_t>(255 - x.over);
  further = (further < room ? further : Bytes{} + room) + x.over;
}

template <size_t bytes>
INLINED void quantized_distances_in(const uint8_t* RESTRICT tiles, size_t features, size_t count,
                                    const QuantizedInterval* RESTRICT intervals, size_t n_intervals,
                                    uint8_t* RESTRICT far) {
  using Bytes = Pack<uint8_t, bytes>;
  for (size_t i = 0; i < count * TILE; i += IN<Bytes, uint8_t>) {
    const uint8_t* first = tiles + i / TILE * 2 * features * TILE + i % TILE;
    Bytes most = {};
    for (size_t f = 0; f < n_intervals; ++f) {
      Bytes further;
      stick_out(first, intervals[f], further);
      most = most > further ? most : further;
    }
    at<Bytes>(far + i) = most;
  }
}
CLONES_BY_WIDTH(void, quantized_distances,
                (const uint8_t* tiles, size_t features, size_t count,
                 const QuantizedInterval* intervals, size_t n_intervals, uint8_t* far),
                (tiles, features, count, intervals, n_intervals, far))

template <size_t bytes>
INLINED void oversized_in(const uint8_t* RESTRICT tiles, size_t features, size_t count,
                          const Extent* RESTRICT extents, size_t n_extents, uint8_t* RESTRICT out) {
  using Bytes = Pack<uint8_t, bytes>;
  for (size_t i = 0; i < count * TILE; i += IN<Bytes, uint8_t>) {
    const uint8_t* first = tiles + i / TILE * 2 * features * TILE + i % TILE;
    Bytes refused = {};
    for (size_t f = 0; f < n_extents; ++f) {
      const Extent& x = extents[f];
      const Bytes low = at<Bytes>(first + 2 * x.j * TILE);
      const Bytes high = at<Bytes>(first + (2 * x.j + 1) * TILE);
      const Bytes from = low < x.low ? low : Bytes{} + x.low;
      const Bytes to = high > x.high ? high : Bytes{} + x.high;
      const Bytes length = to - from + uint8_t{1}, most = Bytes{} + x.most;  // all of it becomes 0
      refused |= (length > most ? length : most) - most;
    }
    at<Bytes>(out + i) = refused;
  }
}
CLONES_BY_WIDTH(void, oversized,
                (const uint8_t* tiles, size_t features, size_t count, const Extent* extents,
                 size_t n_extents, uint8_t* out),
                (tiles, features, count, extents, n_extents, out))

template <size_t bytes>
INLINED float reachable_in(const BoundInputs& boxes, float alpha, float step, float beta, size_t m,
                           float* RESTRICT degree) {
  using Bytes = Pack<uint8_t, bytes>;
  using Floats = Pack<float, bytes>;
  constexpr size_t PACK = IN<Bytes, uint8_t>;
  alignas(64) uint8_t few[PACK];
  alignas(64) float counts[PACK], away[PACK];
  Floats top = {};
  for (size_t i = 0; i < m; i += PACK) {
    Bytes held = {}, most = {};
    for (size_t f = 0; f < boxes.n_matches; ++f) add_match(boxes.matches[f], i, held);
    if (boxes.far != nullptr) most = at<Bytes>(boxes.far + i);
    const size_t first = i / TILE * 2 * boxes.features * TILE + i % TILE;
    for (size_t f = 0; f < boxes.n_intervals; ++f) {
      Bytes further;
      stick_out(boxes.tiles + first, boxes.intervals[f], further);
      most = most > further ? most : further;
    }
    at<Bytes>(few) = held;
    for (size_t p = 0; p < PACK; ++p) counts[p] = static_cast<float>(few[p]);
    at<Bytes>(few) = most;
    for (size_t p = 0; p < PACK; ++p) away[p] = static_cast<float>(few[p]);
    for (size_t p = 0; p < PACK && i + p < m; p += IN<Floats, float>) {
      const Floats near = alpha - step * at<Floats>(away + p);
      Floats sum = at<Floats>(counts + p);
      if (boxes.sum != nullptr) sum += at<Floats>(boxes.sum + i + p);
      const Floats share = sum * at<Floats>(boxes.unit + i + p);
      const Floats reach = (near > 0 ? near : Floats{}) + beta * share;
      at<Floats>(degree + i + p) = reach;
      top = top > reach ? top : reach;
    }
  }
  return highest<float>(top);
}
CLONES_BY_WIDTH(float, reachable,
                (const BoundInputs& boxes, float alpha, float step, float beta, size_t m,
                 float* degree),
                (boxes, alpha, step, beta, m, degree))

template <size_t bytes>
INLINED void leaves_in(const double* RESTRICT packed, size_t stride, size_t leaves,
                       const Step* RESTRICT steps, size_t n_steps, double* RESTRICT dist,
                       double* RESTRICT lowest) {
  using Doubles = Pack<double, bytes>;
  constexpr size_t PARTS = LEAF / IN<Doubles, double>;
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    Doubles far[PARTS] = {};
    for (size_t f = 0; f < n_steps; ++f) {
      const Step& x = steps[f];
      const double* V = packed + leaf * stride + x.j * 2 * LEAF;
      for (size_t p = 0; p < PARTS; ++p, V += IN<Doubles, double>) {
        const Doubles above = x.xu - at<Doubles>(V + LEAF), below = at<Doubles>(V) - x.xl;
        const Doubles out = (above > below ? above : below) * x.slope;
        far[p] = far[p] > out ? far[p] : out;
      }
    }
    double* out = dist + leaf * LEAF;
    for (size_t p = 0; p < PARTS; ++p) at<Doubles>(out + p * IN<Doubles, double>) = far[p];
    double least = out[0];
    for (size_t k = 1; k < LEAF; ++k) least = least < out[k] ? least : out[k];
    lowest[leaf] = least;
  }
}
CLONES_BY_WIDTH(void, leaves,
                (const double* packed, size_t stride, size_t leaves, const Step* steps,
                 size_t n_steps, double* dist, double* lowest),
                (packed, stride, leaves, steps, n_steps, dist, lowest))

template <size_t bytes>
INLINED void distances_in(const Side* RESTRICT sides, size_t n_sides, bool first,
                          double* RESTRICT dist, size_t m) {
  using Doubles = Pack<double, bytes>;
  m = (m + 7) / 8 * 8;
  for (size_t i = 0; i < m; i += IN<Doubles, double>) {
    Doubles far = {};
    if (!first) far = at<Doubles>(dist + i);
    for (size_t f = 0; f < n_sides; ++f) {
      const Side& x = sides[f];
      const Doubles V = at<Doubles>(x.V + i), W = at<Doubles>(x.W + i);
      const Doubles above = x.xu - W, below = V - x.xl;
      const Doubles reach = (above > below ? above : below) * x.slope;
      const Doubles counted = V > W ? Doubles{} : reach;
      far = far > counted ? far : counted;
    }
    at<Doubles>(dist + i) = far;
  }
}
CLONES_BY_WIDTH(void, distances,
                (const Side* sides, size_t n_sides, bool first, double* dist, size_t m),
                (sides, n_sides, first, dist, m))

}  // namespace boxwise::kernels
