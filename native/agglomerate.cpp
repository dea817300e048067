#include "agglomerate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <queue>
#include <stdexcept>

#include "kernels.hpp"

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
    for (size_t n = 1; n < REMEMBERED; ++n) known_[n] = of(static_cast<double>(n));
  }
  double operator()(uint64_t n) const {
    return n < REMEMBERED ? known_[n] : of(static_cast<double>(n));
  }

 private:
  static constexpr size_t REMEMBERED = 1u << 12;
  static double of(double n) { return n * std::log2(n); }
  double known_[REMEMBERED] = {};
};

const TimesLog& times_log() {
  static const TimesLog table;
  return table;
}

}  // namespace

AgglomerativeEngine::AgglomerativeEngine(size_t n_continuous, size_t n_categorical,
                                         AgglomerativeSettings settings, std::vector<Range> ranges,
                                         std::function<void()> pulse)
    : EntropyEngine(n_continuous, n_categorical, settings.entropy, std::move(ranges)),
      how_(std::move(settings)),
      pulse_(std::move(pulse)) {
  check(how_);
}

std::unique_ptr<Engine> AgglomerativeEngine::fresh() const {
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
size_t AgglomerativeEngine::filter(const Group& g, const Box& a, Slot begin, size_t m, double* over,
                                   size_t& sized) {
  size_t passing = m;
  const bool fresh = a.n > 1 || r_ == 0;
  if (!fresh && settings_.mean) {  // a single sample: the test of the online learner
    alignas(64) double sum[BLOCK];
    counts_.total(g, codes_.data(), begin, m, sum);
    passing = kernels::require(sum, g.need.data() + begin, over, m);
  } else if (!fresh) {
    alignas(64) uint32_t low[BLOCK];
    counts_.least(g, codes_.data(), begin, m, low);
    passing = kernels::require(low, g.need.data() + begin, over, m);
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
void AgglomerativeEngine::unite(Place place, const Box& a) {
  const Group& g = groups_[place.group];
  Grown& both = grown_;
  both.place = place;
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
    g.D[j].values(place.slot, values_);
    add_counts(a.D[j], values_, both.D[j]);
    if (both.D[j].size() == 1) both.pure.push_back(j);
  }
  both.listed = r_;
}

// Whether the union, of class `own`, overlaps a box of another class; if so, that is the blocker.
bool AgglomerativeEngine::union_overlaps(size_t own) {
  for (size_t j = 0; j < n_; ++j)
    if (grown_.V[j] > grown_.W[j]) return false;  // a feature never seen: no part in overlap
  for (size_t group = 0; group < groups_.size(); ++group)
    if ((own == 0 || group != own) && overlaps_group(group)) return true;
  return false;
}

bool AgglomerativeEngine::excused(Place place) {
  return EntropyEngine::excused(place) ||
         (second_ && place.group == second_->group && place.slot == second_->slot);
}

// The merging of all boxes of an engine. Boxes are numbered by age, and their number is their id:
// of two boxes that are merged the older keeps its own.
class AgglomerativeEngine::Agglomeration {
 public:
  explicit Agglomeration(AgglomerativeEngine& engine);
  ~Agglomeration() { e_.second_.reset(); }
  Agglomeration(const Agglomeration&) = delete;
  Agglomeration& operator=(const Agglomeration&) = delete;

  void box_by_box();
  void most_similar_pairs();

 private:
  using Number = uint32_t;
  static constexpr size_t GONE = std::numeric_limits<size_t>::max();

  struct Partner {
    double degree;
    Number number;
    bool operator<(const Partner& other) const {  // comes later: less similar, or younger
      return degree != other.degree ? degree < other.degree : number > other.number;
    }
  };
  // The best partner of a box among the younger ones; degree below zero: none. If it is not
  // settled, the degree is only a bound that none exceeds.
  struct Best {
    double degree = -1;
    Number number = 0;
    bool settled = true;
    uint32_t version = 0;
  };
  struct Turn {
    double degree;
    bool settled;
    Number older;
    uint32_t version;
    bool operator<(const Turn& other) const {  // comes later; a mere bound is looked into first
      if (degree != other.degree) return degree < other.degree;
      return settled != other.settled ? settled : older > other.older;
    }
  };

  bool is_alive(Number i) const { return places_[i].group != GONE; }
  Box box(Number i) const { return e_.groups_[places_[i].group].at(places_[i].slot); }
  template <class Visit>
  void visit_partners(Number i, const Box& a, Visit visit);
  Partner first_mergeable(Number i, double* blocked);
  bool is_blocked(Number i, const Box& a, Number k);
  Number merge(Number i, Number k);
  Box take_out(Number i);
  void wake_watchers(Number changed);
  void set_best(Number i, double degree, Number number, bool settled);
  void find_best(Number i);
  void renew_after(Number older, Number younger);

  AgglomerativeEngine& e_;
  std::vector<Place> places_;                  // by number
  std::vector<std::vector<Number>> blockers_;  // by number: boxes that kept it from merging
  std::vector<std::vector<Number>> watchers_;  // and the reverse: boxes it kept from merging
  std::vector<Partner> partners_;
  std::vector<Number> woken_;  // boxes whose blockers have changed

  // AGGLO-SM only.
  std::vector<Best> best_;
  std::vector<double> bound_;  // of the pairs that were blocked when the best was found
  std::priority_queue<Turn> turns_;
};

void AgglomerativeEngine::learn(const Rows& rows, const std::int32_t* labels) {
  Engine::check(rows);
  const auto writer = writing();
  check_labels(rows, labels);
  for (size_t row = 0; row < rows.count; ++row) widen(rows, row);
  Sample sample;
  for (size_t row = 0; row < rows.count; ++row) {
    while (labels[row] >= static_cast<std::int32_t>(groups_.size()) - 1)
      groups_.push_back(new_group());
    read(rows, row, sample);
    sample.label = labels[row];
    create(sample);
  }
  Agglomeration agglomeration(*this);
  if (how_.pairs)
    agglomeration.most_similar_pairs();
  else
    agglomeration.box_by_box();
}

AgglomerativeEngine::Agglomeration::Agglomeration(AgglomerativeEngine& engine) : e_(engine) {
  const auto boxes = e_.in_order();
  if (boxes.size() >= std::numeric_limits<Number>::max())
    throw std::overflow_error("there are more boxes than can be merged");
  for (const auto& [id, place] : boxes) {
    e_.groups_[place.group].id[place.slot] = places_.size();
    places_.push_back(place);
  }
  e_.next_id_ = places_.size();
  blockers_.resize(places_.size());
  watchers_.resize(places_.size());
}

// AGGLO-2: each box in turn with its most similar partner, once, until a pass merges nothing. A box
// that found no partner is not asked again before something that matters to it has changed.
void AgglomerativeEngine::Agglomeration::box_by_box() {
  std::vector<std::uint8_t> hopeful(places_.size(), 1);
  std::vector<Number> grown;
  const auto give_hope = [&] {  // to boxes that could merge with one that has grown
    std::sort(grown.begin(), grown.end());
    grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
    for (Number i : grown)
      if (is_alive(i)) visit_partners(i, box(i), [&](Number other, double) { hopeful[other] = 1; });
    grown.clear();
  };
  for (bool first = true, merged = true; merged; first = false) {
    merged = false;
    give_hope();
    for (Number i = 0; i < places_.size(); ++i) {
      if (!is_alive(i) || !hopeful[i]) continue;
      hopeful[i] = 0;
      const Partner partner = first_mergeable(i, nullptr);
      if (partner.degree < 0) continue;
      grown.push_back(merge(i, partner.number));
      merged = true;
      hopeful[grown.back()] = 1;
      for (Number woken : woken_) hopeful[woken] = 1;
      if (!first) give_hope();  // in the first pass every box has its turn anyway
    }
  }
}

// AGGLO-SM: the most similar pair of all that may merge, again and again. Every box remembers its
// best partner among the younger ones, so that memory grows with the boxes, not with their pairs.
void AgglomerativeEngine::Agglomeration::most_similar_pairs() {
  best_.resize(places_.size());
  bound_.resize(places_.size(), -1);
  for (Number i = 0; i < places_.size(); ++i) find_best(i);
  while (!turns_.empty()) {
    const Turn turn = turns_.top();
    turns_.pop();
    const Number i = turn.older, k = best_[i].number;
    if (!is_alive(i) || turn.version != best_[i].version) continue;
    if (!turn.settled || is_blocked(i, box(i), k)) {
      find_best(i);
      continue;
    }
    merge(i, k);
    renew_after(i, k);
  }
}

void AgglomerativeEngine::Agglomeration::set_best(Number i, double degree, Number number,
                                                  bool settled) {
  best_[i] = {degree, number, settled, best_[i].version + 1};
  if (degree >= 0) turns_.push({degree, settled, i, best_[i].version});
}

void AgglomerativeEngine::Agglomeration::find_best(Number i) {
  const Partner best = first_mergeable(i, &bound_[i]);
  set_best(i, best.degree, best.number, true);
}

// What a merge changes: boxes whose best partner was one of the two, or who were kept from merging
// by one of them, look for another; and the merged box may be better than the best partner so far.
void AgglomerativeEngine::Agglomeration::renew_after(Number older, Number younger) {
  for (Number i = 0; i < younger; ++i) {
    const Best best = best_[i];
    const bool lost = best.number == older || best.number == younger;
    if (i != older && is_alive(i) && best.degree >= 0 && lost)
      set_best(i, best.degree, best.number, false);
  }
  for (Number i : woken_)
    if (bound_[i] >= best_[i].degree) set_best(i, bound_[i], best_[i].number, false);
  visit_partners(older, box(older), [&](Number i, double degree) {
    if (i > older) return;
    const Best& best = best_[i];
    const bool better = best.settled ? Partner{best.degree, best.number} < Partner{degree, older}
                                     : best.degree < degree;
    if (better) set_best(i, degree, older, true);
  });
  find_best(older);
}

template <class Visit>
void AgglomerativeEngine::Agglomeration::visit_partners(Number i, const Box& a, Visit visit) {
  e_.visit_partners(a, places_[i].group, [&](Place place, double degree) {
    const auto k = static_cast<Number>(e_.groups_[place.group].id[place.slot]);
    if (k != i) visit(k, degree);
  });
}

// The most similar partner that i may merge with; for AGGLO-SM, which asks for the bound of what is
// blocked now, among the younger boxes only. A degree below zero: there is none.
AgglomerativeEngine::Agglomeration::Partner
AgglomerativeEngine::Agglomeration::first_mergeable(Number i, double* blocked) {
  const Box a = box(i);
  partners_.clear();
  visit_partners(i, a, [&](Number k, double degree) {
    if (blocked == nullptr || k > i) partners_.push_back({degree, k});
  });
  if (blocked != nullptr) *blocked = -1;
  std::make_heap(partners_.begin(), partners_.end());
  while (!partners_.empty()) {
    std::pop_heap(partners_.begin(), partners_.end());
    const Partner partner = partners_.back();
    partners_.pop_back();
    if (!is_blocked(i, a, partner.number)) return partner;
    if (blocked != nullptr) *blocked = std::max(*blocked, partner.degree);
  }
  return {-1, 0};
}

// Whether the union of two boxes, the first of which is `a`, overlaps a box of another class. What
// kept i from merging before is tried first, and i is told when it changes.
bool AgglomerativeEngine::Agglomeration::is_blocked(Number i, const Box& a, Number k) {
  e_.unite(places_[k], a);
  e_.second_ = places_[i];
  const size_t own = std::max(places_[i].group, places_[k].group);
  for (Number known : blockers_[i]) {
    const Place place = places_[known];
    if ((own == 0 || place.group != own) && !e_.excused(place) &&
        e_.meets(e_.groups_[place.group], place.slot))
      return true;
  }
  if (!e_.union_overlaps(own)) return false;
  const auto blocker = static_cast<Number>(e_.blocker_->id);
  blockers_[i].push_back(blocker);
  watchers_[blocker].push_back(i);
  return true;
}

// The older of the two stands for both. Returns its number.
AgglomerativeEngine::Agglomeration::Number AgglomerativeEngine::Agglomeration::merge(Number i,
                                                                                     Number k) {
  const Number older = std::min(i, k), younger = std::max(i, k);
  const size_t own = std::max(places_[i].group, places_[k].group);
  Box both = box(older);
  both.add(box(younger));
  take_out(younger);
  take_out(older);
  e_.admit(own, both);
  places_[older] = {own, static_cast<Slot>(e_.groups_[own].size() - 1)};
  woken_.clear();
  wake_watchers(older);
  wake_watchers(younger);
  std::erase_if(woken_, [&](Number woken) { return woken == older || woken == younger; });
  return older;
}

Box AgglomerativeEngine::Agglomeration::take_out(Number i) {
  const Place place = places_[i];
  Group& g = e_.groups_[place.group];
  Box box = g.remove(place.slot);
  if (place.slot < g.size()) places_[g.id[place.slot]] = place;
  places_[i].group = GONE;
  return box;
}

void AgglomerativeEngine::Agglomeration::wake_watchers(Number changed) {
  for (Number blocker : blockers_[changed]) std::erase(watchers_[blocker], changed);
  blockers_[changed].clear();
  for (Number watcher : watchers_[changed]) {
    std::erase(blockers_[watcher], changed);
    woken_.push_back(watcher);
  }
  watchers_[changed].clear();
}

}  // namespace boxwise
