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
// Boxes with such a part of the highest share are looked at first.
constexpr double NEAR_TOP = 0.75;
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
  verdict.bars.assign(every_class ? classes : 1, 0.0);
  find_indexes(scratch);
  judge_indexed(x, every_class, classes, scratch, verdict);
  judge_arranged(x, every_class, classes, scratch, verdict);
  add_up(x, every_class, classes, scratch);
  // With all its intervals around x, what share must a box have to reach a bar?
  const bool banded = r_ > 0 && beta_ > 0;
  const auto asked = [&](double bar) {
    return banded ? std::max(0.0, (bar - alpha_ - ROUNDING) / beta_ - ROUNDING) : 0.0;
  };
  const auto& [sums, tops, stretches] = scratch.shares;
  for (const bool first : {true, false}) {
    const double* sum = sums.data();
    for (const Stretch& s : stretches) {
      const size_t own = every_class ? s.k : 0;
      const double near = banded ? tops[own] * NEAR_TOP : 0.0;
      const double enough = asked(verdict.bars[own]);
      const Band band = first ? Band{std::max(near, enough)} : Band{enough, near};
      if (s.top >= band.from && band.from < band.below)
        judge_block(s, x, sum, every_class, band, verdict);
      sum += BLOCK;
    }
  }
}

// Classes whose boxes are packed for a search: those without categories, if there is much to predict.
void EntropyEngine::judge_arranged(const Sample& x, bool every_class, size_t classes,
                                   Scratch& scratch, Verdict& verdict) const {
  for (size_t k = 0; k < classes; ++k)
    if (const Arrangement* boxes = arranged(scratch, k + 1))
      boxes->search(x.probes, verdict.bars[every_class ? k : 0], scratch.search,
                    [&](Slot slot, double dist) {
                      const double reached = alpha_ * (1.0 - std::min(dist, 1.0));
                      weigh(groups_[k + 1], slot, k, every_class, reached, verdict);
                    });
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

// How often each box that is in no index has seen the values of x, over all features; and the
// highest shares of all, by class if every class matters.
void EntropyEngine::add_up(const Sample& x, bool every_class, size_t classes,
                           Scratch& scratch) const {
  auto& [sums, tops, stretches] = scratch.shares;
  stretches.clear();
  tops.assign(every_class ? classes : 1, 0.0);
  for (size_t k = 0; k < classes; ++k) {
    if (scratch.indexes[k + 1] != nullptr || arranged(scratch, k + 1) != nullptr) continue;
    for (size_t begin = 0, size = groups_[k + 1].size(); begin < size; begin += BLOCK)
      stretches.push_back({k, begin, std::min(BLOCK, size - begin), 0.0});
  }
  sums.resize(stretches.size() * BLOCK);
  if (r_ == 0) return;  // whatever is there: without categories it does not count
  Counts counts;
  double* sum = sums.data();
  for (Stretch& s : stretches) {
    const Group& g = groups_[s.k + 1];
    counts.total(g, x.codes, static_cast<Slot>(s.begin), s.m, sum);
    s.top = kernels::most_product(sum, g.unit.data() + s.begin, whole(s.m));
    double& top = tops[every_class ? s.k : 0];
    top = std::max(top, s.top);
    sum += BLOCK;
  }
}

// Weigh the boxes of a stretch whose shares lie in the band and that may reach the bar.
void EntropyEngine::judge_block(const Stretch& s, const Sample& x, const double* sum,
                                bool every_class, Band band, Verdict& verdict) const {
  const Group& g = groups_[s.k + 1];
  const double& bar = verdict.bars[every_class ? s.k : 0];
  const auto use = [&](size_t i, double dist) {
    const Slot slot = static_cast<Slot>(s.begin + i);
    weigh(g, slot, s.k, every_class, mixed(g, slot, dist, sum[i]), verdict);
  };
  visit_near(g, x.probes, sum, s.begin, s.m, {alpha_, beta_}, band, bar, use);
}

double EntropyEngine::mixed(const Group& g, Slot slot, double dist, double sum) const {
  const double all = static_cast<double>(g.n[slot]) * static_cast<double>(r_);
  const double b_cat = r_ > 0 ? sum / all : 0.0;
  return alpha_ * (1.0 - std::min(dist, 1.0)) + beta_ * b_cat;
}

// The membership of one box; once it is below the bar it does not matter how far.
double EntropyEngine::finish(const Group& g, Slot slot, const Sample& x, double sum,
                             double bar) const {
  double dist = 0.0, degree = mixed(g, slot, dist, sum);
  for (size_t f = 0; f < x.probes.size() && degree >= bar; ++f) {
    const Probe& p = x.probes[f];
    dist = std::max(dist, stick_out(g.V[p.j][slot], g.W[p.j][slot], p.xl, p.xu, p.slope));
    degree = mixed(g, slot, dist, sum);
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
