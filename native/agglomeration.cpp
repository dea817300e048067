#include "agglomeration.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>

namespace boxwise {

using std::size_t;

namespace {
// Boxes whose partners one thread looks for ahead of their turn, and how many of them at a time. Most
// merge, and the others have to look at each of these again: there must be many more boxes than that,
// and pairs enough to be worth waking the threads.
constexpr size_t AHEAD = 16, TURN = 2, FEW = 64, MUCH = 100'000;
}  // namespace

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
      Prospects found;
      look_around(grown[at], search, true, found);
      const std::scoped_lock hold(writing);
      for (const Partner& partner : found.partners) hopeful[partner.number] = 1;
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
      collect_partners(i);
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
  collect_partners(i);
  choose_best(i);
}

void AgglomerativeEngine::Agglomeration::choose_best(Number i) {
  const Partner best = first_mergeable(i, &bound_[i]);
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
  look_around(older, e_.search_, false, now_);
  for (const auto& [degree, i, ahead] : now_.partners) {
    if (i > older) continue;
    const Best& best = best_[i];
    const bool better = best.settled ? Partner{best.degree, best.number} < Partner{degree, older}
                                     : best.degree < degree;
    if (better) set_best(i, degree, older, true);
  }
  put_in_order(older, now_);
  choose_best(older);
}

void AgglomerativeEngine::Agglomeration::look_around(Number i, Search& search, bool ahead,
                                                     Prospects& found) const {
  found.box = box(i);
  found.partners.clear();
  e_.visit_partners(found.box, places_[i].group, search, [&](Place place, double degree) {
    const auto k = static_cast<Number>(e_.groups_[place.group].id[place.slot]);
    if (k != i) found.partners.push_back({degree, k, ahead});
  });
}

// Makes a heap of the partners that matter: for AGGLO-SM the younger ones.
void AgglomerativeEngine::Agglomeration::put_in_order(Number i, Prospects& found) const {
  auto& partners = found.partners;
  if (e_.how_.pairs)
    std::erase_if(partners, [&](const Partner& partner) { return partner.number < i; });
  std::make_heap(partners.begin(), partners.end());
}

size_t AgglomerativeEngine::Agglomeration::batch() const {
  const size_t most = std::min(AHEAD * threads_, places_.size() / FEW);
  return threads_ > 1 && places_.size() * most > MUCH ? most : 1;
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
  if (most == 1) return;
  if (!asked_.empty() && from >= asked_.front() && from <= asked_.back()) return;
  forget_ahead();
  for (Number i = from; i < places_.size() && asked_.size() < most; ++i)
    if (include(i)) asked_.push_back(i);
  found_.resize(std::max(found_.size(), asked_.size()));
  in_threads(asked_, [&](size_t at, Search& search) {
    look_around(asked_[at], search, true, found_[at]);
    put_in_order(asked_[at], found_[at]);
  });
}

void AgglomerativeEngine::Agglomeration::forget_ahead() {
  for (const Number k : changed_) has_changed_[k] = 0;
  changed_.clear();
  asked_.clear();
}

void AgglomerativeEngine::Agglomeration::collect_partners(Number i) {
  const auto asked = std::lower_bound(asked_.begin(), asked_.end(), i);
  if (asked == asked_.end() || *asked != i || has_changed_[i]) {
    e_.pulse();
    look_around(i, e_.search_, false, now_);
    return put_in_order(i, now_);
  }
  std::swap(now_, found_[static_cast<size_t>(asked - asked_.begin())]);
  for (const Number k : changed_) {
    if (!is_alive(k) || !e_.may_share_class(places_[i].group, places_[k].group)) continue;
    const auto [group, slot] = places_[k];
    const Group& g = e_.groups_[group];
    if (!e_.fits(g, slot, now_.box, 0)) continue;
    e_.visit_partners_in(g, slot, slot + 1, now_.box, e_.search_, [&](Slot, double degree) {
      now_.partners.push_back({degree, k});
      std::push_heap(now_.partners.begin(), now_.partners.end());
    });
  }
}

// The most similar of the partners that i may merge with; a degree below zero: there is none. AGGLO-SM
// asks for the bound of what is blocked now.
AgglomerativeEngine::Agglomeration::Partner
AgglomerativeEngine::Agglomeration::first_mergeable(Number i, double* blocked) {
  if (blocked != nullptr) *blocked = -1;
  for (auto& partners = now_.partners; !partners.empty();) {
    std::pop_heap(partners.begin(), partners.end());
    const Partner partner = partners.back();
    partners.pop_back();
    if (partner.ahead && has_changed_[partner.number]) continue;
    if (!is_blocked(i, now_.box, partner.number)) return partner;
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
