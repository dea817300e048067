// EIOL-GFMM whose classes are judged by all their boxes together: each box has a density over the
// continuous features and smoothed shares over the categorical ones, as reference/evidence.py has
// them. It learns as EntropyEngine does.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "entropy_engine.hpp"

namespace boxwise {

struct EvidenceSettings {
  EntropySettings learning;
  // Where there are several, each choice of the three has a say by how well it predicted so far.
  std::vector<double> bandwidths, backoffs, temperatures;
  // To what power the samples of a class are taken out of its score: 0 leaves them in, 1 lets all
  // classes count alike. Where there are several, the one in use has the best class balanced
  // accuracy so far.
  std::vector<double> powers;
  bool forget = false;  // boxes count less among those of their class, the longer ago they took a row
};

// How well each choice of bandwidth, backoff and temperature has predicted so far.
struct Record {
  std::uint64_t rows = 0;       // with a label, so far
  std::uint64_t tests = 0;      // on some of them
  std::uint64_t steps = 0;      // of the reaches, on some of them
  std::uint64_t clock = 0;      // rows, with a label or not
  std::vector<double> losses;   // bandwidth by bandwidth, backoff by backoff, by temperature
  std::vector<double> tallies;  // class by class, power by power: rows of it, predicted as it, both
  // The logarithm of what multiplies the bandwidth or backoff of each feature and, last, that of the
  // memory for the age of a box; and how steep the way to them was.
  std::vector<double> reaches, steepness;
  struct Test {  // what a row tells of the choices, to take effect after so many rows
    bool waits = false;
    std::uint64_t due = 0, label = 0;
    std::vector<double> scores;   // by pair of bandwidth and backoff, by class
    std::vector<double> samples;  // by class
  } test;
  struct Step {  // and of the reaches
    bool waits = false;
    std::uint64_t due = 0;
    std::vector<double> slopes;
  } step;
};

constexpr double FARTHEST = 5;  // no logarithm of a reach is beyond

class EvidenceEngine : public EntropyEngine {
 public:
  EvidenceEngine(std::size_t n_continuous, std::size_t n_categorical, EvidenceSettings settings,
                 std::vector<Range> ranges);
  ~EvidenceEngine() override;
  std::unique_ptr<Engine> fresh() const override;

  void configure(EvidenceSettings settings);
  Record record() const;
  void restore_record(Record record);
  // The bandwidth, backoff and temperature that have predicted best so far.
  std::vector<double> chosen() const;
  // By continuous feature, by categorical one: what multiplies its bandwidth or backoff; the memory.
  std::vector<double> reach() const;
  // How many boxes a row has time for, to test the choices and to learn the reaches; fewer in tests. It is
  // a part of the specification: that takes effect so many rows later as it takes to ask all.
  void set_portions(std::size_t test, std::size_t step);
  // Rows x boxes, in order of creation: how much of the probability of its class each carries.
  Sheet responsibilities(const Rows& rows, std::size_t threads = 1) const;

 protected:
  void learn_one(const Sample& x) override;
  void judge(const Sample& x, bool every_class, std::size_t classes, Scratch& scratch,
             Verdict& verdict) const override;
  void prepare(std::size_t rows, Scratch& scratch) const override;
  void share_out(const Verdict& verdict, double* p) const override;
  bool searches_outlines() const override { return false; }
  void about_to_change(Place place) override;
  void about_to_change_all() override;

 private:
  struct Voice {  // a choice that may have a say
    std::size_t bandwidth, backoff;  // places in the settings
    double temperature, weight;
  };
  void check(const EvidenceSettings& settings) const;
  void check_waiting(const Record& record) const;
  void decide_by(EvidenceSettings settings);
  bool due(std::uint64_t one_in) const;
  using Test = Record::Test;
  using Step = Record::Step;
  void begin_test(const Sample& x);
  void begin_step(const Sample& x);
  void choose_if_due();  // let a test, or a step, have its effect
  void move_if_due();
  bool may_reach(std::size_t feature) const;  // whether that is left to find
  void forget_reaches();
  void reach_out();
  double memory() const;  // the age, as a share of all rows, at which a quarter of a box is left
  void test_powers(double memory);
  void choose();
  void choose_power();
  static std::vector<double> take_out(std::vector<double> samples, double power);
  std::vector<double> weigh_classes(std::size_t classes,
                                    const std::vector<Census>* census = nullptr) const;
  // The place of a bandwidth and a backoff among all pairs of them.
  std::size_t pair_of(std::size_t bandwidth, std::size_t backoff) const;
  bool is_heard(const Voice& voice) const;
  // The pairs of bandwidth and backoff of the voices that are heard.
  void heard(std::vector<bool>& asked) const;
  // The probabilities of the classes; `weighed` is taken off their scores.
  void mix(const std::vector<double>& scores, const std::vector<double>& weighed,
           std::vector<double>& p) const;
  void say(const Voice& voice, const std::vector<double>& scores,
           const std::vector<double>& weighed, std::vector<double>& said) const;
  // The scores of the first `classes` classes for the pairs of bandwidth and backoff that are asked
  // for, bandwidth by bandwidth. In a contest, with what is taken off them, classes that cannot win may
  // be left out.
  void score(const Sample& x, const std::vector<bool>& asked, std::size_t classes,
             std::vector<double>& scores, const std::vector<Census>* census = nullptr,
             const std::vector<double>* contest = nullptr) const;
  struct Entrant {  // a class that may win, with such a score at least and at most
    std::size_t k;
    double lowest, highest;
  };
  struct Part;      // what the boxes of a class say of the numbers of a sample, or its categories
  struct Crowd;     // the boxes that are asked
  struct Question;  // the sample, the class, the parts
  struct Inquiry;   // a question to all boxes, some at a time
  struct Answers;   // of a class
  void begin(Inquiry& inquiry, const Sample& x, const std::vector<bool>& asked,
             std::size_t portion);
  void begin_class(const Inquiry& inquiry, Group& g, Answers& a);
  void go_on(Inquiry& inquiry, std::uint64_t due) const;
  void ask_until(Inquiry& inquiry, std::size_t boxes) const;
  void ask_portion(Inquiry& inquiry, std::size_t k, std::size_t portion) const;
  struct Left {  // of the samples of a portion, and how that grows with the memory; in crumbs
    std::int64_t samples = 0, slope = 0;
  };
  Left fade_portion(Inquiry& inquiry, const Answers& a, std::size_t first, std::size_t m) const;
  void add_up_scores(const Inquiry& inquiry, std::vector<double>& scores) const;
  void add_up_slopes(const Answers& a, double* slopes) const;
  void conclude_test(const Inquiry& inquiry, Test& test) const;
  void conclude_step(const Inquiry& inquiry, Step& step) const;
  void ask_for(const Sample& x, const std::vector<bool>& asked, Question& q) const;
  void find_entrants(Question& q, const std::vector<Census>* census,
                     const std::vector<double>& contest, std::vector<Entrant>& entrants) const;
  double highest_sum(const Question& q, float loud) const;
  double lowest_sum(Question& q, std::size_t place) const;
  bool falls_short(Question& q, double enough) const;
  void put(const Group& g, Question& q, const Census* census = nullptr) const;
  void weigh_boxes(const Group& g, Census& census) const;
  std::shared_ptr<std::vector<Census>> take_census(
      const std::function<bool(const Group&)>& is_sorted) const;
  std::vector<Slot> near_ones_together(const Group& g) const;
  std::size_t farthest_apart(const Group& g, const std::vector<double>& price, const Slot* slots,
                             std::size_t count) const;
  static std::uint64_t add_up(const Group& g, std::size_t j, Code code);
  void ask(Question& q) const;
  void ask_run(Question& q, Slot first, std::size_t size) const;
  void back_up(Question& q) const;
  void narrow(Question& q) const;
  void narrow_by_lots(Question& q) const;
  void set_prices(Question& q) const;
  struct Loudest {  // how loud it can be at most, and which it is
    float loud;
    std::size_t place;
  };
  float find_bar(Question& q, std::size_t place) const;
  Loudest find_loudness(Question& q) const;
  Loudest find_loudness_in(Question& q, std::size_t begin, std::size_t m) const;
  float find_loudness_of_lots(Question& q) const;
  Loudest find_loudest_by_lots(Question& q, std::size_t most_lots, double enough) const;
  void add_distances(const Question& q, const Outlines& outlines, std::size_t begin, std::size_t m,
                     float* lost) const;
  double slack(double loudness) const;
  bool list_audible(Question& q, float bar, std::size_t most) const;
  void bring_together(Question& q) const;
  void bring_weights(Question& q) const;
  void gather_lots(Question& q) const;
  void ask_numbers(Question& q) const;
  void let_fall(Question& q, Part& part) const;
  void ask_categories(Question& q) const;
  double log_sum(Question& q, std::size_t pair) const;
  std::uint64_t count_sure(Question& q, const Part& numbers, const Part& categories,
                           std::vector<std::size_t>& unsure) const;
  void find_scale(Question& q, const Part& numbers, const Part& categories) const;
  double margin(const Question& q, const Part& numbers, const Part& categories,
                double product) const;
  double log_evidence(Question& q, std::size_t place, Part& numbers, Part& categories) const;
  double add_slopes(Inquiry& inquiry, const Answers& a, double* slopes) const;
  struct Loud {  // boxes, and what they say in parts of the loudest
    std::vector<Slot> slots, lot;  // all of them, and some
    std::vector<double> weights;
  };
  double find_loud(Inquiry& inquiry, Loud& loud) const;
  void find_slopes(const Inquiry& inquiry, const Answers& a, const std::vector<Slot>& slots,
                   const double* weights, double* terms) const;
  void carry(const Sample& x, std::vector<std::vector<double>>& carried) const;
  void share_among_boxes(Question& q, std::size_t pair, std::vector<double>& shares) const;

  EvidenceSettings evidence_;
  Record record_;
  std::size_t test_portion_ = 256, step_portion_ = 2048;
  std::unique_ptr<Inquiry> test_, step_;
  mutable std::mutex asking_;  // held by a reader that has the rest of the boxes asked
  std::vector<Voice> voices_;  // the best first
  double power_ = 0;
  std::vector<double> reach_;  // e^reaches
  mutable Kept<std::vector<Census>> census_, terrains_;  // by group, for predicting
};

}  // namespace boxwise
