#include "agglomerate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <queue>
#include <stdexcept>

#include "kernels.hpp"
#include "scan.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

namespace {

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

// The merging of all boxes of an engine. Boxes are numbered by age, and their number is their id:
// of two boxes that are merged the older keeps its own.
class AgglomerativeEngine::Agglomeration {
 public:
  using Number = uint32_t;
  explicit Agglomeration(AgglomerativeEngine& engine);
  ~Agglomeration() { e_.at_work_ = nullptr; }
  Agglomeration(const Agglomeration&) = delete;
  Agglomeration& operator=(const Agglomeration&) = delete;

  void box_by_box();
  void most_similar_pairs();
  void insert();
  bool spread(Number k);
  bool is_part(Place place) const;
  bool overlapped_before(Place place);

 private:
  static constexpr size_t GONE = std::numeric_limits<size_t>::max();
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds PULSE{100};

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
  template <class Visit>
  void visit_partners(Number i, Visit visit);
  template <class Visit>
  void visit_group(Number i, const Box& a, size_t group, Visit visit);
  std::vector<uint64_t> origin_;
  bool open_ = false;
 public:
  int stage_ = 1;
  size_t floor_ = 0, alive_ = 0;
 private:
  bool same_values(const Box& a, const Group& g, Slot slot) { for (size_t j = 0; j < e_.r_; ++j) if (a.D[j].size() != 1 || g.D[j].count(slot, a.D[j][0].first) != g.n[slot]) return false; return true; }
  size_t filter(const Box& a, const Group& g, Slot begin, size_t m, double* over, size_t& sized);
  double similarity(const Box& a, const Group& g, Slot slot);
  double numerical_similarity(const Box& a, const Group& g, Slot slot) const;
  bool merges_purely(const Box& a, const Group& g, Slot slot);
  Partner first_mergeable(Number i, double* blocked);
  bool is_blocked(Number i, Number k);
  void unite(Number i, Number k);
  Number merge(Number i, Number k);
  void set_best(Number i, double degree, Number number, bool settled);
  void find_best(Number i);
  void renew_after(Number older, Number younger);

  AgglomerativeEngine& e_;
  const TimesLog& h_;
  std::vector<Place> places_;                  // by number
  std::vector<std::vector<Number>> blockers_;  // by number: boxes that kept it from merging
  std::vector<std::vector<Number>> watchers_;  // and the reverse: boxes it kept from merging
  std::vector<Partner> partners_;
  std::vector<Code> codes_;       // a value of each feature of the box whose partners are visited
  std::vector<Tally> values_[2];
  std::vector<Number> woken_;     // boxes whose blockers have changed
  Number pair_[2] = {0, 0};       // the two whose union is being tested
  Clock::time_point pulse_due_ = Clock::now() + PULSE;
  Counts counts_;

  // AGGLO-SM only.
  std::vector<Best> best_;
  std::vector<double> bound_;  // of the pairs that were blocked when the best was found
  std::priority_queue<Turn> turns_;
};

AgglomerativeEngine::Agglomeration::Agglomeration(AgglomerativeEngine& engine)
    : e_(engine), h_(times_log()) {
  const auto boxes = e_.in_order();
  if (boxes.size() >= std::numeric_limits<Number>::max())
    throw std::overflow_error("there are more boxes than can be merged");
  for (const auto& [id, place] : boxes) {
    e_.groups_[place.group].id[place.slot] = places_.size();
    places_.push_back(place);
  }
  e_.next_id_ = places_.size();
  e_.at_work_ = this;
  origin_ = e_.origin_;
  origin_.resize(places_.size());
  alive_ = places_.size();
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
      if (is_alive(i)) visit_partners(i, [&](Number other, double) { hopeful[other] = 1; });
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

void AgglomerativeEngine::Agglomeration::insert() {
  const auto n_of = [&](Number k) { return e_.groups_[places_[k].group].n[places_[k].slot]; };
  for (Number begin = 0; begin < places_.size();) {
    Number end = begin;
    while (end < places_.size() && origin_[end] == origin_[begin]) ++end;
    if (origin_[begin] & 1) { begin = end; continue; }
    double ones = 0, rows = 0, own = 0;
    for (Number k = 0; k < begin; ++k) if (is_alive(k)) { ones += n_of(k) == 1; rows += n_of(k); }
    for (Number k = begin; k < end; ++k) own += n_of(k);
    const double quota = rows > 0 ? own * ones / rows : own;
    std::vector<std::pair<uint32_t, Number>> left;
    for (Number k = begin; k < end; ++k) {
      const uint32_t n = n_of(k);
      if (n == 1) { if (!spread(k)) left.push_back({1, k}); continue; }
      bool done = false;
      partners_.clear();
      visit_partners(k, [&](Number i, double degree) { if (i < k) partners_.push_back({degree, i}); });
      std::make_heap(partners_.begin(), partners_.end());
      while (!partners_.empty()) {
        std::pop_heap(partners_.begin(), partners_.end());
        const Partner partner = partners_.back();
        partners_.pop_back();
        if (is_blocked(k, partner.number)) continue;
        merge(k, partner.number);
        done = true;
        break;
      }
      if (!done) left.push_back({n, k});
    }
    std::sort(left.begin(), left.end());
    double remaining = 0;
    for (auto [n, k] : left) remaining += 1;
    for (auto [was, k] : left) {
      if (remaining <= quota) break;
      const uint32_t n = n_of(k);
      if (n == 1 || n > e_.cap_) continue;
      if (spread(k)) remaining -= 1;
    }
    begin = end;
  }
}

bool AgglomerativeEngine::Agglomeration::spread(Number k) {
  e_.pairwise_ = false;
  const Place at = places_[k];
  Box box;
  {
    Group& g = e_.groups_[at.group];
    box = g.remove(at.slot);
    if (at.slot < g.size()) places_[g.id[at.slot]] = at;
  }
  places_[k].group = GONE;
  std::vector<Box> before;
  uint64_t seed = k * 0x9e3779b97f4a7c15ull + 1;
  const auto random = [&](uint64_t below) { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; return (seed >> 11) % below; };
  const size_t m = box.n;
  std::vector<std::vector<uint32_t>> order(e_.n_ + e_.r_, std::vector<uint32_t>(m));
  for (auto& o : order) { for (uint32_t t = 0; t < m; ++t) o[t] = t; for (size_t t = m; t > 1; --t) std::swap(o[t-1], o[random(t)]); }
  std::vector<Code> codes(e_.r_);
  bool fine = true;
  for (size_t t = 0; t < m && fine; ++t) {
    Sample x;
    for (size_t j = 0; j < e_.n_; ++j) {
      if (box.V[j] > box.W[j]) continue;
      const double p = m == 1 ? 0 : order[j][t] / double(m - 1);
      double v = box.V[j] + (box.W[j] - box.V[j]) * p;
      if (order[j][t] == m - 1) v = box.W[j];
      if (m == 1) x.probes.push_back({j, box.V[j], box.W[j], e_.limit_[j], e_.slope_[j]});
      else x.probes.push_back({j, v, v, e_.limit_[j], e_.slope_[j]});
    }
    for (size_t j = 0; j < e_.r_; ++j) {
      uint32_t q = order[e_.n_ + j][t];
      for (auto [code, times] : box.D[j]) { if (q < times) { codes[j] = code; break; } q -= times; }
    }
    x.codes = codes.data();
    x.label = static_cast<std::int32_t>(at.group) - 1;
    const auto taker = e_.find_taker(x);
    if (!taker) { fine = false; break; }
    if ((e_.rule_ == 5 || (e_.rule_ == 7 && !e_.settings_.mean)) && m > 1) { const Group& h = e_.groups_[taker->place.group]; for (size_t j = 0; j < e_.r_; ++j) if (h.D[j].count(taker->place.slot, codes[j]) == 0) fine = false; if (!fine) break; }
    if ((e_.rule_ == 8 || e_.rule_ == 9) && m > 1) { const Group& h = e_.groups_[taker->place.group]; double worst = 0; for (const Probe& q : x.probes) worst = std::max(worst, stick_out(h.V[q.j][taker->place.slot], h.W[q.j][taker->place.slot], q.xl, q.xu, q.slope)); if (worst > (e_.rule_ == 8 ? 0.0 : 0.1 * e_.settings_.theta)) fine = false; if (!fine) break; }
    if (e_.rule_ == 6) { const Group& h = e_.groups_[taker->place.group]; for (size_t j = 0; j < e_.r_; ++j) if (h.D[j].count(taker->place.slot, codes[j]) == 0) fine = false; if (!fine) break; }
    Group& g = e_.groups_[taker->place.group];
    const uint64_t id = g.id[taker->place.slot];
    if (std::none_of(before.begin(), before.end(), [&](const Box& b) { return b.id == id; })) before.push_back(g.at(taker->place.slot));
    e_.take(taker->place, x, taker->grows);
  }
  if (fine) {
    --alive_;
    for (Number blocker : blockers_[k]) std::erase(watchers_[blocker], k);
    for (Number w : watchers_[k]) std::erase(blockers_[w], k);
    blockers_[k].clear(); watchers_[k].clear();
    return true;
  }
  for (const Box& b : before) {
    const Place p = places_[b.id];
    Group& g = e_.groups_[p.group];
    g.remove(p.slot);
    if (p.slot < g.size()) places_[g.id[p.slot]] = p;
    e_.admit(p.group, b);
    places_[b.id] = {p.group, static_cast<Slot>(g.size() - 1)};
  }
  e_.admit(at.group, box);
  places_[k] = {at.group, static_cast<Slot>(e_.groups_[at.group].size() - 1)};
  return false;
}

// AGGLO-SM: the most similar pair of all that may merge, again and again. Every box remembers its
// best partner among the younger ones, so that memory grows with the boxes, not with their pairs.
void AgglomerativeEngine::Agglomeration::most_similar_pairs() {
  best_.resize(places_.size());
  bound_.resize(places_.size(), -1);
  for (Number i = 0; i < places_.size(); ++i) if (is_alive(i)) find_best(i);
  while (!turns_.empty()) {
    const Turn turn = turns_.top();
    turns_.pop();
    const Number i = turn.older;
    if (!is_alive(i) || turn.version != best_[i].version) continue;
    if (!turn.settled || is_blocked(i, best_[i].number)) {
      find_best(i);
      continue;
    }
    const Number k = best_[i].number;
    if (alive_ <= floor_) return;
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

// What a merge changes: the merged box may be a better partner than the best one so far; boxes
// whose best partner was one of the two, or who were kept from merging by one, look for another.
void AgglomerativeEngine::Agglomeration::renew_after(Number older, Number younger) {
  for (Number i = 0; i < older; ++i) {
    const Best& best = best_[i];
    if (is_alive(i) && best.degree >= 0 && (best.number == older || best.number == younger))
      set_best(i, best.degree, best.number, false);
  }
  for (Number i = older + 1; i < younger; ++i)
    if (is_alive(i) && best_[i].degree >= 0 && best_[i].number == younger)
      set_best(i, best_[i].degree, younger, false);
  for (Number i : woken_)
    if (bound_[i] > best_[i].degree || (bound_[i] == best_[i].degree && best_[i].settled))
      set_best(i, bound_[i], best_[i].number, false);
  visit_partners(older, [&](Number i, double degree) {
    if (i > older) return;
    const Best& best = best_[i];
    const bool better = best.settled ? Partner{best.degree, best.number} < Partner{degree, older}
                                     : best.degree < degree;
    if (better) set_best(i, degree, older, true);
  });
  find_best(older);
}

// Calls visit(k, similarity) for every box k that i may merge with, but for overlaps.
template <class Visit>
void AgglomerativeEngine::Agglomeration::visit_partners(Number i, Visit visit) {
  if (e_.pulse_ && Clock::now() >= pulse_due_) {
    e_.pulse_();
    pulse_due_ = Clock::now() + PULSE;
  }
  const Place place = places_[i];
  open_ = e_.groups_[place.group].need[place.slot] == 0;
  const Box a = e_.groups_[place.group].at(place.slot);
  codes_.clear();
  for (const auto& set : a.D) codes_.push_back(set[0].first);
  if (place.group == 0) {
    for (size_t group = 0; group < e_.groups_.size(); ++group) visit_group(i, a, group, visit);
  } else {
    visit_group(i, a, 0, visit);
    visit_group(i, a, place.group, visit);
  }
}

template <class Visit>
void AgglomerativeEngine::Agglomeration::visit_group(Number i, const Box& a, size_t group,
                                                     Visit visit) {
  const Group& g = e_.groups_[group];
  alignas(64) double over[BLOCK];
  for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
    const Slot first = static_cast<Slot>(begin);
    const size_t m = std::min(BLOCK, g.size() - begin);
    size_t sized = 0;
    if (filter(a, g, first, m, over, sized) == 0) continue;
    for (size_t at : Passing(over, m)) {
      const Slot slot = first + static_cast<Slot>(at);
      if (g.id[slot] == i) continue;
      if (stage_ == 1 && e_.rule_ > 0 && e_.rule_ < 3 && (origin_[i] & origin_[g.id[slot]]) && (e_.rule_ == 1 || !same_values(a, g, slot))) continue;
      if (stage_ == 2 && e_.rule_ == 4 && !((g.need[slot] == 0 && open_) || same_values(a, g, slot))) continue;
      bool fits = true;
      for (size_t j = sized; j < e_.n_ && fits; ++j)
        fits = std::max(a.W[j], g.W[j][slot]) - std::min(a.V[j], g.V[j][slot]) <= e_.limit_[j];
      if (!fits || !merges_purely(a, g, slot)) continue;
      const double degree = similarity(a, g, slot);
      if (degree >= e_.how_.least_similarity) visit(static_cast<Number>(g.id[slot]), degree);
    }
  }
}

// The boxes of a block that pass the size test in the first `sized` features and may pass the
// entropy test: over <= 0. Returns how many.
size_t AgglomerativeEngine::Agglomeration::filter(const Box& a, const Group& g, Slot begin, size_t m,
                                                  double* over, size_t& sized) {
  size_t passing = m;
  std::fill_n(over, m, -1.0);
  if (a.n == 1 && e_.r_ > 0) {  // a single sample: the test of the online learner
    if (e_.settings_.mean) {
      alignas(64) double sum[BLOCK];
      counts_.total(g, codes_.data(), begin, m, sum);
      passing = kernels::require(sum, g.need.data() + begin, over, m);
    } else {
      alignas(64) uint32_t low[BLOCK];
      counts_.least(g, codes_.data(), begin, m, low);
      passing = kernels::require(low, g.need.data() + begin, over, m);
    }
  }
  for (; sized < e_.n_ && passing > few(m); ++sized)
    passing = kernels::size(&g.V[sized][begin], &g.W[sized][begin], a.V[sized], a.W[sized],
                            e_.limit_[sized], over, m);
  return passing;
}

// Z_j of a merge, times N: h(N) - h(n_a) - h(n_b), less h(a + b) - h(a) - h(b) for the counts a and
// b of every value that both have seen, where h(n) = n log2 n.
bool AgglomerativeEngine::Agglomeration::merges_purely(const Box& a, const Group& g, Slot slot) {
  const uint64_t n = g.n[slot], all = n + a.n;
  const double apart = h_(all) - h_(a.n) - h_(n);
  const double bound = e_.settings_.delta + EntropyTest::ROUNDING;
  double sum = 0;
  for (size_t j = 0; j < e_.r_; ++j) {
    double Z = apart;
    for (auto [code, times] : a.D[j]) {
      const uint64_t other = g.D[j].count(slot, code);
      if (other > 0) Z -= h_(times + other) - h_(times) - h_(other);
    }
    Z /= static_cast<double>(all);
    if (!e_.settings_.mean && Z > bound) return false;
    sum += Z;
  }
  return !e_.settings_.mean || e_.r_ == 0 || sum / static_cast<double>(e_.r_) <= bound;
}

double AgglomerativeEngine::Agglomeration::similarity(const Box& a, const Group& g, Slot slot) {
  const double s_num = numerical_similarity(a, g, slot);
  if (e_.r_ == 0) return s_num;
  const uint64_t n = g.n[slot];
  uint64_t shared = 0;
  for (size_t j = 0; j < e_.r_; ++j)
    for (auto [code, times] : a.D[j])
      shared += std::min(times * n, static_cast<uint64_t>(g.D[j].count(slot, code)) * a.n);
  const double all = static_cast<double>(a.n) * static_cast<double>(n) * static_cast<double>(e_.r_);
  const double s_cat = static_cast<double>(shared) / all;
  return e_.n_ == 0 ? s_cat : e_.alpha_ * s_num + e_.beta_ * s_cat;
}

double AgglomerativeEngine::Agglomeration::numerical_similarity(const Box& a, const Group& g,
                                                                Slot slot) const {
  double ab = 0, ba = 0;  // the largest distance, one way and the other
  for (size_t j = 0; j < e_.n_; ++j) {
    const double v = g.V[j][slot], w = g.W[j][slot];
    if (a.V[j] > a.W[j] || v > w) continue;
    const double slope = e_.slope_[j];
    switch (e_.how_.similarity) {
      case Similarity::SHORT:
        ab = std::max(ab, std::max(v - a.W[j], a.V[j] - w) * slope);
        break;
      case Similarity::LONG:
        ab = std::max(ab, std::max(w - a.V[j], a.W[j] - v) * slope);
        break;
      case Similarity::MID:
        ab = std::max(ab, std::max(v - a.V[j], a.W[j] - w) * slope);
        ba = std::max(ba, std::max(a.V[j] - v, w - a.W[j]) * slope);
    }
  }
  const double distance = e_.how_.similarity == Similarity::MID ? std::min(ab, ba) : ab;
  return 1.0 - std::min(distance, 1.0);
}

// The most similar partner that i may merge with; for AGGLO-SM, which asks for the bound of what is
// blocked now, among the younger boxes only. A degree below zero: there is none.
AgglomerativeEngine::Agglomeration::Partner
AgglomerativeEngine::Agglomeration::first_mergeable(Number i, double* blocked) {
  partners_.clear();
  visit_partners(i, [&](Number k, double degree) {
    if (blocked == nullptr || k > i) partners_.push_back({degree, k});
  });
  if (blocked != nullptr) *blocked = -1;
  std::make_heap(partners_.begin(), partners_.end());
  while (!partners_.empty()) {
    std::pop_heap(partners_.begin(), partners_.end());
    const Partner partner = partners_.back();
    partners_.pop_back();
    if (!is_blocked(i, partner.number)) return partner;
    if (blocked != nullptr) *blocked = std::max(*blocked, partner.degree);
  }
  return {-1, 0};
}

// Whether the union of two boxes overlaps a box of another class. What kept i from merging before
// is tried first, and i is told when it changes.
bool AgglomerativeEngine::Agglomeration::is_blocked(Number i, Number k) {
  unite(i, k);
  const Grown& both = e_.grown_;
  for (size_t j = 0; j < e_.n_; ++j)
    if (both.V[j] > both.W[j]) return false;  // a feature never seen: no part in overlap
  const size_t own = std::max(places_[i].group, places_[k].group);
  for (Number known : blockers_[i]) {
    const Place place = places_[known];
    if ((own == 0 || place.group != own) && !e_.excused(place) &&
        e_.meets(e_.groups_[place.group], place.slot))
      return true;
  }
  for (size_t group = 0; group < e_.groups_.size(); ++group) {
    if ((own != 0 && group == own) || !e_.overlaps_group(group)) continue;
    const Number blocker = static_cast<Number>(e_.blocker_->id);
    blockers_[i].push_back(blocker);
    watchers_[blocker].push_back(i);
    return true;
  }
  return false;
}

void AgglomerativeEngine::Agglomeration::unite(Number i, Number k) {
  e_.pairwise_ = true;
  pair_[0] = i;
  pair_[1] = k;
  const Slot at_i = places_[i].slot, at_k = places_[k].slot;
  const Group &a = e_.groups_[places_[i].group], &b = e_.groups_[places_[k].group];
  Grown& both = e_.grown_;
  both.place = places_[i];
  both.n = a.n[at_i] + b.n[at_k];
  both.V.resize(e_.n_);
  both.W.resize(e_.n_);
  for (size_t j = 0; j < e_.n_; ++j) {
    both.V[j] = std::min(a.V[j][at_i], b.V[j][at_k]);
    both.W[j] = std::max(a.W[j][at_i], b.W[j][at_k]);
  }
  both.D.resize(e_.r_);
  both.pure.clear();
  for (size_t j = 0; j < e_.r_; ++j) {
    a.D[j].values(at_i, values_[0]);
    b.D[j].values(at_k, values_[1]);
    add_counts(values_[0], values_[1], both.D[j]);
    if (both.D[j].size() == 1) both.pure.push_back(j);
  }
  both.listed = true;
}

bool AgglomerativeEngine::Agglomeration::is_part(Place place) const {
  return std::any_of(std::begin(pair_), std::end(pair_), [&](Number number) {
    return places_[number].group == place.group && places_[number].slot == place.slot;
  });
}

// Whether the box overlaps one of the two as they are.
bool AgglomerativeEngine::Agglomeration::overlapped_before(Place place) {
  const Group& h = e_.groups_[place.group];
  return std::any_of(std::begin(pair_), std::end(pair_), [&](Number number) {
    const Group& g = e_.groups_[places_[number].group];
    const Slot slot = places_[number].slot;
    for (size_t j = 0; j < e_.n_; ++j)
      if (!(g.V[j][slot] <= h.W[j][place.slot] && h.V[j][place.slot] <= g.W[j][slot])) return false;
    for (size_t j = 0; j < e_.r_; ++j) {
      g.D[j].values(slot, values_[0]);
      if (!h.D[j].shares(place.slot, h.n[place.slot], values_[0], g.n[slot])) return false;
    }
    return true;
  });
}

// The older of the two stands for both. Returns its number.
AgglomerativeEngine::Agglomeration::Number AgglomerativeEngine::Agglomeration::merge(Number i,
                                                                                     Number k) {
  const Number older = std::min(i, k), younger = std::max(i, k);
  const size_t own = std::max(places_[i].group, places_[k].group);
  const auto take_out = [&](Number number) {
    const Place place = places_[number];
    Group& g = e_.groups_[place.group];
    Box box = g.remove(place.slot);
    if (place.slot < g.size()) places_[g.id[place.slot]] = place;
    places_[number].group = GONE;
    return box;
  };
  Box both = take_out(younger);
  both.add(take_out(older));
  both.id = older;
  --alive_;
  if (e_.rule_ > 0) origin_[older] |= origin_[younger];
  e_.admit(own, both);
  places_[older] = {own, static_cast<Slot>(e_.groups_[own].size() - 1)};

  woken_.clear();
  for (Number changed : {older, younger}) {
    for (Number blocker : blockers_[changed]) std::erase(watchers_[blocker], changed);
    blockers_[changed].clear();
    for (Number watcher : watchers_[changed]) {
      std::erase(blockers_[watcher], changed);
      if (watcher != older && watcher != younger) woken_.push_back(watcher);
    }
    watchers_[changed].clear();
  }
  return older;
}

AgglomerativeEngine::AgglomerativeEngine(size_t n_continuous, size_t n_categorical,
                                         AgglomerativeSettings settings, std::vector<Range> ranges,
                                         std::function<void()> pulse)
    : EntropyEngine(n_continuous, n_categorical, settings.entropy, std::move(ranges)),
      how_(std::move(settings)),
      pulse_(std::move(pulse)) {
  check(how_);
}

std::unique_ptr<Engine> AgglomerativeEngine::fresh() const {
  return std::make_unique<AgglomerativeEngine>(n_, r_, how_, ranges_, pulse_);
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

void AgglomerativeEngine::learn(const Rows& rows, const std::int32_t* labels) {
  Engine::check(rows);
  const auto writer = writing();
  check_labels(rows, labels);
  for (size_t row = 0; row < rows.count; ++row) widen(rows, row);
  Sample sample;
  for (size_t row = 0; row < rows.count; ++row) {
    while (labels[row] >= static_cast<std::int32_t>(groups_.size()) - 1) groups_.emplace_back(n_, r_);
    read(rows, row, sample);
    sample.label = labels[row];
    create(sample);
  }
  merge_boxes();
}

void AgglomerativeEngine::agglomerate(bool tolerant, int rule, std::vector<uint64_t> origin, size_t floor) {
  floor_ = floor;
  rule_ = rule % 10; origin_ = origin; insert_ = rule >= 10; rows_first_ = (rule / 10) % 10 == 2; cap_ = rule / 100;
  const auto writer = writing();
  tolerant_ = tolerant;
  merge_boxes();
  tolerant_ = false;
}

void AgglomerativeEngine::merge_boxes() {
  Agglomeration agglomeration(*this);
  if (insert_) { agglomeration.insert(); if (rule_ == 3 || rule_ == 4) { agglomeration.stage_ = 2; agglomeration.floor_ = floor_; agglomeration.most_similar_pairs(); } }
  else if (how_.pairs)
    agglomeration.most_similar_pairs();
  else
    agglomeration.box_by_box();
}

bool AgglomerativeEngine::excused(Place place) {
  if (at_work_ == nullptr || !pairwise_) return EntropyEngine::excused(place);
  return at_work_->is_part(place) || (tolerant_ && at_work_->overlapped_before(place));
}

}  // namespace boxwise
