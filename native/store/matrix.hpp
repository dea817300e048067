// A matrix of doubles, row by row, whose entries start uninitialised: the thread that first writes to
// a page waits until the system has cleared it, so that threads which fill rows share that work.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace boxwise {

struct Matrix {
  struct Free {
    void operator()(double* cells) const { std::free(cells); }
  };

  Matrix(std::size_t rows, std::size_t columns) : columns(columns), cells(allocate(rows * columns)) {}
  double* row(std::size_t i) const { return cells.get() + i * columns; }

  std::size_t columns;
  std::unique_ptr<double[], Free> cells;

 private:
  static double* allocate(std::size_t count) {
    void* memory = nullptr;
#if defined(__linux__)
    constexpr std::size_t PAGE = std::size_t{1} << 21;  // a large one: clearing it is quicker
    if (const std::size_t bytes = count * sizeof(double); bytes >= 4 * PAGE) {
      memory = std::aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
      if (memory != nullptr) madvise(memory, bytes, MADV_HUGEPAGE);
    } else
#endif
      memory = std::malloc(count > 0 ? count * sizeof(double) : 1);
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<double*>(memory);
  }
};

}  // namespace boxwise
