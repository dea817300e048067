// The learner behind HyperboxClassifier, row by row: one expert that is current, a challenger after
// an alarm of ADWIN, and retired experts that may return, weighted by their discounted log-loss and
// all within one budget of boxes. reference/evidence.py is its specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "additive/layer.hpp"
#include "drift/adwin.hpp"
#include "expert.hpp"
#include "scales.hpp"

namespace boxwise::evidence {

enum class Role : std::uint8_t { CURRENT, CHALLENGER, RETIRED };

struct Settings {
  Sizes sizes;
  std::size_t max_boxes = 1000;  // 0: no limit
  bool adapt = true;             // to changes, by challengers
  // Exponents of the class sizes that are taken out of the probabilities: 0 leaves them in, 1 lets
  // all classes count alike. Of several, the one with the best class balanced accuracy so far counts.
  std::vector<double> priors = {0.0};
  bool additive = true;  // a layer over the boxes
  // Boxes do not see the columns of these.
  std::vector<additive::Constraint> monotone = {};
};

struct Member {
  Expert expert;
  Role role = Role::CURRENT;
  double loss = 0;          // log-losses, discounted row by row
  std::uint64_t since = 0;  // the labelled row at which it got its role
};

enum class Event : std::uint8_t { ALARM, REPLACED, RETURNED, DROPPED };

constexpr std::size_t MOST_CHANGES = 1000;  // that are kept, the latest ones

// An event in the life of the experts, for a person to read.
struct Change {
  std::uint64_t row;
  Event event;
  double before, after;       // error rates at an alarm; mean log-losses of the old and new expert
  double boxes;               // given up
  std::vector<double> moved;  // by column: the logarithm of its new multiplier over its old one
};

// A row that a challenger starts from.
struct RecentRow {
  std::vector<double> lower, upper;
  std::vector<Code> codes;
  std::int32_t label;
  double weight;
};

// Working memory of predicting, and what the last row came to.
struct Outcome {
  Query query;
  std::vector<Evaluation> members;
  std::vector<double> weights;   // of the members, in all 1
  std::vector<double> mixed;     // by class: the probability by all members
  double support = 0;            // how many learned rows speak for the row
  std::vector<double> by_boxes;  // by class: no surer than the support allows
  additive::Judgement layer;
  std::vector<double> p;  // by class: after the layer and the class prior
};

// The class with the largest probability; of equally probable ones that seen first.
std::size_t most_probable(const std::vector<double>& p);

class Learner {
 public:
  Learner(std::size_t n_numeric, std::size_t n_categorical, Settings settings,
          std::vector<Range> ranges);

  bool can_predict() const;
  std::size_t n_classes() const { return n_classes_; }
  std::size_t n_boxes() const;
  std::size_t n_numeric() const { return n_; }
  std::size_t n_categorical() const { return r_; }

  // Probabilities of the classes.
  void predict(const double* lower, const double* upper, const Code* codes, Outcome& out) const;
  // By class: what each column adds to the logit of a row that was predicted, then the constant, then
  // the boxes.
  std::vector<double> parts(const Outcome& of) const;
  // Learns a row; `evaluated`: it was predicted before, and nothing was learned since.
  void learn(const double* lower, const double* upper, const Code* codes, std::int32_t label,
             double weight, Outcome& scratch, bool evaluated);
  void remove(std::uint64_t id);
  void merge_alike(std::size_t most);  // boxes of the current expert; see budget.hpp
  void configure(Settings settings);
  double prior() const;  // the exponent in use

  // The whole state, for files; see state.hpp.
  struct State {
    std::vector<Member> members;
    drift::Adwin adwin;
    std::deque<RecentRow> recent;
    std::vector<double> values_known;  // by categorical column
    std::vector<double> tallies;       // by class, by prior: rows of it, predicted as it, both
    std::deque<Change> changes;        // the latest, in order
    std::uint64_t rows = 0, labelled = 0, next_id = 0;  // labelled: rows with a label
    additive::Layer layer{0, 0};

    void note(Change change);
  };
  const State& state() const { return state_; }
  void restore(State state, std::size_t n_classes);
  const Settings& settings() const { return settings_; }
  const Scales& scales() const { return scales_; }

 private:
  void constrain() {
    std::vector<bool> apart(settings_.monotone.empty() ? 0 : n_);
    for (const additive::Constraint& one : settings_.monotone) apart[one.column] = true;
    scales_.set_apart(std::move(apart));
    state_.layer.constrain(settings_.monotone);
  }
  bool meet(const double* lower, const double* upper);
  void evaluate(Outcome& out) const;
  void mix(Outcome& out) const;
  double support(const Outcome& of) const;
  void decide(Outcome& out) const;  // about a row that was evaluated, before the class prior
  void balance(double exponent, std::vector<double>& p) const;
  void tally(const std::vector<double>& p, std::int32_t label);
  bool score(const Outcome& at, std::int32_t label);
  void insert(Member& member, const Evaluation& at, const Query& x, std::int32_t label, double weight);
  // Whether there is room for one more box of an expert; other boxes may have made it.
  bool make_room(Member& member, std::int32_t label);
  double quota(Role role) const;
  std::size_t retired_boxes() const;
  void remember(const double* lower, const double* upper, const Code* codes, std::int32_t label,
                double weight);
  void follow_change(bool alarm);
  void compare_challenger();
  void drop(Member& challenger);
  void compare_retired();
  void start_challenger();
  void replace_current(std::size_t by, Event event);
  Member* find(Role role);

  std::size_t n_, r_, n_classes_ = 0;
  Settings settings_;
  DensitySettings density_;
  Scales scales_;
  State state_;
};

}  // namespace boxwise::evidence
