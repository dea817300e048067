// exp and log by polynomials, for loops that the compiler turns into vector instructions. Unlike
// those of the C library they give the same bits on every processor; the relative error is below
// 1e-14.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/packs.hpp"

namespace boxwise::kernels {

constexpr double SMALLEST_EXPONENT = -700;  // exp of less is taken as exp of this, about 1e-304
constexpr double LN2 = 0.69314718055994530942;
// The parts of a double. Its exponent becomes a double without a conversion, which has no vector
// instruction before AVX-512.
constexpr std::uint64_t EXPONENT = 0x4330000000000000ull, MANTISSA = 0xfffffffffffffull,
                        ONE = 0x3ff0000000000000ull;
constexpr double EXPONENT_BIAS = 4503599627370496.0 + 1023;

// The bits of numbers, or numbers of the same size of such bits.
template <class To, class From>
INLINED To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// e^x for x up to 700, of a number or a pack of them.
template <class Doubles = double>
INLINED Doubles exp_of(Doubles x) {
  using Bits = typename SameLanes<Doubles>::Words;
  constexpr double MAGIC = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to a whole number
  constexpr double LOG2_E = 1.4426950408889634;
  constexpr double LN2_HIGH = 0.693147180369123816490, LN2_LOW = 1.90821492927058770002e-10;
  x = x > SMALLEST_EXPONENT ? x : Doubles{} + SMALLEST_EXPONENT;
  const Doubles shifted = x * LOG2_E + MAGIC, k = shifted - MAGIC;
  const Doubles r = (x - k * LN2_HIGH) - k * LN2_LOW;
  Doubles p = Doubles{} + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return p * bits_as<Doubles>(Bits((bits_as<Bits>(shifted) + 1023) << 52));
}

// The natural logarithm of a normal positive number.
inline double log_of(double x) {
  constexpr double SQRT2 = 1.4142135623730951;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  double e = std::bit_cast<double>((bits >> 52) | EXPONENT) - EXPONENT_BIAS;
  double m = std::bit_cast<double>((bits & MANTISSA) | ONE);
  const bool upper = m > SQRT2;
  m = upper ? m * 0.5 : m;
  e = upper ? e + 1 : e;
  const double s = (m - 1) / (m + 1), z = s * s;
  double p = 1.0 / 19;
  p = p * z + 1.0 / 17;
  p = p * z + 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  return e * LN2 + (2 * s + 2 * s * z * p);
}

// Leaves the mantissas of normal positive numbers, from 1 up to 2, and adds the logarithms of the powers
// of two that were taken out.
template <std::size_t bytes>
INLINED void split_exponents(Pack<double, bytes>& x, Pack<double, bytes>& logs) {
  using Doubles = Pack<double, bytes>;
  using Bits = Pack<std::uint64_t, bytes>;
  const Bits of_x = bits_as<Bits>(x);
  const Doubles e = bits_as<Doubles>(Bits((of_x >> 52) | EXPONENT)) - EXPONENT_BIAS;
  logs += e * LN2;
  x = bits_as<Doubles>(Bits((of_x & MANTISSA) | ONE));
}

}  // namespace boxwise::kernels
