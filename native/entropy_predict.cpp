#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "entropy_engine.hpp"
#include "kernels.hpp"
#include "scan.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

namespace {
// Room for so many entries that the next array begins on a cache line again.
constexpr size_t padded(size_t entries) { return (entries + 7) / 8 * 8; }
}  // namespace

// For each class the best membership and the samples in the boxes that have it; or, if not every
// class matters, for those classes that have the best of all.
// Boxes that share most categories with x come first, so that the bar is high when the rest is
// looked at.
void EntropyEngine::judge(const Sample& x, bool every_class, size_t classes, Scratch& scratch,
                          Verdict& verdict) const {
  verdict.best.assign(classes, -1.0);
  verdict.distance.assign(classes, 0.0);
  verdict.weight.assign(classes, 0);
  auto& bars = verdict.bars;
  bars.assign(every_class ? classes : 1, 0.0);
  const bool banded = r_ > 0 && beta_ > 0;
  find_indexes(scratch);
  judge_indexed(x, every_class, classes, scratch, verdict);
  add_up(x, classes, scratch);
  // With all its intervals around x, what share must a box have to reach a bar?
  const auto asked = [&](double bar) {
    return banded ? (bar - alpha_ - ROUNDING) / beta_ - ROUNDING : 0.0;
  };
  double below = 2.0;  // more than any share
  for (const double band : {0.6, 0.0}) {
    if (band > 0 && !banded) continue;
    const double* sum = scratch.sums.data();
    for (size_t k = 0; k < classes; ++k) {
      if (scratch.indexes[k + 1] != nullptr) continue;
      const Group& g = groups_[k + 1];
      double& bar = bars[every_class ? k : 0];
      const auto take = [&](Slot slot, double reached) {
        weigh(g, slot, k, every_class, reached, verdict);
      };
      if (const Arrangement* boxes = arranged(scratch, k + 1))
        boxes->search(x.probes, bar, scratch.search, [&](Slot slot, double dist) {
          take(slot, alpha_ * (1.0 - std::min(dist, 1.0)));
        });
      else
        for (size_t begin = 0; begin < g.size(); begin += BLOCK)
          if (asked(bar) < below)
            judge_block(g, x, sum + begin, begin, std::min(BLOCK, g.size() - begin),
                        {std::max(band, asked(bar)), below}, bar, take);
      sum += padded(g.size());
    }
    below = band;
  }
}

// A box of class k has this membership.
void EntropyEngine::weigh(const Group& g, Slot slot, size_t k, bool every_class, double reached,
                          Verdict& verdict) const {
  double& bar = verdict.bars[every_class ? k : 0];
  if (reached < bar) return;
  if (reached > verdict.best[k]) verdict.weight[k] = 0;
  verdict.best[k] = bar = reached;
  verdict.weight[k] += g.n[slot];
}

// How often each box of a class without an index, class after class, has seen the values of x, over
// all features.
void EntropyEngine::add_up(const Sample& x, size_t classes, Scratch& scratch) const {
  auto& sums = scratch.sums;
  size_t boxes = 0;
  for (size_t k = 1; k <= classes; ++k)
    if (scratch.indexes[k] == nullptr) boxes += padded(groups_[k].size());
  sums.resize(boxes);
  if (r_ == 0) return;
  Counts counts;
  double* sum = sums.data();
  for (size_t k = 1; k <= classes; ++k) {
    if (scratch.indexes[k] != nullptr) continue;
    const Group& g = groups_[k];
    for (size_t begin = 0; begin < g.size(); begin += BLOCK)
      counts.total(g, x.codes, static_cast<Slot>(begin), std::min(BLOCK, g.size() - begin),
                   sum + begin);
    sum += padded(g.size());
  }
}

// One block: weigh the boxes whose shares lie in the band and that may reach the bar.
template <class Weigh>
void EntropyEngine::judge_block(const Group& g, const Sample& x, const double* sum, size_t begin,
                                size_t m, Band band, const double& bar, Weigh weigh) const {
  const Shortlist list(g, x.probes, sum, begin, m, {alpha_, beta_}, band, bar);
  for (size_t i : list.places()) {
    const Slot slot = static_cast<Slot>(begin + i);
    weigh(slot, finish(g, slot, x, list.seen, list.dist[i], sum[i], bar));
  }
}

// The membership of one box, given what it is over the first `seen` features; once it is below
// the bar it does not matter how far.
double EntropyEngine::finish(const Group& g, Slot slot, const Sample& x, size_t seen, double dist,
                      double sum, double bar) const {
  const double all = static_cast<double>(g.n[slot]) * static_cast<double>(r_);
  const double b_cat = r_ > 0 ? sum / all : 0.0;
  double degree = alpha_ * (1.0 - std::min(dist, 1.0)) + beta_ * b_cat;
  for (size_t f = seen; f < x.probes.size() && degree >= bar; ++f) {
    const Probe& p = x.probes[f];
    dist = std::max(dist, stick_out(g.V[p.j][slot], g.W[p.j][slot], p.xl, p.xu, p.slope));
    degree = alpha_ * (1.0 - std::min(dist, 1.0)) + beta_ * b_cat;
  }
  return degree;
}

void EntropyEngine::degrees(const Group& g, const Sample& x, double* out) const {
  alignas(64) double share[BLOCK], dist[BLOCK];
  for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
    const size_t m = std::min(BLOCK, g.size() - begin);
    measure(g, x, begin, m, dist, share);
    kernels::mix(dist, share, alpha_, beta_, out + begin, m);
  }
}

void EntropyEngine::measure(const Group& g, const Sample& x, size_t begin, size_t m, double* dist,
                            double* share) const {
  std::fill_n(share, m, 0.0);
  if (r_ > 0) {
    Counts counts;
    alignas(64) double sum[BLOCK];
    counts.total(g, x.codes, static_cast<Slot>(begin), m, sum);
    kernels::share(sum, g.n.data() + begin, static_cast<double>(r_), share, m);
  }
  measure_distances(g, x.probes, begin, m, dist);
}

}  // namespace boxwise
