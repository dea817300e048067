#include "store/group.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "index/box_index.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;

void Box::add(const Box& other) {
  if (n > std::numeric_limits<uint32_t>::max() - other.n)
    throw std::overflow_error("the merged box would hold more than 4,294,967,295 samples");
  const auto widen = [](std::vector<double>& low, std::vector<double>& high,
                        const std::vector<double>& other_low,
                        const std::vector<double>& other_high) {
    for (size_t j = 0; j < low.size(); ++j) {
      low[j] = std::min(low[j], other_low[j]);
      high[j] = std::max(high[j], other_high[j]);
    }
  };
  widen(V, W, other.V, other.W);
  widen(from, to, other.from, other.to);
  for (size_t j = 0; j < D.size(); ++j) {
    std::vector<Tally> both;
    add_counts(D[j], other.D[j], both);
    D[j] = std::move(both);
  }
  n += other.n;
}

Group::Group(size_t n_numeric, size_t n_categorical, bool rescaled)
    : V(n_numeric),
      W(n_numeric),
      from(rescaled ? n_numeric : 0),
      to(rescaled ? n_numeric : 0),
      D(n_categorical),
      quantized(n_numeric) {}

namespace {
// Each column of bounds with the same of a box: V, W and, if there are any, from and to.
template <class Columns, class Bounds, class Use>
void visit_bounds(Columns& group, Bounds& box, Use use) {
  const auto visit = [&](auto& columns, auto& bounds) {
    for (size_t j = 0; j < columns.size(); ++j) use(columns[j], bounds[j]);
  };
  visit(group.V, box.V);
  visit(group.W, box.W);
  visit(group.from, box.from);
  visit(group.to, box.to);
}
}  // namespace

size_t Group::first_lines() const {
  return V.size() + W.size() + from.size() + to.size() + 2 * D.size() + 5;
}

// One piece of memory for the first boxes in all arrays: dozens of pieces would keep the first row
// of a class waiting.
void Group::begin() {
  first_.reserve(first_lines());
  Line* line = first_.data();
  for (auto* columns : {&V, &W, &from, &to})
    for (auto& column : *columns) column.begin_in(*line++);
  for (auto& column : D) {
    column.begin_in(line[0], line[1]);
    line += 2;
  }
  n.begin_in(*line++);
  unit.begin_in(*line++);
  engine_data.begin_in(*line++);
  id.begin_in(*line++);
}

// Room in all arrays before anything is written: if allocation fails, no box is added.
void Group::make_room() {
  if (n.data() == nullptr) begin();
  size_t stagger = 0;
  for (auto* columns : {&V, &W, &from, &to})
    for (auto& column : *columns) column.make_room(stagger++);
  n.make_room(stagger++);
  unit.make_room(stagger++);
  engine_data.make_room(stagger++);
  id.make_room(stagger++);
  if (is_quantized) quantized.make_room(size_ + 1);
}

Slot Group::append(const Box& box) {
  make_room();
  const Slot slot = static_cast<Slot>(size_);
  for (size_t j = 0; j < D.size(); ++j) {
    D[j].open(2 * j);
    for (auto [code, times] : box.D[j]) D[j].add(slot, code, times);
  }
  visit_bounds(*this, box, [&](auto& column, double bound) { column.push_back(bound); });
  n.push_back(0);
  unit.push_back(0.0f);
  set_samples(slot, box.n);
  id.push_back(box.id);
  engine_data.push_back(0);
  ++size_;
  return slot;
}

Box Group::at(Slot slot) const {
  Box box;
  box.V.resize(V.size());
  box.W.resize(W.size());
  box.from.resize(from.size());
  box.to.resize(to.size());
  box.D.resize(D.size());
  visit_bounds(*this, box, [&](auto& column, double& bound) { bound = column[slot]; });
  for (size_t j = 0; j < D.size(); ++j) D[j].values(slot, box.D[j]);
  box.n = n[slot];
  box.id = id[slot];
  return box;
}

Box Group::remove(Slot slot) {
  Box box = at(slot);
  const Slot end = static_cast<Slot>(size_ - 1);
  const auto close_up = [&](auto& column) {
    column[slot] = column[end];
    column.pop_back();
  };
  for (auto* columns : {&V, &W, &from, &to})
    for (auto& column : *columns) close_up(column);
  for (auto& column : D) column.move_last(slot, end);
  close_up(n);
  close_up(unit);
  close_up(id);
  close_up(engine_data);
  quantized.move_last(slot, end);
  --size_;
  if (BoxIndex* follower = index.get()) follower->removed(*this, slot, box);
  return box;
}

void Group::set_samples(Slot slot, uint32_t samples) {
  n[slot] = samples;
  most_samples = std::max(most_samples, samples);
  if (!D.empty())
    unit[slot] = 1.0f / (static_cast<float>(samples) * static_cast<float>(D.size()));
}

size_t Group::bytes() const {
  size_t total = n.bytes() + unit.bytes() + id.bytes() + engine_data.bytes();
  total += quantized.bytes();
  if (first_.data() != nullptr) total += first_lines() * sizeof(Line);
  for (const auto* columns : {&V, &W, &from, &to})
    for (const auto& column : *columns) total += column.bytes();
  for (const auto& column : D) total += column.bytes();
  return total + (index.get() != nullptr ? index.get()->bytes() : 0);
}

}  // namespace boxwise
