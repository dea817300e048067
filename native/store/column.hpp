// Arrays with one entry for each box of a class, which grow as boxes come. They begin on a cache line,
// end with one and hold zeros past their last entry. Where the system can do it, a large array has much
// room to grow where it is, and room that nothing was written to takes no memory.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace boxwise {

// Zeros that are there to be overwritten.
class Room {
 public:
  Room() = default;
  Room(Room&& other) noexcept { swap(other); }
  Room& operator=(Room&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Room() { release(); }

  void grow(std::size_t bytes);  // keeps what is there
  // Begin with zeros that are another's, and outlive this or what becomes of it.
  void borrow(void* zeros, std::size_t bytes) {
    data_ = zeros;
    bytes_ = bytes;
    borrowed_ = true;
  }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  std::size_t resident(std::size_t used) const;  // the memory taken if so many bytes were written

 private:
  void swap(Room& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(mapped_, other.mapped_);
    std::swap(borrowed_, other.borrowed_);
  }
  void release() noexcept;

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool mapped_ = false, borrowed_ = false;
};

struct Line {  // of the cache
  char bytes[64];
};

constexpr std::size_t whole(std::size_t entries) { return (entries + 7) / 8 * 8; }  // eights

template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  Column(Column&&) noexcept = default;
  Column& operator=(Column&&) noexcept = default;
  Column(const Column& other) { copy(other); }
  Column& operator=(const Column& other) {
    if (this != &other) *this = Column(other);
    return *this;
  }

  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T* data() { return static_cast<T*>(room_.data()); }
  const T* data() const { return static_cast<const T*>(room_.data()); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return room_.resident(most_ * sizeof(T)); }

  void reserve(std::size_t count) {
    constexpr std::size_t LINE = sizeof(Line);
    if (count > capacity()) room_.grow((count * sizeof(T) + LINE - 1) / LINE * LINE);
  }
  // The first entries come into a line of somebody who lives longer; for an array without any.
  void begin_in(Line& line) { room_.borrow(&line, sizeof(Line)); }
  // Room for one more entry. Columns with different staggers grow at different boxes, so that no row
  // waits for many of them.
  void make_room(std::size_t stagger = 0) {
    constexpr std::size_t MAX_DOUBLED = 48, STAGGERS = 32;
    if (size_ < capacity()) return;
    if (size_ < MAX_DOUBLED) return reserve(2 * size_ + 8);
    reserve(size_ + size_ / 2 + (size_ / (2 * STAGGERS) + 1) * (stagger % STAGGERS));
  }
  void push_back(T value) {
    make_room();
    data()[size_++] = value;
    if (size_ > most_) most_ = size_;
  }
  void pop_back() { data()[--size_] = T{}; }

 private:
  std::size_t capacity() const { return room_.bytes() / sizeof(T); }
  void copy(const Column& other) {
    if (other.size_ == 0) return;
    reserve(other.size_);
    std::memcpy(data(), other.data(), other.size_ * sizeof(T));
    size_ = most_ = other.size_;
  }

  Room room_;
  std::size_t size_ = 0, most_ = 0;
};

}  // namespace boxwise
