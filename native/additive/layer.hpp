// The additive layer over the boxes: a logistic model for each class, whose inputs are the
// log-probability that the boxes give the class (of weight 1 at the start, so that an untrained layer
// says what the boxes say) and functions of single columns, which make the curves. Filters of several
// rates of drift learn side by side; they and the boxes alone are weighted by their discounted
// log-losses, and mixed in their log-odds, so that a decision is one sum over the columns.
// reference/additive.py is its specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "filter.hpp"
#include "inputs.hpp"

namespace boxwise::additive {

constexpr std::size_t RATES = 2, EXPERTS = 1 + RATES;  // the boxes alone are the first

// A row as the layer judges it, and working memory.
struct Judgement {
  std::vector<Active> inputs;
  Row row;                      // the inputs by their numbers, with the bias and the boxes
  std::vector<bool> possible;   // by class: it has boxes
  std::vector<double> boxes;    // by class: log-probability by the boxes, less the mean of those possible
  std::vector<double> logits;   // by expert and class
  std::vector<double> weights;  // of the experts, in all 1
  std::vector<double> p;        // by class
};

// The logit of a class never falls (sign 1) or never rises (-1) with a numeric column, and those of all
// others never rise or never fall, so that the same holds of its probability.
struct Constraint {
  std::size_t column;
  std::int32_t label;  // -1: a class that has had no row yet
  double sign;
  bool operator==(const Constraint&) const = default;
};

class Layer {
 public:
  Layer(std::size_t n_numeric, std::size_t n_categorical);

  // Makes curves monotone, now and after each row that is learned.
  void constrain(std::vector<Constraint> constraints);

  // Fills in the judgement of a row whose inputs are read already, with these probabilities by the
  // boxes. A class that has none, for it has no box, keeps none. The filters count with their weights
  // times `trust`, and the boxes alone with the rest.
  void judge(const std::vector<double>& by_boxes, double trust, Judgement& at) const;
  // Learns a row that was judged, unless its class is new; there are `n_classes` now.
  void learn(std::size_t label, double weight, std::size_t n_classes, Judgement& at);
  // By class: what each column adds to the logit, then the constant, then the boxes.
  std::vector<double> parts(const Judgement& at) const;

  // By class: what inputs add to the logit, and what they would if the filters of fastest drift, which
  // follow the latest rows, decided alone. 0 until the layer has learned rows of all `n_classes`.
  struct Contribution {
    std::vector<double> mixed, lately;
  };
  Contribution contribution(const std::vector<Active>& inputs, std::size_t n_classes) const;
  // How many learned rows an input was active in, each by how much.
  double rows(std::size_t slot) const;

  const Slots& slots() const { return layout_.slots(); }
  bool has_learned() const { return n_classes_ > 1; }
  std::size_t bytes() const;

  // All there is to it, for files. shape: the classes, and whether it is decoupled. slots: the inputs met,
  // as pairs of a column and a place among its inputs. rows: by input, how many it was active in. weights
  // and covariances: filter by filter.
  struct State {
    std::vector<std::uint64_t> shape;
    std::vector<std::int32_t> slots;
    std::vector<double> rows, weights, covariances, losses;
  };
  State save() const;
  // Throws std::invalid_argument if there is no such layer.
  void restore(const State& state, std::size_t n_classes);

 private:
  // Two classes share a filter: what speaks for one speaks against the other.
  static std::size_t filters_for(std::size_t classes) { return classes > 2 ? classes : classes / 2; }
  std::size_t n_filters() const { return filters_for(n_classes_); }
  void grow(std::size_t n_classes);
  void keep_bounded();
  void project(Filter& filter, std::size_t label) const;
  void project_all();
  void set_row(Judgement& at) const;
  void weigh_experts(std::vector<double>& weights) const;

  Layout layout_;
  std::vector<Constraint> constraints_;
  std::size_t n_classes_ = 0;
  std::vector<Filter> filters_[RATES];  // by class; for two classes only that of the second
  std::vector<double> losses_;          // by expert
  std::vector<double> rows_;            // by input, met ones only
};

}  // namespace boxwise::additive
