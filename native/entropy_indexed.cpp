// Learning with an index: what entropy_learn.cpp finds by passing over all boxes of a group.
#include <algorithm>
#include <limits>

#include "entropy_engine.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;

namespace {
constexpr size_t MANY = 512;  // boxes of a group from which on an index pays
constexpr size_t SHARE = 32;  // boxes that an index takes in at a time: no row waits for all of them
}  // namespace

BoxIndex* EntropyEngine::index(size_t group) {
  Group& g = groups_[group];
  if (index_mode_ == IndexMode::OFF) return nullptr;
  if (g.index.get() == nullptr) {
    if (g.size() < (index_mode_ == IndexMode::ON ? 1 : MANY)) return nullptr;
    g.index.set(std::make_shared<BoxIndex>(n_, r_, leaf_capacity_, entropy_, margin_));
  }
  BoxIndex* index = g.index.get();
  index->follow(g, index_mode_ == IndexMode::ON ? g.size() : SHARE);
  return index->follows_all(g) ? index : nullptr;
}

void EntropyEngine::collect_indexed(const BoxIndex& index, size_t group, const Sample& x,
                                    bool exotic) {
  if (exotic) find_container_indexed(index, group, x);
  const Group& g = groups_[group];
  growing_.sides.clear();
  growing_.values.clear();
  for (const Probe& p : x.probes) growing_.sides.push_back({p.j, p.xl, p.xu, p.limit});
  Signature signature;
  for (size_t j = 0; j < r_; ++j) {
    growing_.values.push_back({j, Portrait::bit(x.codes[j])});
    signature.add(j, false, x.codes[j]);
  }
  growing_.signature = signature.value();
  index.visit_growing(growing_, [&](Slot slot) {
    const uint32_t need = g.need[slot];
    uint32_t least = std::numeric_limits<uint32_t>::max();
    double sum = 0;
    for (size_t j = 0; j < r_; ++j) {
      const uint32_t count = g.D[j].count(slot, x.codes[j]);
      least = std::min(least, count);
      sum += count;
    }
    if (settings_.mean ? sum < need : least < need) return;
    consider(group, slot, x, x.probes.size(), exotic, sum);
  });
}

void EntropyEngine::find_container_indexed(const BoxIndex& index, size_t group, const Sample& x) {
  meeting_.sides.clear();
  meeting_.values.clear();
  if (alpha_ > 0)  // V <= xl and xu <= W
    for (const Probe& p : x.probes) meeting_.sides.push_back({p.j, p.xu, p.xl});
  for (size_t j = 0; j < r_ && alpha_ < 1; ++j)
    meeting_.values.push_back({j, Portrait::bit(x.codes[j])});
  index.visit_containing(meeting_, [&](Slot slot) {
    if (contains(groups_[group], slot, x)) offer_container(group, slot);
  });
}

// Where all samples of the grown box agree, only a box that has seen that value and no other has a
// value of equal frequency; where they do not, only one that has seen several.
bool EntropyEngine::overlaps_indexed(const BoxIndex& index, size_t group) {
  const Grown& b = grown_;
  meeting_.sides.clear();
  meeting_.values.clear();
  for (size_t j = 0; j < n_; ++j) meeting_.sides.push_back({j, b.V[j], b.W[j]});
  Signature signature;
  auto pure = b.pure.begin();
  for (size_t j = 0; j < r_; ++j) {
    const bool mixed = pure == b.pure.end() || *pure != j;
    const Code only = b.D[j][0].first;
    signature.add(j, mixed, only);
    if (mixed) continue;
    ++pure;
    meeting_.values.push_back({j, Portrait::bit(only)});
  }
  meeting_.signature = signature.value();
  meeting_.factors = BoxIndex::common_factors(b.n);
  return index.visit_overlapping(meeting_, [&](Slot slot) { return blocks({group, slot}); });
}

}  // namespace boxwise
