#include "engine/engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "index/box_index.hpp"
#include "kernels/kernels.hpp"

namespace boxwise {

using std::size_t;

namespace {
constexpr double LARGEST_GAMMA = 1e6;  // LARGEST / NO_WIDTH times this is still finite
constexpr size_t LEARN_CHUNK = 32;   // rows learned under one write lock: readers wait no longer

std::invalid_argument invalid(const std::string& text) { return std::invalid_argument(text); }
}  // namespace

Engine::Engine(size_t n_numeric, size_t n_categorical, std::vector<Range> ranges)
    : n_(n_numeric),
      r_(n_categorical),
      rescaled_(!ranges.empty() && ranges[0].scale.has_value()),
      ranges_(std::move(ranges)),
      limit_(n_numeric),
      slope_(n_numeric),
      margin_(n_numeric) {
  if (n_ + r_ == 0) throw invalid("a model needs at least one feature");
  if (ranges_.size() != n_) throw invalid("one range per numeric feature is needed");
  for (const Range& range : ranges_) {
    const bool unseen = range.low == UNSET && range.high == -UNSET && range.growing;
    if (!unseen && !(range.low >= -LARGEST && range.low <= range.high && range.high <= LARGEST))
      throw invalid("a range must be finite, its low end not above its high end");
    if (range.scale.has_value() != rescaled_)
      throw invalid("some features have a scale, and others have none");
  }
  groups_.push_back(new_group());
}

void Engine::check_sizes(double theta, const std::vector<double>& gamma) const {
  if (!(theta >= 0 && std::isfinite(theta))) throw invalid("theta is below 0");
  if (gamma.size() != n_) throw invalid("one gamma per numeric feature is needed");
  for (double g : gamma)
    if (!(g > 0 && g <= LARGEST_GAMMA)) throw invalid("gamma is not in (0, 1e6]");
}

void Engine::set_sizes(double theta, std::vector<double> gamma) {
  theta_ = theta;
  gamma_ = std::move(gamma);
  for (size_t j = 0; j < n_; ++j) measure(j);
}

void Engine::refresh_all_thresholds() {
  for (Group& g : groups_) {
    g.index.set(nullptr);
    g.oversized = false;
    for (Slot slot = 0; slot < g.size(); ++slot) {
      g.oversized = g.oversized || is_oversized(g, slot);
      refresh_thresholds(g, slot);
      quantize(g, slot);
    }
  }
}

void Engine::learn(const Rows& rows, const std::int32_t* labels) {
  learn_each(rows, labels, [](size_t) {});
}

void Engine::test_then_train(const Rows& rows, const std::int32_t* labels, Answers answers) {
  if (needs_all_rows()) throw invalid("all rows must be learned before any is predicted");
  ClassScores scores;
  Scratch scratch;
  learn_each(rows, labels, [&](size_t row) {
    answers.labels[row] = -1;
    if (!can_predict()) return;
    const bool every_class = answers.shares != nullptr;
    const size_t classes = groups_.size() - 1;
    read(rows, row, sample_);
    scratch.chunk_begins = true;
    score_classes(sample_, every_class, classes, scratch, scores);
    answers.labels[row] = static_cast<std::int32_t>(winner(scores));
    if (every_class) to_probabilities(scores, answers.shares_of(row));
  });
}

template <class Before>
void Engine::learn_each(const Rows& rows, const std::int32_t* labels, Before before) {
  check(rows);
  for (size_t begin = 0; begin < rows.count; begin += LEARN_CHUNK) {
    const auto writer = writing();
    if (begin == 0) check_labels(rows, labels);
    for (size_t row = begin; row < std::min(begin + LEARN_CHUNK, rows.count); ++row) {
      before(row);
      read_to_learn(rows, row, labels[row], sample_);
      learn_one(sample_);
    }
  }
}

void Engine::read_to_learn(const Rows& rows, size_t row, std::int32_t label, Sample& x) {
  while (label >= static_cast<std::int32_t>(groups_.size()) - 1) groups_.push_back(new_group());
  widen(rows, row);
  read(rows, row, x);
  x.label = label;
}

Group Engine::new_group() const {
  Group g(n_, r_, rescaled_);
  g.is_quantized = needs_quantized_bounds();
  return g;
}

void Engine::widen(const Rows& rows, size_t row) {
  bool rescaled = false;
  for (size_t j = 0; j < n_; ++j) {
    const double xl = rows.lower[row * n_ + j], xu = rows.upper[row * n_ + j];
    Range& range = ranges_[j];
    if (std::isnan(xl)) continue;
    if (range.scale && range.scale->meet(xl, xu)) {
      for (Group& g : groups_) rescale(g, j);
      measure(j);
      rescaled = true;
    }
    if (!range.growing || (xl >= range.low && xu <= range.high)) continue;
    range.low = std::min(range.low, xl);
    range.high = std::max(range.high, xu);
    measure(j);
  }
  if (rescaled) refresh_all_thresholds();
}

// Measure the boxes anew: the scale has changed.
void Engine::rescale(Group& g, size_t j) {
  const QuantileScale& scale = *ranges_[j].scale;
  for (Slot slot = 0; slot < g.size(); ++slot) {
    if (g.from[j][slot] > g.to[j][slot]) continue;
    g.V[j][slot] = scale(g.from[j][slot]);
    g.W[j][slot] = scale(g.to[j][slot]);
  }
}

// Theta and gamma in the units of feature j: decisions are those of scaling everything to [0, 1].
void Engine::measure(size_t j) {
  const double whole = width(j);
  limit_[j] = theta_ * whole;
  slope_[j] = whole > 0 ? gamma_[j] / whole : 0.0;
  margin_[j] = limit_[j] / 2 + whole / 16;
  measured(j);
}

double Engine::width(size_t j) const {
  if (rescaled_) return ranges_[j].scale->is_ready() ? 1.0 : 0.0;
  const double spread = ranges_[j].high - ranges_[j].low;
  return spread > NO_WIDTH ? spread : 0.0;
}

void Engine::read(const Rows& rows, size_t row, Sample& x) const {
  x.probes.resize(n_);
  size_t seen = 0;
  for (size_t j = 0; j < n_; ++j) {
    const double xl = rows.lower[row * n_ + j], xu = rows.upper[row * n_ + j];
    if (!std::isnan(xl)) x.probes[seen++] = probe(j, xl, xu);
  }
  x.probes.resize(seen);
  x.codes = rows.codes + row * r_;
}

Engine::Probe Engine::probe(size_t j, double low, double high) const {
  if (!rescaled_) return {j, low, high, limit_[j], slope_[j], low, high};
  const QuantileScale& scale = *ranges_[j].scale;
  const double xl = scale(low), xu = low == high ? xl : scale(high);
  return {j, xl, xu, limit_[j], slope_[j], low, high};
}

void Engine::insert(size_t group, const Box& box) {
  Group& g = groups_[group];
  const Slot slot = g.append(box);
  g.oversized = g.oversized || is_oversized(g, slot);
  refresh_thresholds(g, slot);
  quantize(g, slot);
  if (BoxIndex* index = g.index.get()) index->added(g, slot, box);
}

bool Engine::is_oversized(const Group& g, Slot slot) const {
  for (size_t j = 0; j < n_; ++j)
    if (g.W[j][slot] - g.V[j][slot] > limit_[j]) return true;
  return false;
}

Engine::Place Engine::find(std::uint64_t id) const {
  for (size_t k = 0; k < groups_.size(); ++k)
    for (Slot slot = 0; slot < groups_[k].size(); ++slot)
      if (groups_[k].id[slot] == id) return {k, slot};
  throw invalid("there is no box " + std::to_string(id));
}

void Engine::remove(std::uint64_t id) {
  const auto writer = writing();
  const Place place = find(id);
  Group& g = groups_[place.group];
  g.remove(place.slot);
  // A model read from a file knows what boxes hold. The group without a class may know more: of
  // boxes that a label has taken from it, which made no difference while their class had the same
  // values.
  for (Group* left : {&g, &groups_[0]})
    for (auto& column : left->D) column.recount();
}

std::vector<std::pair<std::uint64_t, Engine::Place>> Engine::in_order() const {
  std::vector<std::pair<std::uint64_t, Place>> boxes;
  for (size_t k = 0; k < groups_.size(); ++k)
    for (Slot slot = 0; slot < groups_[k].size(); ++slot)
      boxes.emplace_back(groups_[k].id[slot], Place{k, slot});
  std::sort(boxes.begin(), boxes.end(), [](auto& a, auto& b) { return a.first < b.first; });
  return boxes;
}

Snapshot Engine::snapshot() const {
  const auto reader = reading();
  Snapshot all;
  all.n_classes = groups_.size() - 1;
  all.next_id = next_id_;
  all.ranges = ranges_;
  const auto order = in_order();
  for (auto* bounds : {&all.V, &all.W}) bounds->reserve(order.size() * n_);
  all.first.reserve(order.size() * r_ + 1);
  all.code.reserve(order.size() * r_);  // more where boxes hold several values
  all.times.reserve(order.size() * r_);
  all.first.push_back(0);
  for (const auto& [id, place] : order) {
    const Box box = groups_[place.group].at(place.slot);
    const auto &V = rescaled_ ? box.from : box.V, &W = rescaled_ ? box.to : box.W;
    for (size_t j = 0; j < n_; ++j) {
      const bool unset = V[j] > W[j];
      all.V.push_back(unset ? std::numeric_limits<double>::quiet_NaN() : V[j]);
      all.W.push_back(unset ? std::numeric_limits<double>::quiet_NaN() : W[j]);
    }
    for (const auto& set : box.D) {
      for (auto [code, times] : set) {
        all.code.push_back(code);
        all.times.push_back(times);
      }
      all.first.push_back(all.code.size());
    }
    all.n.push_back(box.n);
    all.label.push_back(static_cast<std::int32_t>(place.group) - 1);
    all.id.push_back(id);
  }
  return all;
}

void Engine::take(Place place, const Sample& x, bool expand) {
  Group& g = groups_[place.group];
  const Slot slot = place.slot;
  if (g.n[slot] == std::numeric_limits<std::uint32_t>::max())
    throw std::overflow_error("a box cannot hold more than 4,294,967,295 samples");
  if (expand) {
    for (const Probe& p : x.probes) {
      if (rescaled_ && p.xl < g.V[p.j][slot]) g.from[p.j][slot] = p.from;
      if (rescaled_ && p.xu > g.W[p.j][slot]) g.to[p.j][slot] = p.to;
      g.V[p.j][slot] = std::min(g.V[p.j][slot], p.xl);
      g.W[p.j][slot] = std::max(g.W[p.j][slot], p.xu);
    }
  }
  for (size_t j = 0; j < r_; ++j) g.D[j].add(slot, x.codes[j], 1);
  g.set_samples(slot, g.n[slot] + 1);
  refresh_thresholds(g, slot);
  if (expand) quantize(g, slot);
  if (BoxIndex* index = g.index.get()) index->changed(g, slot, x.codes);
  if (place.group == 0 && x.label >= 0)  // a label makes an unlabelled box one of its class
    insert(static_cast<size_t>(x.label) + 1, g.remove(slot));
}

void Engine::create(const Sample& x) {
  Box& box = created_;
  box.V.assign(n_, UNSET);
  box.W.assign(n_, -UNSET);
  box.from.assign(rescaled_ ? n_ : 0, UNSET);
  box.to.assign(rescaled_ ? n_ : 0, -UNSET);
  for (const Probe& p : x.probes) {
    box.V[p.j] = p.xl;
    box.W[p.j] = p.xu;
    if (!rescaled_) continue;
    box.from[p.j] = p.from;
    box.to[p.j] = p.to;
  }
  box.D.resize(r_);
  for (size_t j = 0; j < r_; ++j) box.D[j].assign(1, {x.codes[j], 1});
  box.n = 1;
  if (next_id_ == std::numeric_limits<std::uint64_t>::max())
    throw std::overflow_error("there is no number left for another box");
  box.id = next_id_++;
  insert(static_cast<size_t>(x.label + 1), box);
}

// Everything is checked before anything is kept: a snapshot may come from a damaged file.
void Engine::restore(const Snapshot& all) {
  const size_t boxes = all.n.size();
  if (all.n_classes > static_cast<size_t>(std::numeric_limits<std::int32_t>::max()))
    throw invalid("there are more classes than can be numbered");
  if (all.V.size() != boxes * n_ || all.W.size() != boxes * n_ || all.label.size() != boxes ||
      all.id.size() != boxes ||
      all.first.size() != boxes * r_ + 1 ||
      all.code.size() != all.times.size() || all.first[0] != 0 ||
      all.first.back() != all.code.size())
    throw invalid("the arrays of the boxes do not fit together");
  std::vector<Group> groups;
  for (size_t k = 0; k <= all.n_classes; ++k) groups.push_back(new_group());
  for (size_t i = 0; i < boxes; ++i) {
    Box box;
    box.n = all.n[i];
    box.id = all.id[i];
    if (box.n == 0) throw invalid("a box holds no sample");
    if (box.id >= all.next_id || (i > 0 && box.id <= all.id[i - 1]))
      throw invalid("the boxes are not in order of creation");
    if (all.label[i] < -1 || all.label[i] >= static_cast<std::int64_t>(all.n_classes))
      throw invalid("a box has an unknown class");
    for (size_t j = 0; j < n_; ++j) {
      const double v = all.V[i * n_ + j], w = all.W[i * n_ + j];
      if (std::isnan(v) != std::isnan(w) ||
          (!std::isnan(v) && !(v >= -LARGEST && v <= w && w <= LARGEST)))
        throw invalid("a box has bounds that are no interval");
      const bool unset = std::isnan(v);
      const Probe p = unset ? Probe{j, UNSET, -UNSET, 0, 0, UNSET, -UNSET} : probe(j, v, w);
      box.V.push_back(p.xl);
      box.W.push_back(p.xu);
      if (!rescaled_) continue;
      box.from.push_back(p.from);
      box.to.push_back(p.to);
    }
    for (size_t j = 0; j < r_; ++j) {
      const std::uint64_t begin = all.first[i * r_ + j], end = all.first[i * r_ + j + 1];
      if (begin > end || end > all.code.size()) throw invalid("a counted set has no place");
      std::uint64_t total = 0;
      std::vector<Tally> set;
      for (std::uint64_t s = begin; s < end; ++s) {
        if (all.code[s] < 0 || all.times[s] == 0 || (s > begin && all.code[s] <= all.code[s - 1]))
          throw invalid("a counted set is not in order");
        set.emplace_back(all.code[s], all.times[s]);
        total += all.times[s];
      }
      if (total != box.n) throw invalid("the counts of a box do not add up to its samples");
      box.D.push_back(std::move(set));
    }
    groups[static_cast<size_t>(all.label[i] + 1)].append(box);
  }
  const auto writer = writing();
  groups_ = std::move(groups);
  next_id_ = all.next_id;
  refresh_all_thresholds();
}

void Engine::check(const Rows& rows) const {
  for (size_t i = 0; i < rows.count * n_; ++i) {
    const double xl = rows.lower[i], xu = rows.upper[i];
    if (std::isnan(xl) != std::isnan(xu)) throw invalid("one end of an interval is missing");
    if (!std::isnan(xl) && !(xl >= -LARGEST && xl <= xu && xu <= LARGEST))
      throw invalid("a number is not finite, too large, or an interval is upside down");
  }
}

void Engine::check_labels(const Rows& rows, const std::int32_t* labels) const {
  std::int64_t classes = static_cast<std::int64_t>(groups_.size()) - 1;
  for (size_t row = 0; row < rows.count; ++row) {
    if (labels[row] < -1 || labels[row] > classes)
      throw invalid("classes must be numbered in order of first appearance");
    if (labels[row] == classes) ++classes;
  }
  for (size_t i = 0; i < rows.count * r_; ++i)
    if (rows.codes[i] < 0) throw invalid("a category to learn has no code");
}

size_t Engine::n_classes() const {
  const auto reader = reading();
  return groups_.size() - 1;
}

size_t Engine::n_boxes() const {
  const auto reader = reading();
  return count();
}

size_t Engine::count() const {
  size_t boxes = 0;
  for (const Group& g : groups_) boxes += g.size();
  return boxes;
}

size_t Engine::bytes() const {
  const auto reader = reading();
  const std::scoped_lock hold(indexing_);
  size_t total = 0;
  for (const Group& g : groups_) total += g.bytes();
  return total;
}

std::shared_lock<std::shared_mutex> Engine::reading() const {
  return lock_.reading();
}

std::unique_lock<std::shared_mutex> Engine::writing() const {
  auto lock = lock_.writing();
  ++changes_;
  return lock;
}

}  // namespace boxwise
