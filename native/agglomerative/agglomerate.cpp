#include "agglomerative/agglomerate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "kernels/kernels.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

namespace {

constexpr std::int64_t PULSE = 100;  // milliseconds

// n log2 n, of which entropies are made; remembered for boxes of ordinary size.
class TimesLog {
 public:
  TimesLog() {
    for (size_t n = 1; n < CACHED; ++n) known_[n] = of(static_cast<double>(n));
  }
  double operator()(uint64_t n) const {
    return n < CACHED ? known_[n] : of(static_cast<double>(n));
  }

 private:
  static constexpr size_t CACHED = 1u << 12;
  static double of(double n) { return n * std::log2(n); }
  double known_[CACHED] = {};
};

const TimesLog& times_log() {
  static const TimesLog table;
  return table;
}

}  // namespace

AgglomerativeEngine::AgglomerativeEngine(size_t n_numeric, size_t n_categorical,
                                         AgglomerativeSettings settings, std::vector<Range> ranges,
                                         std::function<void()> pulse)
    : EntropyEngine(n_numeric, n_categorical, settings.entropy, std::move(ranges)),
      how_(std::move(settings)),
      pulse_(std::move(pulse)) {
  check(how_);
}

std::unique_ptr<LearningEngine> AgglomerativeEngine::fresh() const {
  return std::make_unique<AgglomerativeEngine>(n_, r_, how_, ranges_);
}

void AgglomerativeEngine::configure(AgglomerativeSettings settings) {
  check(settings);
  EntropyEngine::configure(settings.entropy);
  how_ = std::move(settings);
}

void AgglomerativeEngine::check(const AgglomerativeSettings& settings) const {
  if (!(settings.least_similarity >= 0 && settings.least_similarity <= 1))
    throw std::invalid_argument("min_similarity is not in [0, 1]");
}

void AgglomerativeEngine::pulse() {
  using namespace std::chrono;
  if (!pulse_) return;
  const auto now = duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
  if (now < pulse_due_) return;
  pulse_due_ = now + PULSE;
  pulse_();
}

// The boxes of a block that pass the size test in the first `sized` features and may pass the
// entropy test: over <= 0. Returns how many.
size_t AgglomerativeEngine::filter(const Group& g, const Box& a, Slot begin, size_t m,
                                   Search& search, double* over, size_t& sized) const {
  size_t passing = m;
  const bool fresh = a.n > 1 || r_ == 0;
  if (!fresh && settings_.mean) {  // a single sample: the test of the online learner
    alignas(64) double sum[BLOCK];
    search.counts.total(g, search.codes.data(), begin, m, sum);
    passing = kernels::require(sum, min_counts(g) + begin, over, m);
  } else if (!fresh) {
    alignas(64) uint32_t low[BLOCK];
    search.counts.least(g, search.codes.data(), begin, m, low);
    passing = kernels::require(low, min_counts(g) + begin, over, m);
  }
  const auto span = [&](size_t j) {
    return kernels::Span{&g.V[j][begin], &g.W[j][begin], a.V[j], a.W[j], limit_[j]};
  };
  return pass_size(n_, span, passing, fresh, over, m, sized);
}

bool AgglomerativeEngine::fits(const Group& g, Slot slot, const Box& a, size_t from) const {
  for (size_t j = from; j < n_; ++j)
    if (std::max(a.W[j], g.W[j][slot]) - std::min(a.V[j], g.V[j][slot]) > limit_[j]) return false;
  return true;
}

// Z_j of a merge, times N: h(N) - h(n_a) - h(n_b), less h(a + b) - h(a) - h(b) for the counts a and
// b of every value that both have seen, where h(n) = n log2 n.
bool AgglomerativeEngine::merges_purely(const Group& g, Slot slot, const Box& a) const {
  const TimesLog& h = times_log();
  const uint64_t n = g.n[slot], all = n + a.n;
  const double apart = h(all) - h(a.n) - h(n);
  const double bound = settings_.delta + EntropyTest::ROUNDING;
  double sum = 0;
  for (size_t j = 0; j < r_; ++j) {
    double Z = apart;
    for (auto [code, times] : a.D[j]) {
      const uint64_t other = g.D[j].count(slot, code);
      if (other > 0) Z -= h(times + other) - h(times) - h(other);
    }
    Z /= static_cast<double>(all);
    if (!settings_.mean && Z > bound) return false;
    sum += Z;
  }
  return !settings_.mean || r_ == 0 || sum / static_cast<double>(r_) <= bound;
}

double AgglomerativeEngine::similarity(const Group& g, Slot slot, const Box& a) const {
  const double s_num = numerical_similarity(g, slot, a);
  if (r_ == 0) return s_num;
  const uint64_t n = g.n[slot];
  uint64_t shared = 0;
  for (size_t j = 0; j < r_; ++j)
    for (auto [code, times] : a.D[j])
      shared += std::min(times * n, static_cast<uint64_t>(g.D[j].count(slot, code)) * a.n);
  const double all = static_cast<double>(a.n) * static_cast<double>(n) * static_cast<double>(r_);
  const double s_cat = static_cast<double>(shared) / all;
  return n_ == 0 ? s_cat : alpha_ * s_num + beta_ * s_cat;
}

double AgglomerativeEngine::numerical_similarity(const Group& g, Slot slot, const Box& a) const {
  const auto farthest = [&](auto distance) {
    double most = 0;
    for (size_t j = 0; j < n_; ++j) {
      const double v = g.V[j][slot], w = g.W[j][slot];
      if (a.V[j] > a.W[j] || v > w) continue;  // never seen by one of them
      most = std::max(most, distance(a.V[j], a.W[j], v, w) * slope_[j]);
    }
    return std::min(most, 1.0);
  };
  using Bound = double;
  if (how_.similarity == Similarity::SHORT)
    return 1.0 - farthest([](Bound v_a, Bound w_a, Bound v_b, Bound w_b) {
             return std::max(v_b - w_a, v_a - w_b);
           });
  if (how_.similarity == Similarity::LONG)
    return 1.0 - farthest([](Bound v_a, Bound w_a, Bound v_b, Bound w_b) {
             return std::max(w_b - v_a, w_a - v_b);
           });
  double ab = 0, ba = 0;  // what one lacks to lie around the other
  for (size_t j = 0; j < n_; ++j) {
    const double v = g.V[j][slot], w = g.W[j][slot], slope = slope_[j];
    if (a.V[j] > a.W[j] || v > w) continue;  // never seen by one of them
    ab = std::max(ab, std::max(v - a.V[j], a.W[j] - w) * slope);
    ba = std::max(ba, std::max(a.V[j] - v, w - a.W[j]) * slope);
  }
  return 1.0 - std::min({ab, ba, 1.0});
}

// Makes the union of a box of the model and `a` the grown box, whose overlaps are looked for.
void AgglomerativeEngine::unite(Place place, const Box& a, Search& search) const {
  const Group& g = groups_[place.group];
  Grown& both = search.overlap.grown;
  both.place = place;
  both.parts.clear();
  both.n = g.n[place.slot] + a.n;
  both.V.resize(n_);
  both.W.resize(n_);
  for (size_t j = 0; j < n_; ++j) {
    both.V[j] = std::min(a.V[j], g.V[j][place.slot]);
    both.W[j] = std::max(a.W[j], g.W[j][place.slot]);
  }
  both.D.resize(r_);
  both.pure.clear();
  for (size_t j = 0; j < r_; ++j) {
    g.D[j].values(place.slot, search.values);
    add_counts(a.D[j], search.values, both.D[j]);
    if (both.D[j].size() == 1) both.pure.push_back(j);
  }
  both.listed = r_;
}

// Whether the union, of class `own`, overlaps a box of another class; if so, blockers begins with
// that one.
bool AgglomerativeEngine::union_overlaps(size_t own, Search& search) const {
  const Grown& both = search.overlap.grown;
  for (size_t j = 0; j < n_; ++j)
    if (both.V[j] > both.W[j]) return false;  // a feature never seen: no part in overlap
  return overlaps_others(own, search.overlap);
}

// Overlaps are looked for in indexes; they follow so many steps more.
void AgglomerativeEngine::follow_boxes(size_t steps) {
  for (size_t group = 0; group < groups_.size(); ++group)
    for (size_t step = 0; step < steps && index(group) == nullptr; ++step)
      if (groups_[group].index.get() == nullptr) break;  // there are too few boxes
}

}  // namespace boxwise
