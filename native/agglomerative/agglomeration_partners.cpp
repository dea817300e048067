// The search for partners of a box: at its turn, or ahead of it by several threads.
#include <algorithm>

#include "agglomerative/agglomeration.hpp"

namespace boxwise {

using std::size_t;

namespace {
// Partners are looked for ahead of a box's turn by several threads, for LOOK_AHEAD boxes per thread in
// chunks of LOOK_AHEAD_CHUNK. Most of these boxes merge, and the others have to look at each of them
// again: so the boxes ahead are at most one in BOXES_PER_LOOK_AHEAD, and fewer pairs than
// MIN_PAIRS_FOR_THREADS are not worth waking the threads. While nothing merges, LOOK_AHEAD_FACTOR times
// as many boxes are looked up.
constexpr size_t LOOK_AHEAD = 16, LOOK_AHEAD_CHUNK = 2, LOOK_AHEAD_FACTOR = 8;
constexpr size_t BOXES_PER_LOOK_AHEAD = 64, MIN_PAIRS_FOR_THREADS = 100'000;
}  // namespace

void AgglomerativeEngine::Agglomeration::begin(Number i, FoundPartners& p) const {
  p.number = p.other = i;
  p.box = box(i);
  p.group = places_[i].group;
  p.blockers = blockers_[i];
  p.known = p.blockers.size();
}

// As if the two had merged: what kept the older one from merging before may do so no longer.
void AgglomerativeEngine::Agglomeration::begin(Number older, Number younger, FoundPartners& p) const {
  p.number = older;
  p.other = younger;
  p.box = box(older);
  p.box.add(box(younger));
  p.group = std::max(places_[older].group, places_[younger].group);
  p.blockers.clear();
  p.known = 0;
}

void AgglomerativeEngine::Agglomeration::look_around(Search& search, bool ahead,
                                                     FoundPartners& p) const {
  p.partners.clear();
  p.elders.clear();
  e_.visit_partners(p.box, p.group, search, [&](Place place, double degree) {
    const auto k = static_cast<Number>(e_.groups_[place.group].id[place.slot]);
    if (k == p.number || k == p.other) return;
    if (!e_.how_.pairs || k > p.number)
      p.partners.push_back({degree, k, ahead});
    else if (p.other != p.number)
      p.elders.push_back({degree, k, ahead});
  });
}

void AgglomerativeEngine::Agglomeration::explore(Search& search, bool ahead, FoundPartners& p) const {
  look_around(search, ahead, p);
  std::make_heap(p.partners.begin(), p.partners.end());
  p.refused.clear();
  p.is_free = false;
  p.is_ahead = ahead;
  find_free(search, p);
}

// Partners are refused, the most similar first, until one is not.
void AgglomerativeEngine::Agglomeration::find_free(Search& search, FoundPartners& p) const {
  auto& partners = p.partners;
  while (!p.is_free && !partners.empty()) {
    const Partner first = partners.front();
    const bool gone = first.ahead && has_changed_[first.number];
    const auto blocker = gone ? std::nullopt : find_blocker(p, first.number, search);
    p.is_free = !gone && !blocker;
    if (p.is_free) return;
    if (blocker) p.refused.push_back({first, *blocker});
    std::pop_heap(partners.begin(), partners.end());
    partners.pop_back();
  }
}

// A box of another class that the union with k overlaps. What kept the box from merging before is
// tried first.
std::optional<AgglomerativeEngine::Agglomeration::Number>
AgglomerativeEngine::Agglomeration::find_blocker(FoundPartners& p, Number k, Search& search) const {
  const size_t own = unite(p, k, search);
  for (const Number known : p.blockers)
    if (meets(known, own, search)) return known;
  if (!e_.union_overlaps(own, search)) return std::nullopt;
  p.blockers.push_back(static_cast<Number>(search.overlap.blockers.front().id));
  return p.blockers.back();
}

// Returns the class of the union.
size_t AgglomerativeEngine::Agglomeration::unite(const FoundPartners& p, Number k,
                                                 Search& search) const {
  e_.unite(places_[k], p.box, search);
  for (const Number part : {p.number, p.other})
    search.overlap.grown.parts.push_back(places_[part]);
  return std::max(p.group, places_[k].group);
}

bool AgglomerativeEngine::Agglomeration::meets(Number k, size_t own, Search& search) const {
  const Place place = places_[k];
  Grown& both = search.overlap.grown;
  return (own == 0 || place.group != own) && !excused(place, both) &&
         e_.meets(e_.groups_[place.group], place.slot, both);
}

AgglomerativeEngine::Agglomeration::FoundPartners&
AgglomerativeEngine::Agglomeration::partners_of(Number i) {
  FoundPartners* found = found_ahead(i);
  if (found != nullptr && found->other == i) {
    catch_up(*found);
    return *found;
  }
  e_.pulse();
  e_.follow_boxes(1);
  begin(i, now_);
  explore(e_.search_, false, now_);
  return now_;
}

// The most similar of the partners that it may merge with; a degree below zero: there is none. It
// is told when what keeps it from merging with others changes.
AgglomerativeEngine::Agglomeration::Partner AgglomerativeEngine::Agglomeration::first_mergeable(
    FoundPartners& p) {
  find_free(e_.search_, p);
  note_blockers(p);
  return p.is_free ? p.partners.front() : Partner{-1, 0};
}

void AgglomerativeEngine::Agglomeration::note_blockers(const FoundPartners& p) {
  auto& noted = blockers_[p.number];
  for (size_t at = p.known; at < p.blockers.size(); ++at) {
    const Number blocker = p.blockers[at];
    if (std::find(noted.begin(), noted.end(), blocker) != noted.end()) continue;
    noted.push_back(blocker);
    watchers_[blocker].push_back(p.number);
  }
}

size_t AgglomerativeEngine::Agglomeration::batch() const {
  const size_t most = std::min(LOOK_AHEAD * threads_, places_.size() / BOXES_PER_LOOK_AHEAD);
  return threads_ > 1 && places_.size() * most > MIN_PAIRS_FOR_THREADS ? most : 1;
}

// Calls use(position, search) for each of the boxes, from several threads.
void AgglomerativeEngine::Agglomeration::in_threads(
    const std::vector<Number>& boxes, const std::function<void(size_t, Search&)>& use) {
  const size_t most = batch(), step = most > 1 ? LOOK_AHEAD_FACTOR * most : 1;
  for (size_t first = 0; first < boxes.size(); first += step) {
    e_.pulse();
    const size_t count = std::min(step, boxes.size() - first);
    pool_.parallel_for(count, most > 1 ? LOOK_AHEAD_CHUNK : 1, [&] {
      return [&, search = Search{}](size_t begin, size_t end) mutable {
        for (size_t at = first + begin; at < first + end; ++at) use(at, search);
      };
    });
  }
}

// Boxes have their turn one after the other, but whether two may merge depends on these two and on
// few others: the next boxes look for partners together, and what has merged by the time of their
// turn is looked at again.
void AgglomerativeEngine::Agglomeration::look_ahead(Number from,
                                                    const std::function<bool(Number)>& include) {
  const size_t most = e_.how_.pairs ? LOOK_AHEAD_FACTOR * batch() : batch();  // no pair merges meanwhile
  if (batch() == 1) return;
  if (!searched_.empty() && from >= searched_.front() && from <= searched_.back()) return;
  forget_ahead();
  for (Number i = from; i < places_.size() && searched_.size() < most; ++i)
    if (include(i)) searched_.push_back(i);
  explore_ahead([&](Number i, Search&, FoundPartners& p) { begin(i, p); });
}

// The next boxes of AGGLO-SM: those with a partner as if they had merged.
void AgglomerativeEngine::Agglomeration::look_ahead(const QueueEntry& from) {
  const size_t most = batch();
  if (most == 1) return;
  if (!upcoming_.empty() && !(from < upcoming_.back())) return;
  forget_ahead();
  upcoming_.push_back(from);
  for (; !queue_.empty() && upcoming_.size() < most; queue_.pop())
    if (is_valid(queue_.top())) upcoming_.push_back(queue_.top());
  for (const QueueEntry& entry : upcoming_) searched_.push_back(entry.older);
  for (size_t at = 1; at < upcoming_.size(); ++at) queue_.push(upcoming_[at]);
  std::sort(searched_.begin(), searched_.end());
  explore_ahead([&](Number i, Search& search, FoundPartners& p) {
    begin(i, p);
    const Best& best = best_[i];
    if (best.is_exact && !find_blocker(p, best.number, search)) begin(i, best.number, p);
  });
}

void AgglomerativeEngine::Agglomeration::explore_ahead(
    const std::function<void(Number, Search&, FoundPartners&)>& begin) {
  e_.follow_boxes(searched_.size());
  found_.resize(std::max(found_.size(), searched_.size()));
  in_threads(searched_, [&](size_t at, Search& search) {
    begin(searched_[at], search, found_[at]);
    explore(search, true, found_[at]);
  });
}

void AgglomerativeEngine::Agglomeration::forget_ahead() {
  for (const Number k : changed_) has_changed_[k] = 0;
  changed_.clear();
  grown_.clear();
  searched_.clear();
  upcoming_.clear();
}

void AgglomerativeEngine::Agglomeration::note_change(Number older, Number younger) {
  if (searched_.empty()) return;
  for (const Number k : {older, younger}) {
    if (has_changed_[k]) continue;
    has_changed_[k] = 1;
    changed_.push_back(k);
    if (k == older) grown_.push_back(k);
  }
  std::erase(grown_, younger);
}

// What was found ahead for a box, unless the box has changed or taken it over.
AgglomerativeEngine::Agglomeration::FoundPartners* AgglomerativeEngine::Agglomeration::found_ahead(
    Number i) {
  const auto searched = std::lower_bound(searched_.begin(), searched_.end(), i);
  if (searched == searched_.end() || *searched != i || has_changed_[i]) return nullptr;
  FoundPartners& p = found_[static_cast<size_t>(searched - searched_.begin())];
  return p.is_ahead ? &p : nullptr;
}

// Looks again at boxes that have merged since the partners were found.
void AgglomerativeEngine::Agglomeration::catch_up(FoundPartners& p) {
  p.is_ahead = false;
  if (changed_.empty()) return;
  const auto has_changed = [&](Number k) { return has_changed_[k] != 0; };
  auto& partners = p.partners;
  const Number first = p.is_free ? partners.front().number : p.number;
  std::erase_if(p.refused, [&](const Refused& refused) {
    if (has_changed(refused.partner.number)) return true;
    if (!has_changed(refused.blocker)) return false;
    partners.push_back(refused.partner);
    std::push_heap(partners.begin(), partners.end());
    return true;
  });
  const auto known = p.blockers.begin() + static_cast<std::ptrdiff_t>(p.known);
  p.known -= static_cast<size_t>(std::count_if(p.blockers.begin(), known, has_changed));
  std::erase_if(p.blockers, has_changed);
  for (const Number k : grown_) {
    if (k == p.number || !e_.may_share_class(p.group, places_[k].group)) continue;
    const bool elder = e_.how_.pairs && k < p.number;
    if (elder && p.other == p.number) continue;
    const auto [group, slot] = places_[k];
    const Group& g = e_.groups_[group];
    if (!e_.fits(g, slot, p.box, 0)) continue;
    e_.visit_partners_in(g, slot, slot + 1, p.box, e_.search_, [&](Slot, double degree) {
      if (elder) return p.elders.push_back({degree, k});
      partners.push_back({degree, k});
      std::push_heap(partners.begin(), partners.end());
    });
  }
  p.is_free = p.is_free && partners.front().number == first && !has_changed(first) &&
              is_free_of_changed(p, first);
}

// Whether no box that has merged since keeps it from merging with k.
bool AgglomerativeEngine::Agglomeration::is_free_of_changed(const FoundPartners& p, Number k) {
  if (grown_.empty()) return true;
  const size_t own = unite(p, k, e_.search_);
  return std::none_of(grown_.begin(), grown_.end(),
                      [&](Number grown) { return meets(grown, own, e_.search_); });
}

}  // namespace boxwise
