// Many settings over several folds: each trial learns the rows of its fold and predicts the others, as
// an engine of its own would; trials that decide alike share the work. They are shared out over
// threads, and the results do not depend on the number of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/learning_engine.hpp"

namespace boxwise {

struct Fold {
  Rows train;
  const std::int32_t* labels;
  Rows test;
};

struct Trial {
  const LearningEngine* prototype;  // with the settings and ranges to use; stays as it is
  const Fold* fold;
  std::int32_t* predicted;  // one per row to predict
  std::vector<double>* probabilities = nullptr;  // rows by classes, where they are wanted

  std::size_t boxes = 0;
  double learn_seconds = 0, predict_seconds = 0;
};

// `report` is called now and then, in the calling thread, with the number of trials done; what it
// throws ends the run. What a trial throws does so too.
void run(std::vector<Trial>& trials, std::size_t threads,
         const std::function<void(std::size_t)>& report);

}  // namespace boxwise
