#include "evidence_inquiry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels.hpp"
#include "scan.hpp"

namespace boxwise {

using std::size_t;

namespace {
constexpr double NONE = -std::numeric_limits<double>::infinity();
}  // namespace

// What is the same for all boxes of a class is found at once: it is quickly added up.
void EvidenceEngine::begin(Inquiry& inquiry, const Sample& x, const std::vector<bool>& asked,
                           size_t portion) {
  inquiry.begun = record_.rows;
  inquiry.portion = portion;
  inquiry.temperature = voices_[0].temperature;
  inquiry.rows = std::max(clock_, 1.0);
  inquiry.memory = memory();
  inquiry.x = x;
  inquiry.codes.assign(x.codes, x.codes + r_);
  inquiry.x.codes = inquiry.codes.data();
  inquiry.pairs.clear();
  for (size_t pair = 0; pair < asked.size(); ++pair)
    if (asked[pair]) inquiry.pairs.push_back(pair);
  ask_for(inquiry.x, asked, inquiry.q);
  inquiry.classes.resize(groups_.size() - 1);
  inquiry.boxes = inquiry.boxes_asked = inquiry.next_class = inquiry.next_portion = 0;
  for (size_t k = 0; k < inquiry.classes.size(); ++k) {
    begin_class(inquiry, groups_[k + 1], inquiry.classes[k]);
    inquiry.boxes += inquiry.classes[k].boxes;
  }
  inquiry.open = true;
}

void EvidenceEngine::begin_class(const Inquiry& inquiry, Group& g, Answers& a) {
  a.boxes = g.size();
  a.samples = kernels::total(g.n.data(), g.size());
  a.newest = g.size() > 0 ? kernels::most(g.last.data(), g.size()) : 0.0;
  a.shares.clear();
  for (size_t j = 0; j < r_; ++j) {
    const auto seen = static_cast<double>(add_up(g, j, inquiry.codes[j]));
    a.shares.push_back((seen + inquiry.q.even[j]) / (static_cast<double>(a.samples) + 1));
  }
  a.order = g.by_creation();  // which may change, until all were asked
  const size_t portions = inquiry.portions(a);
  a.asked.assign(portions, false);
  a.sums.resize(portions * inquiry.pairs.size());
  a.left = {};
  if (!inquiry.with_slopes) return;
  a.loudest.resize(portions);
  a.said.resize(portions);
  a.slopes.resize(portions * (n_ + r_ + 1));
}

// As many boxes as it takes to be done in time.
void EvidenceEngine::go_on(Inquiry& inquiry, std::uint64_t due) const {
  if (!inquiry.open) return;
  const std::uint64_t turns = due - inquiry.begun + 1;
  const std::uint64_t turn = std::min(record_.rows - inquiry.begun + 1, turns);
  ask_until(inquiry, inquiry.boxes * turn / turns);
}

void EvidenceEngine::ask_until(Inquiry& inquiry, size_t boxes) const {
  while (inquiry.boxes_asked < boxes) {
    if (inquiry.next_portion == inquiry.portions(inquiry.classes[inquiry.next_class])) {
      ++inquiry.next_class;
      inquiry.next_portion = 0;
      continue;
    }
    ask_portion(inquiry, inquiry.next_class, inquiry.next_portion);
    ++inquiry.next_portion;
  }
}

void EvidenceEngine::about_to_change(Place place) {
  for (Inquiry* inquiry : {test_.get(), step_.get()}) {
    if (!inquiry->open || place.group == 0 || place.group > inquiry->classes.size()) continue;
    const Answers& a = inquiry->classes[place.group - 1];
    if (place.slot >= a.boxes) continue;  // it came later
    size_t at = place.slot;
    if (!a.order.empty()) {
      const auto& id = groups_[place.group].id;
      const auto older = [&](Slot s, Slot t) { return id[s] < id[t]; };
      at = static_cast<size_t>(
          std::lower_bound(a.order.begin(), a.order.end(), place.slot, older) - a.order.begin());
    }
    ask_portion(*inquiry, place.group - 1, at / inquiry->portion);
  }
}

void EvidenceEngine::about_to_change_all() {
  for (Inquiry* inquiry : {test_.get(), step_.get()})
    if (inquiry->open) ask_until(*inquiry, inquiry->boxes);
}

void EvidenceEngine::ask_portion(Inquiry& inquiry, size_t k, size_t portion) const {
  Answers& a = inquiry.classes[k];
  if (a.asked[portion]) return;
  const size_t first = portion * inquiry.portion, m = std::min(inquiry.portion, a.boxes - first);
  Question& q = inquiry.q;
  q.g = &groups_[k + 1];
  q.shares = a.shares;
  back_up(q);
  const Left left = fade_portion(inquiry, a, first, m);
  ask_run(q, a.order.empty() ? static_cast<Slot>(first) : 0, m);
  if (!a.order.empty()) {
    const auto begin = a.order.begin() + static_cast<std::ptrdiff_t>(first);
    q.crowd.slots.assign(begin, begin + static_cast<std::ptrdiff_t>(m));
    bring_together(q);
  }
  ask(q);
  double* sums = &a.sums[portion * inquiry.pairs.size()];
  for (const size_t pair : inquiry.pairs) *sums++ = log_sum(q, pair);
  if (inquiry.with_slopes) {
    a.loudest[portion] = q.most;
    a.said[portion] = add_slopes(inquiry, a, &a.slopes[portion * (n_ + r_ + 1)]);
  }
  a.left.samples += left.samples;
  a.left.slope += left.slope;
  a.asked[portion] = true;
  inquiry.boxes_asked += m;
}

// What age has left of the boxes of a portion.
EvidenceEngine::Left EvidenceEngine::fade_portion(Inquiry& inquiry, const Answers& a, size_t first,
                                                  size_t m) const {
  Census& census = inquiry.q.made;
  const Group& g = *inquiry.q.g;
  inquiry.q.census = &census;
  census.weight.resize(m);
  Left left;
  alignas(64) double slope[BLOCK];
  const auto fade = [&](size_t slot, size_t place, size_t count) {
    double* weight = census.weight.data() + place;
    const double* last = g.last.data() + slot;
    kernels::fade(g.n.data() + slot, last, a.newest, inquiry.rows, inquiry.memory, weight, count);
    if (!evidence_.forget) return;
    left.samples += kernels::whole_parts(weight, CRUMBS, count);
    if (!inquiry.with_slopes) return;
    kernels::fade_slopes(weight, last, a.newest, inquiry.rows, inquiry.memory, slope, count);
    left.slope += kernels::whole_parts(slope, CRUMBS, count);
  };
  if (a.order.empty())
    for (size_t at = 0; at < m; at += BLOCK) fade(first + at, at, std::min(BLOCK, m - at));
  else
    for (size_t at = 0; at < m; ++at) fade(a.order[first + at], at, 1);
  return left;
}

// Pair by pair, of all classes, once all boxes were asked.
void EvidenceEngine::add_up_scores(const Inquiry& inquiry, std::vector<double>& scores) const {
  const size_t pairs = inquiry.pairs.size(), classes = inquiry.classes.size();
  scores.assign(evidence_.bandwidths.size() * evidence_.backoffs.size() * classes, NONE);
  for (size_t k = 0; k < classes; ++k) {
    const Answers& a = inquiry.classes[k];
    if (a.boxes == 0) continue;
    const double level = evidence_.forget ? level_of(a.samples, a.left.samples) : 0.0;
    for (size_t i = 0; i < pairs; ++i) {
      double most = NONE, total = 0;
      for (size_t at = i; at < a.sums.size(); at += pairs) most = std::max(most, a.sums[at]);
      if (most == NONE) continue;  // not one of them says anything
      for (size_t at = i; at < a.sums.size(); at += pairs) total += std::exp(a.sums[at] - most);
      scores[inquiry.pairs[i] * classes + k] = most + std::log(total) + level;
    }
  }
}

// How the score of a class grows with the logarithms of the reaches.
void EvidenceEngine::add_up_slopes(const Answers& a, double* slopes) const {
  const size_t features = n_ + r_ + 1;
  std::fill_n(slopes, features, 0.0);
  if (a.boxes == 0) return;
  const double most = *std::max_element(a.loudest.begin(), a.loudest.end());
  if (most == NONE) return;
  double weights = 0;
  for (size_t portion = 0; portion < a.loudest.size(); ++portion) {
    const double weight = std::exp(a.loudest[portion] - most);
    for (size_t j = 0; j < features; ++j) slopes[j] += weight * a.slopes[portion * features + j];
    weights += weight * a.said[portion];
  }
  for (size_t j = 0; j < features; ++j) slopes[j] /= weights;
  if (evidence_.forget)  // and its level does
    slopes[n_ + r_] -= static_cast<double>(a.left.slope) / static_cast<double>(a.left.samples);
}

}  // namespace boxwise
