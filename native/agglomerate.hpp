// AGGLO-2 and AGGLO-SM: boxes of a class are merged, the most similar first, exactly as
// reference/agglomerative.py does. A batch algorithm: learn makes a box of every row, then merges.
#pragma once

#include <functional>

#include "entropy_engine.hpp"

namespace boxwise {

enum class Similarity { SHORT, LONG, MID };

struct AgglomerativeSettings {
  EntropySettings entropy;
  bool pairs;  // AGGLO-SM: the most similar pair of all; else AGGLO-2: box by box
  Similarity similarity;
  double least_similarity;
};

class AgglomerativeEngine : public EntropyEngine {
 public:
  // `pulse` is called every now and then while boxes are merged; what it throws ends the merging
  // between two merges.
  AgglomerativeEngine(std::size_t n_continuous, std::size_t n_categorical,
                      AgglomerativeSettings settings, std::vector<Range> ranges,
                      std::function<void()> pulse = {});
  std::unique_ptr<Engine> fresh() const override;

  void configure(AgglomerativeSettings settings);
  void learn(const Rows& rows, const std::int32_t* labels) override;
  void agglomerate(bool tolerant, int rule, std::vector<std::uint64_t> origin, std::size_t floor);
  std::size_t floor_ = 0;
  int rule_ = 0; bool insert_ = false, rows_first_ = false, pairwise_ = false; std::uint32_t cap_ = 0;
  std::vector<std::uint64_t> origin_;

 protected:
  bool excused(Place place) override;

 private:
  class Agglomeration;

  void check(const AgglomerativeSettings& settings) const;
  void merge_boxes();

  AgglomerativeSettings how_;
  std::function<void()> pulse_;
  bool tolerant_ = false;
  Agglomeration* at_work_ = nullptr;
};

}  // namespace boxwise
