// Learning of Onln-GFMM-M1: the box that grows, its overlaps, the cheapest way to part it from them.
#include <algorithm>

#include "contraction/bound_engine.hpp"
#include "kernels/kernels.hpp"
#include "store/scan.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

namespace {
constexpr Code NONE = ValueDistance::NONE;

bool among(const std::vector<uint64_t>& ids, uint64_t id) {
  return std::binary_search(ids.begin(), ids.end(), id);
}
}  // namespace

// The oldest box that contains the sample takes it; else the candidate of highest membership that
// may grow, which is then parted from every box of another class; else a new box.
void BoundEngine::learn_one(const Sample& x) {
  container_.reset();
  best_.reset();
  visit_candidate_groups(x, [&](size_t group) { collect(group, x); });
  if (container_) return take(container_->place, x, false);
  if (!best_) return create(x);
  part(grow(best_->place, x));
}

void BoundEngine::collect(size_t group, const Sample& x) {
  const Group& g = groups_[group];
  // A box that contains the sample has the size to take it and is found below; unless it was born
  // too large.
  for (Slot slot = 0; g.oversized && slot < g.size(); ++slot)
    if (covers(g, slot, x) && fit(pairs(g, slot), x, true).outside == 0)
      offer(container_, group, slot, 1.0);
  alignas(64) double over[BLOCK];
  for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
    const size_t m = std::min(BLOCK, g.size() - begin);
    const auto span = [&](size_t f) {
      const Probe& p = x.probes[f];
      return kernels::Span{&g.V[p.j][begin], &g.W[p.j][begin], p.xl, p.xu, p.limit};
    };
    size_t sized;
    if (pass_size(x.probes.size(), span, m, true, over, m, sized) == 0) continue;
    for (size_t i : Passing(over, m)) consider(group, static_cast<Slot>(begin + i), x, sized);
  }
}

// A box that has the size in the first `sized` features.
void BoundEngine::consider(size_t group, Slot slot, const Sample& x, size_t sized) {
  const Group& g = groups_[group];
  double dist = 0;
  for (size_t f = 0; f < x.probes.size(); ++f) {
    const Probe& p = x.probes[f];
    const double v = g.V[p.j][slot], w = g.W[p.j][slot];
    if (f >= sized && std::max(w, p.xu) - std::min(v, p.xl) > p.limit) return;
    dist = std::max(dist, stick_out(v, w, p.xl, p.xu, p.slope));
  }
  dist = std::min(dist, 1.0);
  const bool covered = dist == 0 && covers(g, slot, x);
  if (!covered && (container_ || (best_ && in_units(1.0 - dist) < best_->degree))) return;
  const Fit categories = fit(pairs(g, slot), x, covered);
  if (covered && categories.outside == 0) return offer(container_, group, slot, 1.0);
  if (categories.may_bound)
    offer(best_, group, slot, in_units(1.0 - std::max(dist, categories.outside)));
}

// Once a category may not become a bound, the box can only still contain the sample, and that only
// if its numbers are covered and no category is outside.
BoundEngine::Fit BoundEngine::fit(const Pair* pairs, const Sample& x, bool covered) const {
  Fit fit{0.0, true};
  for (size_t j = 0; j < r_; ++j) {
    const Pair pair = pairs[j];
    const Code code = x.codes[j];
    if (pair.has(code)) continue;
    const ValueDistance& d = distance_[j];
    const double to_E = d(pair.E, code), to_F = d(pair.F, code);
    fit.outside = std::max({fit.outside, to_E, to_F});
    if (pair.F == NONE)
      fit.may_bound = fit.may_bound && to_E <= settings_.eta;
    else  // a value between the bounds is refused: odd, but so it is published
      fit.may_bound = fit.may_bound && std::min(to_E, to_F) <= settings_.eta &&
                      std::max(to_E, to_F) > extent(j, pair);
    if (!fit.may_bound && !(covered && fit.outside == 0)) break;
  }
  return fit;
}

// A new value moves one of the bounds. Returns where the box is then.
Engine::Place BoundEngine::grow(Place place, const Sample& x) {
  place = take_and_find(place, x);
  Pair* own = pairs(place);
  for (size_t j = 0; j < r_; ++j) {
    Pair& pair = own[j];
    const Code code = x.codes[j];
    if (pair.has(code)) continue;
    const double to_E = distance_[j](pair.E, code);
    const bool further = extent(j, pair) < to_E && to_E <= settings_.eta;
    (pair.F == NONE || further ? pair.F : pair.E) = code;
  }
  return place;
}

// In order of creation: boxes of other classes that share a bound in every categorical feature.
// Where the grown box gets other bounds, it may meet others than before.
void BoundEngine::part(Place place) {
  if (has_unset(place)) return;
  grown_ = bounds(place);
  measure_epsilon();
  replaced_.clear();
  stuck_.clear();
  cuts_.clear();
  find_meeting(place, 0);
  for (size_t next = 0; next < meeting_.size();) {
    const Rival rival = meeting_[next++];
    if (replace(place, rival)) {
      replaced_.push_back(rival.id);
      find_meeting(place, rival.id + 1);
      next = 0;
      continue;
    }
    stuck_.push_back(rival.id);
    Bounds other = bounds(rival.place), before = grown_;
    if (!contract(grown_, other, epsilon_)) continue;
    cuts_.push_back({rival.id, std::move(before)});
    set_bounds(rival.place, other);
  }
  set_bounds(place, grown_);
}

// The boxes that are not of the class of this one, and not itself: visit(group, slot, unshared,
// where), with the number of features in which they share no bound, if below two, and the last.
template <class Visit>
void BoundEngine::visit_others(Place place, Visit visit) const {
  std::vector<Pair> own(pairs(groups_[place.group], place.slot),
                        pairs(groups_[place.group], place.slot) + r_);
  for (Pair& pair : own)
    if (pair.F == NONE) pair.F = pair.E;
  for (size_t group = 0; group < groups_.size(); ++group) {
    if (group == place.group && group > 0) continue;
    const Group& h = groups_[group];
    for (Slot slot = 0; slot < h.size(); ++slot) {
      const Pair* other = pairs(h, slot);
      size_t unshared = 0, where = 0;
      for (size_t j = 0; j < r_ && unshared < 2; ++j) {
        if (other[j].has(own[j].E) || other[j].has(own[j].F)) continue;
        ++unshared;
        where = j;
      }
      if (unshared < 2 && !(group == place.group && slot == place.slot))
        visit(group, slot, unshared, where);
    }
  }
}

void BoundEngine::find_meeting(Place place, uint64_t from) {
  meeting_.clear();
  visit_others(place, [&](size_t group, Slot slot, size_t unshared, size_t) {
    const Rival rival{groups_[group].id[slot], {group, slot}};
    if (unshared == 0 && rival.id >= from && !has_unset(rival.place))
      meeting_.push_back(rival);
  });
  std::sort(meeting_.begin(), meeting_.end(), [](auto& a, auto& b) { return a.id < b.id; });
}

// Give the box other bounds in one feature, so that it shares none there with the rival.
bool BoundEngine::replace(Place place, const Rival& rival) {
  if (r_ == 0) return false;
  if (++turn_ == 0) {  // it went all the way round
    for (auto& codes : excluded_) std::fill(codes.begin(), codes.end(), 0u);
    turn_ = 1;
  }
  for (size_t j = 0; j < r_; ++j) exclude(j, pairs(rival.place)[j]);
  if (!cheapest(pairs(place))) return false;
  exclude_kept_apart(place, rival.id);
  const auto change = cheapest(pairs(place));
  if (change) pairs(place)[change->j] = change->pair;
  return change.has_value();
}

void BoundEngine::exclude(size_t j, Pair pair) {
  excluded_[j][pair.E] = turn_;
  if (pair.F != NONE) excluded_[j][pair.F] = turn_;
}

// Keeps boxes apart that their categories keep apart: a box that shares a bound in all features but one
// must not come to share one there.
void BoundEngine::exclude_kept_apart(Place place, uint64_t before) {
  visit_others(place, [&](size_t group, Slot slot, size_t unshared, size_t where) {
    const Rival rival{groups_[group].id[slot], {group, slot}};
    if (unshared == 1 && rival.id < before && is_kept_apart(rival))
      exclude(where, pairs(rival.place)[where]);
  });
}

// Boxes for which bounds were replaced, and those that, when their turn came, met the grown box in
// all intervals but not in all bounds.
bool BoundEngine::is_kept_apart(const Rival& rival) const {
  if (among(replaced_, rival.id)) return true;
  if (among(stuck_, rival.id)) return false;
  const auto later = std::find_if(cuts_.begin(), cuts_.end(),
                                  [&](const Cut& cut) { return cut.id > rival.id; });
  return meets(later == cuts_.end() ? grown_ : later->before, rival.place);
}

// A feature in which the box has never seen a number: it takes no part in overlap.
bool BoundEngine::has_unset(Place place) const {
  const Group& g = groups_[place.group];
  for (size_t j = 0; j < n_; ++j)
    if (g.V[j][place.slot] > g.W[j][place.slot]) return true;
  return false;
}

bool BoundEngine::meets(const Bounds& grown, Place place) const {
  const Group& g = groups_[place.group];
  for (size_t j = 0; j < n_; ++j)
    if (!(grown.V[j] <= g.W[j][place.slot] && g.V[j][place.slot] <= grown.W[j])) return false;
  return true;
}

std::optional<BoundEngine::Change> BoundEngine::cheapest(const Pair* pairs) const {
  std::optional<Change> best;
  for (size_t j = 0; j < r_; ++j) {
    const auto change = replacement(j, pairs[j]);
    if (change && (!best || change->cost < best->cost)) best = change;
  }
  return best;
}

// A shared bound gives way to the value furthest from the one that stays, but no further than the
// two are now. If both are shared, E gives way first; a lone one to a value at distance 0 only.
std::optional<BoundEngine::Change> BoundEngine::replacement(size_t j, Pair pair) const {
  const ValueDistance& d = distance_[j];
  const auto shared = [&](Code code) { return excluded_[j][code] == turn_; };
  const double most = extent(j, pair);
  if (shared(pair.E)) pair.E = d.furthest(pair.F == NONE ? pair.E : pair.F, most, shared);
  if (pair.E == NONE) return std::nullopt;
  if (pair.F != NONE && shared(pair.F)) pair.F = d.furthest(pair.E, most, shared);
  return Change{most - extent(j, pair), j, pair};
}

}  // namespace boxwise
