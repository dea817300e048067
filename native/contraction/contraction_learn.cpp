// Learning of Onln-GFMM-M2: the box that grows, then contraction.
#include <algorithm>

#include "contraction/contraction_engine.hpp"
#include "kernels/kernels.hpp"
#include "store/scan.hpp"

namespace boxwise {

using std::size_t;

// The oldest box that contains the sample takes it; else the candidate of highest membership that
// may grow, which is then cut apart from every box of another class; else a new box.
void ContractionEngine::learn_one(const Sample& x) {
  container_.reset();
  best_.reset();
  visit_candidate_groups(x, [&](size_t group) { collect(group, x); });
  if (container_) return take(container_->place, x, false);
  if (!best_) return create(x);
  cut_free(take_and_find(best_->place, x));
}

void ContractionEngine::collect(size_t group, const Sample& x) {
  const Group& g = groups_[group];
  // A box that contains the sample may grow to take it and is found among the candidates; unless
  // it was born too large.
  if (g.oversized) find_container(group, x);
  Counts counts;
  alignas(64) double known[BLOCK], over[BLOCK];
  for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
    const Slot first = static_cast<Slot>(begin);
    const size_t m = std::min(BLOCK, g.size() - begin);
    counts.known(g, x.codes, first, m, known);
    const auto span = [&](size_t f) {
      const Probe& p = x.probes[f];
      return kernels::Span{&g.V[p.j][begin], &g.W[p.j][begin], p.xl, p.xu, p.limit};
    };
    const size_t known_enough = kernels::require(known, g.engine_data.data() + begin, over, m);
    size_t sized;
    if (pass_size(x.probes.size(), span, known_enough, false, over, m, sized) == 0) continue;
    for (size_t i : Passing(over, m))
      consider(group, first + static_cast<Slot>(i), x, sized, known[i]);
  }
}

// A box that knows enough of the categories and has the size in the first `sized` features.
void ContractionEngine::consider(size_t group, Slot slot, const Sample& x, size_t sized,
                                 double known) {
  const Group& g = groups_[group];
  double dist = 0;
  for (size_t f = 0; f < x.probes.size(); ++f) {
    const Probe& p = x.probes[f];
    const double v = g.V[p.j][slot], w = g.W[p.j][slot];
    if (f >= sized && std::max(w, p.xu) - std::min(v, p.xl) > p.limit) return;
    dist = std::max(dist, stick_out(v, w, p.xl, p.xu, p.slope));
  }
  if (dist == 0 && known == static_cast<double>(r_) && contains(g, slot, x))
    return offer(container_, group, slot, 1.0);
  offer(best_, group, slot, mixed(dist, known));
}

void ContractionEngine::find_container(size_t group, const Sample& x) {
  const Group& g = groups_[group];
  for (Slot slot = 0; slot < g.size(); ++slot)
    if (contains(g, slot, x)) offer(container_, group, slot, 1.0);
}

// Membership one, decided without rounding.
bool ContractionEngine::contains(const Group& g, Slot slot, const Sample& x) const {
  for (size_t j = 0; j < r_; ++j)
    if (g.D[j].count(slot, x.codes[j]) == 0) return false;
  return covers(g, slot, x);
}

// In order of creation. What is cut only shrinks: a box that does not meet the grown one now will
// not meet it later.
void ContractionEngine::cut_free(Place place) {
  grown_ = bounds(place);
  rivals_.clear();
  for (size_t group = 0; group < groups_.size() && n_ > 0; ++group)
    if (place.group == 0 || group != place.group) find_rivals(group, place);
  if (rivals_.empty()) return;
  std::sort(rivals_.begin(), rivals_.end(), [](auto& a, auto& b) { return a.first < b.first; });
  measure_epsilon();
  for (const auto& [id, rival] : rivals_) {
    Bounds other = bounds(rival);
    if (contract(grown_, other, epsilon_)) set_bounds(rival, other);
  }
  set_bounds(place, grown_);
}

void ContractionEngine::find_rivals(size_t group, Place grown) {
  const Group& h = groups_[group];
  alignas(64) double over[BLOCK];
  for (size_t begin = 0; begin < h.size(); begin += BLOCK) {
    const size_t m = std::min(BLOCK, h.size() - begin);
    std::fill_n(over, m, -1.0);
    size_t passing = m;
    for (size_t j = 0; j < n_ && passing > few(m); ++j)
      passing = kernels::gap(&h.V[j][begin], &h.W[j][begin], grown_.V[j], grown_.W[j], over, m);
    if (passing == 0) continue;
    for (size_t i : Passing(over, m)) {
      const Place place{group, static_cast<Slot>(begin + i)};
      const bool itself = group == grown.group && place.slot == grown.slot;
      if (!itself && meet(grown_, bounds(place))) rivals_.emplace_back(h.id[place.slot], place);
    }
  }
}

}  // namespace boxwise
