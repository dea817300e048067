#include "budget.hpp"

#include <algorithm>
#include <optional>

#include "kernels/clones.hpp"

namespace boxwise::evidence {

using std::size_t;

namespace {
constexpr double TOLERANCE = 1e-9;  // weights closer than this, in parts of them, are equal
constexpr double MOST = 1e300;

CLONES void fade(const double* n, const double* last, double newest, double per_age, size_t m,
                 double* RESTRICT weights) {
  for (size_t i = 0; i < m; ++i) {
    const double faded = 1 + (newest - last[i]) * per_age;
    weights[i] = n[i] / (faded * faded);
  }
}

// The least of some numbers, padded to whole lanes.
CLONES double least_of(const double* weights, size_t m) {
  double lanes[SUM_LANES];
  for (size_t l = 0; l < SUM_LANES; ++l) lanes[l] = MOST;
  for (size_t i = 0; i < m; i += SUM_LANES)
    for (size_t l = 0; l < SUM_LANES; ++l)
      lanes[l] = weights[i + l] < lanes[l] ? weights[i + l] : lanes[l];
  return *std::min_element(lanes, lanes + SUM_LANES);
}
}  // namespace

bool evict(Expert& expert, bool unlabelled_only) {
  static thread_local std::vector<Aligned<double>> weights;  // by group, padded to whole lanes
  const auto& groups = expert.groups;
  if (weights.size() < groups.size()) weights.resize(groups.size());
  const auto classes = static_cast<size_t>(
      std::count_if(groups.begin(), groups.end(), [](auto& g) { return g.size() > 0; }));
  const size_t spared = expert.n_boxes() / (2 * std::max<size_t>(classes, 1));
  const double per_age = 1 / std::max(expert.clock, 1.0) / expert.relevance.decay();
  std::vector<double> lightest(groups.size(), MOST);
  for (size_t g = 0; g < groups.size(); ++g) {
    const size_t m = groups[g].size();
    if (unlabelled_only ? g > 0 || m == 0 : m <= spared) continue;
    weights[g].resize(padded(m));
    std::fill(weights[g].begin() + static_cast<std::ptrdiff_t>(m), weights[g].end(), MOST);
    fade(groups[g].n.data(), groups[g].last.data(), groups[g].newest, per_age, m, weights[g].data());
    lightest[g] = least_of(weights[g].data(), weights[g].size());
  }
  const double least = *std::min_element(lightest.begin(), lightest.end());
  if (least == MOST) return false;
  std::optional<Expert::Place> oldest;  // of the lightest
  for (size_t g = 0; g < groups.size(); ++g) {
    if (lightest[g] > least * (1 + TOLERANCE)) continue;
    for (size_t i = 0; i < groups[g].size(); ++i) {
      if (weights[g][i] > least * (1 + TOLERANCE)) continue;
      if (!oldest || groups[g].id[i] < groups[oldest->group].id[oldest->slot]) oldest = {g, i};
    }
  }
  expert.remove(*oldest);
  return true;
}

namespace {
struct Weighted {
  double weight;
  Expert::Place place;
  size_t rank;  // among those of its class
};

std::vector<Weighted> heaviest_first(const Expert& expert) {
  Terms terms;
  terms.clock = expert.clock;
  terms.decay = expert.relevance.decay();
  std::vector<Weighted> all;
  for (size_t g = 0; g < expert.groups.size(); ++g) {
    terms.newest = expert.groups[g].newest;
    for (size_t i = 0; i < expert.groups[g].size(); ++i)
      all.push_back({faded_weight(expert.groups[g].n[i], expert.groups[g].last[i], terms), {g, i}, 0});
  }
  const auto id = [&](const Weighted& box) { return expert.groups[box.place.group].id[box.place.slot]; };
  std::sort(all.begin(), all.end(), [&](const Weighted& a, const Weighted& b) {
    return a.weight != b.weight ? a.weight > b.weight : id(a) < id(b);
  });
  return all;
}
}  // namespace

void reduce(Expert& expert, size_t boxes) {
  if (expert.n_boxes() <= boxes) return;
  std::vector<Weighted> all = heaviest_first(expert);
  std::vector<size_t> of_class(expert.groups.size());
  for (Weighted& box : all) box.rank = of_class[box.place.group]++;
  const auto classes = static_cast<size_t>(
      std::count_if(of_class.begin(), of_class.end(), [](size_t count) { return count > 0; }));
  const size_t spared = boxes / (2 * classes);
  std::stable_sort(all.begin(), all.end(), [&](const Weighted& a, const Weighted& b) {
    return (a.rank < spared) > (b.rank < spared);
  });
  all.resize(boxes);
  std::vector<std::vector<size_t>> kept(expert.groups.size());
  for (const Weighted& box : all) kept[box.place.group].push_back(box.place.slot);
  expert.keep(kept);
}

void merge_alike(Expert& expert, const std::vector<double>& values_known, size_t most) {
  Expert merged = expert;
  merged.keep(std::vector<std::vector<size_t>>(expert.groups.size()));
  Query x;
  size_t left = expert.n_boxes();
  for (const auto& [weight, place, rank] : heaviest_first(expert)) {
    const BoxGroup& from = expert.groups[place.group];
    from.read(place.slot, x);
    std::optional<size_t> slot;
    if (merged.n_boxes() + left > most)
      slot = merged.find_alike(place.group, x, values_known, from, place.slot);
    --left;
    if (slot) {
      merged.unite(place.group, *slot, x, from, place.slot);
      continue;
    }
    merged.add(place.group, from, place.slot);
    if (most > 0 && merged.n_boxes() > most) evict(merged);
  }
  expert = std::move(merged);
}

}  // namespace boxwise::evidence
