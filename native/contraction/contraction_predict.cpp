// Prediction of Onln-GFMM-M2.
#include <algorithm>
#include <limits>

#include "contraction/contraction_engine.hpp"
#include "kernels/kernels.hpp"
#include "store/scan.hpp"

namespace boxwise {

using std::size_t;

// For each class the best membership; if not every class matters, for those that have the best of
// all. Where several have it, what decides between them: how near the centre of such a box is, or,
// without numeric features, how many samples such boxes have.
void ContractionEngine::score_classes(const Sample& x, bool every_class, size_t classes,
                                      Scratch& scratch, ClassScores& scores) const {
  scores.best.assign(classes, -1.0);
  scores.distance.assign(classes, 0.0);
  scores.weight.assign(classes, 1);
  double threshold = 0;
  for (size_t k = 0; k < classes; ++k) {
    if (every_class) threshold = 0;
    visit_best(k, x, threshold, scratch,
               [&](const Group&, Slot, double reached) { scores.best[k] = threshold = reached; });
  }
  const double best = *std::max_element(scores.best.begin(), scores.best.end());
  if (std::count(scores.best.begin(), scores.best.end(), best) > 1)
    break_tie(x, best, scratch, scores);
}

void ContractionEngine::break_tie(const Sample& x, double best, Scratch& scratch,
                                  ClassScores& scores) const {
  for (size_t k = 0; k < scores.best.size(); ++k) {
    if (scores.best[k] != best) continue;
    double nearest = std::numeric_limits<double>::infinity();
    std::uint64_t samples = 0;
    double threshold = best;
    visit_best(k, x, threshold, scratch, [&](const Group& g, Slot slot, double) {
      nearest = std::min(nearest, from_centre(g, slot, x));
      samples += g.n[slot];
    });
    if (n_ > 0)
      scores.distance[k] = nearest;
    else
      scores.weight[k] = samples;
  }
}

// Calls `use` for every box of class k that reaches the threshold, which `use` may raise.
template <class Use>
void ContractionEngine::visit_best(size_t k, const Sample& x, double& threshold, Scratch& scratch,
                                   Use use) const {
  const Group& g = groups_[k + 1];
  if (const PackedCopy* boxes = packed_copy(scratch, k + 1)) {
    boxes->search(x.probes, threshold, scratch.search, [&](Slot slot, double dist) {
      const double reached = mixed(dist, 0.0);
      if (reached >= threshold) use(g, slot, reached);
    });
    return;
  }
  for (size_t begin = 0; begin < g.size(); begin += BLOCK)
    visit_best_of_block(g, x, begin, std::min(BLOCK, g.size() - begin), threshold, use);
}

template <class Use>
void ContractionEngine::visit_best_of_block(const Group& g, const Sample& x, size_t begin,
                                            size_t m, double& threshold, Use use) const {
  Counts counts;
  alignas(64) double known[BLOCK] = {};
  counts.known(g, x.codes, static_cast<Slot>(begin), m, known);
  const auto reached = [&](size_t i, double dist) {
    const double degree = mixed(dist, known[i]);
    if (degree >= threshold) use(g, static_cast<Slot>(begin + i), degree);
  };
  const double unit = r_ > 0 ? weight_cat_ / static_cast<double>(r_) : 0.0;
  visit_near(g, x.probes, known, begin, m, weight_num_, unit, threshold, reached);
}

// Halves are exact, so that this is the half of the sum.
double ContractionEngine::mixed(double dist, double known) const {
  const double b_cat = r_ > 0 ? known / static_cast<double>(r_) : 0.0;
  return in_units(weight_num_ * (1.0 - std::min(dist, 1.0)) + weight_cat_ * b_cat);
}

void ContractionEngine::degrees(const Group& g, const Sample& x, size_t begin, size_t m,
                                double* out) const {
  Counts counts;
  alignas(64) double known[BLOCK], dist[BLOCK];
  counts.known(g, x.codes, static_cast<Slot>(begin), m, known);
  measure_distances(g, x.probes, begin, m, dist);
  for (size_t i = 0; i < m; ++i) out[i] = mixed(dist[i], known[i]);
}

}  // namespace boxwise
