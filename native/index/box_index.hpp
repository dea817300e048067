// The exact index over the boxes of one class: finds a superset of the boxes that a sample may grow, that
// contain it, that a grown box may overlap, or that may have the highest membership. Each result is
// tested by the caller, so the index changes no outcome. It follows the boxes one by one.
//
// Boxes that only a sample with their own values can grow (closed boxes), boxes that take any value
// (open boxes) and those in between, by the number of values they may lack, are in forests of their
// own: among open boxes a missing value rules nothing out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "index/best_first.hpp"
#include "eiol/entropy.hpp"
#include "index/forest.hpp"
#include "store/rare_values.hpp"

namespace boxwise {

// Once it pays; from the first box on; never, as if there were few boxes; never, and no box is left out
// in other ways either.
enum class IndexMode { AUTO, ON, SMALL, OFF };

class BoxIndex {
 public:
  // These stay with the engine: what a box asks of a sample, and how far from it samples matter, in the
  // units of each feature.
  BoxIndex(const Group& g, std::size_t capacity, EntropyTest& test,
           const std::vector<double>& margins, bool quantized);
  BoxIndex(const BoxIndex&) = delete;  // the forests know where the rows are

  bool follows_all(const Group& g) const { return addresses_.size() == g.size(); }
  void follow(const Group& g, std::size_t boxes);  // so many more
  void added(const Group& g, Slot slot, const Box& box);
  void changed(const Group& g, Slot slot, const Code* codes);  // it has taken these values
  void removed(const Group& g, Slot slot, const Box& box);  // the last box has its slot now
  void requantized(const Group& g, Slot slot);  // its quantised bounds changed

  struct Growing {  // a sample that looks for boxes to take it
    std::vector<lanes::Growth> sides;
    std::vector<lanes::Value> values;
    Word signature = 0;  // of a box that holds nothing else
    std::vector<Slot> few;  // working memory
  };
  // Calls visit(leaf, lane) for boxes that pass the size test and may pass the entropy test.
  template <class Visit>
  void visit_growing(Growing& x, Visit visit) const {
    const auto go_on = [&](const Forest::Leaf& leaf, std::size_t lane) {
      visit(leaf, lane);
      return false;
    };
    const auto& sides = x.sides;
    const auto grown = [&](const double* V, const double* W, Word alive) {
      return lanes::can_grow(V, W, sides.data(), sides.size(), alive);
    };
    const auto held = [&](const auto& s) {
      return lanes::hold(s.value_masks(), x.values.data(), x.values.size(), s.allowed(), s.alive());
    };
    const Word bloom = CategorySummary::bloom(x.signature);
    const auto hull = [&](const Forest::Summary& s) {
      const Word alive = hold_all(s, x.values);
      return grown(s.high_V(), s.low_W(),
                   lanes::own(s.blooms(), bloom, s.allowed(), s.some_mixed(), alive));
    };
    const auto box = [&](const Forest::Leaf& l) {
      const Word alive = hold_all(l, x.values);
      return grown(l.V(), l.W(),
                   lanes::own(l.signatures(), x.signature, l.allowed(), CategorySummary::MIXED,
                              alive));
    };
    if (list_rarest(x.values, x.few)) {  // a closed box that takes the sample is among them
      for (const Slot slot : x.few) {
        const auto [band, at] = addresses_[slot];
        if (band != 0) continue;
        const Forest::Leaf& leaf = forests_.front().leaf_of(at);
        const std::size_t lane = at % lanes::COUNT;
        if (grown(leaf.V(), leaf.W(), Word{1} << lane) != 0) visit(leaf, lane);
      }
    } else {
      forests_.front().search(hull, box, go_on);
    }
    for (std::size_t band = 1; band + 1 < forests_.size(); ++band)
      forests_[band].search(
          [&](const auto& s) { return grown(s.high_V(), s.low_W(), held(s)); },
          [&](const auto& l) { return grown(l.V(), l.W(), held(l)); }, go_on);
    forests_.back().search([&](const auto& s) { return grown(s.high_V(), s.low_W(), s.alive()); },
                           [&](const auto& l) { return grown(l.V(), l.W(), l.alive()); }, go_on);
  }

  struct Meeting {  // intervals and values that a box must have
    std::vector<lanes::Interval> sides;
    std::vector<lanes::Value> values;
    Word signature = 0, factors = 0;
    std::vector<Slot> few;  // working memory
  };
  // Boxes that may contain a sample.
  template <class Visit>
  void visit_containing(const Meeting& x, Visit visit) const {
    const auto meeting = [&](const auto& s, const double* V, const double* W) {
      return lanes::meet(V, W, x.sides.data(), x.sides.size(), hold_all(s, x.values));
    };
    for (const Forest& forest : forests_)
      forest.search([&](const auto& s) { return meeting(s, s.low_V(), s.high_W()); },
                     [&](const auto& l) { return meeting(l, l.V(), l.W()); },
                     [&](const Forest::Leaf& leaf, std::size_t lane) {
                       visit(leaf.items[lane]);
                       return false;
                     });
  }
  // Boxes that may overlap, until `visit` returns true.
  template <class Visit>
  bool visit_overlapping(Meeting& x, Visit visit) const {
    if (list_rarest(x.values, x.few)) return std::any_of(x.few.begin(), x.few.end(), visit);
    const Word mixed = x.signature & CategorySummary::MIXED;
    const Word bloom = CategorySummary::bloom(x.signature);
    const auto hull = [&](const Forest::Summary& s) {
      Word alive = lanes::intersect(s.blooms(), bloom, hold_all(s, x.values));
      alive = lanes::between(s.all_mixed(), s.some_mixed(), mixed, alive);
      return lanes::meet(s.low_V(), s.high_W(), x.sides.data(), x.sides.size(), alive);
    };
    const auto box = [&](const Forest::Leaf& l) {
      Word alive = lanes::equal(l.signatures(), x.signature, hold_all(l, x.values));
      if (mixed != 0) alive = lanes::intersect(l.factors(), x.factors, alive);
      return lanes::meet(l.V(), l.W(), x.sides.data(), x.sides.size(), alive);
    };
    const auto found = [&](const Forest::Leaf& leaf, std::size_t lane) {
      return visit(leaf.items[lane]);
    };
    return std::any_of(forests_.begin(), forests_.end(),
                       [&](const Forest& forest) { return forest.search(hull, box, found); });
  }

  // Fills in the values of a sample and the boxes that hold those of them that are rare.
  void sort_out(const Code* codes, BestFirst::GroupQuery& query) const;

  lanes::Value value(std::size_t j, Code code) const {  // not below 0
    return {j, code, rows_.begin(j) + rows_.place(j, code)};
  }

  const std::vector<Forest>& forests() const { return forests_; }
  std::size_t bytes() const;

  // Prime factors as bits. Two relative frequencies below 1 are equal only if the numbers of samples
  // have a factor in common: both are multiples of the denominator.
  static Word common_factors(std::uint32_t n);

 private:
  struct Address {
    std::uint32_t band;  // its forest
    Forest::Address at;
  };

  template <class Columns>
  static Word hold_all(const Columns& s, const std::vector<lanes::Value>& values) {
    return lanes::hold(s.value_masks(), values.data(), values.size(), s.alive());
  }
  Word bit(std::size_t j, Code code) const { return Word{1} << rows_.place(j, code); }
  std::uint32_t band() const;  // of the category summary
  // The boxes that hold that of the values which the fewest hold; false if none of them is rare.
  bool list_rarest(const std::vector<lanes::Value>& values, std::vector<Slot>& slots) const;
  bool mostly_rare(std::size_t j) const { return 2 * rare_[j].n_postings() > addresses_.size(); }
  void take_in(const Group& g, Slot slot);
  void describe(const Group& g, Slot slot);  // all but its values
  void list_shares(const Group& g, Slot slot);
  void renew_shares(const Group& g, Slot slot, const Code* codes);
  void insert(const Group& g, Slot slot);
  void erase(Address address);
  void see(Slot slot, std::size_t j, const std::vector<Tally>& values, Signature& signature);

  std::size_t r_;
  ValueRows rows_;
  EntropyTest& test_;
  std::vector<Forest> forests_;  // none may be missing, one, two or three, four to seven, ..., all
  std::vector<RareValues> rare_;  // by feature
  Forest::Splitting splitting_;
  std::deque<Address> addresses_;  // by slot; a deque grows without a pause
  CategorySummary summary_;              // working memory
  std::vector<Tally> values_;
};

}  // namespace boxwise
