// Onln-GFMM-M2, exactly as in reference/shinde.py: a box grows first and is then cut apart from those of
// other classes. Without categorical features it is Onln-GFMM (reference/online.py).
#pragma once

#include "contraction/cutting_engine.hpp"

namespace boxwise {

struct ContractionSettings {
  double theta;
  std::vector<double> gamma;  // one per numeric feature
  double beta;                // the share of the categories that a box must know to take a sample
};

class ContractionEngine : public CuttingEngine {
 public:
  ContractionEngine(std::size_t n_numeric, std::size_t n_categorical,
                    ContractionSettings settings, std::vector<Range> ranges);
  std::unique_ptr<LearningEngine> fresh() const override;

  void configure(ContractionSettings settings);

 protected:
  void learn_one(const Sample& x) override;
  void score_classes(const Sample& x, bool every_class, std::size_t classes, Scratch& scratch,
             ClassScores& scores) const override;
  void degrees(const Group& g, const Sample& x, std::size_t begin, std::size_t m,
               double* out) const override;
  void refresh_thresholds(Group& g, Slot slot) override;

 private:
  void collect(std::size_t group, const Sample& x);
  void consider(std::size_t group, Slot slot, const Sample& x, std::size_t sized, double known);
  void find_container(std::size_t group, const Sample& x);
  bool contains(const Group& g, Slot slot, const Sample& x) const;
  void cut_free(Place place);
  void find_rivals(std::size_t group, Place grown);

  void break_tie(const Sample& x, double best, Scratch& scratch, ClassScores& scores) const;
  template <class Use>
  void visit_best(std::size_t k, const Sample& x, double& threshold, Scratch& scratch,
                  Use use) const;
  template <class Use>
  void visit_best_of_block(const Group& g, const Sample& x, std::size_t begin, std::size_t m,
                           double& threshold, Use use) const;
  double mixed(double dist, double known) const;

  ContractionSettings settings_;
  double weight_num_, weight_cat_;  // one half each; 1 and 0 where there is one kind only
  std::uint32_t min_known_ = 0;        // categories of a sample that a box must know to take it

  // Working memory of learn, kept between samples.
  std::vector<std::pair<std::uint64_t, Place>> rivals_;
};

}  // namespace boxwise
