#include <algorithm>
#include <limits>
#include <mutex>
#include <queue>
#include <stdexcept>

#include "agglomerate.hpp"
#include "turns.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;

namespace {
// Boxes whose partners one thread looks for ahead of their turn, how many of them at a time, and how
// many pairs make it worth it.
constexpr size_t AHEAD = 32, TURN = 4, MUCH = 100'000;
}  // namespace

// The merging of all boxes of an engine. Boxes are numbered by age, and their number is their id:
// of two boxes that are merged the older keeps its own.
class AgglomerativeEngine::Agglomeration {
 public:
  Agglomeration(AgglomerativeEngine& engine, size_t threads);
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
    bool ahead = false;  // found before its turn: it may have merged since
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
  void find_partners(Number i, const Box& a, Search& search, bool ahead,
                     std::vector<Partner>& found) const;
  size_t batch() const;
  template <class Use>
  void in_threads(const std::vector<Number>& boxes, Use use);
  template <class Include>
  void look_ahead(Number from, Include include);
  void forget_ahead();
  void collect_partners(Number i, const Box& a);
  void put_in_order(Number i, std::vector<Partner>& partners) const;
  Partner first_mergeable(Number i, const Box& a, double* blocked);
  bool is_blocked(Number i, const Box& a, Number k);
  Number merge(Number i, Number k);
  Box take_out(Number i);
  void wake_watchers(Number changed);
  void set_best(Number i, double degree, Number number, bool settled);
  void find_best(Number i);
  void choose_best(Number i, const Box& a);
  void renew_after(Number older, Number younger);

  AgglomerativeEngine& e_;
  size_t threads_;
  Crew crew_;
  std::vector<Place> places_;                  // by number
  std::vector<std::vector<Number>> blockers_;  // by number: boxes that kept it from merging
  std::vector<std::vector<Number>> watchers_;  // and the reverse: boxes it kept from merging
  std::vector<Partner> partners_;  // of the box whose turn it is
  std::vector<Number> woken_;  // boxes whose blockers have changed

  // The partners of some boxes, as they were when they were looked for, and what has merged since.
  std::vector<Number> asked_;  // in order
  std::vector<std::vector<Partner>> found_;  // each put in order
  std::vector<Number> changed_;
  std::vector<std::uint8_t> has_changed_;  // by number

  // AGGLO-SM only.
  std::vector<Best> best_;
  std::vector<double> bound_;  // of the pairs that were blocked when the best was found
  std::vector<std::vector<Number>> suitors_;  // by number: whose best it is, or was
  std::priority_queue<Turn> turns_;
};

void AgglomerativeEngine::learn(const Rows& rows, const std::int32_t* labels, size_t threads) {
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
  Agglomeration agglomeration(*this, threads);
  if (how_.pairs)
    agglomeration.most_similar_pairs();
  else
    agglomeration.box_by_box();
}

AgglomerativeEngine::Agglomeration::Agglomeration(AgglomerativeEngine& engine, size_t threads)
    : e_(engine), threads_(threads), crew_(threads) {
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
  has_changed_.resize(places_.size(), 0);
}

// AGGLO-2: each box in turn with its most similar partner, once, until a pass merges nothing. A box
// that found no partner is not asked again before something that matters to it has changed.
void AgglomerativeEngine::Agglomeration::box_by_box() {
  std::vector<std::uint8_t> hopeful(places_.size(), 1);
  std::vector<Number> grown;
  const auto give_hope = [&] {  // to boxes that could merge with one that has grown
    std::sort(grown.begin(), grown.end());
    grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
    std::erase_if(grown, [&](Number i) { return !is_alive(i); });
    std::mutex writing;
    in_threads(grown, [&](size_t at, Search& search) {
      std::vector<Partner> partners;
      find_partners(grown[at], box(grown[at]), search, true, partners);
      const std::scoped_lock hold(writing);
      for (const Partner& partner : partners) hopeful[partner.number] = 1;
    });
    grown.clear();
  };
  for (bool first = true, merged = true; merged; first = false) {
    merged = false;
    give_hope();
    for (Number i = 0; i < places_.size(); ++i) {
      if (!is_alive(i) || !hopeful[i]) continue;
      look_ahead(i, [&](Number next) { return is_alive(next) && hopeful[next]; });
      hopeful[i] = 0;
      const Box a = box(i);
      collect_partners(i, a);
      const Partner partner = first_mergeable(i, a, nullptr);
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
  suitors_.resize(places_.size());
  for (Number i = 0; i < places_.size(); ++i) {
    look_ahead(i, [](Number) { return true; });
    find_best(i);
  }
  forget_ahead();
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
  if (degree < 0) return;
  turns_.push({degree, settled, i, best_[i].version});
  if (settled) suitors_[number].push_back(i);
}

void AgglomerativeEngine::Agglomeration::find_best(Number i) {
  const Box a = box(i);
  collect_partners(i, a);
  choose_best(i, a);
}

void AgglomerativeEngine::Agglomeration::choose_best(Number i, const Box& a) {
  const Partner best = first_mergeable(i, a, &bound_[i]);
  set_best(i, best.degree, best.number, true);
}

// What a merge changes: boxes whose best partner was one of the two, or who were kept from merging
// by one of them, look for another; and the merged box may be better than the best partner so far.
void AgglomerativeEngine::Agglomeration::renew_after(Number older, Number younger) {
  for (const Number merged : {older, younger}) {
    for (const Number i : suitors_[merged]) {
      const Best best = best_[i];
      if (i != older && is_alive(i) && best.degree >= 0 && best.settled && best.number == merged)
        set_best(i, best.degree, best.number, false);
    }
    suitors_[merged].clear();
  }
  for (Number i : woken_)
    if (bound_[i] >= best_[i].degree) set_best(i, bound_[i], best_[i].number, false);
  const Box merged = box(older);
  find_partners(older, merged, e_.search_, false, partners_);
  for (const auto& [degree, i, ahead] : partners_) {
    if (i > older) continue;
    const Best& best = best_[i];
    const bool better = best.settled ? Partner{best.degree, best.number} < Partner{degree, older}
                                     : best.degree < degree;
    if (better) set_best(i, degree, older, true);
  }
  put_in_order(older, partners_);
  choose_best(older, merged);
}

void AgglomerativeEngine::Agglomeration::find_partners(Number i, const Box& a, Search& search,
                                                       bool ahead,
                                                       std::vector<Partner>& found) const {
  found.clear();
  e_.visit_partners(a, places_[i].group, search, [&](Place place, double degree) {
    const auto k = static_cast<Number>(e_.groups_[place.group].id[place.slot]);
    if (k != i) found.push_back({degree, k, ahead});
  });
}

size_t AgglomerativeEngine::Agglomeration::batch() const {
  return places_.size() * AHEAD * threads_ > MUCH ? AHEAD * threads_ : 1;
}

// Calls use(position, search) for each of the boxes, from several threads.
template <class Use>
void AgglomerativeEngine::Agglomeration::in_threads(const std::vector<Number>& boxes, Use use) {
  const size_t most = batch();
  for (size_t first = 0; first < boxes.size(); first += most) {
    e_.pulse();
    const size_t count = std::min(most, boxes.size() - first);
    crew_.share(count, most > 1 ? TURN : 1, [&] {
      return [&, search = Search{}](size_t begin, size_t end) mutable {
        for (size_t at = first + begin; at < first + end; ++at) use(at, search);
      };
    });
  }
}

// Boxes have their turn one after the other, but whether two may merge depends on these two alone: the
// partners of the next boxes are looked for together, and those that have merged by the time of
// their turn are looked at again.
template <class Include>
void AgglomerativeEngine::Agglomeration::look_ahead(Number from, Include include) {
  const size_t most = batch();
  if (threads_ == 1 || most == 1) return;
  if (!asked_.empty() && from >= asked_.front() && from <= asked_.back()) return;
  forget_ahead();
  for (Number i = from; i < places_.size() && asked_.size() < most; ++i)
    if (include(i)) asked_.push_back(i);
  found_.resize(std::max(found_.size(), asked_.size()));
  in_threads(asked_, [&](size_t at, Search& search) {
    const Number i = asked_[at];
    find_partners(i, box(i), search, true, found_[at]);
    put_in_order(i, found_[at]);
  });
}

void AgglomerativeEngine::Agglomeration::forget_ahead() {
  for (const Number k : changed_) has_changed_[k] = 0;
  changed_.clear();
  asked_.clear();
}

void AgglomerativeEngine::Agglomeration::collect_partners(Number i, const Box& a) {
  const auto asked = std::lower_bound(asked_.begin(), asked_.end(), i);
  if (asked == asked_.end() || *asked != i || has_changed_[i]) {
    e_.pulse();
    find_partners(i, a, e_.search_, false, partners_);
    return put_in_order(i, partners_);
  }
  partners_.swap(found_[static_cast<size_t>(asked - asked_.begin())]);
  for (const Number k : changed_) {
    if (!is_alive(k) || !e_.may_share_class(places_[i].group, places_[k].group)) continue;
    const auto [group, slot] = places_[k];
    if (!e_.fits(e_.groups_[group], slot, a, 0)) continue;
    e_.visit_partners_in(e_.groups_[group], slot, slot + 1, a, e_.search_, [&](Slot, double degree) {
      partners_.push_back({degree, k});
      std::push_heap(partners_.begin(), partners_.end());
    });
  }
}

// Makes a heap of the partners that matter: for AGGLO-SM the younger ones.
void AgglomerativeEngine::Agglomeration::put_in_order(Number i,
                                                      std::vector<Partner>& partners) const {
  if (e_.how_.pairs)
    std::erase_if(partners, [&](const Partner& partner) { return partner.number < i; });
  std::make_heap(partners.begin(), partners.end());
}

// The most similar of the partners in order that i may merge with; a degree below zero: there is none.
// AGGLO-SM asks for the bound of what is blocked now.
AgglomerativeEngine::Agglomeration::Partner
AgglomerativeEngine::Agglomeration::first_mergeable(Number i, const Box& a, double* blocked) {
  if (blocked != nullptr) *blocked = -1;
  while (!partners_.empty()) {
    std::pop_heap(partners_.begin(), partners_.end());
    const Partner partner = partners_.back();
    partners_.pop_back();
    if (partner.ahead && has_changed_[partner.number]) continue;
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
  for (const Number k : {older, younger}) {
    if (asked_.empty() || has_changed_[k]) continue;
    has_changed_[k] = 1;
    changed_.push_back(k);
  }
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
