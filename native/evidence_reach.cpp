// How far each column reaches: what multiplies its bandwidth or backoff. The wider, the less it
// matters which of the boxes of a class a row is near to. And how long boxes are remembered.

#include <algorithm>
#include <cmath>

#include "evidence_inquiry.hpp"
#include "kernels.hpp"
#include "scan.hpp"

namespace boxwise {

using std::size_t;

namespace {
constexpr size_t LOT = kernels::LOT;
constexpr double FAINTEST = 0x1p22;  // grains; boxes that say less are not asked
constexpr double STEP = 0.2;     // the first step, of a logarithm
constexpr double LEAST_STEEPNESS = 1e-8;  // so that a step is not made of rounding errors
constexpr double MEMORY = 0.99;  // what a slope still counts, at most, at the next step
constexpr double AT_FIRST = 1;   // the logarithm of the memory for the age of boxes
constexpr double FOREVER = 1e300;
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

// Which way the reaches have to go so that x, whose class is known, would have been likelier.
void EvidenceEngine::begin_step(const Sample& x) {
  bool any = false;
  for (size_t j = 0; j <= n_ + r_; ++j) any = any || may_reach(j);
  if (!any) return;
  std::vector<bool> asked(evidence_.bandwidths.size() * evidence_.backoffs.size(), false);
  asked[pair_of(voices_[0].bandwidth, voices_[0].backoff)] = true;
  begin(*step_, x, asked, step_portion_);
  record_.step = {true, record_.rows + count() / step_portion_, {}};
  go_on(*step_, record_.step.due);
}

void EvidenceEngine::conclude_step(const Inquiry& inquiry, Step& step) const {
  const size_t classes = inquiry.classes.size(), features = n_ + r_ + 1;
  std::vector<double> scores, p, of_class(features);
  add_up_scores(inquiry, scores);
  soften(&scores[inquiry.pairs[0] * classes], classes, inquiry.temperature, p);
  p[static_cast<size_t>(inquiry.x.label)] -= 1;
  step.slopes.assign(features, 0.0);  // of the loss, -log p
  for (size_t k = 0; k < classes; ++k) {
    add_up_slopes(inquiry.classes[k], of_class.data());
    for (size_t j = 0; j < features; ++j) step.slopes[j] += p[k] * of_class[j];
  }
}

void EvidenceEngine::move_if_due() {
  if (!record_.step.waits || record_.step.due > record_.rows) return;
  if (step_->open) conclude_step(*step_, record_.step);
  step_->open = record_.step.waits = false;
  const double memory = fading(record_.steps++, MEMORY);
  for (size_t j = 0; j <= n_ + r_; ++j) {
    const double slope = record_.step.slopes[j];
    if (!may_reach(j) || !std::isfinite(slope)) continue;
    double &steepness = record_.steepness[j], &reach = record_.reaches[j];
    steepness = steepness * memory + slope * slope;
    reach -= STEP * (slope / std::sqrt(LEAST_STEEPNESS + steepness));
    reach = std::clamp(reach, -FARTHEST, FARTHEST);
  }
  reach_out();
}

// The slopes of the boxes that were asked, each weighted by what it says in parts of the loudest; returns
// these weights together. After their log_sum.
double EvidenceEngine::add_slopes(Inquiry& inquiry, const Answers& a, double* slopes) const {
  static thread_local Loud loud;
  const double weights = find_loud(inquiry, loud);
  std::fill_n(slopes, n_ + r_ + 1, 0.0);
  const size_t numbers = inquiry.q.units.size(), columns = numbers + r_ + 1;
  static thread_local Aligned<double> terms;  // column by column
  static thread_local std::vector<double> sums;
  make_room(terms, columns * LOT);
  sums.assign(columns, 0.0);
  for (size_t begin = 0; begin < loud.weights.size(); begin += LOT) {
    const size_t m = std::min(LOT, loud.weights.size() - begin);
    const auto first = loud.slots.begin() + static_cast<std::ptrdiff_t>(begin);
    loud.lot.assign(first, first + static_cast<std::ptrdiff_t>(m));
    find_slopes(inquiry, a, loud.lot, loud.weights.data() + begin, terms.data());
    for (size_t i = 0; i < m; ++i)  // box by box, as the specification adds them up
      for (size_t column = 0; column < columns; ++column) sums[column] += terms[column * LOT + i];
  }
  for (size_t f = 0; f < numbers; ++f) slopes[inquiry.x.probes[f].j] = sums[f];
  std::copy_n(sums.begin() + static_cast<std::ptrdiff_t>(numbers), r_ + 1, slopes + n_);
  return weights;
}

// The boxes that say enough to count, and what they say; returns what they say together.
double EvidenceEngine::find_loud(Inquiry& inquiry, Loud& loud) const {
  Question& q = inquiry.q;
  Part &numbers = q.numbers_of(inquiry.pairs[0]), &categories = q.categories_of(inquiry.pairs[0]);
  const double *x = numbers.said.data(), *y = categories.said.data();
  loud.slots.clear();
  loud.weights.clear();
  double weights = 0;
  alignas(64) double over[BLOCK];
  for (size_t begin = 0; begin < q.crowd.size; begin += BLOCK) {
    const size_t m = std::min(BLOCK, q.crowd.size - begin);
    if (q.scale > 0)
      kernels::fall_short(x + begin, y + begin, FAINTEST * 0.99 / q.scale, over, m);
    else
      std::fill_n(over, m, 0.0);  // all of them
    for (const size_t i : Passing(over, m)) {
      const size_t place = begin + i;
      double part = q.scale > 0 ? x[place] * y[place] * q.scale : 0.0;
      if (q.scale == 0 || std::abs(part - std::nearbyint(part)) <= part * q.margin)  // not sure
        part = static_cast<double>(grains(log_evidence(q, place, numbers, categories), q.most));
      if (part < FAINTEST) continue;
      loud.slots.push_back(q.crowd.slot(place));
      loud.weights.push_back(std::floor(part) / GRAINS);
      weights += loud.weights.back();
    }
  }
  return weights;
}

// Of some boxes, LOT at the most: numbers, categories, the memory.
void EvidenceEngine::find_slopes(const Inquiry& inquiry, const Answers& a,
                                 const std::vector<Slot>& slots, const double* weights,
                                 double* terms) const {
  const Question& q = inquiry.q;
  const Group& g = *q.g;
  const size_t m = slots.size();
  const Part &numbers = q.numbers[inquiry.pairs[0] / q.categories.size()],
             &categories = q.categories[inquiry.pairs[0] % q.categories.size()];
  for (size_t f = 0; f < q.units.size(); ++f, terms += LOT) {
    const Probe& p = q.x->probes[f];
    const double both = numbers.wide[f];
    if (q.units[f] > 0)
      kernels::number_slopes({g.V[p.j].data(), g.W[p.j].data(), p.xl, p.xu, q.units[f], both / 2, both},
                             slots.data(), weights, terms, m);
    else
      std::fill_n(terms, m, 0.0);
  }
  alignas(64) std::uint32_t times[LOT];
  for (size_t j = 0; j < r_; ++j, terms += LOT) {
    g.D[j].pick(q.x->codes[j], slots, times);
    kernels::category_slopes(times, g.n.data(), slots.data(), categories.own[j], categories.wide[j],
                             weights, terms, m);
  }
  alignas(64) double last[LOT];
  for (size_t i = 0; i < m; ++i) last[i] = g.last[slots[i]];
  kernels::fade_slopes(weights, last, a.newest, inquiry.rows, inquiry.memory, terms, m);
}

}  // namespace boxwise
