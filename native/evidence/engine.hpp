// The engine of HyperboxClassifier: a Learner behind the interface that bindings and trials know,
// safe for one thread that learns while others predict.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "additive/curve.hpp"
#include "engine/learning_engine.hpp"
#include "engine/model_lock.hpp"
#include "learner.hpp"
#include "state.hpp"

namespace boxwise::evidence {

// The log-likelihood of one row in every box of the current expert, term by term.
struct BoxTerms {
  std::vector<double> terms;        // boxes x columns, in order of creation
  std::vector<double> log_weights;  // by box
  std::vector<double> background;   // classes x columns; NaN for a class without rows
  std::vector<double> log_background_weights;  // by class
  std::vector<double> log_classes;  // by class: taken off its score by the class prior
  double temperature;
  // Classes x (columns, the constant, the boxes): what the logits of the classes add up from,
  // before the class prior; the boxes alone where there is no layer.
  std::vector<double> parts;
  std::vector<double> by_boxes;     // by class: the probability by the boxes of all experts
};

class EvidenceEngine : public LearningEngine {
 public:
  EvidenceEngine(std::size_t n_numeric, std::size_t n_categorical, Settings settings,
                 std::vector<Range> ranges);

  std::unique_ptr<LearningEngine> fresh() const override;
  void learn(const Rows& rows, const std::int32_t* labels) override;
  void test_then_train(const Rows& rows, const std::int32_t* labels, Answers answers) override;
  void remove(std::uint64_t id) override;
  void predict(const Rows& rows, std::int32_t* labels, std::size_t threads) const override;
  std::vector<double> probabilities(const Rows& rows, std::size_t n_classes,
                                    std::size_t threads) const override;
  Matrix memberships(const Rows& rows, std::size_t threads) const override;  // closeness

  // Rows x boxes, in order of creation: how much of the probability of its class each carries. What
  // is left of the probability is carried by the background of the class.
  Matrix responsibilities(const Rows& rows, std::size_t threads) const;
  std::vector<double> supports(const Rows& rows, std::size_t threads) const;
  BoxTerms terms(const Rows& row) const;
  std::vector<additive::Curve> curves() const;  // of the numeric columns, then of the categorical ones

  void configure(Settings settings);
  void read_state(Arrays& arrays, std::vector<Range>& ranges, std::size_t& n_classes,
                  std::uint64_t& next_id) const;
  void restore(const Arrays& arrays, std::size_t n_classes, std::uint64_t next_id);
  // Unites boxes of the current expert that are alike, and keeps no more than `most` (0: no limit).
  void merge_alike(std::size_t most);
  // By numeric feature, by categorical one: the multiplier; then the decay constant, the
  // temperature.
  std::vector<double> multipliers() const;
  double prior() const;
  bool warning() const;  // a challenger is on trial
  // The last row learned, of whatever weight, made another expert the current one. Of a model that was
  // restored this is known of a row of weight 1 at most.
  bool drift() const;

  std::size_t n_numeric() const override { return learner_.n_numeric(); }
  std::size_t n_categorical() const override { return learner_.n_categorical(); }
  std::size_t n_classes() const override;
  std::size_t n_boxes() const override;
  std::size_t bytes() const override;

 private:
  struct LastRow;  // the row that a thread has predicted last
  void check(const Rows& rows) const;
  void check_to_learn(const Rows& rows, const std::int32_t* labels) const;
  template <class Before>
  void learn_each(const Rows& rows, const std::int32_t* labels, Before before);
  void learn_row(const Rows& rows, std::size_t row, std::int32_t label, LastRow& last);
  void evaluate(const Rows& rows, std::size_t row, LastRow& last) const;
  template <class Use>
  void for_each_row(const Rows& rows, std::size_t threads, Use use) const;
  // Calls use(member, group, slot, position in order of creation) for every box.
  template <class Use>
  void for_each_box(Use use) const;
  static LastRow& last_row();

  Learner learner_;
  std::uint64_t serial_;       // no other engine has it
  std::uint64_t version_ = 0;  // of what was learned
  std::uint64_t rows_before_last_ = 0;  // how often rows were learned before the last one
  ModelLock lock_;
};

}  // namespace boxwise::evidence
