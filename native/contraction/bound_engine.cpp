#include "contraction/bound_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "kernels/kernels.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

namespace {
constexpr size_t ROWS_PER_PULSE = 512;  // learned between two calls of pulse
constexpr Code NONE = ValueDistance::NONE;

std::invalid_argument invalid(const char* text) { return std::invalid_argument(text); }
}  // namespace

BoundEngine::BoundEngine(size_t n_numeric, size_t n_categorical, BoundSettings settings,
                         std::vector<Range> ranges, std::function<void()> pulse)
    : CuttingEngine(n_numeric, n_categorical, std::move(ranges)),
      pulse_(std::move(pulse)),
      counts_(n_categorical),
      distance_(n_categorical),
      excluded_(n_categorical) {
  configure(std::move(settings));
}

std::unique_ptr<LearningEngine> BoundEngine::fresh() const {
  return std::make_unique<BoundEngine>(n_, r_, settings_, ranges_);
}

void BoundEngine::configure(BoundSettings settings) {
  check_sizes(settings.theta, settings.gamma);
  if (!(settings.eta >= 0 && settings.eta <= 1)) throw invalid("eta is not in [0, 1]");
  const auto writer = writing();
  settings_ = std::move(settings);
  set_sizes(settings_.theta, settings_.gamma);
  refresh_all_thresholds();
}

void BoundEngine::learn(const Rows& rows, const std::int32_t* labels) {
  check(rows);
  {
    const auto writer = writing();
    if (next_id_ > 0) throw invalid("all rows must be learned in one call");
    check_labels(rows, labels);
    prepare(rows, labels);
  }
  for (size_t begin = 0; begin < rows.count; begin += ROWS_PER_PULSE) {
    const size_t count = std::min(ROWS_PER_PULSE, rows.count - begin);
    Engine::learn({count, rows.lower + begin * n_, rows.upper + begin * n_, rows.codes + begin * r_},
                  labels + begin);
    if (pulse_) pulse_();
  }
}

// Count the classes of each value. Rows without a label do not count, but their values have codes.
void BoundEngine::prepare(const Rows& rows, const std::int32_t* labels) {
  std::vector<ClassCounts> counts(r_);
  std::vector<std::vector<Code>> order(r_);
  for (size_t j = 0; j < r_; ++j) {
    Code last = -1;
    for (size_t row = 0; row < rows.count; ++row) last = std::max(last, rows.codes[row * r_ + j]);
    counts[j].resize(static_cast<size_t>(last) + 1);
    std::vector<bool> seen(counts[j].size(), false);
    for (size_t row = 0; row < rows.count; ++row) {
      const Code code = rows.codes[row * r_ + j];
      if (!seen[code]) order[j].push_back(code);
      seen[code] = true;
      if (labels[row] < 0) continue;
      auto& classes = counts[j][code];
      auto at = std::lower_bound(classes.begin(), classes.end(), Tally{labels[row], 0});
      if (at == classes.end() || at->first != labels[row])
        at = classes.insert(at, Tally{labels[row], 0});
      ++at->second;
    }
  }
  turn_ = 0;
  for (size_t j = 0; j < r_; ++j) {
    excluded_[j].assign(counts[j].size(), 0);
    distance_[j] = ValueDistance(counts[j], order[j]);
  }
  counts_ = std::move(counts);
}

double BoundEngine::extent(size_t j, Pair pair) const {
  return pair.F == NONE ? 0.0 : distance_[j](pair.E, pair.F);
}

// A box that is new has its values as bounds, E, and no F.
void BoundEngine::refresh_thresholds(Group& g, Slot slot) {
  if (row_id_.empty() || g.id[slot] > row_id_.back()) {
    row_id_.push_back(g.id[slot]);
    for (size_t j = 0; j < r_; ++j) {
      g.D[j].values(slot, scratch_);
      pairs_.push_back({scratch_.front().first, NONE});
    }
  }
  g.engine_data[slot] = static_cast<uint32_t>(row_of(g.id[slot]));
}

size_t BoundEngine::row_of(uint64_t id) const {
  const auto at = std::lower_bound(row_id_.begin(), row_id_.end(), id);
  return static_cast<size_t>(at - row_id_.begin());
}

BoundSnapshot BoundEngine::bound_snapshot() const {
  BoundSnapshot all{snapshot(), {}, {}, {0}, {}, {}};
  const auto reader = reading();
  for (const uint64_t id : all.id) {
    const size_t row = row_of(id);
    for (size_t j = 0; j < r_; ++j) {
      all.bounds.push_back(pairs_[row * r_ + j].E);
      all.bounds.push_back(pairs_[row * r_ + j].F);
    }
  }
  for (const ClassCounts& values : counts_) {
    all.n_values.push_back(values.size());
    for (const auto& classes : values) {
      for (auto [label, times] : classes) {
        all.seen_class.push_back(label);
        all.seen_times.push_back(times);
      }
      all.seen_first.push_back(all.seen_class.size());
    }
  }
  return all;
}

// Everything is checked before anything is kept: a snapshot may come from a damaged file.
void BoundEngine::restore(const BoundSnapshot& all) {
  if (all.bounds.size() != all.n.size() * 2 * r_ || all.n_values.size() != r_ ||
      all.seen_first.empty() || all.seen_first.front() != 0 ||
      all.seen_first.back() != all.seen_class.size() ||
      all.seen_class.size() != all.seen_times.size())
    throw invalid("the arrays of the bounds do not fit together");
  std::vector<ClassCounts> counts(r_);
  std::vector<std::vector<Code>> order(r_);  // nothing more is learned: that of the codes will do
  uint64_t value = 0;
  for (size_t j = 0; j < r_; ++j) {
    if (all.n_values[j] > all.seen_first.size() - 1 - value)
      throw invalid("a feature has more values than there are");
    for (uint64_t end = value + all.n_values[j]; value < end; ++value) {
      const uint64_t first = all.seen_first[value], last = all.seen_first[value + 1];
      if (first > last || last > all.seen_class.size())
        throw invalid("the classes of a value have no place");
      std::vector<Tally> classes;
      for (uint64_t s = first; s < last; ++s) {
        if (all.seen_class[s] < 0 || all.seen_times[s] == 0 ||
            static_cast<uint64_t>(all.seen_class[s]) >= all.n_classes ||
            (s > first && all.seen_class[s] <= all.seen_class[s - 1]))
          throw invalid("the classes of a value are not in order");
        classes.emplace_back(all.seen_class[s], all.seen_times[s]);
      }
      order[j].push_back(static_cast<Code>(counts[j].size()));
      counts[j].push_back(std::move(classes));
    }
  }
  if (value != all.seen_first.size() - 1) throw invalid("there are more values than features have");
  std::vector<Pair> pairs;
  for (size_t i = 0; i < all.bounds.size(); i += 2) {
    const Pair pair{all.bounds[i], all.bounds[i + 1]};
    const auto values = static_cast<std::int64_t>(counts[i / 2 % r_].size());
    if (pair.E < 0 || pair.E >= values || pair.F < NONE || pair.F >= values)
      throw invalid("a box has a bound that is no value");
    pairs.push_back(pair);
  }
  std::vector<ValueDistance> distance;
  for (size_t j = 0; j < r_; ++j) distance.emplace_back(counts[j], order[j]);
  std::vector<uint64_t> row_id = all.id;
  const auto keep = [&] {
    const auto writer = writing();
    std::swap(counts_, counts);
    std::swap(distance_, distance);
    std::swap(row_id_, row_id);
    std::swap(pairs_, pairs);
  };
  keep();  // first, for the boxes look for their rows
  try {
    Engine::restore(all);
  } catch (...) {
    keep();
    throw;
  }
}

size_t BoundEngine::bytes() const {
  const size_t boxes = Engine::bytes();
  const auto reader = reading();
  size_t total = boxes + row_id_.capacity() * sizeof(uint64_t) + pairs_.capacity() * sizeof(Pair);
  for (const auto& distance : distance_) total += distance.bytes();
  for (const auto& values : counts_)
    for (const auto& classes : values) total += classes.capacity() * sizeof(Tally);
  return total;
}

}  // namespace boxwise
