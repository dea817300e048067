// An inverted index of the rare values of one categorical feature: from a value to the boxes that hold
// it, for values that few boxes hold. A value that becomes frequent is no longer listed.
//
// The hash table grows by one bucket at a time (linear hashing, Litwin 1980), so that no row waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "store/column.hpp"
#include "store/count_column.hpp"

namespace boxwise {

class RareValues {
 public:
  static constexpr std::uint32_t MAX_POSTINGS = 128;  // boxes that hold one rare value
  static constexpr std::uint32_t FREQUENT = 0xffffffff;  // the count of a value that is not listed

  explicit RareValues(Code first) : first_(first) {}  // codes below this are not listed

  void add(Code code, Slot slot);  // the box has not held it so far
  void remove(Code code, Slot slot);
  void rename(Code code, Slot from, Slot to);
  // Appends the boxes that hold the value; returns false if it is not listed.
  bool list(Code code, std::vector<Slot>& out) const;
  std::uint32_t times(Code code) const;  // how many hold the value; FREQUENT if it is not listed
  std::size_t n_postings() const { return n_postings_; }  // of all rare values
  std::size_t bytes() const { return buckets_.bytes() + values_.bytes() + postings_.bytes(); }

 private:
  using Link = std::uint32_t;  // a place in a column, counted from 1; 0: none
  struct Value {
    Code code;
    std::uint32_t count;  // of its boxes; FREQUENT if there ever were more than MAX_POSTINGS
    std::uint32_t boxes;  // the box if it is one, the first of `postings_` if there are more
    Link next;            // in the bucket
  };
  struct Posting {
    Slot slot;
    Link next;
  };
  static std::uint32_t hash(Code code) {
    const std::uint32_t h = static_cast<std::uint32_t>(code) * 0x9e3779b1u;
    return h ^ h >> 15;
  }
  std::size_t bucket_of(Code code) const;
  Link find(Code code) const;
  void grow();
  void give_back(Link value);
  Link hold(Slot slot, Link next);
  void give_back_postings(Value& value);
  Value& value(Link at) { return values_[at - 1]; }
  const Value& value(Link at) const { return values_[at - 1]; }
  Posting& posting(Link at) { return postings_[at - 1]; }
  const Posting& posting(Link at) const { return postings_[at - 1]; }

  Code first_;
  Column<Link> buckets_;
  Column<Value> values_;
  Column<Posting> postings_;
  std::size_t n_values_ = 0, n_postings_ = 0;
  Link free_value_ = 0, free_posting_ = 0;  // linked by `next`
};

}  // namespace boxwise
