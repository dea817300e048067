// EIOL-GFMM, versions 1 and 2, exactly as in reference/eiol.py; without categorical features it is
// IOL-GFMM. Samples go in one by one; boxes and predictions do not depend on index and threads.
#pragma once

#include <optional>

#include "index/box_index.hpp"
#include "engine/engine.hpp"
#include "eiol/entropy.hpp"
#include "store/scan.hpp"

namespace boxwise {

struct EntropySettings {
  double theta, delta, alpha;
  std::vector<double> gamma;  // one per numeric feature
  bool mean;                  // version 2: the mean of the entropy changes, not each of them
  std::size_t max_boxes = 0;  // once there are so many, no new ones but for new classes; 0: no limit
};

constexpr std::size_t REQUANTIZED = 64;  // boxes that one row requantises

class EntropyEngine : public Engine {
 public:
  EntropyEngine(std::size_t n_numeric, std::size_t n_categorical, EntropySettings settings,
                std::vector<Range> ranges);
  std::unique_ptr<LearningEngine> fresh() const override;

  void configure(EntropySettings settings);
  const EntropySettings& settings() const { return settings_; }
  void merge(std::uint64_t kept, std::uint64_t other);
  std::uint64_t rejections() const;  // expansions that the overlap test refused
  // When to use an index; it changes no result. `capacity`: boxes in a leaf, fewer in tests.
  void set_index(IndexMode mode, std::size_t capacity = lanes::COUNT);

 protected:
  void learn_one(const Sample& x) override;
  void score_classes(const Sample& x, bool every_class, std::size_t classes, Scratch& scratch,
             ClassScores& scores) const override;
  void degrees(const Group& g, const Sample& x, std::size_t begin, std::size_t m,
               double* out) const override;
  void refresh_thresholds(Group& g, Slot slot) override;
  void quantize(Group& g, Slot slot) override;
  void measured(std::size_t j) override;
  bool needs_quantized_bounds() const override { return true; }

  struct Grown {  // a candidate as it would be with the sample in it
    std::vector<double> V, W;
    std::vector<std::vector<Tally>> D;
    std::vector<std::size_t> pure;  // features in which all samples, the new one too, agree
    Divisor n = 1;
    std::size_t listed;  // in how many features D is filled in
    Place place;
    std::vector<Place> parts;  // other boxes that it is made of: no overlap with them counts
  };
  struct Overlap {  // of a grown box with boxes of other classes: working memory of looking for it
    Grown grown;
    BoxIndex::Meeting meeting;
    QuantizedQuery query;  // the grown box, once it is quantised
    bool query_made = false;
    std::vector<Candidate> blockers;  // found lately, the latest first
  };
  struct Taker {
    Place place;
    bool grows;
  };
  std::optional<Taker> find_taker(const Sample& x);  // the box to take a sample, if there is one
  std::optional<Place> nearest(const Sample& x) const;  // the box of highest membership that might
  // Whether the grown box, of class `own`, overlaps a box of another; if so, blockers begins with
  // that one.
  bool overlaps_others(std::size_t own);
  // The same by several threads; indexes are used as far as they have come.
  bool overlaps_others(std::size_t own, Overlap& x) const;
  BoxIndex* index(std::size_t group);  // if it follows all boxes of the group, after some more
  bool meets(const Group& h, Slot slot, Grown& b) const;
  bool is_blocked_again(std::size_t own, Overlap& x) const;  // by a box that was found lately
  // By box: the least count, or sum of counts, of a row's values with which the entropy test may
  // pass.
  static const std::uint32_t* min_counts(const Group& g) { return g.engine_data.data(); }
  static bool excused(Place place, const Grown& b);  // a box whose overlap with it does not count

  Weights weights(double alpha) const;  // all on one membership where there is one kind only
  // How far x is from the boxes of a block, and what share of their samples has its values.
  void measure(const Group& g, const Sample& x, std::size_t begin, std::size_t m, double* dist,
               double* share) const;

  void quantize(const Sample& x, QuantizedQuery& query) const;
  std::vector<Quantizer> quantizers_;  // by feature
  std::vector<Quantizer> before_;  // of boxes that may not be requantised yet; or none

  IndexMode index_mode_ = IndexMode::AUTO;
  EntropySettings settings_;
  double alpha_, beta_;  // the weights of the two memberships
  mutable EntropyTest entropy_;  // remembers what it has computed

  // Working memory of learn, kept between samples.
  std::vector<Candidate> candidates_;
  std::optional<Candidate> container_;
  Overlap overlap_;

  // Find the oldest box that contains the sample; or else the boxes that pass the size and the
  // entropy test (for version 2, all that might pass the latter; and so where they are not weighed
  // yet).
  void look_up(const Sample& x);
  bool weigh_values(Candidate& box, const Sample& x) const;
  bool overlaps_any(Place place, const Sample& x);
  bool overlaps_group(std::size_t group, Overlap& x) const;
  void leave_out_apart(const Group& h, std::size_t begin, std::size_t m, Overlap& x,
                       std::uint8_t* out) const;
  bool blocks(Place place, Overlap& x) const;
  bool is_apart(const Group& h, Slot slot, const Grown& b) const;
  bool shares_values(const Group& h, Slot slot, Grown& b) const;

 private:
  void check(const EntropySettings& settings) const;
  bool contains(const Group& g, Slot slot, const Sample& x) const;
  void find_container(std::size_t group, const Sample& x);
  void collect(std::size_t group, const Sample& x);
  void leave_out_oversized(const Group& g, const Sample& x, std::size_t begin, std::size_t m,
                           std::uint8_t* out);
  void leave_out_plainly(const Group& g, const Sample& x, std::size_t begin, std::size_t m,
                         std::uint8_t* out) const;
  void consider(std::size_t group, Slot slot, const Sample& x, std::size_t sized, bool exotic,
                double sum);
  double share_of(const Group& g, Slot slot, double sum) const;
  double add_up(const Group& g, Slot slot, const Sample& x) const;
  void collect_indexed(const BoxIndex& index, std::size_t group, const Sample& x, bool exotic);
  void find_container_indexed(const BoxIndex& index, std::size_t group, const Sample& x);
  bool overlaps_indexed(const BoxIndex& index, std::size_t group, Overlap& x) const;
  void offer_container(std::size_t group, Slot slot);
  bool may_grow(const Candidate& box, const Sample& x);
  bool stays_pure(Place place, const Sample& x) const;
  void list_values(std::size_t j, Grown& b) const;

  void score_packed(const Sample& x, bool every_class, std::size_t classes, Scratch& scratch,
                      ClassScores& scores) const;
  Quantizer new_quantizer(std::size_t j) const;
  void requantize(std::size_t boxes);
  void pass_over(const Sample& x, std::size_t classes, Scratch& scratch) const;
  void find_indexes(Scratch& scratch) const;
  void score_indexed(const Sample& x, bool every_class, std::size_t classes, Scratch& scratch,
                     ClassScores& scores) const;
  void weigh(const Group& g, Slot slot, std::size_t k, bool every_class, double reached,
             ClassScores& scores) const;
  template <class Visit>
  void visit_block(const Sample& x, const BoxBlock& s, const float* degrees, float threshold,
                     Visit visit) const;
  double mixed(const Group& g, Slot slot, double dist, double sum) const;
  double finish(const Group& g, Slot slot, const Sample& x, double sum, double threshold) const;

  bool quantized_any_ = false;  // a box was quantised since the last quantizer was made
  std::uint64_t rejections_ = 0;

  bool wants_index(const Group& g) const;
  void make_index(const Group& g) const;
  mutable std::size_t waited_ = 0;  // turns that predictions have done without one
  std::size_t leaf_capacity_ = lanes::COUNT;
  BoxIndex::Growing growing_;
  BoxIndex::Meeting meeting_;
  Extents extents_;  // of the sample that is learned, once they are made
  bool extents_made_ = false;
};

}  // namespace boxwise
