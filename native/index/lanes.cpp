#include "index/lanes.hpp"

#include <bit>
#include <cstring>

#include "kernels/clones.hpp"
#include "kernels/kernels.hpp"
#include "kernels/packed.hpp"

namespace boxwise::lanes {

using std::size_t;

namespace {
// Lanes to look at, in whole eights.
inline size_t end_of(Word alive) {
  return (COUNT - static_cast<size_t>(std::countl_zero(alive)) + 7) / 8 * 8;
}
}  // namespace

// Once no more than this many lanes are left, they are looked at singly.
constexpr int MAX_SINGLY = 6;

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
  for (; f < count && std::popcount(alive) > MAX_SINGLY; ++f) {
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

namespace {
// In how many words each bit is set: the binary digits of 64 counts, a word for each digit.
class Sums {
 public:
  // Adds up words of(0), of(1), ... lane by lane (bit-sliced counters).
  template <class Of>
  [[gnu::always_inline]] Sums(size_t count, Of of)
      : digits_(static_cast<size_t>(std::bit_width(count))) {
    for (size_t p = 0; p < digits_; ++p) digit_[p] = 0;
    size_t f = 0;
    for (; f + 1 < count; f += 2) {
      const Word a = of(f), b = of(f + 1), differ = digit_[0] ^ a;
      const Word carry = (digit_[0] & a) | (differ & b);
      digit_[0] = differ ^ b;
      add(carry, 1);
    }
    if (f < count) add(of(f), 0);
  }
  size_t of_lane(size_t i) const {
    size_t sum = 0;
    for (size_t p = 0; p < digits_; ++p) sum |= static_cast<size_t>(digit_[p] >> i & 1) << p;
    return sum;
  }
  Word at_least(size_t least) const {
    if (static_cast<size_t>(std::bit_width(least)) > digits_) return 0;
    Word more = 0, equal = ~Word{0};
    for (size_t p = digits_; p-- > 0;) {
      const Word wanted = (least >> p & 1) != 0 ? ~Word{0} : 0;
      more |= equal & digit_[p] & ~wanted;
      equal &= ~(digit_[p] ^ wanted);
    }
    return more | equal;
  }
  template <class T>
  [[gnu::always_inline]] void write(T* RESTRICT sums, size_t end) const {
    alignas(64) Word sum[COUNT];
    for (size_t i = 0; i < end; ++i) sum[i] = 0;
    for (size_t p = 0; p < digits_; ++p) {
      const Word digit = digit_[p];
      for (size_t i = 0; i < end; ++i) sum[i] |= (digit >> i & 1) << p;
    }
    for (size_t i = 0; i < end; ++i) sums[i] = static_cast<T>(static_cast<std::int64_t>(sum[i]));
  }

 private:
  void add(Word bits, size_t p) {
    for (; p < digits_; ++p) {
      const Word carry = digit_[p] & bits;
      digit_[p] ^= bits;
      bits = carry;
    }
  }

  size_t digits_;
  Word digit_[8 * sizeof(size_t)];
};
}  // namespace

CLONES Word hold(const Word* value_masks, const Value* x, size_t count, Word alive) {
  for (size_t f = 0; f < count; ++f) alive &= value_masks[x[f].row];
  return alive;
}

CLONES Word hold(const Word* value_masks, const Value* x, size_t count,
                 const Word* RESTRICT allowed, Word alive) {
  if (alive == 0) return 0;
  const Sums lack(count, [&](size_t f) { return alive & ~value_masks[x[f].row]; });
  const Word some = lack.at_least(1) & alive;
  if (std::popcount(some) <= MAX_SINGLY)
    return (alive & ~some) | singly(some, [&](size_t i) { return lack.of_lane(i) <= allowed[i]; });
  const size_t end = end_of(some);
  alignas(64) Word lacking[COUNT], ok[COUNT];
  lack.write(lacking, end);
  for (size_t i = 0; i < end; ++i) ok[i] = lacking[i] <= allowed[i] ? ~Word{0} : 0;
  return (alive & ~some) | (some & packed(ok, end));
}

CLONES Word own(const Word* RESTRICT column, Word value, const Word* RESTRICT allowed, Word mixed,
                Word alive) {
  alignas(64) Word ok[COUNT];
  if (alive == 0) return 0;
  const size_t end = end_of(alive);
  for (size_t i = 0; i < end; ++i) {
    const Word exempt = allowed[i] | (column[i] & mixed);
    ok[i] = ((exempt != 0) | (column[i] == value)) ? ~Word{0} : 0;
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

// `of_lane` says what values add to the bound of one lane, `write` of all of them.
template <class OfLane, class Write>
[[gnu::always_inline]] static inline void bounds_with(const double* V, const double* W,
                                                      const Sample& x, Word alive, OfLane of_lane,
                                                      Write write, double* RESTRICT bound) {
  if (std::popcount(alive) <= MAX_SINGLY) {
    for (Word left = alive; left != 0; left &= left - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(left));
      double dist = 0;
      for (size_t f = 0; f < x.n_sides; ++f) {
        const size_t at = x.sides[f].j * COUNT + i;
        const double far = out(V[at], W[at], x.sides[f]);
        dist = dist > far ? dist : far;
      }
      bound[i] = x.alpha * (1.0 - (dist < 1.0 ? dist : 1.0)) + x.unit * of_lane(i);
    }
    return;
  }
  const size_t end = end_of(alive);
  alignas(64) double dist[COUNT], sum[COUNT];
  for (size_t i = 0; i < end; ++i) dist[i] = 0;
  for (size_t f = 0; f < x.n_sides; ++f) {
    const Side side = x.sides[f];
    const double *RESTRICT v = V + side.j * COUNT, *RESTRICT w = W + side.j * COUNT;
    for (size_t i = 0; i < end; ++i) {
      const double far = out(v[i], w[i], side);
      dist[i] = dist[i] > far ? dist[i] : far;
    }
  }
  write(sum, end);
  for (size_t i = 0; i < end; ++i)
    bound[i] = x.alpha * (1.0 - (dist[i] < 1.0 ? dist[i] : 1.0)) + x.unit * sum[i];
}

CLONES void bounds(const double* V, const double* W, const Word* value_masks, const Sample& x,
                   Word alive, double* RESTRICT bound) {
  if (alive == 0) return;
  const Sums held(x.n_values, [&](size_t f) { return value_masks[x.values[f].row]; });
  bounds_with(
      V, W, x, alive, [&](size_t i) { return static_cast<double>(held.of_lane(i)); },
      [&](double* RESTRICT sum, size_t end) { held.write(sum, end); }, bound);
}

CLONES void bounds(const double* V, const double* W, const std::uint8_t* RESTRICT shares,
                   const Sample& x, Word alive, double* RESTRICT bound) {
  constexpr double PART = 1.0 / 255;
  if (alive == 0) return;
  bounds_with(
      V, W, x, alive,
      [&](size_t i) {
        std::uint32_t sum = 0;
        for (size_t f = 0; f < x.n_values; ++f) sum += shares[x.values[f].row * COUNT + i];
        return PART * sum;
      },
      [&](double* RESTRICT sum, size_t end) {
        alignas(64) std::uint32_t sums[COUNT];
        for (size_t i = 0; i < end; ++i) sums[i] = 0;
        for (size_t f = 0; f < x.n_values; ++f) {
          const std::uint8_t* RESTRICT row = shares + x.values[f].row * COUNT;
          for (size_t i = 0; i < end; ++i) sums[i] += row[i];
        }
        for (size_t i = 0; i < end; ++i) sum[i] = PART * sums[i];
      },
      bound);
}

// The conditions under which a box reaches a threshold.
struct Demand {
  Demand(const Sample& x, double threshold)
      : x(x), threshold(threshold), scale(x.alpha > 1 / UNSET ? 1 / x.alpha : UNSET) {
    const double short_of = threshold - x.alpha;
    if (short_of > 2 * x.unit && x.unit > 0) least = static_cast<size_t>(short_of / x.unit) - 1;
    while (least <= x.n_values && room(least) < 0) ++least;
  }
  // How far away it may be if it holds so many of the values; beyond 1 the distance does not count.
  double room(size_t held) const {
    const double far = (x.alpha + x.unit * static_cast<double>(held) - threshold) * scale;
    return far < 1.0 ? far : ANY_DISTANCE;
  }
  const Sample& x;
  double threshold, scale;
  size_t least = 0;  // so many of the values it must hold; none will do if there are not so many
};

CLONES Word reach(const double* V, const double* W, const Word* value_masks, const Sample& x,
                  double threshold, Word alive) {
  const Demand demand(x, threshold);
  if (alive == 0 || demand.least > x.n_values) return 0;
  const Sums held(x.n_values, [&](size_t f) { return value_masks[x.values[f].row]; });
  alive &= held.at_least(demand.least);
  if (alive == 0) return 0;
  alignas(64) double room[COUNT];
  if (std::popcount(alive) <= MAX_SINGLY) {
    for (Word left = alive; left != 0; left &= left - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(left));
      room[i] = demand.room(held.of_lane(i));
    }
  } else {
    const size_t end = end_of(alive);
    held.write(room, end);
    for (size_t i = 0; i < end; ++i) {
      const double far = (x.alpha + x.unit * room[i] - threshold) * demand.scale;
      room[i] = far < 1.0 ? far : ANY_DISTANCE;
    }
  }
  return in_all(V, W, x.sides, x.n_sides, alive, [&](double v, double w, const Side& side, size_t i) {
    return out(v, w, side) <= room[i];
  });
}

constexpr double ROUNDING = 1e-6;  // in bytes; far more than occurs

// far <= most, a bit each
[[gnu::always_inline]] static inline Word within(const std::uint8_t* far, std::uint8_t most) {
  alignas(64) std::uint8_t near[COUNT];
  for (size_t i = 0; i < COUNT; ++i) near[i] = far[i] <= most;
  Word bits = 0;
  for (size_t i = 0; i < COUNT; i += 8) {
    Word eight;
    std::memcpy(&eight, near + i, 8);
    if constexpr (std::endian::native == std::endian::little)
      bits |= (eight * 0x0102040810204080u >> 56) << i;
    else
      for (size_t k = 0; k < 8; ++k) bits |= Word{near[i + k]} << (i + k);
  }
  return bits;
}

CLONES Word reach(const QuantizedLeaf& boxes, const Word* value_masks, const Sample& x,
                  double threshold, Word alive) {
  const Demand demand(x, threshold);
  if (alive == 0 || demand.least > x.n_values) return 0;
  const Sums held(x.n_values, [&](size_t f) { return value_masks[x.values[f].row]; });
  alive &= held.at_least(demand.least);
  if (alive == 0) return 0;
  alignas(64) std::uint8_t far[COUNT];
  boxes.query.measure(boxes.quantized, boxes.features, 1, far);
  Word left = 0;
  // The more of the values a box holds, the further away it may be.
  for (size_t values = demand.least; values <= x.n_values && alive != left; ++values) {
    const double room = demand.room(values);
    std::uint8_t most = 255;  // bytes
    if (room < boxes.query.step * 255)
      most = static_cast<std::uint8_t>(room / boxes.query.step + ROUNDING);
    left |= alive & held.at_least(values) & within(far, most);
  }
  return left;
}

CLONES Word reach(const double* RESTRICT bound, double threshold, Word alive) {
  alignas(64) Word ok[COUNT];
  if (alive == 0) return 0;
  const size_t end = end_of(alive);
  for (size_t i = 0; i < end; ++i) ok[i] = bound[i] >= threshold ? ~Word{0} : 0;
  return alive & packed(ok, end);
}

}  // namespace boxwise::lanes
