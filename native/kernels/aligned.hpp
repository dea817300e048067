// Vectors that begin on a cache line, so that no vector load of the kernels straddles two.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace boxwise {

template <class T>
struct CacheLines {
  using value_type = T;
  static constexpr std::align_val_t LINE{64};

  CacheLines() = default;
  template <class U>
  CacheLines(const CacheLines<U>&) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), LINE));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, LINE); }
  bool operator==(const CacheLines&) const = default;
};

template <class T>
using Aligned = std::vector<T, CacheLines<T>>;

}  // namespace boxwise
