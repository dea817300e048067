#include "agglomerative/agglomeration.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>

namespace boxwise {

using std::size_t;

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
    : e_(engine), threads_(threads), pool_(threads) {
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
// that found no partner is searched again only after something that matters to it has changed.
void AgglomerativeEngine::Agglomeration::box_by_box() {
  std::vector<std::uint8_t> pending(places_.size(), 1);
  std::vector<Number> grown;
  const auto mark_pending = [&] {  // the boxes that could merge with one that has grown
    std::sort(grown.begin(), grown.end());
    grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
    std::erase_if(grown, [&](Number i) { return !is_alive(i); });
    std::mutex writing;
    in_threads(grown, [&](size_t at, Search& search) {
      FoundPartners found;
      begin(grown[at], found);
      look_around(search, true, found);
      const std::scoped_lock hold(writing);
      for (const Partner& partner : found.partners) pending[partner.number] = 1;
    });
    grown.clear();
  };
  for (bool first = true, merged = true; merged; first = false) {
    merged = false;
    mark_pending();
    for (Number i = 0; i < places_.size(); ++i) {
      if (!is_alive(i) || !pending[i]) continue;
      look_ahead(i, [&](Number next) { return is_alive(next) && pending[next]; });
      pending[i] = 0;
      const Partner partner = first_mergeable(partners_of(i));
      if (partner.degree < 0) continue;
      grown.push_back(merge(i, partner.number));
      merged = true;
      pending[grown.back()] = 1;
      for (Number woken : woken_) pending[woken] = 1;
      if (!first) mark_pending();  // in the first pass every box has its turn anyway
    }
  }
}

// AGGLO-SM: the most similar pair of all that may merge, again and again. Every box remembers its
// best partner among the younger ones, so that memory grows with the boxes, not with their pairs.
void AgglomerativeEngine::Agglomeration::most_similar_pairs() {
  best_.resize(places_.size());
  bound_.resize(places_.size(), -1);
  reverse_best_.resize(places_.size());
  for (Number i = 0; i < places_.size(); ++i) {
    look_ahead(i, [](Number) { return true; });
    find_best(partners_of(i));
  }
  forget_ahead();
  while (!queue_.empty()) {
    const QueueEntry next = queue_.top();
    queue_.pop();
    if (!is_valid(next)) continue;
    look_ahead(next);
    const Number i = next.older, k = best_[i].number;
    FoundPartners* both = next.is_exact ? free_pair(i, k) : nullptr;
    if (both == nullptr) {
      find_best(partners_of(i));
      continue;
    }
    merge(i, k);
    renew_after(i, k, *both);
  }
}

void AgglomerativeEngine::Agglomeration::set_best(Number i, double degree, Number number,
                                                  bool is_exact) {
  best_[i] = {degree, number, is_exact, best_[i].version + 1};
  if (degree < 0) return;
  queue_.push({degree, is_exact, i, best_[i].version});
  if (is_exact) reverse_best_[number].push_back(i);
}

void AgglomerativeEngine::Agglomeration::find_best(FoundPartners& p) {
  const Partner best = first_mergeable(p);
  bound_[p.number] = -1;
  for (const auto& [partner, blocker] : p.refused)
    bound_[p.number] = std::max(bound_[p.number], partner.degree);
  set_best(p.number, best.degree, best.number, true);
}

// The partners of two boxes as if they had merged; null if they may not merge.
AgglomerativeEngine::Agglomeration::FoundPartners* AgglomerativeEngine::Agglomeration::free_pair(
    Number i, Number k) {
  begin(i, now_);
  FoundPartners* both = found_ahead(i);
  if (both != nullptr && both->other == k && !has_changed_[k] && is_free_of_changed(now_, k))
    return both;
  e_.pulse();
  e_.follow_boxes(1);
  if (find_blocker(now_, k, e_.search_)) {
    note_blockers(now_);
    return nullptr;
  }
  begin(i, k, now_);
  explore(e_.search_, false, now_);
  return &now_;
}

// Updates the best partners after a merge: boxes whose best partner was one of the two, or that one of
// them kept from merging, look for another; the merged box may be better than the best so far.
void AgglomerativeEngine::Agglomeration::renew_after(Number older, Number younger,
                                                     FoundPartners& both) {
  for (const Number merged : {older, younger}) {
    for (const Number i : reverse_best_[merged]) {
      const Best best = best_[i];
      if (i != older && is_alive(i) && best.degree >= 0 && best.is_exact && best.number == merged)
        set_best(i, best.degree, best.number, false);
    }
    reverse_best_[merged].clear();
  }
  for (Number i : woken_)
    if (bound_[i] >= best_[i].degree) set_best(i, bound_[i], best_[i].number, false);
  if (both.is_ahead) catch_up(both);
  for (const auto& [degree, i, ahead] : both.elders) {
    if (ahead && has_changed_[i]) continue;
    const Best& best = best_[i];
    const bool better = best.is_exact ? Partner{best.degree, best.number} < Partner{degree, older}
                                     : best.degree < degree;
    if (better) set_best(i, degree, older, true);
  }
  find_best(both);
}

// The older of the two stands for both. Returns its number.
AgglomerativeEngine::Agglomeration::Number AgglomerativeEngine::Agglomeration::merge(Number i,
                                                                                     Number k) {
  const Number older = std::min(i, k), younger = std::max(i, k);
  const size_t own = std::max(places_[i].group, places_[k].group);
  note_change(older, younger);
  Box both = box(older);
  both.add(box(younger));
  take_out(younger);
  take_out(older);
  e_.insert(own, both);
  places_[older] = {own, static_cast<Slot>(e_.groups_[own].size() - 1)};
  woken_.clear();
  wake_watchers(older);
  wake_watchers(younger);
  std::erase_if(woken_, [&](Number woken) { return woken == older || woken == younger; });
  return older;
}

void AgglomerativeEngine::Agglomeration::take_out(Number i) {
  const Place place = places_[i];
  Group& g = e_.groups_[place.group];
  g.remove(place.slot);
  if (place.slot < g.size()) places_[g.id[place.slot]] = place;
  places_[i].group = GONE;
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
