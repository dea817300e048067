// The base of the engines of the GFMM family: boxes in groups by class, ranges of the features, the
// loops over rows and threads, prediction by the best class score. Rows go in; labels,
// probabilities or memberships come out. The learning rule and the membership of a box are virtual.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "index/packed_copy.hpp"
#include "index/best_first.hpp"
#include "store/group.hpp"
#include "engine/lazy_cache.hpp"
#include "engine/learning_engine.hpp"
#include "engine/model_lock.hpp"

namespace boxwise {

// Every box in order of creation; the counted sets as compressed rows (box by box, feature by
// feature): the values of set s are those in [first[s], first[s + 1]).
struct Snapshot {
  std::vector<double> V, W;  // box by box; NaN where unset
  std::vector<std::uint32_t> n;
  std::vector<std::int32_t> label;  // -1: unlabelled
  std::vector<std::uint64_t> id;
  std::vector<std::uint64_t> first;
  std::vector<Code> code;
  std::vector<std::uint32_t> times;
  std::size_t n_classes = 0;
  std::uint64_t next_id = 0;  // what the next new box will be called
  std::vector<Range> ranges;
};

class Engine : public LearningEngine {
 public:
  void learn(const Rows& rows, const std::int32_t* labels) override;
  void remove(std::uint64_t id) override;
  void restore(const Snapshot& boxes);  // all but the ranges, which the constructor takes
  void test_then_train(const Rows& rows, const std::int32_t* labels, Answers answers) override;
  void predict(const Rows& rows, std::int32_t* labels, std::size_t threads = 1) const override;
  std::vector<double> probabilities(const Rows& rows, std::size_t n_classes,
                                    std::size_t threads = 1) const override;
  Matrix memberships(const Rows& rows, std::size_t threads = 1) const override;

  Snapshot snapshot() const;
  std::size_t n_numeric() const override { return n_; }
  std::size_t n_categorical() const override { return r_; }
  const std::vector<Range>& ranges() const { return ranges_; }  // not while others learn
  std::size_t n_classes() const override;
  std::size_t n_boxes() const override;
  std::size_t bytes() const override;

 protected:
  struct Probe {  // one numeric feature in which the sample has a value
    std::size_t j;
    double xl, xu;
    double limit, slope;  // theta and gamma in the units of xl and xu
    double from, to;      // xl and xu in the units of the input
  };
  struct Sample {
    std::vector<Probe> probes;
    const Code* codes;
    std::int32_t label;
  };
  struct Place {
    std::size_t group;
    Slot slot;
  };
  struct Candidate {
    double degree;
    std::uint64_t id;
    Place place;
    double b_num = 0, b_cat = 0;  // what the degree is mixed from, for those who mix it anew
    bool weighed = true;          // else the degree is what it may be at most, whatever its values
  };
  struct ClassScores {
    std::vector<double> best;           // by class; below zero where nothing reached the threshold
    std::vector<double> distance;       // classes that tie: the nearest wins
    std::vector<std::uint64_t> weight;  // and then the one with most samples in its best boxes
    std::vector<double> thresholds;     // for pruning, by class or one for all: boxes below do not matter
  };

  using PackedCopies = std::vector<std::unique_ptr<const PackedCopy>>;  // null: not worth it
  // Exponential backoff for searches that may give up: after each that did, more samples go
  // without.
  struct AdaptiveBackoff {
    unsigned failed = 0, skips = 0;
    bool skip() { return skips > 0 && skips-- > 0; }
    void note(bool done) {
      failed = done ? 0 : std::min(failed + 1, 6u);
      skips = done ? 0 : 1u << failed;
    }
  };
  struct BoxBlock {  // m boxes of class k, from `begin` on
    std::size_t k, begin, m;
    float top;  // an upper bound of their memberships
  };
  struct Pass {  // over blocks of boxes: upper bounds of their memberships
    std::vector<BoxBlock> blocks;
    Aligned<float> degrees;  // upper bounds, box by box
    QuantizedQuery query;
  };
  struct Scratch {  // working memory of `score_classes`, kept between samples
    std::shared_ptr<const PackedCopies> packed;  // by group, where it is worth it
    Pass pass;
    PackedCopy::Scratch search;
    bool chunk_begins = true;  // boxes may have changed since the last sample
    std::vector<const BoxIndex*> found, indexes;  // by group, null where there is none; in use
    std::vector<AdaptiveBackoff> backoff;  // by group; of all groups together, the first
    BestFirst best_first;
  };

  Engine(std::size_t n_numeric, std::size_t n_categorical, std::vector<Range> ranges);

  // One sample; its class has a group already, and the ranges include it.
  virtual void learn_one(const Sample& x) = 0;
  // Fills in the scores of the first `classes` classes; if not every class matters, of those that
  // reach the best of all.
  virtual void score_classes(const Sample& x, bool every_class, std::size_t classes,
                             Scratch& scratch, ClassScores& scores) const = 0;
  // Called once before `rows` rows are predicted, to put into the scratch whatever speeds that up.
  virtual void prepare(std::size_t rows, Scratch& scratch) const;
  // The memberships of the boxes of a block.
  virtual void degrees(const Group& g, const Sample& x, std::size_t begin, std::size_t m,
                       double* out) const = 0;
  // Computes what the tests compare a box with. Called for a box that is new, has taken a sample or
  // stands under new settings.
  virtual void refresh_thresholds(Group&, Slot) {}
  // Called for a box that is new, has grown or stands under new settings.
  virtual void quantize(Group&, Slot) {}
  // Called when the slope of a feature has changed.
  virtual void measured(std::size_t) {}

  void check_sizes(double theta, const std::vector<double>& gamma) const;
  void set_sizes(double theta, std::vector<double> gamma);  // the caller holds the lock
  void refresh_all_thresholds();
  void check(const Rows& rows) const;
  void check_labels(const Rows& rows, const std::int32_t* labels) const;
  // A row to learn: its class gets a group, the ranges grow with it.
  void read_to_learn(const Rows& rows, std::size_t row, std::int32_t label, Sample& x);
  void widen(const Rows& rows, std::size_t row);
  Probe probe(std::size_t j, double low, double high) const;
  Group new_group() const;
  virtual bool needs_quantized_bounds() const { return false; }
  void read(const Rows& rows, std::size_t row, Sample& x) const;
  double width(std::size_t j) const;  // of the range of feature j; 0 if it is a single point
  void take(Place place, const Sample& x, bool expand);
  void create(const Sample& x);
  void insert(std::size_t group, const Box& box);
  std::size_t winner(const ClassScores& scores) const;
  // The probabilities of the classes.
  void to_probabilities(const ClassScores& scores, double* p) const;
  bool can_predict() const;
  std::size_t count() const;  // of the boxes
  Place find(std::uint64_t id) const;
  std::vector<std::pair<std::uint64_t, Place>> in_order() const;
  std::shared_lock<std::shared_mutex> reading() const;
  std::unique_lock<std::shared_mutex> writing() const;

  // The groups whose boxes may take the sample: its class and the unlabelled; all without a label.
  template <class Visit>
  void visit_candidate_groups(const Sample& x, Visit visit) const {
    if (x.label < 0) {
      for (std::size_t group = 0; group < groups_.size(); ++group) visit(group);
    } else {
      visit(0);
      visit(static_cast<std::size_t>(x.label) + 1);
    }
  }

  // The boxes of a group packed for predicting; null where it is not worth it.
  static const PackedCopy* packed_copy(const Scratch& scratch, std::size_t group) {
    return scratch.packed ? (*scratch.packed)[group].get() : nullptr;
  }

  std::size_t n_, r_;
  bool rescaled_;  // features are measured by rank
  double theta_ = 0;
  std::vector<double> gamma_;
  std::vector<Range> ranges_;
  std::vector<double> limit_, slope_;
  std::vector<double> margin_;  // about how far from a box a sample matters to it
  std::vector<Group> groups_;  // 0: unlabelled; class k: k + 1
  std::uint64_t next_id_ = 0;
  mutable std::mutex indexing_;  // held by a reader that has an index made
  // How often the lock was taken to change something.
  std::uint64_t changes() const { return changes_; }

 private:
  void measure(std::size_t j);
  void rescale(Group& g, std::size_t j);
  bool is_oversized(const Group& g, Slot slot) const;
  // Learn the rows; `before` is called ahead of each.
  template <class Before>
  void learn_each(const Rows& rows, const std::int32_t* labels, Before before);
  template <class Use>
  void score_rows(const Rows& rows, bool every_class, std::size_t n_classes, std::size_t threads,
                 Use use) const;

  // Working memory of learn, kept between samples.
  Sample sample_;
  Box created_;

  mutable LazyCache<PackedCopies> packed_;  // for predicting
  mutable std::atomic<std::uint64_t> changes_ = 0;

  ModelLock lock_;
};

}  // namespace boxwise
