#include "expert.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/packs.hpp"
#include "kernels/vector_math.hpp"

namespace boxwise::evidence {

using kernels::exp_of;
using kernels::IN;
using kernels::LN2;
using kernels::load;
using kernels::log_of;
using kernels::Pack;
using kernels::store;
using std::size_t;

namespace {
constexpr std::uint64_t STEP_ALWAYS = 500, STEP_EVERY = 4;  // rows that give a step of the relevance
constexpr double TOLERANCE = 1e-9;  // of sizes and entropies that are compared
constexpr double NONE = -1e300;
constexpr size_t LOOKED_AT = 16;  // numbers that are looked at one by one only if one of them is large
constexpr double LOG2_E = 1.4426950408889634;
constexpr double MOST_LOG_MANTISSA = LN2 + 1e-9;

// A column in which boxes have a longest side, and the ends of a row in it.
struct Limit {
  const double *V, *W, *seen;  // by box
  double low, high, longest;
};

// out = logs - log_n + MOST_LOG_MANTISSA, or NONE where a side, with the row in it, is too long.
template <size_t bytes>
INLINED void admit_in(const double* logs, const double* log_n, const Limit* limits, size_t count,
                      size_t m, double* RESTRICT out) {
  using Doubles = Pack<double, bytes>;
  constexpr size_t LANES = IN<Doubles, double>;
  if constexpr (LANES > 1)
    if (m < LANES) return admit_in<bytes / 2>(logs, log_n, limits, count, m, out);
  for (size_t next = 0; next < m; next += LANES) {
    const size_t i = next + LANES > m ? m - LANES : next;
    Doubles kept = load<Doubles>(logs + i) - load<Doubles>(log_n + i) + MOST_LOG_MANTISSA;
    for (size_t c = 0; c < count; ++c) {
      const Limit& x = limits[c];
      const Doubles V = load<Doubles>(x.V + i), W = load<Doubles>(x.W + i);
      const Doubles from = V < x.low ? V : Doubles{} + x.low, to = W > x.high ? W : Doubles{} + x.high;
      kept = (to - from) * load<Doubles>(x.seen + i) > x.longest ? Doubles{} + NONE : kept;
    }
    store(kept, out + i);
  }
}
CLONES_BY_WIDTH(void, admit,
                (const double* logs, const double* log_n, const Limit* limits, size_t count, size_t m,
                 double* out),
                (logs, log_n, limits, count, m, out))
bool any_above(const double* numbers, size_t m, double least) {
  using Doubles = Pack<double, 16>;
  constexpr size_t LANES = IN<Doubles, double>;
  typename kernels::SameLanes<Doubles>::Words above = {};
  size_t i = 0;
  for (; i + LANES <= m; i += LANES) above |= load<Doubles>(numbers + i) > least;
  std::uint64_t any = 0, lanes[LANES];
  std::memcpy(lanes, &above, sizeof above);
  for (std::uint64_t lane : lanes) any |= lane;
  for (; i < m; ++i) any |= numbers[i] > least;
  return any != 0;
}

// Calls use(i) for at least those of m numbers that are above what the call before returned; runs
// of LOOKED_AT without one are passed over.
template <class Use>
void for_each_above(const Aligned<double>& numbers, size_t m, Use use) {
  double least = NONE;
  for (size_t begin = 0; begin < m; begin += LOOKED_AT) {
    const size_t end = std::min(begin + LOOKED_AT, m);
    if (!any_above(numbers.data() + begin, end - begin, least)) continue;
    for (size_t i = begin; i < end; ++i) least = use(i);
  }
}
}  // namespace

Expert::Expert(size_t n_numeric, size_t n_categorical, Sizes sizes_, DensitySettings density_)
    : sizes(sizes_),
      density(density_),
      relevance(n_numeric, n_categorical),
      n_(n_numeric),
      r_(n_categorical) {
  grow_to(0);
}

void Expert::grow_to(size_t group) {
  while (groups.size() <= group) {
    groups.emplace_back(n_, r_);
    stats.emplace_back(r_);
  }
}

bool Expert::can_predict() const {
  return std::any_of(stats.begin() + 1, stats.end(), [](const ClassStats& s) { return s.n() > 0; });
}

void Expert::evaluate(const Query& x, const std::vector<double>& values_known, Evaluation& out) const {
  out.groups.resize(groups.size());
  out.p.assign(groups.size() - 1, 0.0);
  double most = -1e300;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (g == 0 && groups[0].size() == 0) continue;
    evaluate_group(g, x, values_known, out.groups[g]);
    if (g > 0 && stats[g].n() > 0) most = std::max(most, out.groups[g].log_sum);
  }
  double sum = 0;
  for (size_t k = 0; k < out.p.size(); ++k) {
    if (!(stats[k + 1].n() > 0)) continue;
    out.p[k] = exp_of((out.groups[k + 1].log_sum - most) / relevance.temperature());
    sum += out.p[k];
  }
  if (sum > 0)
    for (double& p : out.p) p /= sum;
}

void Expert::evaluate_group(size_t g, const Query& x, const std::vector<double>& values_known,
                            GroupLikelihood& out) const {
  bind(x, stats[g], relevance, values_known, density, clock, out.terms);
  out.terms.newest = groups[g].newest;
  boxwise::evidence::evaluate(x, groups[g], density.background * stats[g].n(), out);
}

void Expert::step(const Query& x, std::int32_t label, const Evaluation& at) {
  const std::uint64_t row = rows++;
  if (row >= STEP_ALWAYS && row % STEP_EVERY != 0) return;
  const auto k_true = static_cast<size_t>(label);
  if (k_true >= at.p.size() || !(stats[k_true + 1].n() > 0)) return;
  static thread_local std::vector<double> gradient;
  gradient.assign(relevance.size(), 0.0);
  const double temperature = relevance.temperature();
  for (size_t k = 0; k < at.p.size(); ++k) {
    if (!(stats[k + 1].n() > 0)) continue;
    const double error = (at.p[k] - (k == k_true)) / temperature;
    add_gradient(x, groups[k + 1], at.groups[k + 1], error, gradient);
    gradient.back() -= error * (at.groups[k + 1].log_sum - at.groups[k_true + 1].log_sum);
  }
  relevance.step(gradient);
  normalise_all();
}

void Expert::normalise(size_t group, size_t slot) {
  evidence::normalise(relevance, density, slot, slot + 1, groups[group]);
}

void Expert::normalise_all() {
  for (BoxGroup& group : groups) evidence::normalise(relevance, density, 0, group.size(), group);
}

void Expert::tick(std::int32_t label, double weight) {
  grow_to(static_cast<size_t>(label + 1));
  clock += weight;
}

// The box with the largest density among those that may take the row; of several that are equally
// good the oldest.
std::optional<Expert::Place> Expert::find(const Query& x, std::int32_t label,
                                          const Evaluation& at) const {
  static thread_local std::vector<Aligned<double>> all;  // by group: bounds of log-densities
  const size_t searched = std::min(groups.size(), at.groups.size());
  if (all.size() < searched) all.resize(searched);
  const auto is_searched = [&](size_t g) {
    return groups[g].size() > 0 &&
           (label == UNLABELLED || g == 0 || g == static_cast<size_t>(label + 1));
  };
  const auto log_density = [&](size_t g, size_t i) {
    return at.groups[g].logs[i] + log_of(at.groups[g].mantissas[i]) - groups[g].log_n[i];
  };
  double best = NONE;
  for (size_t g = 0; g < searched; ++g) {
    if (!is_searched(g)) continue;
    bound_log_densities(groups[g], x, at.groups[g], all[g]);
    for_each_above(all[g], groups[g].size(), [&](size_t i) {
      if (all[g][i] <= best) return best;
      const double log = log_density(g, i);
      if (log <= best) return best;
      if (entropy_fits(groups[g], i, x))
        best = log;
      else
        all[g][i] = NONE;
      return best;
    });
  }
  if (best == NONE) return std::nullopt;
  std::optional<Place> oldest;
  const auto id = [&](Place place) { return groups[place.group].id[place.slot]; };
  for (size_t g = 0; g < searched; ++g) {
    if (!is_searched(g)) continue;
    for_each_above(all[g], groups[g].size(), [&](size_t i) {
      const bool is_older = !oldest || groups[g].id[i] < id(*oldest);
      if (is_older && all[g][i] != NONE && log_density(g, i) >= best - TOLERANCE &&
          entropy_fits(groups[g], i, x))
        oldest = {g, i};
      return best - 2 * TOLERANCE;
    });
  }
  return oldest;
}

void Expert::bound_log_densities(const BoxGroup& group, const Query& x, const GroupLikelihood& at,
                                 Aligned<double>& out) const {
  const size_t m = group.size();
  if (out.size() < m) out.resize(m);
  static thread_local std::vector<Limit> limits;
  limits.clear();
  for (const Query::Number& number : x.numbers) {
    const double longest = sizes.theta * std::sqrt(relevance.numeric(number.j));
    if (longest >= 1) continue;
    const BoxGroup::Numeric& column = group.numeric[number.j];
    limits.push_back({column.V.data(), column.W.data(), column.seen.data(), number.low, number.high,
                      longest + TOLERANCE});
  }
  admit(at.logs.data(), group.log_n.data(), limits.data(), limits.size(), m, out.data());
}

bool Expert::entropy_fits(const BoxGroup& group, size_t slot, const Query& x) const {
  return r_ == 0 || entropy_change(group, slot, x) <= sizes.delta + TOLERANCE;
}

double Expert::entropy_change(const BoxGroup& group, size_t slot, const Query& x) const {
  const double n = group.n[slot], more = n + 1;
  const double log_n = group.log_n[slot] * LOG2_E, log_more = log_of(more) * LOG2_E;
  double change = 0;
  for (size_t j = 0; j < r_; ++j) {
    const double count = group.count(j, x.values[j], slot);
    const double sum = group.categorical[j].plogp[slot];
    const double before = log_n - sum / n;
    const double after = log_more - (sum + plogp(count + 1) - plogp(count)) / more;
    change += std::abs(after - before) / (1 + relevance.categorical(j));
  }
  return change / static_cast<double>(r_);
}

// Whether neither of two boxes becomes less certain of its values than `delta` allows. A few rows are
// purer than those they were drawn from: by about (k - 1) / (2 n log 2) bits where there are k values
// (Miller and Madow), which is no difference.
bool Expert::are_alike(const BoxGroup& group, size_t slot, const BoxGroup& other, size_t from) const {
  const double n = group.n[slot], m = other.n[from], both = n + m;
  double change = 0, lost = 0;
  for (size_t j = 0; j < r_; ++j) {
    const auto &own = group.categorical[j], &its = other.categorical[j];
    double sum = own.plogp[slot], values = 0;
    for (size_t v = 0; v < std::max(own.counts.size(), its.counts.size()); ++v) {
      const auto value = static_cast<std::int32_t>(v);
      const double count = group.count(j, value, slot), more = other.count(j, value, from);
      values += count + more > 0;
      if (more > 0) sum += plogp(count + more) - plogp(count);
    }
    const double after = log_of(both) * LOG2_E - sum / both;
    const double before = group.log_n[slot] * LOG2_E - own.plogp[slot] / n;
    const double its_before = other.log_n[from] * LOG2_E - its.plogp[from] / m;
    const double by_chance = (values - 1) / (2 * m * LN2);
    change += std::abs(after - before) / (1 + relevance.categorical(j));
    lost += std::max(after - its_before - by_chance, 0.0) / (1 + relevance.categorical(j));
  }
  return std::max(change, lost) <= static_cast<double>(r_) * (sizes.delta + TOLERANCE);
}

std::optional<Query> Expert::united(const BoxGroup& group, size_t slot, const Query& x) const {
  Query both = x;
  for (Query::Number& number : both.numbers) {
    const BoxGroup::Numeric& column = group.numeric[number.j];
    const double longest = sizes.theta * std::sqrt(relevance.numeric(number.j));
    if (longest >= 1 || column.seen[slot] == 0) continue;
    const double V = column.V[slot], W = column.W[slot];
    if (std::max(W, number.high) - std::min(V, number.low) <= longest + TOLERANCE) continue;
    const double middle = (number.low + number.high) / 2;
    if (middle < V - TOLERANCE || middle > W + TOLERANCE) return std::nullopt;
    number = {number.j, V, W, column.raw_low[slot], column.raw_high[slot]};
  }
  return both;
}

std::optional<size_t> Expert::find_alike(size_t group, const Query& x,
                                         const std::vector<double>& values_known,
                                         const BoxGroup& other, size_t from) const {
  static thread_local GroupLikelihood at;
  evaluate_group(group, x, values_known, at);
  const BoxGroup& own = groups[group];
  double best = NONE;
  std::vector<std::pair<double, size_t>> alike;
  for (size_t i = 0; i < own.size(); ++i) {
    if (at.logs[i] + MOST_LOG_MANTISSA - own.log_n[i] < best - TOLERANCE) continue;
    const double log = at.logs[i] + log_of(at.mantissas[i]) - own.log_n[i];
    if (log < best - TOLERANCE || !united(own, i, x) || !are_alike(own, i, other, from)) continue;
    best = std::max(best, log);
    alike.push_back({log, i});
  }
  std::optional<size_t> oldest;
  for (const auto& [log, i] : alike)
    if (log >= best - TOLERANCE && (!oldest || own.id[i] < own.id[*oldest])) oldest = i;
  return oldest;
}

void Expert::add(size_t group, const BoxGroup& other, size_t from) {
  grow_to(group);
  groups[group].append(other, from);
  normalise(group, groups[group].size() - 1);
  count_box(group, other, from, 1);
}

void Expert::unite(size_t group, size_t slot, const Query& x, const BoxGroup& other, size_t from) {
  groups[group].unite(slot, *united(groups[group], slot, x), other, from);
  normalise(group, slot);
  count_box(group, other, from, 1);
}

void Expert::count(size_t group, const Query& x, double weight) {
  for (size_t j = 0; j < r_; ++j) stats[group].add(j, x.values[j], weight);
  stats[group].add_rows(weight);
}

void Expert::take(Place place, const Query& x, std::int32_t label, double weight) {
  groups[place.group].take(place.slot, x, weight, clock);
  normalise(place.group, place.slot);
  count(place.group, x, weight);
  if (place.group != 0 || label == UNLABELLED) return;
  // A label makes an unlabelled box one of its class.
  const auto own = static_cast<size_t>(label + 1);
  groups[own].append(groups[0], place.slot);
  normalise(own, groups[own].size() - 1);
  count_box(own, groups[own], groups[own].size() - 1, 1);
  remove(place);
}

void Expert::create(const Query& x, std::int32_t label, double weight, std::uint64_t id) {
  const auto own = static_cast<size_t>(label + 1);
  groups[own].create(x, weight, clock, id);
  normalise(own, groups[own].size() - 1);
  count(own, x, weight);
}

// Adds a box to the statistics of its class, or takes it out.
void Expert::count_box(size_t group, const BoxGroup& boxes, size_t slot, double sign) {
  for (size_t j = 0; j < r_; ++j)
    for (size_t v = 0; v < boxes.categorical[j].counts.size(); ++v) {
      const auto value = static_cast<std::int32_t>(v);
      if (const double times = boxes.count(j, value, slot); times > 0)
        stats[group].add(j, value, sign * times);
    }
  stats[group].add_rows(sign * boxes.n[slot]);
}

void Expert::remove(Place place) {
  count_box(place.group, groups[place.group], place.slot, -1);
  groups[place.group].remove(place.slot);
  evidence::normalise(relevance, density, 0, 0, groups[place.group]);
}

void Expert::keep(const std::vector<std::vector<size_t>>& slots) {
  for (size_t g = 0; g < groups.size(); ++g) {
    BoxGroup kept(n_, r_);
    stats[g] = ClassStats(r_);
    for (size_t slot : slots[g]) kept.append(groups[g], slot);
    groups[g] = std::move(kept);
    for (size_t slot = 0; slot < groups[g].size(); ++slot) count_box(g, groups[g], slot, 1);
  }
  normalise_all();
}

size_t Expert::n_boxes() const {
  size_t boxes = 0;
  for (const BoxGroup& group : groups) boxes += group.size();
  return boxes;
}

void Expert::put(const ExpertBox& box, size_t group, const Scales& scales) {
  BoxGroup& to = groups[group];
  to.extend();
  const size_t slot = to.size() - 1;
  for (size_t j = 0; j < n_; ++j) {
    if (box.low[j] != box.low[j]) continue;
    to.numeric[j].seen[slot] = 1;
    ++to.numeric[j].boxes;
    to.numeric[j].raw_low[slot] = box.low[j];
    to.numeric[j].raw_high[slot] = box.high[j];
    to.numeric[j].V[slot] = scales.position(j, box.low[j]);
    to.numeric[j].W[slot] = scales.position(j, box.high[j]);
  }
  for (size_t j = 0; j < r_; ++j)
    for (const auto& [value, times] : box.counts[j]) {
      to.add_count(j, value, slot, times);
      stats[group].add(j, value, times);
    }
  stats[group].add_rows(box.n);
  to.set_rows(slot, box.n);
  to.set_last(slot, box.last);
  to.id[slot] = box.id;
  normalise(group, slot);
}

void Expert::rescale(const std::vector<size_t>& columns, const Scales& scales) {
  static thread_local std::vector<double> low, high;
  for (BoxGroup& group : groups) {
    const size_t m = group.size();
    low.resize(m);
    high.resize(m);
    for (size_t j : columns) {
      BoxGroup::Numeric& column = group.numeric[j];
      scales.positions(j, column.raw_low.data(), m, low.data());
      scales.positions(j, column.raw_high.data(), m, high.data());
      for (size_t i = 0; i < m; ++i) {
        if (column.seen[i] == 0) continue;
        column.V[i] = low[i];
        column.W[i] = high[i];
      }
    }
  }
  normalise_all();
}

}  // namespace boxwise::evidence
