// The boxes of one class as a structure of arrays: V[j][slot], W[j][slot] and the counts of every
// categorical value over slots, so that one sample reads contiguous memory. Slots are filled
// without gaps; removing a box moves the last one into its place, so age is kept in `id`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "store/column.hpp"
#include "store/count_column.hpp"
#include "store/quantized_bounds.hpp"

namespace boxwise {

struct Box {
  std::vector<double> V, W;  // UNSET and -UNSET where no value was seen
  std::vector<double> from, to;  // in the units of the input, if V and W are measured in others
  std::vector<std::vector<Tally>> D;  // in order of code
  std::uint32_t n = 0;
  std::uint64_t id = 0;

  void add(const Box& other);  // become the box around both, with the samples of both
};

class BoxIndex;

// The index of a group (see box_index.hpp), if it has one; a copy of the group has none.
class MaybeIndex {
 public:
  MaybeIndex() = default;
  MaybeIndex(const MaybeIndex&) {}
  MaybeIndex(MaybeIndex&&) noexcept = default;
  MaybeIndex& operator=(const MaybeIndex&) {
    index_.reset();
    return *this;
  }
  MaybeIndex& operator=(MaybeIndex&&) noexcept = default;

  BoxIndex* get() const { return index_.get(); }
  void set(std::shared_ptr<BoxIndex> index) { index_ = std::move(index); }

 private:
  std::shared_ptr<BoxIndex> index_;  // shared by nobody, but destroyed where it is complete
};

class Group {
 public:
  // `rescaled`: V and W are not in the units of the input, and both are kept.
  Group(std::size_t n_numeric, std::size_t n_categorical, bool rescaled);

  Slot append(const Box& box);
  Box at(Slot slot) const;
  Box remove(Slot slot);
  std::size_t size() const { return size_; }
  std::size_t bytes() const;

  std::vector<Column<double>> V, W;
  std::vector<Column<double>> from, to;  // as in Box
  std::vector<CountColumn> D;
  Column<std::uint32_t> n;
  Column<std::uint64_t> id;
  Column<float> unit;               // about 1 / (n * r): what one count adds to the membership
  // A number for the engine: EntropyEngine's least count that the entropy test requires of a row,
  // ContractionEngine's least number of values that a box must know, BoundEngine's row of bounds.
  Column<std::uint32_t> engine_data;
  void set_samples(Slot slot, std::uint32_t samples);
  std::uint32_t most_samples = 0;  // that a box has, or ever had

  bool oversized = false;           // a box may be larger than theta allows a box to grow
  bool is_quantized = false;        // has quantised bounds, kept up to date by the engine
  QuantizedBounds quantized;
  mutable MaybeIndex index;  // says where boxes are, and nothing else: a reader may have it made

 private:
  std::size_t first_lines() const;
  void begin();
  void make_room();

  std::size_t size_ = 0;
  Column<Line> first_;  // lines in which the arrays begin; a copy of the group has none
};

}  // namespace boxwise
