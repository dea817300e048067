// Many settings of EIOL-GFMM at once. Settings that have decided alike so far have the same boxes,
// so they share them: each sample is looked up once for all, with the loosest theta and delta among
// them, and only then does each setting choose among the few candidates. Where they choose
// differently, the bundle forks. Each setting ends with exactly the boxes it would have alone.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "eiol/entropy_engine.hpp"

namespace boxwise {

struct Member {  // one setting of a bundle
  double theta, delta, alpha;
  std::size_t trial;  // whom it belongs to
};

class Bundle : public EntropyEngine {
 public:
  using Push = std::function<void(std::unique_ptr<Bundle>)>;

  // Members may differ in theta and delta; in alpha too if it is strictly between 0 and 1 for all.
  Bundle(std::size_t n_numeric, std::size_t n_categorical, const EntropySettings& common,
         std::vector<Range> ranges, std::vector<Member> members);

  // Learn the rows that are left. Members that part company go on in bundles of their own. `pulse`
  // is called every now and then; what it throws ends the learning.
  void learn_together(const Rows& rows, const std::int32_t* labels, const Push& push,
                      const std::function<void()>& pulse);

  const std::vector<Member>& members() const { return members_; }
  std::vector<double> alphas() const;  // of the members, each once
  // Predictions of each of the alphas, and probabilities unless these are null.
  void predict_together(const Rows& rows, const std::vector<double>& alphas,
                        const std::vector<std::int32_t*>& labels,
                        const std::vector<std::vector<double>*>& probabilities) const;

 private:
  // A box that might take the sample, and the least theta and delta (as positions) that let it.
  struct Option {
    Place place;
    std::uint64_t id;
    double b_num, b_cat;
    std::size_t theta, delta;
    enum { UNKNOWN, FREE, BLOCKED } overlap;
  };
  struct Choice {  // positions in the lists of thetas and deltas, and the option chosen
    std::size_t theta, delta;
    std::size_t option;
  };
  static constexpr std::size_t NEW = static_cast<std::size_t>(-1);

  static EntropySettings loosest(const EntropySettings& common, const std::vector<Member>& members);
  Bundle(const Bundle& parent, std::vector<Member> members);
  void list_settings();
  void decide(const Sample& x, const Push& push);
  void list_options(const Sample& x);
  std::size_t least_theta(const Group& g, Slot slot, const Sample& x) const;
  std::size_t least_delta(const Group& g, Slot slot, const Sample& x);
  void choose(const Sample& x);
  bool overlaps(Option& option, const Sample& x);
  void follow(std::size_t option, const Sample& x);
  void score_together(const Sample& x, const std::vector<Weights>& weights,
                      std::vector<ClassScores>& all_scores) const;

  std::vector<Member> members_;           // in order of alpha
  std::vector<Choice> choices_;           // one per member
  std::vector<double> thetas_, deltas_;   // that occur, in order
  std::vector<EntropyTest> tests_;        // one per delta
  std::vector<Option> options_;
  std::vector<std::pair<double, std::size_t>> order_;  // degree and option
  std::size_t next_ = 0;                  // the row to learn next
};

}  // namespace boxwise
