// EIOL-GFMM, versions 1 and 2: learns sample by sample, exactly as reference/eiol.py does, and predicts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "entropy.hpp"
#include "group.hpp"

namespace boxwise {

struct Settings {
  double theta, delta, alpha;
  std::vector<double> gamma;  // one per continuous feature
  bool mean;                  // version 2: the mean of the entropy changes, not each of them
};

// Range of a continuous feature; low > high while no value has been seen.
struct Range {
  double low;
  double high;
  bool growing;
};

// Rows as the caller holds them. NaN is a missing number, a negative code a value never learned.
struct Rows {
  std::size_t count;
  const double* lower;
  const double* upper;
  const Code* codes;
};

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

class Engine {
 public:
  Engine(std::size_t n_continuous, std::size_t n_categorical, Settings settings,
         std::vector<Range> ranges);

  void configure(Settings settings);
  void learn(const Rows& rows, const std::int32_t* labels);
  void remove(std::uint64_t id);
  void merge(std::uint64_t kept, std::uint64_t other);
  void restore(const Snapshot& boxes);  // all but the ranges, which the constructor takes

  void predict(const Rows& rows, std::int32_t* labels) const;
  // For the first n_classes classes, however many there are by now.
  std::vector<double> probabilities(const Rows& rows, std::size_t n_classes) const;
  std::pair<std::size_t, std::vector<double>> memberships(const Rows& rows) const;

  Snapshot snapshot() const;
  std::size_t n_continuous() const { return n_; }
  std::size_t n_categorical() const { return r_; }
  std::size_t n_classes() const;
  std::size_t n_boxes() const;
  std::uint64_t rejections() const;  // expansions that the overlap test refused
  std::size_t bytes() const;

 private:
  struct Probe {  // one continuous feature in which the sample has a value
    std::size_t j;
    double xl, xu;
    double limit, slope;  // theta and gamma in the feature's own units
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
  };
  struct Grown {  // a candidate as it would be with the sample in it
    std::vector<double> V, W;
    std::vector<std::vector<Tally>> D;
    std::vector<std::size_t> pure;  // features in which all samples, the new one too, agree
    std::uint32_t n;
    bool listed;  // whether D is filled in
    Place place;
  };
  struct Verdict {
    std::vector<double> best;           // by class; below zero where nothing reached the bar
    std::vector<std::uint64_t> weight;  // samples in the boxes that reach the best
    std::vector<double> bars;           // what a box must reach to matter: by class, or one for all
  };

  void check(const Settings& settings) const;
  void check(const Rows& rows) const;
  void check_labels(const Rows& rows, const std::int32_t* labels) const;
  void measure(std::size_t j);
  void widen(const Rows& rows, std::size_t row);
  void read(const Rows& rows, std::size_t row, Sample& x) const;

  void learn_one(const Sample& x);
  template <class Visit>
  void visit_candidate_groups(const Sample& x, Visit visit) const;
  bool contains(const Group& g, Slot slot, const Sample& x) const;
  void find_container(std::size_t group, const Sample& x);
  void collect(std::size_t group, const Sample& x);
  void consider(std::size_t group, Slot slot, const Sample& x, std::size_t sized, bool exotic);
  void offer_container(std::size_t group, Slot slot);
  bool stays_pure(Place place, const Sample& x) const;
  bool overlaps_any(Place place, const Sample& x);
  bool overlaps_group(std::size_t group);
  bool meets(const Group& h, Slot slot);
  void list_values();
  void take(Place place, const Sample& x, bool expand);
  void create(const Sample& x);
  void admit(std::size_t group, const Box& box);
  bool is_oversized(const Group& g, Slot slot) const;
  Place find(std::uint64_t id) const;

  template <class Use>
  void judge_all(const Rows& rows, bool every_class, std::size_t n_classes, Use use) const;
  void judge(const Sample& x, bool every_class, std::size_t classes, Aligned<double>& sums,
             Verdict& verdict) const;
  void add_up(const Sample& x, std::size_t classes, Aligned<double>& sums) const;
  void judge_block(const Group& g, const Sample& x, const double* sum, std::size_t begin, double from,
                   double below, double& bar, double& best, std::uint64_t& weight) const;
  double finish(const Group& g, Slot slot, const Sample& x, std::size_t seen, double dist,
                double sum, double bar) const;
  std::size_t winner(const Verdict& verdict) const;
  void share_out(const Verdict& verdict, double* p) const;
  void degrees(const Group& g, const Sample& x, double* out) const;
  std::vector<std::pair<std::uint64_t, Place>> in_order() const;
  void check_can_predict() const;
  std::shared_lock<std::shared_mutex> reading() const;
  std::unique_lock<std::shared_mutex> writing() const;

  std::size_t n_, r_;
  Settings settings_;
  double alpha_, beta_;  // weights of the two memberships; 1 and 0 where there is one kind only
  EntropyTest entropy_;
  std::vector<Range> ranges_;
  std::vector<double> limit_, slope_;
  std::vector<Group> groups_;  // 0: unlabelled; class k: k + 1
  std::uint64_t next_id_ = 0;
  std::uint64_t rejections_ = 0;

  // Working memory of learn, kept between samples.
  Sample sample_;
  std::vector<Candidate> candidates_;
  std::optional<Candidate> container_;
  Grown grown_;
  std::optional<Candidate> blocker_;

  mutable std::shared_mutex lock_;
  mutable std::mutex gate_;  // held by a waiting writer, so that readers cannot keep it out
};

}  // namespace boxwise
