// The counted sets d_ij of one categorical feature, for all boxes of a class.
//
// Most boxes of a large model have seen one value: it and its count are kept in two arrays over the
// boxes, in a byte each while they fit. Further values are listed block by block. Where such a list
// becomes long, the block has a table of counts instead, value by value. Only the codes of very
// large vocabularies are in no table: they are listed for all blocks together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/aligned.hpp"
#include "store/column.hpp"

namespace boxwise {

using Code = std::int32_t;
using Slot = std::uint32_t;
using Tally = std::pair<Code, std::uint32_t>;  // a value and how often it was seen

// A number of samples, above 0. That it divides another number below 2^32 is told by one
// multiplication (Lemire, Kaser and Kurz, Faster remainder by direct computation, 2019).
struct Divisor {
  Divisor(std::uint64_t n) : value(n), inverse(std::numeric_limits<std::uint64_t>::max() / n + 1) {}
  bool may_divide(std::uint64_t x) const {
    return (x | value) >> 32 != 0 || x * inverse <= inverse - 1;
  }
  std::uint64_t value, inverse;
};

class CountColumn {
 public:
  static constexpr Slot SPAN = 256;    // boxes of a block
  static constexpr Slot TILE = 64;     // boxes that kernels read at once
  static constexpr Code TABLED = 256;  // only codes below this are kept in tables

  void begin_in(Line& codes, Line& counts) {  // as Column does
    bytes_.code.begin_in(codes);
    bytes_.count.begin_in(counts);
  }
  void open(std::size_t stagger);  // another box, with no values yet
  void add(Slot slot, Code code, std::uint32_t times);
  void move_last(Slot slot, Slot last);  // drop the box in `slot`, put the last one there

  std::uint32_t count(Slot slot, Code code) const {
    const std::uint32_t times = narrow_ ? first_count(bytes_, slot, code)
                                        : first_count(words_, slot, code);
    return times > 0 || regular_ ? times : count_further(slot, code);
  }
  void values(Slot slot, std::vector<Tally>& out) const;  // in order of code
  // Whether the box in `slot`, of n samples, and a set of n_other samples (in order of code) share a
  // value of equal relative frequency: equation (15), decided exactly, in integers.
  bool shares(Slot slot, std::uint64_t n, const std::vector<Tally>& other, Divisor n_other) const;
  // The counts of `code` in slots [begin, begin + m): a pointer to memory of its own, or to `scratch`,
  // or null if no box of this class has ever seen the value.
  const std::uint32_t* row(Code code, Slot begin, std::size_t m, std::uint32_t* scratch) const;
  // The counts of `code` in some slots.
  void pick(Code code, const std::vector<Slot>& slots, std::uint32_t* out) const;
  // The first values of a block from `begin` on and their counts, if none of its boxes has others and
  // they are in bytes, for kernels that read whole tiles; or null.
  struct Plain {
    const std::uint8_t *code, *count;
  };
  std::optional<Plain> plain(Slot begin, std::size_t m) const {
    const Block& block = blocks_[begin / SPAN];
    if (!narrow_ || block.tabled || !block.further.empty() || block.high > 0 ||
        begin % TILE != 0 || begin % SPAN + m > SPAN)
      return std::nullopt;
    return Plain{bytes_.code.data() + begin, bytes_.count.data() + begin};
  }
  std::size_t n_codes() const { return n_codes_; }  // one more than the highest that was added
  void recount();  // as if codes that no box holds any more had never been added
  std::size_t bytes() const;

 private:
  template <class T>
  struct Firsts {  // by slot: the first value that a box has seen, and how often
    Column<T> code, count;
  };
  struct Further {  // a further value of a box
    std::uint32_t key, count;
    static std::uint32_t key_of(Code code, Slot place) {
      return static_cast<std::uint32_t>(code) * SPAN + place;
    }
    Code code() const { return static_cast<Code>(key / SPAN); }
  };
  struct Block {
    // code by code, SPAN counts each; one of the two, in bytes while they fit
    Aligned<std::uint8_t> bytes;
    Aligned<std::uint32_t> words;
    bool tabled = false;
    std::vector<Further> further;  // in order of key
    std::uint32_t high = 0;        // how many further values of the block have codes from TABLED on
    Code rows() const { return static_cast<Code>((bytes.size() + words.size()) / SPAN); }
  };
  struct Posting {
    Slot slot;
    std::uint32_t count;
  };
  using Postings = std::vector<Posting>;  // in order of slot

  template <class T>
  static std::uint32_t first_count(const Firsts<T>& firsts, Slot slot, Code code) {
    return firsts.code[slot] == static_cast<std::uint32_t>(code) ? firsts.count[slot] : 0;
  }
  Tally first(Slot slot) const {
    return narrow_ ? Tally{bytes_.code[slot], bytes_.count[slot]}
                   : Tally{words_.code[slot], words_.count[slot]};
  }
  void set_first(Slot slot, Code code, std::uint32_t times);
  const std::vector<Tally>* high(Slot slot) const;  // its values from TABLED on; null: none
  std::uint32_t count_further(Slot slot, Code code) const;
  static std::uint32_t count_tabled(const Block& block, Slot place, Code code);
  const std::uint32_t* row_of_block(Code code, Slot begin, std::size_t m,
                                    std::uint32_t* scratch) const;
  void overlay(Code code, Slot begin, std::size_t m, std::uint32_t* scratch) const;
  bool may_hold(Code code) const;
  bool is_held(Code code) const;
  void note(Code code);
  void widen();
  void list_in_block(Block& block, Slot place, Code code, std::uint32_t times);
  void list_high(Slot slot, Code code, std::uint32_t times);
  void add_to_table(Block& block, Slot place, Code code, std::uint32_t times);
  void tabulate(std::size_t block);
  void drop(Slot slot);

  std::size_t n_codes_ = 0;
  bool narrow_ = true;   // the first values are in bytes, not in words
  bool regular_ = true;  // no box has ever seen two values
  std::vector<bool> seen_;  // by code, for the lowest of them
  Firsts<std::uint8_t> bytes_;
  Firsts<std::uint32_t> words_;
  std::vector<Block> blocks_;
  // Codes from TABLED on, but for the first value of a box: by code, and by slot in order of code.
  std::unordered_map<Code, Postings> postings_;
  std::unordered_map<Slot, std::vector<Tally>> high_;
};

// The counts of two sets together; all in order of code.
void add_counts(const std::vector<Tally>& a, const std::vector<Tally>& b, std::vector<Tally>& both);

}  // namespace boxwise
