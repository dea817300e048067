// Boxes that merge: AGGLO-2 and AGGLO-SM, exactly as reference/agglomerative.py has them, and the
// joining of models. AGGLO is a batch algorithm: learn makes a box of every row, then merges.
#pragma once

#include <functional>
#include <optional>

#include "entropy_engine.hpp"
#include "scan.hpp"

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
  AgglomerativeEngine(std::size_t n_continuous, std::size_t n_categorical,
                      AgglomerativeSettings settings, std::vector<Range> ranges,
                      std::function<void()> pulse = {});
  std::unique_ptr<Engine> fresh() const override;
  bool needs_all_rows() const override { return true; }
  void set_pulse(std::function<void()> pulse) override { pulse_ = std::move(pulse); }

  void configure(AgglomerativeSettings settings);
  void learn(const Rows& rows, const std::int32_t* labels) override;
  void join(const AgglomerativeEngine& other);  // add the boxes of another model (join.cpp)

 protected:
  bool excused(Place place) override;

 private:
  class Agglomeration;
  class Joining;

  void check(const AgglomerativeSettings& settings) const;
  void pulse();
  template <class Visit>
  void visit_partners(const Box& a, std::size_t group, Visit visit);
  template <class Visit>
  void visit_partners_in(const Group& g, const Box& a, Visit visit);
  std::size_t filter(const Group& g, const Box& a, Slot begin, std::size_t m, double* over,
                     std::size_t& sized);
  bool fits(const Group& g, Slot slot, const Box& a, std::size_t from) const;
  bool merges_purely(const Group& g, Slot slot, const Box& a) const;
  double similarity(const Group& g, Slot slot, const Box& a) const;
  double numerical_similarity(const Group& g, Slot slot, const Box& a) const;
  void unite(Place place, const Box& a);
  bool union_overlaps(std::size_t own);

  AgglomerativeSettings how_;
  std::function<void()> pulse_;
  std::int64_t pulse_due_ = 0;

  // Working memory.
  std::optional<Place> second_;  // where the other part of the union is, if it is one of the boxes
  std::vector<Code> codes_;      // a value of each feature of the box whose partners are visited
  std::vector<Tally> values_;
  Counts counts_;
};

// Calls visit(place, similarity) for every box that may merge with `a`, a box of the group, as far
// as classes, sizes, categories and the least similarity go; overlaps are not looked at.
template <class Visit>
void AgglomerativeEngine::visit_partners(const Box& a, std::size_t group, Visit visit) {
  pulse();
  codes_.clear();
  for (const auto& set : a.D) codes_.push_back(set[0].first);
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    if (group != 0 && k != 0 && k != group) continue;
    visit_partners_in(groups_[k], a, [&](Slot slot, double degree) {
      visit(Place{k, slot}, degree);
    });
  }
}

template <class Visit>
void AgglomerativeEngine::visit_partners_in(const Group& g, const Box& a, Visit visit) {
  alignas(64) double over[BLOCK];
  for (std::size_t begin = 0; begin < g.size(); begin += BLOCK) {
    const Slot first = static_cast<Slot>(begin);
    const std::size_t m = std::min(BLOCK, g.size() - begin);
    std::size_t sized = 0;
    if (filter(g, a, first, m, over, sized) == 0) continue;
    for (std::size_t at : Passing(over, m)) {
      const Slot slot = first + static_cast<Slot>(at);
      if (!fits(g, slot, a, sized) || !merges_purely(g, slot, a)) continue;
      const double degree = similarity(g, slot, a);
      if (degree >= how_.least_similarity) visit(slot, degree);
    }
  }
}

}  // namespace boxwise
