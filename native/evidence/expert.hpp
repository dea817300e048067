// A set of boxes with all that is learned beside them: class statistics, relevance of the columns, a
// clock. It evaluates a row, takes a step down the gradient of its log-loss, and puts the row into a
// box (the learning rule). Which experts there are and how they are weighted is learner.hpp's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "density.hpp"
#include "scales.hpp"

namespace boxwise::evidence {

struct Sizes {
  // The longest side of a box, as a share of the scale, and the largest change of its entropy that a
  // row may cause, for a column of average relevance.
  double theta, delta;
};

constexpr std::int32_t UNLABELLED = -1;

struct Evaluation {  // of a row
  std::vector<GroupLikelihood> groups;
  std::vector<double> p;  // by class
};

// A box by itself, in the units of the input.
struct ExpertBox {
  double n, last;
  std::uint64_t id;
  std::vector<double> low, high;  // NaN: no value yet
  std::vector<std::vector<std::pair<std::int32_t, double>>> counts;
};

class Expert {
 public:
  struct Place {
    std::size_t group, slot;
  };
  Expert(std::size_t n_numeric, std::size_t n_categorical, Sizes sizes, DensitySettings density);

  bool can_predict() const;  // some class has rows
  void evaluate(const Query& x, const std::vector<double>& values_known, Evaluation& out) const;
  // Learn a row that was evaluated: the relevance first, if its class is known, then the boxes.
  void step(const Query& x, std::int32_t label, const Evaluation& at);
  std::optional<Place> find(const Query& x, std::int32_t label, const Evaluation& at) const;
  // The box of a class that may take a whole box of another set, which is given as a row too: the one
  // with the largest density of those that are alike.
  std::optional<std::size_t> find_alike(std::size_t group, const Query& x,
                                        const std::vector<double>& values_known,
                                        const BoxGroup& other, std::size_t from) const;
  void unite(std::size_t group, std::size_t slot, const Query& x, const BoxGroup& other,
             std::size_t from);
  void add(std::size_t group, const BoxGroup& other, std::size_t from);
  void take(Place place, const Query& x, std::int32_t label, double weight);
  void create(const Query& x, std::int32_t label, double weight, std::uint64_t id);
  void tick(std::int32_t label, double weight);  // once for each row, before take or create
  void remove(Place place);
  // Keeps the boxes in some slots, by group, and no others.
  void keep(const std::vector<std::vector<std::size_t>>& slots);
  void put(const ExpertBox& box, std::size_t group, const Scales& scales);

  std::size_t n_boxes() const;
  // The positions of all boxes in some columns anew, after their scales have changed.
  void rescale(const std::vector<std::size_t>& columns, const Scales& scales);

  Sizes sizes;
  DensitySettings density;
  std::vector<BoxGroup> groups;   // 0: without a class; class k: k + 1
  std::vector<ClassStats> stats;  // alike
  Relevance relevance;
  double clock = 0;  // rows learned
  std::uint64_t rows = 0;  // with a label

 private:
  void grow_to(std::size_t group);
  // Log-densities of a row in the boxes of a group, rounded up; NONE where a side would become too long.
  void bound_log_densities(const BoxGroup& group, const Query& x, const GroupLikelihood& at,
                           Aligned<double>& out) const;
  void normalise(std::size_t group, std::size_t slot);
  void normalise_all();
  bool entropy_fits(const BoxGroup& group, std::size_t slot, const Query& x) const;
  double entropy_change(const BoxGroup& group, std::size_t slot, const Query& x) const;
  bool are_alike(const BoxGroup& group, std::size_t slot, const BoxGroup& other, std::size_t from) const;
  // The intervals of a box that has taken another one, which is given as a row. Where both together
  // would be too long, the box keeps its own if the middle of the other lies in it; else there are none.
  std::optional<Query> united(const BoxGroup& group, std::size_t slot, const Query& x) const;
  void evaluate_group(std::size_t g, const Query& x, const std::vector<double>& values_known,
                      GroupLikelihood& out) const;
  void count(std::size_t group, const Query& x, double weight);
  void count_box(std::size_t group, const BoxGroup& boxes, std::size_t slot, double sign);

  std::size_t n_, r_;
};

}  // namespace boxwise::evidence
