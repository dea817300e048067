#include "contraction/contraction_engine.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace boxwise {

using std::size_t;
using std::uint32_t;

ContractionEngine::ContractionEngine(size_t n_numeric, size_t n_categorical,
                                     ContractionSettings settings, std::vector<Range> ranges)
    : CuttingEngine(n_numeric, n_categorical, std::move(ranges)),
      weight_num_(r_ == 0 ? 1.0 : n_ == 0 ? 0.0 : 0.5),
      weight_cat_(1 - weight_num_) {
  configure(std::move(settings));
}

std::unique_ptr<LearningEngine> ContractionEngine::fresh() const {
  return std::make_unique<ContractionEngine>(n_, r_, settings_, ranges_);
}

void ContractionEngine::configure(ContractionSettings settings) {
  check_sizes(settings.theta, settings.gamma);
  if (!(settings.beta >= 0 && settings.beta <= 1))
    throw std::invalid_argument("beta is not in [0, 1]");
  const auto writer = writing();
  settings_ = std::move(settings);
  // A share like 0.29 is a little less in binary: 29 of 100 must not become 28.
  const double share = std::floor(settings_.beta * static_cast<double>(r_) + 1e-9);
  min_known_ = r_ == 0 ? 0 : std::max(static_cast<uint32_t>(share), 1u);
  set_sizes(settings_.theta, settings_.gamma);
  refresh_all_thresholds();
}

void ContractionEngine::refresh_thresholds(Group& g, Slot slot) {
  g.engine_data[slot] = min_known_;
}

}  // namespace boxwise
