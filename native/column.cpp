#include "column.hpp"

#include <algorithm>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace boxwise {

using std::size_t;

namespace {
constexpr std::align_val_t LINE{64};

#if defined(__linux__)
constexpr size_t LARGE = 1u << 15;  // below this, a part of a page for each array would matter

size_t page() {
  static const auto size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

size_t whole_pages(size_t bytes) { return (bytes + page() - 1) / page() * page(); }

void* map(size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

void* remap(void* memory, size_t before, size_t bytes) {
  memory = ::mremap(memory, before, bytes, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

void unmap(void* memory, size_t bytes) { ::munmap(memory, bytes); }
#else
constexpr size_t LARGE = static_cast<size_t>(-1);  // nothing is
size_t whole_pages(size_t bytes) { return bytes; }
void* map(size_t) { throw std::bad_alloc(); }
void* remap(void*, size_t, size_t) { throw std::bad_alloc(); }
void unmap(void*, size_t) {}
#endif
}  // namespace

void Room::grow(size_t bytes) {
  if (mapped_) {
    bytes = whole_pages(bytes);
    data_ = remap(data_, bytes_, bytes);
    bytes_ = bytes;
    return;
  }
  Room larger;
  larger.mapped_ = bytes >= LARGE;
  larger.bytes_ = larger.mapped_ ? whole_pages(bytes) : bytes;
  larger.data_ = larger.mapped_ ? map(larger.bytes_) : ::operator new(bytes, LINE);
  if (bytes_ > 0) std::memcpy(larger.data_, data_, bytes_);
  if (!larger.mapped_) std::memset(static_cast<char*>(larger.data_) + bytes_, 0, bytes - bytes_);
  swap(larger);
}

void Room::release() noexcept {
  if (data_ == nullptr) return;
  if (mapped_)
    unmap(data_, bytes_);
  else
    ::operator delete(data_, LINE);
}

size_t Room::resident(size_t used) const {
  return mapped_ ? std::min(whole_pages(used), bytes_) : bytes_;
}

}  // namespace boxwise
