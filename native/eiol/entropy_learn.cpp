// Learning of EIOL-GFMM: the candidates by size and entropy test, the overlap test, the box that grows.
#include <algorithm>
#include <limits>

#include "eiol/entropy_engine.hpp"
#include "kernels/kernels.hpp"
#include "store/scan.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

namespace {
constexpr size_t MAX_BLOCKERS = 32;  // that are tried again before a pass over all boxes
}  // namespace

// The paper's paragraph: the oldest box that contains the sample takes it; else the candidate of
// highest membership that may grow (size, entropy, no overlap with another class); else a new box.
// If there are enough boxes, the one of highest membership takes it even if it fails the tests.
void EntropyEngine::learn_one(const Sample& x) {
  if (!before_.empty()) requantize(REQUANTIZED);
  if (const auto taker = find_taker(x)) return take(taker->place, x, taker->grows);
  if (settings_.max_boxes > 0 && count() >= settings_.max_boxes) {
    if (const auto place = nearest(x)) {
      groups_[place->group].oversized = true;
      return take(*place, x, true);
    }
  }
  create(x);
}

std::optional<Engine::Place> EntropyEngine::nearest(const Sample& x) const {
  std::optional<Candidate> best;
  alignas(64) double degree[BLOCK];
  visit_candidate_groups(x, [&](size_t group) {
    const Group& g = groups_[group];
    for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
      const size_t m = std::min(BLOCK, g.size() - begin);
      degrees(g, x, begin, m, degree);
      for (size_t i = 0; i < m; ++i) {
        const auto slot = static_cast<Slot>(begin + i);
        if (!best || degree[i] > best->degree ||
            (degree[i] == best->degree && g.id[slot] < best->id))
          best = Candidate{degree[i], g.id[slot], {group, slot}};
      }
    }
  });
  if (!best) return std::nullopt;
  return best->place;
}

std::optional<EntropyEngine::Taker> EntropyEngine::find_taker(const Sample& x) {
  look_up(x);
  if (container_) return Taker{container_->place, false};

  const auto later = [](const Candidate& a, const Candidate& b) {
    return a.degree != b.degree ? a.degree < b.degree : a.id > b.id;
  };
  // Most of the time the best of them is free to grow, and nothing has to be put in order.
  auto best = candidates_.end();
  for (auto box = candidates_.begin(); box != candidates_.end(); ++box) {
    if (best != candidates_.end() && later(*box, *best)) continue;
    if (!box->weighed && !weigh_values(*box, x)) continue;
    if (best == candidates_.end() || later(*best, *box)) best = box;
  }
  if (best == candidates_.end()) return std::nullopt;
  if (may_grow(*best, x)) return Taker{best->place, true};
  *best = candidates_.back();
  candidates_.pop_back();
  std::make_heap(candidates_.begin(), candidates_.end(), later);
  while (!candidates_.empty()) {
    std::pop_heap(candidates_.begin(), candidates_.end(), later);
    Candidate& next = candidates_.back();
    if (!next.weighed && weigh_values(next, x)) {
      std::push_heap(candidates_.begin(), candidates_.end(), later);
      continue;
    }
    if (next.weighed && may_grow(next, x)) return Taker{next.place, true};
    candidates_.pop_back();
  }
  return std::nullopt;
}

bool EntropyEngine::may_grow(const Candidate& box, const Sample& x) {
  if (settings_.mean && !stays_pure(box.place, x)) return false;
  if (!overlaps_any(box.place, x)) return true;
  ++rejections_;
  return false;
}

void EntropyEngine::look_up(const Sample& x) {
  container_.reset();
  candidates_.clear();
  extents_made_ = false;
  auto& blockers = overlap_.blockers;  // of the sample before: only the last may well block again
  if (blockers.size() > 1) blockers.erase(blockers.begin() + 1, blockers.end());
  visit_candidate_groups(x, [&](size_t group) { collect(group, x); });
}

void EntropyEngine::collect(size_t group, const Sample& x) {
  const Group& g = groups_[group];
  if (g.size() == 0) return;
  // A box that contains the sample passes the size and the entropy test, and is found among the
  // candidates; unless alpha leaves one kind of feature out, or the box was born too large.
  const bool exotic = g.oversized || (n_ > 0 && r_ > 0 && (alpha_ == 0 || alpha_ == 1));
  if (const BoxIndex* found = index(group)) return collect_indexed(*found, group, x, exotic);
  if (exotic) find_container(group, x);
  Counts counts;
  alignas(64) uint32_t low[BLOCK];
  alignas(64) double sum[BLOCK];
  alignas(64) std::uint8_t out[BLOCK];
  const bool asks = r_ > 0 && !entropy_.takes_any(), totals = asks && settings_.mean;
  for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
    const Slot first = static_cast<Slot>(begin);
    const size_t m = std::min(BLOCK, g.size() - begin);
    size_t passing = m;
    if (totals) {
      counts.total(g, x.codes, first, m, sum);
      passing = kernels::refuse(sum, min_counts(g) + begin, out, m);
    } else if (asks) {
      counts.least(g, x.codes, first, m, low);
      passing = kernels::refuse(low, min_counts(g) + begin, out, m);
    } else {
      std::fill_n(out, m, std::uint8_t{0});
    }
    if (passing == 0) continue;
    if (passing > few(m) && n_ > 0) leave_out_oversized(g, x, begin, m, out);
    for (size_t i : Passing(out, m))
      consider(group, first + static_cast<Slot>(i), x, 0, exotic, totals ? sum[i] : -1.0);
  }
}

// The boxes of a block that would be too large with the sample in them, by their quantised bounds.
void EntropyEngine::leave_out_oversized(const Group& g, const Sample& x, size_t begin, size_t m,
                                        std::uint8_t* out) {
  if (index_mode_ == IndexMode::OFF) return leave_out_plainly(g, x, begin, m, out);
  if (!extents_made_)
    extents_.make(quantizers_, before_, [&](const auto& quantizers, auto& to) {
      for (const Probe& p : x.probes)
        if (const auto extent = quantizers[p.j].extent(p.j, p.xl, p.xu, p.limit))
          to.push_back(*extent);
    });
  extents_made_ = true;
  alignas(64) std::uint8_t oversized[BLOCK];
  extents_.measure(g.quantized.from(begin), n_, QuantizedBounds::tiles(m), oversized);
  for (size_t i = 0; i < m; ++i) out[i] |= oversized[i];
}

// By their intervals: what quantised bounds are compared with, in tests and in benchmarks.
void EntropyEngine::leave_out_plainly(const Group& g, const Sample& x, size_t begin, size_t m,
                                      std::uint8_t* out) const {
  alignas(64) double over[BLOCK];
  for (size_t i = 0; i < m; ++i) over[i] = out[i] == 0 ? -1.0 : 1.0;
  const auto span = [&](size_t f) {
    const Probe& p = x.probes[f];
    return kernels::Span{&g.V[p.j][begin], &g.W[p.j][begin], p.xl, p.xu, p.limit};
  };
  size_t sized;
  pass_size(x.probes.size(), span, m, false, over, m, sized);
  kernels::outside(over, out, m);
}

// A box that passes the tests so far, with the size of the first `sized` features among them; `sum`
// is how often it has seen the values of x, below 0 if that has not been added up.
void EntropyEngine::consider(size_t group, Slot slot, const Sample& x, size_t sized, bool exotic,
                             double sum) {
  const Group& g = groups_[group];
  double dist = 0;
  for (size_t f = 0; f < x.probes.size(); ++f) {
    const Probe& p = x.probes[f];
    const double v = g.V[p.j][slot], w = g.W[p.j][slot];
    if (f >= sized && std::max(w, p.xu) - std::min(v, p.xl) > p.limit) return;
    dist = std::max(dist, stick_out(v, w, p.xl, p.xu, p.slope));
  }
  if (sum < 0) sum = add_up(g, slot, x);
  const double b_cat = share_of(g, slot, sum);
  if (!exotic && dist == 0 && b_cat == 1 && contains(g, slot, x))
    return offer_container(group, slot);
  const double b_num = 1.0 - std::min(dist, 1.0);
  const double degree = in_units(alpha_ * b_num + beta_ * b_cat);
  candidates_.push_back({degree, g.id[slot], {group, slot}, b_num, b_cat});
}

void EntropyEngine::offer_container(size_t group, Slot slot) {
  const uint64_t id = groups_[group].id[slot];
  if (!container_ || id < container_->id) container_ = Candidate{1.0, id, {group, slot}};
}

void EntropyEngine::find_container(size_t group, const Sample& x) {
  const Group& g = groups_[group];
  alignas(64) uint32_t scratch[BLOCK];
  alignas(64) std::uint8_t differ[BLOCK];
  alignas(64) double over[BLOCK];
  for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
    const Slot first = static_cast<Slot>(begin);
    const size_t m = std::min(BLOCK, g.size() - begin);
    std::fill_n(differ, m, std::uint8_t{0});
    for (size_t j = 0; j < r_ && alpha_ < 1; ++j) {
      const uint32_t* row = g.D[j].row(x.codes[j], first, m, scratch);
      if (row == nullptr) return;
      kernels::differ(row, g.n.data() + begin, differ, m);
    }
    if (kernels::agree(differ, over, m) == 0) continue;
    for (const Probe& p : x.probes)
      if (alpha_ > 0)
        kernels::distance(&g.V[p.j][begin], &g.W[p.j][begin], p.xl, p.xu, 1.0, false, over, m);
    for (size_t i : Passing(over, m)) {
      const Slot slot = first + static_cast<Slot>(i);
      if (contains(g, slot, x)) offer_container(group, slot);
    }
  }
}

// Membership one, decided without rounding.
bool EntropyEngine::contains(const Group& g, Slot slot, const Sample& x) const {
  if (alpha_ > 0) {
    for (const Probe& p : x.probes)
      if (!(g.V[p.j][slot] <= p.xl && p.xu <= g.W[p.j][slot])) return false;
  }
  if (alpha_ < 1) {
    for (size_t j = 0; j < r_; ++j)
      if (g.D[j].count(slot, x.codes[j]) != g.n[slot]) return false;
  }
  return true;
}

// How often a box has seen the values of a sample, on average, as a share of its own; all if there
// are none to be seen.
double EntropyEngine::share_of(const Group& g, Slot slot, double sum) const {
  return r_ > 0 ? sum / (static_cast<double>(g.n[slot]) * static_cast<double>(r_)) : 1.0;
}

double EntropyEngine::add_up(const Group& g, Slot slot, const Sample& x) const {
  uint64_t sum = 0;
  for (size_t j = 0; j < r_; ++j) sum += g.D[j].count(slot, x.codes[j]);
  return static_cast<double>(sum);
}

// Equation (12) for one box.
bool EntropyEngine::stays_pure(Place place, const Sample& x) const {
  const Group& g = groups_[place.group];
  if (r_ == 0) return true;
  double sum_of_g = 0;
  for (size_t j = 0; j < r_; ++j)
    sum_of_g += EntropyTest::g(g.D[j].count(place.slot, x.codes[j]));
  return entropy_.passes(g.n[place.slot], sum_of_g);
}

bool EntropyEngine::overlaps_any(Place place, const Sample& x) {
  const Group& g = groups_[place.group];
  Grown& b = overlap_.grown;
  b.place = place;
  b.n = std::uint64_t{g.n[place.slot]} + 1;
  b.listed = 0;
  b.V.resize(n_);
  b.W.resize(n_);
  for (size_t j = 0; j < n_; ++j) {
    b.V[j] = g.V[j][place.slot];
    b.W[j] = g.W[j][place.slot];
  }
  for (const Probe& p : x.probes) {
    b.V[p.j] = std::min(b.V[p.j], p.xl);
    b.W[p.j] = std::max(b.W[p.j], p.xu);
  }
  for (size_t j = 0; j < n_; ++j)
    if (b.V[j] > b.W[j]) return false;  // a feature never seen: no part in overlap
  b.D.resize(r_);
  b.pure.clear();
  for (size_t j = 0; j < r_; ++j) {
    b.D[j].assign(1, {x.codes[j], 1});
    if (g.D[j].count(place.slot, x.codes[j]) == g.n[place.slot]) b.pure.push_back(j);
  }
  // An unlabelled box might be of any class: it is tested against all, and all against it.
  const size_t own = place.group > 0 ? place.group : static_cast<size_t>(x.label + 1);
  return is_blocked_again(own, overlap_) || overlaps_others(own);
}

// What blocked the last expansions may well block this one: candidates of a sample all grow to it.
bool EntropyEngine::is_blocked_again(size_t own, Overlap& x) const {
  const auto blocks = [&](const Candidate& known) {
    const auto [group, slot] = known.place;  // as it was when the box was found
    if (group >= groups_.size() || (own != 0 && group == own)) return false;
    const Group& h = groups_[group];
    return slot < h.size() && h.id[slot] == known.id && !excused(known.place, x.grown) &&
           meets(h, slot, x.grown);
  };
  const auto found = std::find_if(x.blockers.begin(), x.blockers.end(), blocks);
  if (found == x.blockers.end()) return false;
  std::rotate(x.blockers.begin(), found, found + 1);
  return true;
}

bool EntropyEngine::overlaps_others(size_t own) {
  overlap_.query_made = false;
  for (size_t group = 0; group < groups_.size(); ++group) {
    if (own != 0 && group == own) continue;
    index(group);
    if (overlaps_group(group, overlap_)) return true;
  }
  return false;
}

bool EntropyEngine::overlaps_others(size_t own, Overlap& x) const {
  x.query_made = false;
  for (size_t group = 0; group < groups_.size(); ++group)
    if ((own == 0 || group != own) && overlaps_group(group, x)) return true;
  return false;
}

bool EntropyEngine::overlaps_group(size_t group, Overlap& x) const {
  const Group& h = groups_[group];
  const BoxIndex* index = h.index.get();
  if (index != nullptr && index->follows_all(h)) return overlaps_indexed(*index, group, x);
  const Grown& b = x.grown;
  alignas(64) uint32_t scratch[BLOCK];
  alignas(64) std::uint8_t out[BLOCK];
  for (size_t begin = 0; begin < h.size(); begin += BLOCK) {
    const Slot first = static_cast<Slot>(begin);
    const size_t m = std::min(BLOCK, h.size() - begin);
    std::fill_n(out, m, std::uint8_t{0});
    // Where all samples of the grown box agree, only a box that has seen that value and no other
    // has a value of equal frequency.
    for (size_t j : b.pure) {
      const uint32_t* row = h.D[j].row(b.D[j][0].first, first, m, scratch);
      if (row == nullptr) return false;
      kernels::differ(row, h.n.data() + begin, out, m);
    }
    if (n_ > 0 && (b.pure.empty() || Passing(out, m).size() > few(m)))
      leave_out_apart(h, begin, m, x, out);
    for (size_t i : Passing(out, m)) {
      const Slot slot = first + static_cast<Slot>(i);
      if (blocks({group, slot}, x)) return true;
    }
  }
  return false;
}

// The boxes of a block whose quantised bounds say that they are apart from the grown box: they
// begin above its end, or end below its beginning. Both ends are rounded alike, and keep their
// order.
void EntropyEngine::leave_out_apart(const Group& h, size_t begin, size_t m, Overlap& x,
                                    std::uint8_t* out) const {
  const Grown& b = x.grown;
  if (index_mode_ == IndexMode::OFF) {  // by intervals, as above
    alignas(64) double over[BLOCK];
    size_t passing = kernels::agree(out, over, m);
    for (size_t j = 0; j < n_ && passing > few(m); ++j)
      passing = kernels::gap(&h.V[j][begin], &h.W[j][begin], b.V[j], b.W[j], over, m);
    return kernels::outside(over, out, m);
  }
  if (!x.query_made)
    x.query.make(quantizers_, before_, [&](const auto& quantizers, auto& to) {
      for (size_t j = 0; j < n_; ++j)
        if (quantizers[j].step > 0)
          to.push_back({j, quantizers[j].below(b.W[j]), quantizers[j].above(b.V[j]), 0});
    });
  x.query_made = true;
  alignas(64) std::uint8_t apart[BLOCK];
  x.query.measure(h.quantized.from(begin), n_, QuantizedBounds::tiles(m), apart);
  for (size_t i = 0; i < m; ++i) out[i] |= apart[i];
}

// A box that is hardly apart: its values are looked at first.
bool EntropyEngine::blocks(Place place, Overlap& x) const {
  const Group& h = groups_[place.group];
  Grown& b = x.grown;
  if (excused(place, b) || !shares_values(h, place.slot, b) || is_apart(h, place.slot, b))
    return false;
  if (x.blockers.size() == MAX_BLOCKERS) x.blockers.pop_back();
  x.blockers.insert(x.blockers.begin(), Candidate{0.0, h.id[place.slot], place});
  return true;
}

bool EntropyEngine::excused(Place place, const Grown& b) {
  const auto is_it = [&](Place part) {
    return place.group == part.group && place.slot == part.slot;
  };
  return is_it(b.place) || std::any_of(b.parts.begin(), b.parts.end(), is_it);
}

bool EntropyEngine::meets(const Group& h, Slot slot, Grown& b) const {
  return !is_apart(h, slot, b) && shares_values(h, slot, b);
}

// Equation (14) for one pair: whether it fails.
bool EntropyEngine::is_apart(const Group& h, Slot slot, const Grown& b) const {
  for (size_t j = 0; j < n_; ++j)
    if (!(b.V[j] <= h.W[j][slot] && h.V[j][slot] <= b.W[j])) return true;
  return false;
}

// Equation (15) for one pair.
bool EntropyEngine::shares_values(const Group& h, Slot slot, Grown& b) const {
  for (size_t j = 0; j < r_; ++j) {
    if (j == b.listed) list_values(b.listed++, b);
    if (!h.D[j].shares(slot, h.n[slot], b.D[j], b.n)) return false;
  }
  return true;
}

// So far D holds the sample's value: add what the box has seen, in order of code.
void EntropyEngine::list_values(size_t j, Grown& b) const {
  auto& set = b.D[j];
  const Code code = set[0].first;
  groups_[b.place.group].D[j].values(b.place.slot, set);
  auto at = std::lower_bound(set.begin(), set.end(), Tally{code, 0});
  if (at == set.end() || at->first != code) at = set.insert(at, Tally{code, 0});
  at->second += 1;
}

}  // namespace boxwise
