// How far each column reaches: what multiplies its bandwidth or backoff. The wider, the less it
// matters which of the boxes of a class a row is near to. And how long boxes are remembered.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "evidence_question.hpp"
#include "kernels.hpp"
#include "scan.hpp"

namespace boxwise {

using std::size_t;

namespace {
constexpr double FAINTEST = 0x1p22;  // grains; boxes that say less are not asked
constexpr double STEP = 0.2;     // the first step, of a logarithm
constexpr double LEAST_STEEPNESS = 1e-8;  // so that a step is not made of rounding errors
constexpr double MEMORY = 0.99;  // what a slope still counts, at most, at the next step
constexpr double AT_FIRST = 1;   // the logarithm of the memory for the age of boxes
constexpr double FOREVER = 1e300;
constexpr double NONE = -std::numeric_limits<double>::infinity();
}  // namespace

bool EvidenceEngine::may_reach(size_t feature) const {
  if (feature == n_ + r_) return evidence_.forget;
  return (feature < n_ ? evidence_.bandwidths : evidence_.backoffs).size() > 1;
}

void EvidenceEngine::forget_reaches() {
  record_.steps = 0;
  record_.reaches.assign(n_ + r_ + 1, 0.0);
  record_.reaches.back() = AT_FIRST;
  record_.steepness.assign(n_ + r_ + 1, 0.0);
  reach_out();
}

void EvidenceEngine::reach_out() {
  reach_.clear();
  for (const double reach : record_.reaches) reach_.push_back(std::exp(reach));
}

std::vector<double> EvidenceEngine::reach() const {
  const auto reader = reading();
  return reach_;
}

double EvidenceEngine::memory() const { return evidence_.forget ? reach_.back() : FOREVER; }

// One step towards reaches with which x, whose class is known, would have been likelier.
void EvidenceEngine::step(const Sample& x) {
  static thread_local Question q;
  const size_t classes = groups_.size() - 1, features = n_ + r_ + 1;
  bool any = false;
  for (size_t j = 0; j < features; ++j) any = any || may_reach(j);
  if (!any) return;
  const size_t pair = pair_of(voices_[0].bandwidth, voices_[0].backoff);
  std::vector<bool> asked(evidence_.bandwidths.size() * evidence_.backoffs.size(), false);
  asked[pair] = true;
  std::vector<double> scores(classes, NONE), slopes(classes * features, 0.0), p;
  ask_for(x, asked, q);
  for (size_t k = 0; k < classes; ++k) {
    if (groups_[k + 1].size() == 0) continue;
    put(groups_[k + 1], q);
    ask(q);
    scores[k] = log_sum(q, pair) + q.census->level;
    find_slopes(q, pair, &slopes[k * features]);
  }
  soften(scores.data(), classes, voices_[0].temperature, p);
  p[static_cast<size_t>(x.label)] -= 1;
  const double memory = fading(record_.steps++, MEMORY);
  for (size_t j = 0; j < features; ++j) {
    double slope = 0;  // of the loss, -log p
    for (size_t k = 0; k < classes; ++k) slope += p[k] * slopes[k * features + j];
    if (!may_reach(j) || !std::isfinite(slope)) continue;
    double &steepness = record_.steepness[j], &reach = record_.reaches[j];
    steepness = steepness * memory + slope * slope;
    reach -= STEP * (slope / std::sqrt(LEAST_STEEPNESS + steepness));
    reach = std::clamp(reach, -FARTHEST, FARTHEST);
  }
  reach_out();
}

// How the score of a class grows with the logarithms of the reaches; after its log_sum.
void EvidenceEngine::find_slopes(Question& q, size_t pair, double* slopes) const {
  const Group& g = *q.g;
  Part &numbers = q.numbers_of(pair), &categories = q.categories_of(pair);
  const double *x = numbers.said.data(), *y = categories.said.data();
  static thread_local std::vector<std::pair<std::uint64_t, size_t>> heard;  // in order of creation
  heard.clear();
  alignas(64) double over[BLOCK];
  for (size_t begin = 0; begin < q.crowd.size; begin += BLOCK) {
    const size_t m = std::min(BLOCK, q.crowd.size - begin);
    if (q.scale > 0)
      kernels::fall_short(x + begin, y + begin, FAINTEST * 0.99 / q.scale, over, m);
    else
      std::fill_n(over, m, 0.0);  // all of them
    for (const size_t i : Passing(over, m))
      heard.emplace_back(g.id[q.crowd.slot(begin + i)], begin + i);
  }
  if (!std::is_sorted(heard.begin(), heard.end())) std::sort(heard.begin(), heard.end());
  static thread_local std::vector<std::pair<Slot, double>> loud;  // the box, its weight
  loud.clear();
  double weights = 0;
  for (const auto& [id, place] : heard) {
    double part = q.scale > 0 ? x[place] * y[place] * q.scale : 0.0;
    if (q.scale == 0 || std::abs(part - std::nearbyint(part)) <= part * q.margin)  // not sure
      part = static_cast<double>(grains(log_evidence(q, place, numbers, categories), q.most));
    if (part < FAINTEST) continue;
    loud.emplace_back(q.crowd.slot(place), std::floor(part) / GRAINS);
    weights += loud.back().second;
  }
  for (const Probe& p : q.x->probes) slopes[p.j] = slope_of_number(q, p, numbers.choice, loud);
  for (size_t j = 0; j < r_; ++j) slopes[n_ + j] = slope_of_category(q, j, categories.choice, loud);
  for (const auto& [slot, weight] : loud) slopes[n_ + r_] += weight * slope_of_age(q, slot);
  for (size_t j = 0; j <= n_ + r_; ++j) slopes[j] /= weights;
  slopes[n_ + r_] -= slope_of_level(q);
}

double EvidenceEngine::slope_of_number(const Question& q, const Probe& p, double bandwidth,
                                       const std::vector<std::pair<Slot, double>>& loud) const {
  const double *V = q.g->V[p.j].data(), *W = q.g->W[p.j].data();
  const double unit = width(p.j) > 0 ? 1 / width(p.j) : 0.0, h = bandwidth * reach_[p.j];
  double slope = 0;
  if (unit == 0) return slope;
  for (const auto& [slot, weight] : loud) {
    const double v = V[slot], w = W[slot];
    if (v > w) continue;
    const double away = std::max(std::max(p.xu - w, v - p.xl), 0.0) * unit;
    slope += weight * (away / h - 2 * h / ((w - v) * unit + 2 * h));
  }
  return slope;
}

double EvidenceEngine::slope_of_category(const Question& q, size_t j, double backoff,
                                         const std::vector<std::pair<Slot, double>>& loud) const {
  const Group& g = *q.g;
  const double a = backoff * reach_[n_ + j], own = a * q.shares[j];
  double slope = 0;
  for (const auto& [slot, weight] : loud) {
    const double count = g.D[j].count(slot, q.x->codes[j]);
    slope += weight * (own / (count + own) - a / (g.n[slot] + a));
  }
  return slope;
}

double EvidenceEngine::slope_of_age(const Question& q, Slot slot) const {
  const double age = (q.census->newest - q.g->last[slot]) / std::max(clock_, 1.0);
  return 2 * age / (memory() + age);
}

double EvidenceEngine::slope_of_level(const Question& q) const {
  if (!evidence_.forget) return 0;
  alignas(64) double slope[BLOCK];
  std::int64_t slopes = 0;
  for (size_t begin = 0; begin < q.g->size(); begin += BLOCK) {
    const size_t m = std::min(BLOCK, q.g->size() - begin);
    kernels::fade_slopes(q.census->weight.data() + begin, q.g->last.data() + begin, q.census->newest,
                         std::max(clock_, 1.0), memory(), slope, m);
    slopes += kernels::whole_parts(slope, CRUMBS, m);
  }
  return static_cast<double>(slopes) / static_cast<double>(q.census->left);
}

}  // namespace boxwise
