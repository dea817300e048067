// Vectors of numbers that fill a register, so that sums and products of a loop over columns stay in it.
// Left to itself, the compiler puts them back into memory after each column. A kernel is a template
// over the bytes of a register, and CLONES_BY_WIDTH picks the instance that the processor has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/clones.hpp"

#if defined(__GNUC__)
#define INLINED [[gnu::always_inline]] static inline
#else
#define INLINED static inline
#endif

namespace boxwise::kernels {

template <class T, std::size_t bytes>
struct Lanes {
#if defined(__GNUC__)
  typedef T type __attribute__((vector_size(bytes), may_alias));
#else
  using type = T;
#endif
};
// Whole numbers of 64 bits, as many as there are numbers.
template <class Doubles>
struct SameLanes {
  using Words = typename Lanes<std::uint64_t, sizeof(Doubles)>::type;
};
template <>
struct SameLanes<double> {
  using Words = std::uint64_t;
};
// As many as there are in a register.
template <class T, std::size_t bytes>
using Pack = typename Lanes<T, bytes>::type;
template <class P, class T>
constexpr std::size_t IN = sizeof(P) / sizeof(T);

// At addresses that are multiples of the size of a register.
template <class P, class T>
INLINED const P& at(const T* array) {
  return *reinterpret_cast<const P*>(array);
}
template <class P, class T>
INLINED P& at(T* array) {
  return *reinterpret_cast<P*>(array);
}

// At any address.
template <class P, class T>
INLINED P load(const T* array) {
  P pack;
  std::memcpy(&pack, array, sizeof pack);
  return pack;
}
template <class P, class T>
INLINED void store(const P& pack, T* array) {
  std::memcpy(array, &pack, sizeof pack);
}

}  // namespace boxwise::kernels
