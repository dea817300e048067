#include "store/column.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace boxwise {

using std::size_t;

namespace {
constexpr size_t LINE = 64;

// On a cache line, by hand: a model begins with dozens of small arrays, and the allocators for aligned
// memory take several times as long as the usual one. The block is noted right before the array.
void* allocate(size_t bytes) {
  char* block = static_cast<char*>(std::malloc(bytes + LINE));
  if (block == nullptr) throw std::bad_alloc();
  static_assert(alignof(std::max_align_t) >= sizeof(block));  // so much lies before the line
  char* line = block + LINE - reinterpret_cast<std::uintptr_t>(block) % LINE;
  std::memcpy(line - sizeof(block), &block, sizeof(block));
  return line;
}

void deallocate(void* line) {
  void* block;
  std::memcpy(&block, static_cast<char*>(line) - sizeof(block), sizeof(block));
  std::free(block);
}

#if defined(__linux__)
constexpr size_t LARGE = 1u << 14;  // below this, a part of a page for each array would matter
// Addresses cost nothing, but to move an array to others takes longer than to learn a row.
constexpr size_t ADDRESSES = 1u << 20, TIMES = 8;

size_t page() {
  static const auto size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

size_t whole_pages(size_t bytes) { return (bytes + page() - 1) / page() * page(); }

// Get memory for so many bytes, with more addresses if there are any. `bytes` becomes what was got.
template <class Get>
void* get(size_t& bytes, Get get_pages) {
  const size_t least = whole_pages(bytes);
  for (const size_t pages : {bytes < ADDRESSES ? ADDRESSES : least * TIMES, least}) {
    bytes = pages;
    if (void* memory = get_pages(pages); memory != MAP_FAILED) return memory;
  }
  throw std::bad_alloc();
}

void* map(size_t& bytes) {
  void* memory = get(bytes, [](size_t pages) {
    return ::mmap(nullptr, pages, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  });
#if defined(MADV_NOHUGEPAGE)
  ::madvise(memory, bytes, MADV_NOHUGEPAGE);  // one would be mostly room that is not used
#endif
  return memory;
}

void* remap(void* memory, size_t before, size_t& bytes) {
  return get(bytes,
             [&](size_t pages) { return ::mremap(memory, before, pages, MREMAP_MAYMOVE); });
}

void unmap(void* memory, size_t bytes) { ::munmap(memory, bytes); }
#else
constexpr size_t LARGE = static_cast<size_t>(-1);  // nothing is
size_t whole_pages(size_t bytes) { return bytes; }
void* map(size_t&) { throw std::bad_alloc(); }
void* remap(void*, size_t, size_t&) { throw std::bad_alloc(); }
void unmap(void*, size_t) {}
#endif
}  // namespace

void Room::grow(size_t bytes) {
  if (mapped_) {
    data_ = remap(data_, bytes_, bytes);
    bytes_ = bytes;
    return;
  }
  Room larger;
  larger.mapped_ = bytes >= LARGE;
  larger.bytes_ = bytes;
  larger.data_ = larger.mapped_ ? map(larger.bytes_) : allocate(bytes);
  if (bytes_ > 0) std::memcpy(larger.data_, data_, bytes_);
  if (!larger.mapped_) std::memset(static_cast<char*>(larger.data_) + bytes_, 0, bytes - bytes_);
  swap(larger);
}

void Room::release() noexcept {
  if (data_ == nullptr || borrowed_) return;
  if (mapped_)
    unmap(data_, bytes_);
  else
    deallocate(data_);
}

size_t Room::resident(size_t used) const {
  if (borrowed_) return 0;
  return mapped_ ? std::min(whole_pages(used), bytes_) : bytes_;
}

}  // namespace boxwise
