// Onln-GFMM-M1, exactly as in reference/castillo.py: a box grows first and is then parted from those of
// other classes, by other bounds of its categories or by contraction. All rows are needed first, for
// the distances between the category values.
#pragma once

#include <functional>

#include "contraction/cutting_engine.hpp"
#include "contraction/value_distance.hpp"

namespace boxwise {

struct BoundSettings {
  double theta;
  std::vector<double> gamma;  // one per numeric feature
  double eta;                 // the largest distance between the bounds of a categorical feature
};

struct BoundSnapshot : Snapshot {
  std::vector<Code> bounds;  // box by box, feature by feature: E and F; -1 where F is not set
  // The class counts of all values, feature by feature, by code, as compressed rows.
  std::vector<std::uint64_t> n_values;  // how many values each feature has
  std::vector<std::uint64_t> seen_first;
  std::vector<Code> seen_class;
  std::vector<std::uint32_t> seen_times;
};

class BoundEngine : public CuttingEngine {
 public:
  // `pulse` is called every now and then while rows are learned; what it throws ends the learning
  // between two rows.
  BoundEngine(std::size_t n_numeric, std::size_t n_categorical, BoundSettings settings,
              std::vector<Range> ranges, std::function<void()> pulse = {});
  std::unique_ptr<LearningEngine> fresh() const override;
  bool needs_all_rows() const override { return true; }
  void set_pulse(std::function<void()> pulse) override { pulse_ = std::move(pulse); }

  void configure(BoundSettings settings);
  void learn(const Rows& rows, const std::int32_t* labels) override;
  BoundSnapshot bound_snapshot() const;
  void restore(const BoundSnapshot& all);
  std::size_t bytes() const;

 protected:
  void learn_one(const Sample& x) override;
  void score_classes(const Sample& x, bool every_class, std::size_t classes, Scratch& scratch,
             ClassScores& scores) const override;
  void degrees(const Group& g, const Sample& x, std::size_t begin, std::size_t m,
               double* out) const override;
  void refresh_thresholds(Group& g, Slot slot) override;

 private:
  struct Pair {  // the bounds of a box in one categorical feature
    Code E, F;
    bool has(Code code) const { return code == E || (code == F && F != ValueDistance::NONE); }
  };
  struct Fit {  // how the categories of a sample are to a box
    double outside;  // how far the furthest is from the bounds
    bool may_bound;  // whether all of them are bounds or may become one
  };
  struct Rival {
    std::uint64_t id;
    Place place;
  };
  struct Change {
    double cost;
    std::size_t j;
    Pair pair;
  };
  struct Cut {  // the grown box as it was when it was cut apart from a box
    std::uint64_t id;
    Bounds before;
  };

  void prepare(const Rows& rows, const std::int32_t* labels);

  void collect(std::size_t group, const Sample& x);
  void consider(std::size_t group, Slot slot, const Sample& x, std::size_t sized);
  Fit fit(const Pair* pairs, const Sample& x, bool covered) const;
  Place grow(Place place, const Sample& x);

  void part(Place place);
  template <class Visit>
  void visit_others(Place place, Visit visit) const;
  void find_meeting(Place place, std::uint64_t from);
  bool replace(Place place, const Rival& rival);
  void exclude(std::size_t j, Pair pair);
  void exclude_kept_apart(Place place, std::uint64_t before);
  bool is_kept_apart(const Rival& rival) const;
  bool has_unset(Place place) const;
  bool meets(const Bounds& grown, Place place) const;
  std::optional<Change> cheapest(const Pair* pairs) const;
  std::optional<Change> replacement(std::size_t j, Pair pair) const;

  double extent(std::size_t j, Pair pair) const;
  double outside(const Pair* pairs, const Sample& x, double threshold) const;

  std::size_t row_of(std::uint64_t id) const;
  const Pair* pairs(const Group& g, Slot slot) const {
    return pairs_.data() + g.engine_data[slot] * r_;
  }
  Pair* pairs(Place place) {
    return pairs_.data() + groups_[place.group].engine_data[place.slot] * r_;
  }

  BoundSettings settings_;
  std::function<void()> pulse_;
  std::vector<ClassCounts> counts_;      // by feature
  std::vector<ValueDistance> distance_;  // by feature
  // A row of bounds for each box, in order of creation; Group::engine_data has the row of a box.
  std::vector<std::uint64_t> row_id_;
  std::vector<Pair> pairs_;  // r_ for each row

  // Working memory of learn, kept between samples.
  std::vector<Rival> meeting_;
  std::vector<std::uint64_t> replaced_, stuck_;  // boxes that met it: bounds replaced, or not
  std::vector<Cut> cuts_;
  std::vector<std::vector<std::uint32_t>> excluded_;  // by feature and code: when it was excluded
  std::uint32_t turn_ = 0;
  std::vector<Tally> scratch_;
};

}  // namespace boxwise
