// Boxes that are near each other, next to each other: so that what a lot of them can say at most, taken
// together, leaves many lots out. It is made where many rows are predicted and nothing is learned.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "evidence_question.hpp"
#include "kernels.hpp"

namespace boxwise {

using std::size_t;

namespace {
constexpr size_t LOT = kernels::LOT;
constexpr size_t SOME = 48;  // boxes that tell how far a number of them are apart

// Some of the entries, evenly.
template <class Use>
void visit_some(const Slot* slots, size_t count, Use use) {
  const size_t step = std::max<size_t>(count / SOME, 1);
  for (size_t i = 0; i < count; i += step) use(slots[i]);
}
}  // namespace

Terrain::Terrain(const Group& g, const std::vector<Slot>& order)
    : group(g.V.size(), g.D.size(), false), hulls(g.V.size()), values(g.D.size()) {
  group.outlined = g.outlined;
  for (const Slot slot : order) {
    const Slot to = group.append(g.at(slot));
    if (g.outlined) group.outlines.copy(to, g.outlines, slot);
  }
  if (g.outlined) hulls.make_room(lots());
  for (size_t lot = 0; lot < lots() && g.outlined; ++lot) hulls.enclose(lot, group.outlines);
  std::vector<Tally> tallies;
  for (size_t j = 0; j < values.size(); ++j) {
    values[j].assign(lots(), 0);
    for (Slot slot = 0; slot < group.size(); ++slot) {
      group.D[j].values(slot, tallies);
      for (const auto& [code, times] : tallies) values[j][slot / LOT] |= std::uint64_t{1} << code % 64;
    }
  }
}

void Terrain::weigh(const double* weight) {
  heaviest.assign(lots(), 0.0);
  for (size_t slot = 0; slot < group.size(); ++slot)
    heaviest[slot / LOT] = std::max(heaviest[slot / LOT], weight[slot]);
}

// The boxes are parted in two, and the parts again, by the feature in which they are furthest apart, in
// terms of what they say, until a part is a lot.
std::vector<Slot> EvidenceEngine::near_ones_together(const Group& g) const {
  const double bandwidth = evidence_.bandwidths[voices_[0].bandwidth];
  const double backoff = evidence_.backoffs[voices_[0].backoff];
  std::vector<double> price(n_ + r_);
  for (size_t j = 0; j < n_; ++j)
    price[j] = width(j) > 0 ? 1 / (width(j) * reach_[j] * bandwidth) : 0.0;
  for (size_t j = 0; j < r_; ++j) {
    const double own = backoff * reach_[n_ + j] / static_cast<double>(g.D[j].n_codes() + 1);
    price[n_ + j] = std::log((1 + own) / own);
  }
  std::vector<Slot> slots(g.size());
  std::iota(slots.begin(), slots.end(), Slot{0});
  std::vector<std::pair<double, Slot>> keys(g.size());
  const auto part = [&](const auto& again, Slot* begin, size_t count) -> void {
    if (count <= LOT) return;
    const size_t feature = farthest_apart(g, price, begin, count);
    for (size_t i = 0; i < count; ++i) {
      const Slot slot = begin[i];
      keys[i] = {feature < n_ ? g.V[feature][slot] + g.W[feature][slot]
                              : static_cast<double>(g.D[feature - n_].any(slot)),
                 slot};
    }
    const size_t half = (count / 2 + LOT - 1) / LOT * LOT;
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(half),
                     keys.begin() + static_cast<std::ptrdiff_t>(count));
    for (size_t i = 0; i < count; ++i) begin[i] = keys[i].second;
    again(again, begin, half);
    again(again, begin + half, count - half);
  };
  part(part, slots.data(), slots.size());
  return slots;
}

size_t EvidenceEngine::farthest_apart(const Group& g, const std::vector<double>& price,
                                      const Slot* slots, size_t count) const {
  size_t farthest = 0;
  double most = -1;
  std::vector<Code> codes;
  for (size_t j = 0; j < n_ + r_; ++j) {
    double apart;
    if (j < n_) {
      double low = UNSET, high = -UNSET;
      visit_some(slots, count, [&](Slot slot) {
        low = std::min(low, g.V[j][slot]);
        high = std::max(high, g.W[j][slot]);
      });
      apart = low < high ? (high - low) * price[j] : 0.0;
    } else {
      codes.clear();
      visit_some(slots, count, [&](Slot slot) { codes.push_back(g.D[j - n_].any(slot)); });
      std::sort(codes.begin(), codes.end());
      size_t common = 0;
      for (auto at = codes.begin(); at != codes.end();) {
        const auto next = std::upper_bound(at, codes.end(), *at);
        common = std::max(common, static_cast<size_t>(next - at));
        at = next;
      }
      apart = 2 * price[j] * (1 - static_cast<double>(common) / static_cast<double>(codes.size()));
    }
    if (apart > most) {
      most = apart;
      farthest = j;
    }
  }
  return farthest;
}

}  // namespace boxwise
