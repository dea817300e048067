// Prediction of EIOL-GFMM: upper bounds of all memberships first, then those that may be the best.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "eiol/entropy_engine.hpp"
#include "kernels/kernels.hpp"
#include "store/scan.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

namespace {
constexpr size_t TILE = kernels::TILE;
// More than the rounding of what a box may reach: of four counts together, and of their sums.
constexpr float SLACK = 1e-5f, SLACK_OF_FEATURE = 0x1p-24f;
}  // namespace

// The boxes of a block that may reach the threshold, and what they reach.
template <class Visit>
void EntropyEngine::visit_block(const Sample& x, const BoxBlock& s, const float* degrees,
                                  float threshold, Visit visit) const {
  const Group& g = groups_[s.k + 1];
  for (size_t begin = 0; begin < s.m; begin += TILE) {
    uint64_t left = kernels::reached(degrees + begin, threshold);
    if (s.m - begin < TILE) left &= (uint64_t{1} << (s.m - begin)) - 1;
    for (; left != 0; left &= left - 1) {
      const auto slot = static_cast<Slot>(s.begin + begin + static_cast<size_t>(std::countr_zero(left)));
      double dist = 0;
      for (const Probe& p : x.probes)
        dist = std::max(dist, stick_out(g.V[p.j][slot], g.W[p.j][slot], p.xl, p.xu, p.slope));
      visit(g, slot, s.k, in_units(mixed(g, slot, dist, add_up(g, slot, x))));
    }
  }
}

// Finds for each class the best membership and the samples in the boxes that have it; or, if not every
// class matters, for those classes that have the best of all. The box that may reach most comes
// first, so that the threshold is high when the rest is looked at.
void EntropyEngine::score_classes(const Sample& x, bool every_class, size_t classes,
                                  Scratch& scratch, ClassScores& scores) const {
  scores.best.assign(classes, -1.0);
  scores.distance.assign(classes, 0.0);
  scores.weight.assign(classes, 0);
  scores.thresholds.assign(every_class ? classes : 1, 0.0);
  quantize(x, scratch.pass.query);
  find_indexes(scratch);
  score_indexed(x, every_class, classes, scratch, scores);
  score_packed(x, every_class, classes, scratch, scores);
  pass_over(x, classes, scratch);
  const auto& [blocks, degrees, query] = scratch.pass;
  const float slack = SLACK + static_cast<float>(r_) * SLACK_OF_FEATURE;
  // From one block to another, all of one class if every class matters.
  const auto score_blocks = [&, &degrees = degrees](auto begin, auto end, double& threshold) {
    const auto visit = [&](const BoxBlock& s, float enough, auto use) {
      const auto place = static_cast<size_t>(&s - scratch.pass.blocks.data());
      visit_block(x, s, degrees.data() + place * BLOCK, enough, use);
    };
    const auto best = std::max_element(
        begin, end, [](const BoxBlock& a, const BoxBlock& b) { return a.top < b.top; });
    visit(*best, best->top, [&](const Group&, Slot, size_t, double reached) {
      threshold = std::max(threshold, reached);  // and no more: its turn will come
    });
    for (auto s = begin; s != end; ++s) {
      const float enough = static_cast<float>(threshold) - slack;
      if (s->top < enough) continue;
      visit(*s, enough, [&](const Group& g, Slot slot, size_t k, double reached) {
        weigh(g, slot, k, every_class, reached, scores);
      });
    }
  };
  for (auto begin = blocks.begin(); begin != blocks.end();) {
    const auto end = every_class ? std::find_if(begin, blocks.end(),
                                                [&](const BoxBlock& s) { return s.k != begin->k; })
                                 : blocks.end();
    score_blocks(begin, end, scores.thresholds[every_class ? begin->k : 0]);
    begin = end;
  }
}

// Classes whose boxes are packed for a search: those without categories, if there is much to
// predict.
void EntropyEngine::score_packed(const Sample& x, bool every_class, size_t classes,
                                   Scratch& scratch, ClassScores& scores) const {
  for (size_t k = 0; k < classes; ++k)
    if (const PackedCopy* boxes = packed_copy(scratch, k + 1))
      boxes->search(x.probes, scores.thresholds[every_class ? k : 0], scratch.search,
                    [&](Slot slot, double dist) {
                      const double reached = in_units(alpha_ * (1.0 - std::min(dist, 1.0)));
                      weigh(groups_[k + 1], slot, k, every_class, reached, scores);
                    });
}

// A box of class k has this membership.
void EntropyEngine::weigh(const Group& g, Slot slot, size_t k, bool every_class, double reached,
                          ClassScores& scores) const {
  double& threshold = scores.thresholds[every_class ? k : 0];
  if (reached < threshold) return;
  if (reached > scores.best[k]) scores.weight[k] = 0;
  scores.best[k] = threshold = reached;
  scores.weight[k] += g.n[slot];
}

void EntropyEngine::quantize(const Sample& x, QuantizedQuery& query) const {
  query.step = 0;
  query.make(quantizers_, before_, [&](const auto& quantizers, auto& out) {
    for (const Probe& p : x.probes) {
      const Quantizer& quantizer = quantizers[p.j];
      if (quantizer.step == 0) continue;
      query.step = query.step == 0 ? quantizer.step : std::min(query.step, quantizer.step);
      out.push_back({p.j, quantizer.above(p.xl), quantizer.below(p.xu),
                     quantizer.beyond(p.xl, p.xu)});
    }
  });
}

// Upper bounds of the memberships of the boxes that are in no index: by the counts of the values of x
// and by quantised bounds.
void EntropyEngine::pass_over(const Sample& x, size_t classes, Scratch& scratch) const {
  auto& [blocks, degrees, query] = scratch.pass;
  blocks.clear();
  for (size_t k = 0; k < classes; ++k) {
    if (scratch.indexes[k + 1] != nullptr || packed_copy(scratch, k + 1) != nullptr) continue;
    for (size_t begin = 0, size = groups_[k + 1].size(); begin < size; begin += BLOCK)
      blocks.push_back({k, begin, std::min(BLOCK, size - begin), 0.0f});
  }
  degrees.resize(blocks.size() * BLOCK);
  const auto alpha = static_cast<float>(alpha_), beta = static_cast<float>(beta_);
  const auto step = static_cast<float>(alpha_ * query.step);
  Counts counts;
  alignas(64) std::uint8_t far[BLOCK] = {};
  alignas(64) float sum[BLOCK];
  for (size_t i = 0; i < blocks.size(); ++i) {
    BoxBlock& s = blocks[i];
    const Group& g = groups_[s.k + 1];
    const bool summed = counts.gather(g, x.codes, static_cast<Slot>(s.begin), s.m, sum);
    const std::uint8_t* tiles = n_ > 0 ? g.quantized.from(s.begin) : nullptr;
    if (query.either) query.measure(tiles, n_, QuantizedBounds::tiles(s.m), far);
    const kernels::BoundInputs inputs{counts.matches,
                                      counts.n_matches,
                                      summed ? sum : nullptr,
                                      tiles,
                                      n_,
                                      query.now.data(),
                                      query.either ? 0 : query.now.size(),
                                      query.either ? far : nullptr,
                                      g.unit.data() + s.begin};
    s.top = kernels::reachable(inputs, alpha, step, beta, s.m, degrees.data() + i * BLOCK);
  }
}

double EntropyEngine::mixed(const Group& g, Slot slot, double dist, double sum) const {
  const double all = static_cast<double>(g.n[slot]) * static_cast<double>(r_);
  const double b_cat = r_ > 0 ? sum / all : 0.0;
  return alpha_ * (1.0 - std::min(dist, 1.0)) + beta_ * b_cat;
}

// The membership of one box; once it is below the threshold it does not matter how far.
double EntropyEngine::finish(const Group& g, Slot slot, const Sample& x, double sum,
                             double threshold) const {
  double dist = 0.0, degree = mixed(g, slot, dist, sum);
  for (size_t f = 0; f < x.probes.size() && degree >= threshold - ROUNDING; ++f) {
    const Probe& p = x.probes[f];
    dist = std::max(dist, stick_out(g.V[p.j][slot], g.W[p.j][slot], p.xl, p.xu, p.slope));
    degree = mixed(g, slot, dist, sum);
  }
  return in_units(degree);
}

void EntropyEngine::degrees(const Group& g, const Sample& x, size_t begin, size_t m,
                            double* out) const {
  alignas(64) double share[BLOCK], dist[BLOCK];
  measure(g, x, begin, m, dist, share);
  kernels::mix(dist, share, alpha_, beta_, out, m);
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
