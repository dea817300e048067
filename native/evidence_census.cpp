#include "evidence_census.hpp"

#include <algorithm>
#include <cmath>

#include "evidence_question.hpp"
#include "kernels.hpp"
#include "scan.hpp"

namespace boxwise {

using std::size_t;

void Census::count_values(const Group& g) {
  totals_.assign(g.D.size(), {});
  std::vector<std::uint64_t> times;  // by code: of many, a class may have seen few
  std::vector<Tally> values;
  for (size_t j = 0; j < g.D.size(); ++j) {
    times.assign(g.D[j].n_codes(), 0);
    for (Slot slot = 0; slot < g.size(); ++slot) {
      g.D[j].values(slot, values);
      for (auto [code, count] : values) times[static_cast<size_t>(code)] += count;
    }
    for (size_t code = 0; code < times.size(); ++code)
      if (times[code] > 0) totals_[j].push_back({static_cast<Code>(code), times[code]});
  }
}

std::uint64_t Census::seen(size_t j, Code code) const {
  const auto& totals = totals_[j];
  const auto at = std::lower_bound(totals.begin(), totals.end(), code,
                                   [](const Total& total, Code other) { return total.code < other; });
  return at != totals.end() && at->code == code ? at->times : 0;
}

namespace {
constexpr size_t MANY_ROWS = 128;  // to predict, so that it pays to count before
// To predict, and boxes of a class, so that it pays to sort these. That takes a while: single rows, which
// do not expect to wait, are not counted.
constexpr size_t MORE_ROWS = 512, MANY_BOXES = 2048, TOGETHER = 64;
}  // namespace

void EvidenceEngine::prepare(size_t rows, Scratch& scratch) const {
  scratch.arranged.reset();
  const bool always = index_mode_ == IndexMode::ON, never = index_mode_ == IndexMode::OFF;
  const auto is_many = [&](const Group& g) { return g.size() >= (always ? 1 : MANY_BOXES); };
  scratch.census.reset();
  if (!never && std::any_of(groups_.begin() + 1, groups_.end(), is_many))
    scratch.census = terrains_.get(changes(), always || rows >= TOGETHER ? rows : 0,
                                   always ? 1 : MORE_ROWS, [&] { return take_census(is_many); });
  if (scratch.census == nullptr)
    scratch.census = census_.get(changes(), rows, MANY_ROWS,
                                 [&] { return take_census([](const Group&) { return false; }); });
}

// Of all classes; of some with their terrain.
std::shared_ptr<std::vector<Census>> EvidenceEngine::take_census(
    const std::function<bool(const Group&)>& is_sorted) const {
  auto census = std::make_shared<std::vector<Census>>(groups_.size());
  for (size_t group = 1; group < groups_.size(); ++group) {
    const Group& g = groups_[group];
    Census& own = (*census)[group];
    if (g.size() == 0) continue;
    own.count_values(g);
    if (!is_sorted(g)) {
      weigh_boxes(g, own);
      continue;
    }
    auto terrain = std::make_shared<Terrain>(g, near_ones_together(g));
    weigh_boxes(terrain->group, own);
    terrain->weigh(own.weight.data());
    own.terrain = std::move(terrain);
  }
  return census;
}

// All but the values.
void EvidenceEngine::weigh_boxes(const Group& g, Census& census) const {
  census.samples = kernels::total(g.n.data(), g.size());
  const double newest = kernels::most(g.last.data(), g.size());
  census.weight.resize(g.size());
  kernels::fade(g.n.data(), g.last.data(), newest, std::max(clock_, 1.0), memory(),
                census.weight.data(), g.size());
  census.level = evidence_.forget ? level_of(census.samples, kernels::whole_parts(census.weight.data(),
                                                                                  CRUMBS, g.size()))
                                  : 0.0;
}

std::uint64_t EvidenceEngine::add_up(const Group& g, size_t j, Code code) {
  std::uint32_t scratch[BLOCK];
  std::uint64_t seen = 0;
  for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
    const size_t m = std::min(BLOCK, g.size() - begin);
    const std::uint32_t* counts = g.D[j].row(code, static_cast<Slot>(begin), m, scratch);
    if (counts != nullptr) seen += kernels::total(counts, m);
  }
  return seen;
}

}  // namespace boxwise
