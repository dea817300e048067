#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine.hpp"
#include "kernels.hpp"
#include "scan.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

// Sums of counts fit 32 bits until boxes are very full; they are faster.
bool Engine::is_wide(const Group& g) const {
  return static_cast<uint64_t>(g.most) * r_ > std::numeric_limits<uint32_t>::max();
}

void Engine::predict(const Rows& rows, std::int32_t* labels) const {
  judge_all(rows, false, [&](size_t row, const Verdict& verdict) {
    labels[row] = static_cast<std::int32_t>(winner(verdict));
  });
}

// Each class has its best membership; classes that tie for the first place share theirs by (6).
std::pair<size_t, std::vector<double>> Engine::probabilities(const Rows& rows) const {
  size_t classes = 0;
  std::vector<double> all;
  judge_all(rows, true, [&](size_t row, const Verdict& verdict) {
    classes = verdict.best.size();
    all.resize(rows.count * classes);
    share_out(verdict, all.data() + row * classes);
  });
  return {rows.count > 0 ? classes : n_classes(), std::move(all)};
}

void Engine::share_out(const Verdict& verdict, double* p) const {
  const size_t classes = verdict.best.size(), won = winner(verdict);
  const double best = verdict.best[won];
  double tied = 0, weight = 0, total = 0, rival = 0;
  for (size_t k = 0; k < classes; ++k) {
    if (verdict.best[k] != best) continue;
    tied += 1;
    weight += static_cast<double>(verdict.weight[k]);
  }
  for (size_t k = 0; k < classes; ++k) {
    if (verdict.best[k] < best)
      p[k] = std::max(verdict.best[k], 0.0);
    else
      p[k] = best > 0 ? best * tied * static_cast<double>(verdict.weight[k]) / weight : 1.0;
    total += p[k];
  }
  for (size_t k = 0; k < classes; ++k) {
    p[k] /= total;
    if (k != won) rival = std::max(rival, p[k]);
  }
  if (p[won] <= rival) p[won] = std::nextafter(rival, 2.0);  // argmax must name the winner
}

std::pair<size_t, std::vector<double>> Engine::memberships(const Rows& rows) const {
  check(rows);
  const auto reader = reading();
  const auto order = in_order();
  std::vector<std::vector<size_t>> column(groups_.size());
  std::vector<std::vector<double>> degree(groups_.size());
  for (size_t k = 0; k < groups_.size(); ++k) {
    column[k].resize(groups_[k].size());
    degree[k].resize(groups_[k].size());
  }
  for (size_t i = 0; i < order.size(); ++i)
    column[order[i].second.group][order[i].second.slot] = i;
  std::vector<double> all(rows.count * order.size());
  Sample x;
  for (size_t row = 0; row < rows.count; ++row) {
    read(rows, row, x);
    for (size_t k = 0; k < groups_.size(); ++k) {
      if (is_wide(groups_[k]))
        degrees<uint64_t>(groups_[k], x, degree[k].data());
      else
        degrees<uint32_t>(groups_[k], x, degree[k].data());
      for (size_t slot = 0; slot < groups_[k].size(); ++slot)
        all[row * order.size() + column[k][slot]] = degree[k][slot];
    }
  }
  return {order.size(), std::move(all)};
}

void Engine::check_can_predict() const {
  for (size_t k = 1; k < groups_.size(); ++k)
    if (groups_[k].size() > 0) return;
  throw std::invalid_argument("no labelled sample has been learned yet");
}

template <class Use>
void Engine::judge_all(const Rows& rows, bool every_class, Use use) const {
  check(rows);
  const auto reader = reading();
  check_can_predict();
  const bool wide = std::any_of(groups_.begin(), groups_.end(),
                                [this](const Group& g) { return is_wide(g); });
  Sample x;
  Verdict verdict;
  std::vector<uint32_t> sums;
  std::vector<uint64_t> wide_sums;
  for (size_t row = 0; row < rows.count; ++row) {
    read(rows, row, x);
    if (wide)
      judge(x, every_class, wide_sums, verdict);
    else
      judge(x, every_class, sums, verdict);
    use(row, verdict);
  }
}

// For each class the best membership and the samples in the boxes that have it; or, if not every
// class matters, for those classes that have the best of all.
// Boxes that share most categories with x come first, so that the bar is high when the rest is
// looked at. Each feature can only lower a membership, and rounding is monotone: a box whose
// membership over the features looked at so far is below the bar is out, exactly.
template <class Sum>
void Engine::judge(const Sample& x, bool every_class, std::vector<Sum>& sums,
                   Verdict& verdict) const {
  const size_t classes = groups_.size() - 1;
  verdict.best.assign(classes, -1.0);
  verdict.weight.assign(classes, 0);
  verdict.bar.assign(classes, 0.0);
  const double r = static_cast<double>(r_);
  if (r_ > 0) add_up(x, sums);
  const bool banded = r_ > 0 && beta_ > 0;
  double below = r + 1.0;  // more than any box can have
  for (const double band : {1.0, 0.6, 0.3, 0.0}) {
    if (!banded && band > 0) continue;
    const Sum* sum = sums.data();
    for (size_t k = 0; k < classes; ++k) {
      const Group& g = groups_[k + 1];
      double& bar = verdict.bar[every_class ? k : 0];
      for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
        // With all its intervals around x, what share must a box have to reach the bar? A hair
        // less is asked for: a membership is the bar only up to rounding, and so is this.
        const double asked =
            banded ? r * ((bar - alpha_ - 1e-15) / beta_) * (1.0 - 1e-12) - 1e-12 : 0.0;
        if (asked >= below) break;
        judge_block(g, x, r_ > 0 ? sum + begin : nullptr, begin, std::max(r * band, asked), below,
                    bar, verdict.best[k], verdict.weight[k]);
      }
      sum += r_ > 0 ? g.size() : 0;
    }
    below = r * band;
  }
}

// How often each box of a class, class after class, has seen the values of x, over all features.
template <class Sum>
void Engine::add_up(const Sample& x, std::vector<Sum>& sums) const {
  size_t boxes = 0;
  for (size_t k = 1; k < groups_.size(); ++k) boxes += groups_[k].size();
  sums.resize(boxes);
  Counts counts;
  Sum* sum = sums.data();
  for (size_t k = 1; k < groups_.size(); ++k) {
    const Group& g = groups_[k];
    for (size_t begin = 0; begin < g.size(); begin += BLOCK)
      counts.total(g, x.codes, static_cast<Slot>(begin), std::min(BLOCK, g.size() - begin),
                   sum + begin);
    sum += g.size();
  }
}

size_t Engine::winner(const Verdict& verdict) const {
  size_t won = 0;
  for (size_t k = 1; k < verdict.best.size(); ++k) {
    const double lead = verdict.best[k] - verdict.best[won];
    if (lead > 0 || (lead == 0 && verdict.best[k] > 0 && verdict.weight[k] > verdict.weight[won]))
      won = k;
  }
  return won;
}

// One block: the boxes whose sums lie in the band, all together or, where they are few, singly.
template <class Sum>
void Engine::judge_block(const Group& g, const Sample& x, const Sum* sum, size_t begin, double from,
                         double below, double& bar, double& best, uint64_t& weight) const {
  const double r = static_cast<double>(r_);
  const size_t m = std::min(BLOCK, g.size() - begin);
  alignas(64) double over[BLOCK], share[BLOCK], dist[BLOCK], degree[BLOCK];
  size_t seen = 0, reaching = m;
  if (r_ > 0)
    reaching = kernels::between(sum, g.n.data() + begin, from, below, over, m);
  else
    std::fill_n(over, m, -1.0);
  if (reaching == 0) return;
  const bool singly = reaching <= few(m);
  if (!singly) {
    std::fill_n(dist, m, 0.0);
    std::fill_n(share, m, 0.0);
    if (r_ > 0) kernels::share(sum, g.n.data() + begin, r, share, m);
    while (seen < x.probes.size() && reaching > few(m)) {
      const Probe& p = x.probes[seen];
      kernels::distance(&g.V[p.j][begin], &g.W[p.j][begin], p.xl, p.xu, p.slope, dist, m);
      if (std::has_single_bit(++seen) || seen == x.probes.size())  // now and then, to stop early
        reaching = kernels::mix(dist, share, alpha_, beta_, bar, degree, m);
    }
    if (x.probes.empty()) reaching = kernels::mix(dist, share, alpha_, beta_, bar, degree, m);
    if (reaching == 0) return;
  }
  for (size_t i : Passing(over, m)) {
    if (!singly && degree[i] < bar) continue;
    const Slot slot = static_cast<Slot>(begin + i);
    const double b_cat = !singly  ? share[i]
                         : r_ > 0 ? static_cast<double>(sum[i]) / (g.n[slot] * r)
                                  : 0.0;
    const double reached = finish(g, slot, x, seen, singly ? 0.0 : dist[i], b_cat, bar);
    if (reached < bar) continue;
    if (reached > best) weight = 0;
    best = bar = reached;
    weight += g.n[slot];
  }
}

// The membership of one box, given what it is over the first `seen` features; once it is below
// the bar it does not matter how far.
double Engine::finish(const Group& g, Slot slot, const Sample& x, size_t seen, double dist,
                      double b_cat, double bar) const {
  double degree = alpha_ * (1.0 - std::min(dist, 1.0)) + beta_ * b_cat;
  for (size_t f = seen; f < x.probes.size() && degree >= bar; ++f) {
    const Probe& p = x.probes[f];
    dist = std::max(dist, stick_out(g.V[p.j][slot], g.W[p.j][slot], p.xl, p.xu, p.slope));
    degree = alpha_ * (1.0 - std::min(dist, 1.0)) + beta_ * b_cat;
  }
  return degree;
}

template <class Sum>
void Engine::degrees(const Group& g, const Sample& x, double* out) const {
  Counts counts;
  alignas(64) Sum sum[BLOCK];
  alignas(64) double share[BLOCK], dist[BLOCK];
  for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
    const size_t m = std::min(BLOCK, g.size() - begin);
    std::fill_n(dist, m, 0.0);
    std::fill_n(share, m, 0.0);
    if (r_ > 0) {
      counts.total(g, x.codes, static_cast<Slot>(begin), m, sum);
      kernels::share(sum, g.n.data() + begin, static_cast<double>(r_), share, m);
    }
    for (const Probe& p : x.probes)
      kernels::distance(&g.V[p.j][begin], &g.W[p.j][begin], p.xl, p.xu, p.slope, dist, m);
    kernels::mix(dist, share, alpha_, beta_, 0.0, out + begin, m);
  }
}

}  // namespace boxwise
