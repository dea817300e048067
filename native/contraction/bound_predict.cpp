// Prediction of Onln-GFMM-M1.
#include <algorithm>

#include "contraction/bound_engine.hpp"
#include "kernels/kernels.hpp"
#include "store/scan.hpp"

namespace boxwise {

using std::size_t;

// For each class the best membership and, of the boxes that have it, the nearest centre (without
// numeric features: their samples); if not every class matters, for those that have the best of
// all. Categories are looked at only in boxes whose intervals reach the best so far.
void BoundEngine::score_classes(const Sample& x, bool every_class, size_t classes, Scratch&,
                        ClassScores& scores) const {
  scores.best.assign(classes, -1.0);
  scores.distance.assign(classes, 0.0);
  scores.weight.assign(classes, n_ > 0 ? 1 : 0);
  scores.thresholds.assign(every_class ? classes : 1, 0.0);
  alignas(64) double dist[BLOCK];
  for (size_t k = 0; k < classes; ++k) {
    const Group& g = groups_[k + 1];
    double& threshold = scores.thresholds[every_class ? k : 0];
    for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
      const size_t m = std::min(BLOCK, g.size() - begin);
      measure_distances(g, x.probes, begin, m, dist);
      for (size_t i = 0; i < m; ++i) {
        const double reached = in_units(1.0 - std::min(dist[i], 1.0));
        if (reached < threshold) continue;
        const Slot slot = static_cast<Slot>(begin + i);
        const double degree =
            std::min(reached, in_units(1.0 - outside(pairs(g, slot), x, threshold)));
        if (degree < threshold) continue;
        const bool better = degree > scores.best[k];
        scores.best[k] = threshold = degree;
        if (n_ > 0) {
          const double away = from_centre(g, slot, x);
          scores.distance[k] = better ? away : std::min(away, scores.distance[k]);
        } else {
          scores.weight[k] = g.n[slot] + (better ? 0 : scores.weight[k]);
        }
      }
    }
  }
}

// How far the categories of x are from the bounds; once the membership is below the threshold, it
// does not matter how far.
double BoundEngine::outside(const Pair* pairs, const Sample& x, double threshold) const {
  double most = 0;
  for (size_t j = 0; j < r_ && 1.0 - most >= threshold - ROUNDING; ++j) {
    const Code code = x.codes[j];
    if (!pairs[j].has(code))
      most = std::max({most, distance_[j](pairs[j].E, code), distance_[j](pairs[j].F, code)});
  }
  return most;
}

void BoundEngine::degrees(const Group& g, const Sample& x, size_t begin, size_t m,
                          double* out) const {
  alignas(64) double dist[BLOCK];
  measure_distances(g, x.probes, begin, m, dist);
  for (size_t i = 0; i < m; ++i)
    out[i] = in_units(1.0 - std::max(std::min(dist[i], 1.0),
                                     outside(pairs(g, static_cast<Slot>(begin + i)), x, 0.0)));
}

}  // namespace boxwise
