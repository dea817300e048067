// Learning with an index: what entropy_learn.cpp finds by passing over all boxes of a group.
#include <algorithm>
#include <limits>

#include "eiol/entropy_engine.hpp"
#include "store/scan.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;

namespace {
constexpr size_t MIN_BOXES_FOR_INDEX = 1536;  // of a group: from then on an index pays
constexpr size_t BOXES_PER_STEP = 32;  // that an index takes in at a time: no row waits for all of them
constexpr size_t MIN_CHUNKS_WAITED = 2;  // of predictions, before a reader makes an index
// Features of all boxes together: up to there predictions pass over them as quickly as they search.
constexpr size_t MIN_BOX_FEATURES_FOR_INDEX = 180'000;
}  // namespace

bool EntropyEngine::wants_index(const Group& g) const {
  if (index_mode_ == IndexMode::ON) return g.size() > 0;
  return index_mode_ == IndexMode::AUTO && g.size() >= MIN_BOXES_FOR_INDEX;
}

void EntropyEngine::make_index(const Group& g) const {
  if (g.index.get() == nullptr)
    g.index.set(std::make_shared<BoxIndex>(g, leaf_capacity_, entropy_, margin_, true));
}

BoxIndex* EntropyEngine::index(size_t group) {
  Group& g = groups_[group];
  if (g.index.get() == nullptr && !wants_index(g)) return nullptr;
  make_index(g);
  BoxIndex* index = g.index.get();
  index->follow(g, index_mode_ == IndexMode::ON ? g.size() : BOXES_PER_STEP);
  return index->follows_all(g) ? index : nullptr;
}

// A model that was just read from a file has none: after a few turns it is worth making.
void EntropyEngine::find_indexes(Scratch& scratch) const {
  if (!scratch.chunk_begins) return;
  scratch.chunk_begins = false;
  scratch.found.assign(groups_.size(), nullptr);
  if (index_mode_ != IndexMode::ON && count() * (n_ + r_) < MIN_BOX_FEATURES_FOR_INDEX) return;
  const std::scoped_lock hold(indexing_);
  bool waits = false;
  for (size_t group = 1; group < groups_.size(); ++group) {
    const Group& g = groups_[group];
    if (packed_copy(scratch, group) != nullptr) continue;  // quicker where there are numbers only
    if (g.index.get() == nullptr && !wants_index(g)) continue;
    if (waited_ >= MIN_CHUNKS_WAITED || index_mode_ == IndexMode::ON) {
      make_index(g);
      g.index.get()->follow(g, g.size());
    }
    const BoxIndex* index = g.index.get();
    const bool ready = index != nullptr && index->follows_all(g);
    waits = waits || !ready;
    scratch.found[group] = ready ? index : nullptr;
  }
  waited_ = waits ? waited_ + 1 : 0;
}

// The boxes that may be best, first. If one class counts only, all are searched together. Classes
// for which the search gives up have no index for this sample.
void EntropyEngine::score_indexed(const Sample& x, bool every_class, size_t classes,
                                  Scratch& scratch, ClassScores& scores) const {
  scratch.indexes = scratch.found;
  BestFirst& best = scratch.best_first;
  auto& [sides, weights, quantized] = best.query;
  sides.clear();
  for (const Probe& p : x.probes) sides.push_back({p.j, p.xl, p.xu, p.slope});
  weights = {alpha_, beta_};
  quantized = &scratch.pass.query;
  best.clear();
  scratch.backoff.resize(groups_.size());
  for (size_t k = 0, first = 0; k < classes; ++k) {
    if (const BoxIndex* index = scratch.indexes[k + 1]) {
      index->sort_out(x.codes, best.new_group(k + 1));
      for (const Forest& forest : index->forests()) best.add(forest);
    }
    if (!every_class && k + 1 < classes) continue;
    AdaptiveBackoff& backoff = scratch.backoff[every_class ? k + 1 : 0];
    const double& threshold = scores.thresholds[every_class ? k : 0];
    bool done = best.empty();
    if (!done && !backoff.skip()) {
      done = best.search(threshold, [&](size_t group, Slot slot) {
        const Group& g = groups_[group];
        const double sum = r_ > 0 ? add_up(g, slot, x) : 0.0;
        weigh(g, slot, group - 1, every_class, finish(g, slot, x, sum, threshold), scores);
      });
      backoff.note(done);
    }
    for (; first <= k; ++first) {
      if (done) continue;
      scratch.indexes[first + 1] = nullptr;
      scores.best[first] = -1.0;  // the threshold stays: what has reached it will reach it again
      scores.weight[first] = 0;
    }
    best.clear();
  }
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
    growing_.values.push_back(index.value(j, x.codes[j]));
    signature.add(j, false, x.codes[j]);
  }
  growing_.signature = signature.value();
  index.visit_growing(growing_, [&](const Forest::Leaf& leaf, size_t lane) {
    const Slot slot = leaf.items[lane];
    double dist = 0;
    for (const Probe& p : x.probes) {
      const size_t at = p.j * lanes::COUNT + lane;
      dist = std::max(dist, stick_out(leaf.V()[at], leaf.W()[at], p.xl, p.xu, p.slope));
    }
    double share = 1.0;
    if (leaf.has_shares()) {
      uint32_t sum = 0;
      for (const lanes::Value& value : growing_.values)
        sum += leaf.shares()[value.row * lanes::COUNT + lane];
      share = std::min(sum / (255.0 * static_cast<double>(r_)) + ROUNDING, 1.0);
    }
    const double b_num = 1.0 - std::min(dist, 1.0);
    const double degree = in_units(alpha_ * b_num + beta_ * share);
    Candidate box{degree, g.id[slot], {group, slot}, b_num, share, false};
    if (dist == 0 && share == 1) {  // else it does not contain x, and may never have to be weighed
      if (!weigh_values(box, x)) return;
      if (!exotic && box.b_cat == 1 && contains(g, slot, x)) return offer_container(group, slot);
    }
    candidates_.push_back(box);
  });
}

// Adds what the box makes of the values of x; false if the entropy test refuses it.
bool EntropyEngine::weigh_values(Candidate& box, const Sample& x) const {
  const Group& g = groups_[box.place.group];
  const Slot slot = box.place.slot;
  uint32_t least = std::numeric_limits<uint32_t>::max();
  double sum = 0;
  for (size_t j = 0; j < r_; ++j) {
    const uint32_t count = g.D[j].count(slot, x.codes[j]);
    least = std::min(least, count);
    sum += count;
  }
  if (settings_.mean ? sum < min_counts(g)[slot] : least < min_counts(g)[slot]) return false;
  box.b_cat = share_of(g, slot, sum);
  box.degree = in_units(alpha_ * box.b_num + beta_ * box.b_cat);
  box.weighed = true;
  return true;
}

void EntropyEngine::find_container_indexed(const BoxIndex& index, size_t group, const Sample& x) {
  meeting_.sides.clear();
  meeting_.values.clear();
  if (alpha_ > 0)  // V <= xl and xu <= W
    for (const Probe& p : x.probes) meeting_.sides.push_back({p.j, p.xu, p.xl});
  for (size_t j = 0; j < r_ && alpha_ < 1; ++j)
    meeting_.values.push_back(index.value(j, x.codes[j]));
  index.visit_containing(meeting_, [&](Slot slot) {
    if (contains(groups_[group], slot, x)) offer_container(group, slot);
  });
}

// Where all samples of the grown box agree, only a box that has seen that value and no other has a
// value of equal frequency; where they do not, only one that has seen several.
bool EntropyEngine::overlaps_indexed(const BoxIndex& index, size_t group, Overlap& x) const {
  const Grown& b = x.grown;
  BoxIndex::Meeting& meeting = x.meeting;
  meeting.sides.clear();
  meeting.values.clear();
  for (size_t j = 0; j < n_; ++j) meeting.sides.push_back({j, b.V[j], b.W[j]});
  Signature signature;
  auto pure = b.pure.begin();
  for (size_t j = 0; j < r_; ++j) {
    const bool mixed = pure == b.pure.end() || *pure != j;
    const Code only = b.D[j][0].first;
    signature.add(j, mixed, only);
    if (mixed) continue;
    ++pure;
    meeting.values.push_back(index.value(j, only));
  }
  meeting.signature = signature.value();
  meeting.factors = BoxIndex::common_factors(static_cast<uint32_t>(b.n.value));
  return index.visit_overlapping(meeting, [&](Slot slot) { return blocks({group, slot}, x); });
}

}  // namespace boxwise
