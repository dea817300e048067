#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "agglomerative/agglomerate.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

// The model goes on learning, from the boxes of another one instead of rows: a box of one row is
// learned as the row, one that a box contains is taken by it, all others stay boxes of their own.
//
// That leaves more boxes than the rows themselves would have made. How many those would be is
// estimated (Good and Turing) from the boxes with one row: their share of the rows is how often a
// row makes a new box. Boxes beyond that number, the smallest first, are taken apart into rows, if
// all of their rows find boxes that take them, or else merge with the most similar box.
class AgglomerativeEngine::Joining {
 public:
  Joining(AgglomerativeEngine& engine, const AgglomerativeEngine& other);
  void add_boxes();
  void reduce_surplus();

 private:
  static constexpr uint32_t MAX_SPLIT_ROWS = 256;  // of a box that may be taken apart
  static constexpr double MARGIN = 1.25;  // fewer boxes than that cost accuracy, measured

  struct Partner {
    double degree;
    uint64_t id;
    Place place;
    bool operator<(const Partner& other) const {  // comes later: less similar, or younger
      return degree != other.degree ? degree < other.degree : id > other.id;
    }
  };

  bool is_taken(const Box& box, size_t group);
  void grow(Place place, const Box& box, size_t group, bool stretches);
  void read(const Box& box, size_t group, Sample& x);
  std::optional<Place> place_of(uint64_t id) const;
  bool take_apart(Place place);
  bool give_row_away(const Box& box, size_t group, uint32_t row);
  void deal_values(const Box& box);
  void put_back();
  bool merge_with_partner(Place place);

  AgglomerativeEngine& e_;
  const AgglomerativeEngine& other_;
  const uint64_t first_;  // id of the first box that nothing took, if there is one
  double expected_ = 0;   // how many such boxes there may be
  std::vector<Partner> partners_;
  Sample sample_;
  std::vector<Code> codes_;
  std::vector<std::vector<uint32_t>> dealt_;    // by feature and row: which of the values it gets
  std::vector<std::pair<size_t, Box>> before_;  // boxes that took rows, as they were, and groups
};

void AgglomerativeEngine::join(const AgglomerativeEngine& other) {
  if (&other == this) throw std::invalid_argument("a model cannot be joined with itself");
  const auto writer = writing();
  const auto reader = other.reading();
  Joining joining(*this, other);
  joining.add_boxes();
  joining.reduce_surplus();
}

AgglomerativeEngine::Joining::Joining(AgglomerativeEngine& engine, const AgglomerativeEngine& other)
    : e_(engine), other_(other), first_(engine.next_id_) {
  if (e_.n_ != other_.n_ || e_.r_ != other_.r_ || e_.groups_.size() != other_.groups_.size())
    throw std::invalid_argument("the models differ in their features or classes");
  double once = 0, rows = 0, more = 0;
  for (const Group& g : e_.groups_) {
    once += static_cast<double>(std::count(g.n.begin(), g.n.begin() + g.size(), 1u));
    rows += std::accumulate(g.n.begin(), g.n.begin() + g.size(), 0.0);
  }
  for (const Group& g : other_.groups_)
    more += std::accumulate(g.n.begin(), g.n.begin() + g.size(), 0.0);
  expected_ = rows > 0 ? MARGIN * more * once / rows : more;
}

void AgglomerativeEngine::Joining::add_boxes() {
  for (const auto& [id, place] : other_.in_order()) {
    e_.pulse();
    Box box = other_.groups_[place.group].at(place.slot);
    box.id = e_.next_id_;
    if (is_taken(box, place.group)) continue;
    e_.insert(place.group, box);
    ++e_.next_id_;
  }
}

// A box that holds one value in each categorical feature is like a row that is an interval.
bool AgglomerativeEngine::Joining::is_taken(const Box& box, size_t group) {
  const bool pure =
      std::all_of(box.D.begin(), box.D.end(), [](const auto& set) { return set.size() == 1; });
  if (!pure) return false;
  read(box, group, sample_);
  if (box.n == 1) {
    const auto taker = e_.find_taker(sample_);
    if (taker) grow(taker->place, box, group, taker->grows);
    return taker.has_value();
  }
  e_.look_up(sample_);
  if (e_.container_) grow(e_.container_->place, box, group, false);
  return e_.container_.has_value();
}

// The box in `place` takes all that is in another one.
void AgglomerativeEngine::Joining::grow(Place place, const Box& box, size_t group, bool stretches) {
  Group& g = e_.groups_[place.group];
  const Box alone = g.at(place.slot);
  Box both = alone;
  both.add(box);
  both.id = std::min(alone.id, box.id);
  if (!stretches) {  // it contains the box, or alpha leaves the numbers out
    both.V = alone.V;
    both.W = alone.W;
    both.from = alone.from;
    both.to = alone.to;
  }
  g.remove(place.slot);
  e_.insert(std::max(place.group, group), both);
}

void AgglomerativeEngine::Joining::read(const Box& box, size_t group, Sample& x) {
  x.probes.clear();
  for (size_t j = 0; j < e_.n_; ++j)
    if (box.V[j] <= box.W[j])
      x.probes.push_back({j, box.V[j], box.W[j], e_.limit_[j], e_.slope_[j],
                          e_.rescaled_ ? box.from[j] : box.V[j],
                          e_.rescaled_ ? box.to[j] : box.W[j]});
  codes_.clear();
  for (const auto& set : box.D) codes_.push_back(set[0].first);
  x.codes = codes_.data();
  x.label = static_cast<std::int32_t>(group) - 1;
}

void AgglomerativeEngine::Joining::reduce_surplus() {
  auto surplus = static_cast<double>(e_.next_id_ - first_) - expected_;
  if (surplus <= 0) return;
  std::vector<std::pair<uint32_t, uint64_t>> by_size;
  for (const Group& g : e_.groups_)
    for (Slot slot = 0; slot < g.size(); ++slot)
      if (g.id[slot] >= first_) by_size.emplace_back(g.n[slot], g.id[slot]);
  std::sort(by_size.begin(), by_size.end());
  for (const auto& [n, id] : by_size) {
    if (surplus <= 0) return;
    e_.pulse();
    const auto place = place_of(id);
    if (!place) continue;  // merged with one before it
    if (take_apart(*place) || merge_with_partner(*place_of(id))) surplus -= 1;
  }
}

std::optional<Engine::Place> AgglomerativeEngine::Joining::place_of(uint64_t id) const {
  for (size_t k = 0; k < e_.groups_.size(); ++k) {
    const Group& g = e_.groups_[k];
    const auto end = g.id.begin() + static_cast<std::ptrdiff_t>(g.size());
    const auto found = std::find(g.id.begin(), end, id);
    if (found != end) return Place{k, static_cast<Slot>(found - g.id.begin())};
  }
  return std::nullopt;
}

// Gives the rows of a box to others; if one of them finds no taker, everything stays as it was.
bool AgglomerativeEngine::Joining::take_apart(Place place) {
  if (e_.groups_[place.group].n[place.slot] > MAX_SPLIT_ROWS) return false;
  const Box box = e_.groups_[place.group].remove(place.slot);
  before_.clear();
  deal_values(box);
  for (uint32_t row = 0; row < box.n; ++row) {
    if (give_row_away(box, place.group, row)) continue;
    put_back();
    e_.insert(place.group, box);
    return false;
  }
  return true;
}

bool AgglomerativeEngine::Joining::give_row_away(const Box& box, size_t group, uint32_t row) {
  Sample& x = sample_;
  read(box, group, x);
  for (Probe& p : x.probes) {
    if (box.n == 1) break;  // the interval itself
    const double share = static_cast<double>(dealt_[p.j][row]) / static_cast<double>(box.n - 1);
    const double x = share == 1 ? p.to : std::min(p.from + share * (p.to - p.from), p.to);
    p = e_.probe(p.j, x, x);
  }
  for (size_t j = 0; j < e_.r_; ++j) {
    uint32_t left = dealt_[e_.n_ + j][row];
    auto value = box.D[j].begin();
    for (; left >= value->second; ++value) left -= value->second;
    codes_[j] = value->first;
  }
  const auto taker = e_.find_taker(x);
  if (!taker) return false;
  const Group& g = e_.groups_[taker->place.group];
  const uint64_t id = g.id[taker->place.slot];
  if (std::none_of(before_.begin(), before_.end(), [&](auto& b) { return b.second.id == id; }))
    before_.emplace_back(taker->place.group, g.at(taker->place.slot));
  e_.take(taker->place, x, taker->grows);
  return true;
}

// A box knows its features only one by one: its rows are taken to be spread evenly, and values of
// different features are combined by a random draw that is the same every time.
void AgglomerativeEngine::Joining::deal_values(const Box& box) {
  uint64_t state = box.id;
  const auto draw = [&](uint64_t below) {  // splitmix64
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % below;
  };
  dealt_.resize(e_.n_ + e_.r_);
  for (auto& order : dealt_) {
    order.resize(box.n);
    std::iota(order.begin(), order.end(), 0u);
    for (size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1], order[draw(left)]);
  }
}

void AgglomerativeEngine::Joining::put_back() {
  for (const auto& [group, box] : before_) {
    const Place place = *place_of(box.id);
    e_.groups_[place.group].remove(place.slot);
    e_.insert(group, box);
  }
}

bool AgglomerativeEngine::Joining::merge_with_partner(Place place) {
  const Box box = e_.groups_[place.group].remove(place.slot);
  partners_.clear();
  e_.search_.overlap.blockers.clear();
  e_.visit_partners(box, place.group, [&](Place other, double degree) {
    partners_.push_back({degree, e_.groups_[other.group].id[other.slot], other});
  });
  std::make_heap(partners_.begin(), partners_.end());
  for (; !partners_.empty(); partners_.pop_back()) {
    std::pop_heap(partners_.begin(), partners_.end());
    const Place other = partners_.back().place;
    e_.unite(other, box, e_.search_);
    e_.follow_boxes(1);
    const size_t own = std::max(other.group, place.group);
    if (e_.is_blocked_again(own, e_.search_.overlap)) continue;
    if (e_.union_overlaps(own, e_.search_)) continue;
    grow(other, box, place.group, true);
    return true;
  }
  e_.insert(place.group, box);
  return false;
}

}  // namespace boxwise
