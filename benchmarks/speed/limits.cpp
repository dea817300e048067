// What the machine can do at most, for benchmarks/speed/bound.py: reading memory, and the arithmetic
// of the kernels, max of doubles.
#include <cstddef>

extern "C" {

// Reads m doubles, as often as told, and returns their largest: a pass of the same kind as a kernel's.
// The function is not static and the sum is returned, so nothing of it can be left out.
double read_all(const double* data, std::size_t m, std::size_t times) {
  double sum = 0;
  for (std::size_t t = 0; t < times; ++t) {
    double parts[32] = {};
    for (std::size_t i = 0; i + 32 <= m; i += 32)
      for (std::size_t k = 0; k < 32; ++k) parts[k] = parts[k] < data[i + k] ? data[i + k] : parts[k];
    for (const double part : parts) sum += part;
    asm volatile("" ::: "memory");
  }
  return sum;
}

// Four doubles at a time, ten of them: as many as stay in registers and wait for no other.
using Four = double __attribute__((vector_size(32)));
constexpr std::size_t CHAINS = 10, LANES = 4;

// max, so many times: 40 * times operations. What it is compared with changes every time, and nobody
// can tell how, so no max can be left out.
double most_max(std::size_t times, const double* start) {
  Four a[CHAINS], b = {start[0], start[1], start[2], start[3]};
  for (std::size_t k = 0; k < CHAINS; ++k) a[k] = b * static_cast<double>(k);
  for (std::size_t t = 0; t < times; ++t) {
    for (std::size_t k = 0; k < CHAINS; ++k) a[k] = a[k] < b ? b : a[k];
#if defined(__x86_64__)
    asm volatile("" : "+x"(b));
#else
    asm volatile("" : "+m"(b));
#endif
  }
  for (std::size_t k = 1; k < CHAINS; ++k) a[0] += a[k];
  return a[0][0] + a[0][1] + a[0][2] + a[0][3];
}
}
