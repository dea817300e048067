// A forest of bounding volumes over boxes (like an R-tree of three levels): leaves of up to 64 similar
// boxes, pages of 64 leaves, superpages of 64 pages, each with a summary of its children: the hull of their
// intervals and the union of their values. A search compares 64 summaries or boxes at once. A decision
// tree of splits finds the leaf of a new box and is used for nothing else. Invariant: a summary covers
// its children, so that no search misses a box, wherever it is.
//
// Leaves follow the boxes one by one: they take new ones, widen, lose some, and split when they are
// full. Nothing is ever rebuilt, so no step takes long.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "store/group.hpp"
#include "index/lanes.hpp"

namespace boxwise {

using lanes::Word;

// The rows for the values of each categorical feature, see lanes.hpp; at most 64, and fewer where fewer
// values are known: what is read together lies together.
class ValueRows {
 public:
  explicit ValueRows(const std::vector<std::size_t>& counts);
  std::size_t begin(std::size_t j) const { return begin_[j]; }
  std::size_t count(std::size_t j) const { return begin_[j + 1] - begin_[j]; }
  std::size_t features() const { return begin_.size() - 1; }
  std::size_t all() const { return begin_.back(); }
  std::size_t place(std::size_t j, Code code) const {  // among those of the feature
    return static_cast<std::size_t>(code) % count(j);
  }

 private:
  std::vector<std::size_t> begin_;
};

// The summary of the categories of a box that an index keeps.
struct CategorySummary {
  // A box that overlaps another has, in each feature, either the same only value or, as the other,
  // several: they agree in this hash of the only values, whose last bits say where there are several.
  static constexpr Word MIXED = 0xffff;

  std::vector<Word> masks;  // by feature: a bit for the row of each value
  Word signature = 0;
  Word allowed = 0;  // in how many features a sample may have a value that the box has not
  Word factors = 0;  // of the number of samples, see common_factors

  // For boxes with several values: the share of all samples that a value has, in 255ths and rounded up;
  // of all values of the box, or of those that it has just taken.
  struct Share {
    std::size_t row;
    std::uint8_t most;
  };
  std::vector<Share> shares;
  bool has_all_shares = false;

  static Word bloom(Word signature) { return Word{1} << (signature >> 58); }
  static std::uint8_t share(std::uint32_t times, std::uint32_t n) {
    return static_cast<std::uint8_t>((std::uint64_t{255} * times + n - 1) / n);
  }
};

// The hash, feature by feature.
class Signature {
 public:
  void add(std::size_t j, bool mixed, Code only) {
    if (mixed) mixed_ |= Word{1} << (j % 16);
    hash_ = (hash_ ^ (mixed ? ~Word{0} : static_cast<Word>(only))) * 0x9e3779b97f4a7c15u;
    hash_ ^= hash_ >> 29;
  }
  Word value() const { return (hash_ * 0xbf58476d1ce4e5b9u & ~CategorySummary::MIXED) | mixed_; }

 private:
  Word hash_ = 0x2545f4914f6cdd1du, mixed_ = 0;
};

// The columns of a leaf or of a summary of leaves, 64 lanes each: intervals, words, and for each row of
// values a word with a bit for each lane that holds it. Leaves may also have quantised bounds and shares
// of values.
class LeafColumns {
 public:
  LeafColumns(std::size_t intervals, const ValueRows& rows, std::size_t words,
              std::size_t quantized = 0, bool shares = false)
      : rows(&rows),
        numbers_(2 * intervals * lanes::COUNT),
        words_(words * lanes::COUNT + rows.all()),
        quantized_(2 * quantized * lanes::COUNT),
        shares_(shares ? rows.all() * lanes::COUNT : 0) {}

  double* numbers(std::size_t column) { return numbers_.data() + column * lanes::COUNT; }
  const double* numbers(std::size_t column) const {
    return numbers_.data() + column * lanes::COUNT;
  }
  Word* words(std::size_t column) { return words_.data() + column * lanes::COUNT; }
  const Word* words(std::size_t column) const { return words_.data() + column * lanes::COUNT; }

  const Word* value_masks() const { return words_.data() + words_.size() - rows->all(); }
  bool is_quantized() const { return !quantized_.empty(); }
  std::uint8_t* quantized() { return quantized_.data(); }
  const std::uint8_t* quantized() const { return quantized_.data(); }
  bool has_shares() const { return !shares_.empty(); }
  // By row, 64 lanes each: the largest share of a value of that row, or more.
  const std::uint8_t* shares() const { return shares_.data(); }
  void put_shares(std::size_t lane, const CategorySummary& box);
  void raise_shares(std::size_t lane, const CategorySummary& box);
  void gather_shares(std::size_t lane, const LeafColumns& from);  // the largest of another
  Word values(std::size_t j, std::size_t lane) const;  // that it holds
  void add_values(std::size_t lane, const std::vector<Word>& values);  // it holds these, too
  // Hold what any of the lanes of another holds.
  void add_values(std::size_t lane, const LeafColumns& from, Word of);
  void clear_values(std::size_t lane);  // holds nothing

  std::size_t count = 0;
  const ValueRows* rows;
  std::array<std::uint32_t, lanes::COUNT> items;  // the slots of boxes, the numbers of leaves
  Word alive() const { return lanes::first(count); }
  void move_last(std::size_t lane);  // drop a lane, put the last one there
  void divide(Word left, LeafColumns& to);  // all but these move
  std::size_t bytes() const {
    return numbers_.capacity() * sizeof(double) + words_.capacity() * sizeof(Word) +
           quantized_.capacity() + shares_.capacity();
  }

 private:
  // All but the values that it holds.
  void copy(std::size_t lane, const LeafColumns& from, std::size_t of);
  Word* value_masks() { return words_.data() + words_.size() - rows->all(); }

  Aligned<double> numbers_;
  Aligned<Word> words_;
  Aligned<std::uint8_t> quantized_;  // as in a tile of QuantizedBounds
  Aligned<std::uint8_t> shares_;
};

class Forest {
 public:
  struct Leaf : LeafColumns {
    Leaf(std::size_t n, const ValueRows& rows, bool quantized, bool shares)
        : LeafColumns(n, rows, 3, quantized ? n : 0, shares), n(n) {}
    const double* V() const { return numbers(0); }
    const double* W() const { return numbers(n); }
    const Word* allowed() const { return words(0); }
    const Word* signatures() const { return words(1); }
    const Word* factors() const { return words(2); }

    std::size_t n;
    std::uint32_t page = 0, lane = 0, node = 0;
    std::uint32_t lost = 0;  // boxes since it was summarised
  };

  // A summary of the children of a page, or of a superpage.
  struct Summary : LeafColumns {
    Summary(std::size_t n, const ValueRows& rows, bool shares = false)
        : LeafColumns(2 * n, rows, 4, 0, shares), n(n) {}
    const double* low_V() const { return numbers(0); }  // below all where a feature was never seen
    const double* high_W() const { return numbers(n); }
    const double* high_V() const { return numbers(2 * n); }
    const double* low_W() const { return numbers(3 * n); }
    const Word* allowed() const { return words(0); }     // the most
    const Word* all_mixed() const { return words(1); }
    const Word* some_mixed() const { return words(2); }
    const Word* blooms() const { return words(3); }  // of the signatures

    void clear(std::size_t lane);
    // Widen a lane by those of a leaf or of a page, but for the values they hold.
    void include(std::size_t lane, const Leaf& from, std::size_t begin, std::size_t end);
    void include(std::size_t lane, const Summary& from, std::size_t begin, std::size_t end);

    std::size_t n;
  };

  // `capacity`: the boxes of a leaf and leaves of a page; fewer in tests. The rows stay with the caller.
  Forest(std::size_t n, const ValueRows& rows, std::size_t capacity, bool quantized, bool shares)
      : n_(n), rows_(&rows), capacity_(capacity), has_quantized_(quantized), shares_(shares) {}

  using Address = std::uint32_t;  // of a box: its leaf and lane
  struct Splitting {  // how leaves are divided
    const std::vector<double>& margins;  // how far from a box samples matter, in units of the feature
    std::vector<bool> skip;  // categorical features that tell nothing
  };
  // Called for each box that gets a new address.
  template <class Moved>
  Address insert(const Group& g, Slot slot, const CategorySummary& box, const Splitting& splitting,
                 Moved moved) {
    std::uint32_t leaf = find_leaf(g, slot, box);
    if (leaves_[leaf].count == capacity_) {
      const std::uint32_t other = split(leaf, splitting);
      for (const std::uint32_t part : {leaf, other})
        for (std::size_t i = 0; i < leaves_[part].count; ++i)
          moved(leaves_[part].items[i], address(part, i));
      leaf = find_leaf(g, slot, box);
    } else if (full_ != NONE) {  // now, so that no row waits for two splits
      split_page(full_);
    }
    return add(leaf, g, slot, box);
  }
  // The box has grown or has another category summary, whose values are those that it has taken.
  void update(Address at, const Group& g, const CategorySummary& box);
  void quantize(Address at, const Group& g);  // as the group has it
  const Leaf& leaf_of(Address at) const { return leaves_[at / lanes::COUNT]; }
  void rename(Address at, Slot slot) { leaves_[at / lanes::COUNT].items[at % lanes::COUNT] = slot; }
  // Another box takes its address: returns whether there is one, `moved` is told.
  template <class Moved>
  void erase(Address at, Moved moved) {
    if (drop(at)) moved(leaf_of(at).items[at % lanes::COUNT], at);
  }

  // Calls visit(leaf, lane) for the boxes that pass, until it returns true. `hull` says which lanes of
  // a summary may hold such boxes, `box` which boxes of a leaf pass.
  template <class Hull, class Box, class Visit>
  bool search(Hull hull, Box box, Visit visit) const {
    for (std::size_t b = 0; b < superpages_.size(); ++b)
      for (Word pages = hull(superpages_[b]); pages != 0; pages &= pages - 1) {
        const Page& page = pages_[b * lanes::COUNT + static_cast<std::size_t>(std::countr_zero(pages))];
        for (Word found = hull(page); found != 0; found &= found - 1) {
          const Leaf& leaf = leaves_[page.items[static_cast<std::size_t>(std::countr_zero(found))]];
          for (Word boxes = box(leaf); boxes != 0; boxes &= boxes - 1)
            if (visit(leaf, static_cast<std::size_t>(std::countr_zero(boxes)))) return true;
        }
      }
    return false;
  }

  struct Page : Summary {
    using Summary::Summary;
    std::uint32_t root = 0;  // of its part of the tree
  };
  const std::deque<Summary>& superpages() const { return superpages_; }
  const Page& page(std::size_t p) const { return pages_[p]; }
  const Leaf& leaf(std::size_t l) const { return leaves_[l]; }

  std::size_t n_leaves() const { return leaves_.size(); }
  std::size_t bytes() const;

 private:
  // Which way a box goes: left if it has a value in `values`, or if V + W is below a threshold.
  struct Rule {
    bool categorical = false;
    std::size_t j = 0;
    Word values = 0;
    double threshold = 0;
  };
  struct Node {
    Rule rule;
    std::uint32_t left = 0, right = 0;  // nodes; none (0) if it is a leaf
    std::uint32_t leaf = 0;
  };
  class Splitter;

  static Address address(std::size_t leaf, std::size_t lane) {
    return static_cast<Address>(leaf * lanes::COUNT + lane);
  }
  std::uint32_t find_leaf(const Group& g, Slot slot, const CategorySummary& box);
  Address add(std::uint32_t leaf, const Group& g, Slot slot, const CategorySummary& box);
  void write(Leaf& leaf, std::size_t lane, const Group& g, const CategorySummary& box);
  void widen(const Leaf& leaf, std::size_t begin, std::size_t end);
  void summarise(Leaf& leaf);
  void summarise_page(std::uint32_t p);
  bool drop(Address at);
  std::uint32_t split(std::uint32_t leaf, const Splitting& splitting);
  std::uint32_t new_leaf(std::uint32_t page, std::uint32_t node);
  std::uint32_t new_page(std::uint32_t root);
  void split_page(std::uint32_t p);

  std::size_t n_;
  const ValueRows* rows_;
  std::size_t capacity_;
  bool has_quantized_, shares_;  // what leaves have
  std::deque<Node> nodes_;
  std::deque<Leaf> leaves_;
  std::deque<Page> pages_;
  static constexpr std::uint32_t NONE = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t full_ = NONE;   // a page that has no room for another leaf
  std::deque<Summary> superpages_;  // page p is lane p % 64 of superpage p / 64
};

}  // namespace boxwise
