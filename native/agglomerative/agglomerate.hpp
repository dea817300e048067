// AGGLO-2 and AGGLO-SM, exactly as in reference/agglomerative.py, and the joining of models. Both are
// batch algorithms: learn makes a box of every row, then merges boxes.
#pragma once

#include <functional>

#include "eiol/entropy_engine.hpp"
#include "store/scan.hpp"

namespace boxwise {

enum class Similarity { SHORT, LONG, MID };

struct AgglomerativeSettings {
  EntropySettings entropy;
  bool pairs;  // AGGLO-SM: the most similar pair of all; else AGGLO-2: box by box
  Similarity similarity;
  double least_similarity;
};

class AgglomerativeEngine : public EntropyEngine {
 public:
  // `pulse` is called every now and then while boxes are merged; what it throws ends the merging
  // between two merges.
  AgglomerativeEngine(std::size_t n_numeric, std::size_t n_categorical,
                      AgglomerativeSettings settings, std::vector<Range> ranges,
                      std::function<void()> pulse = {});
  std::unique_ptr<LearningEngine> fresh() const override;
  bool needs_all_rows() const override { return true; }
  void set_pulse(std::function<void()> pulse) override { pulse_ = std::move(pulse); }

  void configure(AgglomerativeSettings settings);
  void learn(const Rows& rows, const std::int32_t* labels) override { learn(rows, labels, 1); }
  // Partners are looked for in so many threads; what is learned does not depend on them.
  void learn(const Rows& rows, const std::int32_t* labels, std::size_t threads);
  void join(const AgglomerativeEngine& other);  // add the boxes of another model (join.cpp)

 private:
  class Agglomeration;
  class Joining;
  struct Search {  // working memory of looking for partners, and for overlaps with them
    std::vector<Code> codes;  // a value of each feature of the box whose partners are visited
    Counts counts;
    Overlap overlap;
    std::vector<Tally> values;
  };

  void check(const AgglomerativeSettings& settings) const;
  void pulse();
  template <class Visit>
  void visit_partners(const Box& a, std::size_t group, Visit visit) {
    pulse();
    visit_partners(a, group, search_, visit);
  }
  template <class Visit>
  void visit_partners(const Box& a, std::size_t group, Search& search, Visit visit) const;
  template <class Visit>
  void visit_partners_in(const Group& g, Slot begin, Slot end, const Box& a, Search& search,
                         Visit visit) const;
  static bool may_share_class(std::size_t a, std::size_t b) { return a == 0 || b == 0 || a == b; }
  std::size_t filter(const Group& g, const Box& a, Slot begin, std::size_t m, Search& search,
                     double* over, std::size_t& sized) const;
  bool fits(const Group& g, Slot slot, const Box& a, std::size_t from) const;
  bool merges_purely(const Group& g, Slot slot, const Box& a) const;
  double similarity(const Group& g, Slot slot, const Box& a) const;
  double numerical_similarity(const Group& g, Slot slot, const Box& a) const;
  void unite(Place place, const Box& a, Search& search) const;
  bool union_overlaps(std::size_t own, Search& search) const;
  void follow_boxes(std::size_t steps);

  AgglomerativeSettings how_;
  std::function<void()> pulse_;
  std::int64_t pulse_due_ = 0;

  Search search_;  // working memory
};

// Calls visit(place, similarity) for every box that may merge with `a`, a box of the group, as far
// as classes, sizes, categories and the least similarity go; overlaps are not looked at.
template <class Visit>
void AgglomerativeEngine::visit_partners(const Box& a, std::size_t group, Search& search,
                                         Visit visit) const {
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    if (!may_share_class(group, k)) continue;
    const Group& g = groups_[k];
    visit_partners_in(g, 0, static_cast<Slot>(g.size()), a, search,
                      [&](Slot slot, double degree) { visit(Place{k, slot}, degree); });
  }
}

template <class Visit>
void AgglomerativeEngine::visit_partners_in(const Group& g, Slot begin, Slot end, const Box& a,
                                            Search& search, Visit visit) const {
  alignas(64) double over[BLOCK];
  search.codes.clear();
  for (const auto& set : a.D) search.codes.push_back(set[0].first);
  for (Slot first = begin; first < end; first += BLOCK) {
    const std::size_t m = std::min<std::size_t>(BLOCK, end - first);
    std::size_t sized = 0;
    if (filter(g, a, first, m, search, over, sized) == 0) continue;
    for (std::size_t at : Passing(over, m)) {
      const Slot slot = first + static_cast<Slot>(at);
      if (!fits(g, slot, a, sized) || !merges_purely(g, slot, a)) continue;
      const double degree = similarity(g, slot, a);
      if (degree >= how_.least_similarity) visit(slot, degree);
    }
  }
}

}  // namespace boxwise
