// The boxes of one class as a structure of arrays: V[j][slot], W[j][slot] and the counts of every
// categorical value over slots, so that one sample reads contiguous memory. Slots are filled
// without gaps; removing a box moves the last one into its place, so age is kept in `id`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aligned.hpp"

namespace boxwise {

using Code = std::int32_t;
using Slot = std::uint32_t;
using Tally = std::pair<Code, std::uint32_t>;  // a value and how often it was seen

// The counted sets d_ij of one categorical feature, for all boxes of a class.
// Few values: a row of counts per value. Many: for each value the boxes that hold it, so that a
// large vocabulary costs nothing per box.
class CountColumn {
 public:
  static constexpr Code DENSE_VALUES = 64;

  void reserve(std::size_t capacity);
  void add(Slot slot, Code code, std::uint32_t times);
  void move_last(Slot slot, Slot last);  // drop the box in `slot`, put the last one there

  std::uint32_t count(Slot slot, Code code) const {
    if (!dense_) return count_listed(slot, code);
    const std::uint32_t* counts = dense_row(code);
    return counts != nullptr ? counts[slot] : 0;
  }
  void values(Slot slot, std::vector<Tally>& out) const;  // in order of code
  // Whether the box in `slot`, of n samples, and a set of n_other samples (in order of code) share a
  // value of equal relative frequency: equation (15), decided exactly, in integers.
  bool shares(Slot slot, std::uint64_t n, const std::vector<Tally>& other,
              std::uint64_t n_other) const;
  // The counts of `code` in slots [begin, begin + m): a pointer into the row, or into `scratch`,
  // or null if no box of this class has ever seen the value.
  const std::uint32_t* row(Code code, Slot begin, std::size_t m, std::uint32_t* scratch) const {
    if (!dense_) return spread_out(code, begin, m, scratch);
    const std::uint32_t* counts = dense_row(code);
    return counts != nullptr ? counts + begin : nullptr;
  }
  std::size_t n_codes() const { return n_codes_; }  // one more than the highest that was added
  void recount();  // as if codes that no box holds any more had never been added
  std::size_t bytes() const;

 private:
  struct Posting {
    Slot slot;
    std::uint32_t count;
  };
  using Postings = std::vector<Posting>;  // in order of slot

  const std::uint32_t* dense_row(Code code) const {  // null if the value was never seen
    if (code < 0 || static_cast<std::size_t>(code) >= rows_.size() || rows_[code].empty())
      return nullptr;
    return rows_[code].data();
  }
  std::uint32_t count_listed(Slot slot, Code code) const;
  const std::uint32_t* spread_out(Code code, Slot begin, std::size_t m,
                                  std::uint32_t* scratch) const;
  static bool before_slot(const Posting& posting, Slot slot);
  static bool before_code(const Tally& value, Code code);
  void make_sparse();
  void drop(Slot slot);

  std::size_t capacity_ = 0, n_codes_ = 0;
  bool dense_ = true;
  std::vector<Aligned<std::uint32_t>> rows_;            // dense: by code, empty where never seen
  std::unordered_map<Code, Postings> postings_;         // sparse: by code
  std::vector<std::vector<Tally>> held_;                // sparse: by slot, in order of code
};

// The counts of two sets together; all in order of code.
void add_counts(const std::vector<Tally>& a, const std::vector<Tally>& b, std::vector<Tally>& both);

struct Box {
  std::vector<double> V, W;  // UNSET and -UNSET where no value was seen
  std::vector<double> from, to;  // in the units of the input, if V and W are measured in others
  std::vector<std::vector<Tally>> D;  // in order of code
  std::uint32_t n = 0;
  std::uint64_t id = 0;
  double last = 0;  // the row that it took last, as the engine counts them

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
  Group(std::size_t n_continuous, std::size_t n_categorical, bool rescaled);

  Slot append(const Box& box);
  Box at(Slot slot) const;
  Box remove(Slot slot);
  std::size_t size() const { return size_; }
  std::size_t bytes() const;

  std::vector<Aligned<double>> V, W;
  std::vector<Aligned<double>> from, to;  // as in Box
  std::vector<CountColumn> D;
  Aligned<std::uint32_t> n;
  std::vector<std::uint64_t> id;
  Aligned<double> last;             // as in Box
  Aligned<double> unit;             // about 1 / (n * r): what one count adds to the membership
  Aligned<std::uint32_t> need;      // what the entropy test asks of the counts; the engine sets it
  void set_samples(Slot slot, std::uint32_t samples);
  std::uint32_t most_samples = 0;  // that a box has, or ever had

  bool oversized = false;           // a box may be larger than theta allows a box to grow
  mutable MaybeIndex index;  // says where boxes are, and nothing else: a reader may have it made

 private:
  void grow();

  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace boxwise
