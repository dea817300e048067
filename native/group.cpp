#include "group.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "box_index.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;

bool CountColumn::before_slot(const Posting& posting, Slot slot) { return posting.slot < slot; }
bool CountColumn::before_code(const Tally& value, Code code) { return value.first < code; }

void CountColumn::reserve(size_t capacity) {
  if (dense_) {
    for (auto& row : rows_)
      if (!row.empty()) row.resize(capacity, 0);
  } else {
    held_.resize(capacity);
  }
  capacity_ = capacity;
}

void CountColumn::add(Slot slot, Code code, uint32_t times) {
  n_codes_ = std::max(n_codes_, static_cast<size_t>(code) + 1);
  if (dense_ && code >= DENSE_VALUES) make_sparse();
  if (dense_) {
    if (rows_.size() <= static_cast<size_t>(code)) rows_.resize(code + 1);
    if (rows_[code].empty()) rows_[code].resize(capacity_, 0);
    rows_[code][slot] += times;
    return;
  }
  Postings& list = postings_[code];
  auto at = std::lower_bound(list.begin(), list.end(), slot, before_slot);
  if (at == list.end() || at->slot != slot) at = list.insert(at, Posting{slot, 0});
  at->count += times;
  auto& held = held_[slot];
  auto own = std::lower_bound(held.begin(), held.end(), code, before_code);
  if (own == held.end() || own->first != code) own = held.insert(own, Tally{code, 0});
  own->second += times;
}

void CountColumn::move_last(Slot slot, Slot last) {
  if (dense_) {
    for (auto& row : rows_) {
      if (row.empty()) continue;
      row[slot] = row[last];
      row[last] = 0;
    }
    return;
  }
  std::vector<Tally> moved;
  values(last, moved);
  drop(last);
  if (slot == last) return;
  drop(slot);
  for (auto [code, times] : moved) add(slot, code, times);
}

void CountColumn::recount() {
  const auto is_held = [&](size_t code) {
    if (!dense_) return postings_.count(static_cast<Code>(code)) > 0;
    return std::any_of(rows_[code].begin(), rows_[code].end(), [](uint32_t n) { return n > 0; });
  };
  while (n_codes_ > 0 && !is_held(n_codes_ - 1)) --n_codes_;
}

void CountColumn::drop(Slot slot) {
  for (auto [code, times] : held_[slot]) {
    auto entry = postings_.find(code);
    Postings& list = entry->second;
    list.erase(std::lower_bound(list.begin(), list.end(), slot, before_slot));
    if (list.empty()) postings_.erase(entry);
  }
  held_[slot].clear();
}

uint32_t CountColumn::count_listed(Slot slot, Code code) const {
  const auto& held = held_[slot];
  auto own = std::lower_bound(held.begin(), held.end(), code, before_code);
  return own != held.end() && own->first == code ? own->second : 0;
}

void CountColumn::values(Slot slot, std::vector<Tally>& out) const {
  if (!dense_) {
    out = held_[slot];
    return;
  }
  out.clear();
  for (size_t code = 0; code < rows_.size(); ++code)
    if (!rows_[code].empty() && rows_[code][slot] > 0)
      out.emplace_back(static_cast<Code>(code), rows_[code][slot]);
}

bool CountColumn::shares(Slot slot, std::uint64_t n, const std::vector<Tally>& other,
                         std::uint64_t n_other) const {
  if (dense_)
    return std::any_of(other.begin(), other.end(), [&](const Tally& value) {
      const std::uint64_t times = count(slot, value.first);
      return times > 0 && times * n_other == value.second * n;
    });
  auto own = held_[slot].begin();
  for (auto [code, times] : other) {  // both in order: walk along the two
    while (own != held_[slot].end() && own->first < code) ++own;
    if (own == held_[slot].end()) return false;
    if (own->first == code && own->second * n_other == times * n) return true;
  }
  return false;
}

const uint32_t* CountColumn::spread_out(Code code, Slot begin, size_t m, uint32_t* scratch) const {
  auto entry = postings_.find(code);
  if (entry == postings_.end()) return nullptr;
  const Postings& list = entry->second;
  std::fill_n(scratch, m, 0u);
  for (auto at = std::lower_bound(list.begin(), list.end(), begin, before_slot);
       at != list.end() && at->slot < begin + m; ++at)
    scratch[at->slot - begin] = at->count;
  return scratch;
}

void CountColumn::make_sparse() {
  held_.resize(capacity_);
  for (size_t code = 0; code < rows_.size(); ++code) {
    for (size_t slot = 0; slot < rows_[code].size(); ++slot) {
      if (rows_[code][slot] == 0) continue;
      postings_[static_cast<Code>(code)].push_back(
          Posting{static_cast<Slot>(slot), rows_[code][slot]});
      held_[slot].emplace_back(static_cast<Code>(code), rows_[code][slot]);
    }
  }
  rows_ = {};
  dense_ = false;
}

size_t CountColumn::bytes() const {
  size_t total = rows_.capacity() * sizeof(rows_[0]) + held_.capacity() * sizeof(held_[0]);
  for (const auto& row : rows_) total += row.capacity() * sizeof(uint32_t);
  for (const auto& held : held_) total += held.capacity() * sizeof(Tally);
  // A node of the hash table holds the key, the vector, a link and (nearly always) its hash.
  for (const auto& [code, list] : postings_)
    total += list.capacity() * sizeof(Posting) + sizeof(Postings) + 4 * sizeof(void*);
  return total;
}

void add_counts(const std::vector<Tally>& a, const std::vector<Tally>& b,
                std::vector<Tally>& both) {
  both.clear();
  auto next = a.begin();
  for (auto [code, times] : b) {
    while (next != a.end() && next->first < code) both.push_back(*next++);
    const bool shared = next != a.end() && next->first == code;
    both.emplace_back(code, times + (shared ? (next++)->second : 0));
  }
  both.insert(both.end(), next, a.end());
}

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
  last = std::max(last, other.last);
}

Group::Group(size_t n_continuous, size_t n_categorical, bool rescaled)
    : V(n_continuous),
      W(n_continuous),
      from(rescaled ? n_continuous : 0),
      to(rescaled ? n_continuous : 0),
      D(n_categorical) {}

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

void Group::grow() {
  const size_t capacity = capacity_ == 0 ? 8 : 2 * capacity_;
  for (auto* columns : {&V, &W, &from, &to})
    for (auto& column : *columns) column.resize(capacity, 0.0);
  for (auto& column : D) column.reserve(capacity);
  n.resize(capacity, 0);
  unit.resize(capacity, 0.0);
  need.resize(capacity, 0);
  id.resize(capacity, 0);
  last.resize(capacity, 0.0);
  capacity_ = capacity;
}

Slot Group::append(const Box& box) {
  if (size_ == capacity_) grow();
  const Slot slot = static_cast<Slot>(size_);
  visit_bounds(*this, box, [&](auto& column, double bound) { column[slot] = bound; });
  for (size_t j = 0; j < D.size(); ++j)
    for (auto [code, times] : box.D[j]) D[j].add(slot, code, times);
  set_samples(slot, box.n);
  id[slot] = box.id;
  last[slot] = box.last;
  need[slot] = 0;
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
  box.last = last[slot];
  return box;
}

Box Group::remove(Slot slot) {
  Box box = at(slot);
  const Slot end = static_cast<Slot>(size_ - 1);
  for (auto* columns : {&V, &W, &from, &to})
    for (auto& column : *columns) column[slot] = column[end];
  for (auto& column : D) column.move_last(slot, end);
  n[slot] = n[end];
  unit[slot] = unit[end];
  id[slot] = id[end];
  last[slot] = last[end];
  need[slot] = need[end];
  --size_;
  if (BoxIndex* follower = index.get()) follower->removed(*this, slot);
  return box;
}

void Group::set_samples(Slot slot, uint32_t samples) {
  n[slot] = samples;
  most_samples = std::max(most_samples, samples);
  unit[slot] = D.empty() ? 0.0 : 1.0 / (static_cast<double>(samples) * static_cast<double>(D.size()));
}

size_t Group::bytes() const {
  size_t total = 0;
  for (const auto* columns : {&V, &W, &from, &to})
    for (const auto& column : *columns) total += column.capacity() * sizeof(double);
  for (const auto& column : D) total += column.bytes();
  return total + n.capacity() * sizeof(n[0]) + unit.capacity() * sizeof(unit[0]) + id.capacity() * sizeof(id[0]) +
         last.capacity() * sizeof(last[0]) + need.capacity() * sizeof(need[0]) +
         (index.get() != nullptr ? index.get()->bytes() : 0);
}

}  // namespace boxwise
