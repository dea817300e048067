#include "store/count_column.hpp"

#include <algorithm>
#include <limits>

#include "kernels/kernels.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;
using std::uint8_t;

namespace {
constexpr size_t MAX_SEEN_CODES = 1u << 16;  // codes of which it is known whether they were seen
constexpr uint32_t LARGEST_BYTE = std::numeric_limits<uint8_t>::max();
constexpr size_t MAX_LISTED_PER_VALUE = 2;  // of a block: to read a longer list takes longer than a table

template <class List, class Key>
auto find_in_order(List& list, Key key) {
  return std::lower_bound(list.begin(), list.end(), key, [](const auto& entry, Key wanted) {
    const auto& [own, times] = entry;
    return own < wanted;
  });
}

// The memory that the allocator takes: a word of its own, in whole sixteens.
size_t allocated(size_t bytes) { return bytes == 0 ? 0 : (bytes + sizeof(void*) + 15) / 16 * 16; }
}  // namespace

void CountColumn::open(size_t stagger) {
  const size_t slot = narrow_ ? bytes_.code.size() : words_.code.size();
  if (slot / SPAN >= blocks_.size()) blocks_.emplace_back();
  // In time for the next block, and not for all features at the same box.
  if (slot % SPAN == (stagger + 1) % SPAN && blocks_.size() == blocks_.capacity())
    blocks_.reserve(2 * blocks_.size());
  const auto extend = [stagger](auto& firsts) {
    firsts.code.make_room(stagger);
    firsts.count.make_room(stagger + 1);
    firsts.code.push_back(0);
    firsts.count.push_back(0);
  };
  if (narrow_)
    extend(bytes_);
  else
    extend(words_);
}

void CountColumn::add(Slot slot, Code code, uint32_t times) {
  note(code);
  Block& block = blocks_[slot / SPAN];
  if (block.tabled && code < TABLED) return add_to_table(block, slot % SPAN, code, times);
  if (!block.tabled) {
    const Tally own = first(slot);
    if (own.second == 0 || own.first == code) return set_first(slot, code, own.second + times);
  }
  regular_ = false;
  if (code >= TABLED) return list_high(slot, code, times);
  list_in_block(block, slot % SPAN, code, times);
  if (block.further.size() > MAX_LISTED_PER_VALUE * std::min<size_t>(n_codes_, TABLED))
    tabulate(slot / SPAN);
}

void CountColumn::note(Code code) {
  const auto place = static_cast<size_t>(code);
  n_codes_ = std::max(n_codes_, place + 1);
  if (place >= MAX_SEEN_CODES) return;
  if (seen_.size() <= place) seen_.resize(place + 1);
  seen_[place] = true;
}

bool CountColumn::may_hold(Code code) const {
  const auto place = static_cast<size_t>(code);
  if (code < 0 || place >= n_codes_) return false;
  return place >= MAX_SEEN_CODES || (place < seen_.size() && seen_[place]);
}

void CountColumn::set_first(Slot slot, Code code, uint32_t times) {
  const auto value = static_cast<uint32_t>(code);
  if (narrow_ && std::max(value, times) > LARGEST_BYTE) widen();
  if (narrow_) {
    bytes_.code[slot] = static_cast<uint8_t>(value);
    bytes_.count[slot] = static_cast<uint8_t>(times);
  } else {
    words_.code[slot] = value;
    words_.count[slot] = times;
  }
}

void CountColumn::widen() {
  const auto copy = [](const Column<uint8_t>& from, Column<uint32_t>& to) {
    to.reserve(from.size());
    for (const uint8_t entry : from) to.push_back(entry);
  };
  copy(bytes_.code, words_.code);
  copy(bytes_.count, words_.count);
  bytes_ = Firsts<uint8_t>();
  narrow_ = false;
}

void CountColumn::list_in_block(Block& block, Slot place, Code code, uint32_t times) {
  const uint32_t key = Further::key_of(code, place);
  auto at = find_in_order(block.further, key);
  if (at == block.further.end() || at->key != key) at = block.further.insert(at, {key, 0});
  at->count += times;
}

void CountColumn::list_high(Slot slot, Code code, uint32_t times) {
  Postings& postings = postings_[code];
  auto at = find_in_order(postings, slot);
  if (at == postings.end() || at->slot != slot) {
    at = postings.insert(at, Posting{slot, 0});
    ++blocks_[slot / SPAN].high;
  }
  at->count += times;
  auto& own = high_[slot];
  auto entry = find_in_order(own, code);
  if (entry == own.end() || entry->first != code) entry = own.insert(entry, Tally{code, 0});
  entry->second += times;
}

void CountColumn::add_to_table(Block& block, Slot place, Code code, uint32_t times) {
  const size_t at = static_cast<size_t>(code) * SPAN + place;
  const auto make_room = [&](auto& table) {
    if (code < block.rows()) return;
    const size_t entries = (static_cast<size_t>(code) + 1) * SPAN;
    table.reserve(entries);  // and no more than that
    table.resize(entries, 0);
  };
  if (block.words.empty()) {
    make_room(block.bytes);
    if (times <= LARGEST_BYTE - block.bytes[at]) {
      block.bytes[at] = static_cast<uint8_t>(block.bytes[at] + times);
      return;
    }
    block.words.assign(block.bytes.begin(), block.bytes.end());
    block.bytes = {};
  }
  make_room(block.words);
  block.words[at] += times;
}

// The list of a block has become long: a table from now on.
void CountColumn::tabulate(size_t number) {
  const size_t begin = number * SPAN, boxes = narrow_ ? bytes_.code.size() : words_.code.size();
  std::vector<std::vector<Tally>> sets(std::min<size_t>(SPAN, boxes - begin));
  for (size_t i = 0; i < sets.size(); ++i) {
    values(static_cast<Slot>(begin + i), sets[i]);
    drop(static_cast<Slot>(begin + i));
  }
  blocks_[number].tabled = true;
  blocks_[number].further = {};
  for (size_t i = 0; i < sets.size(); ++i)
    for (auto [code, times] : sets[i]) add(static_cast<Slot>(begin + i), code, times);
}

void CountColumn::move_last(Slot slot, Slot last) {
  std::vector<Tally> moved;
  values(last, moved);
  drop(last);
  const auto close = [](auto& firsts) {
    firsts.code.pop_back();
    firsts.count.pop_back();
  };
  if (narrow_)
    close(bytes_);
  else
    close(words_);
  if (slot == last) return;
  drop(slot);
  for (auto [code, times] : moved) add(slot, code, times);
}

void CountColumn::drop(Slot slot) {
  set_first(slot, 0, 0);
  Block& block = blocks_[slot / SPAN];
  for (Code code = 0; code < block.rows(); ++code) {
    const size_t at = static_cast<size_t>(code) * SPAN + slot % SPAN;
    if (block.words.empty())
      block.bytes[at] = 0;
    else
      block.words[at] = 0;
  }
  std::erase_if(block.further, [&](const Further& entry) { return entry.key % SPAN == slot % SPAN; });
  const auto own = high_.find(slot);
  if (own == high_.end()) return;
  for (auto [code, times] : own->second) {
    auto entry = postings_.find(code);
    Postings& postings = entry->second;
    postings.erase(find_in_order(postings, slot));
    if (postings.empty()) postings_.erase(entry);
    --block.high;
  }
  high_.erase(own);
}

const std::vector<Tally>* CountColumn::high(Slot slot) const {
  if (blocks_[slot / SPAN].high == 0) return nullptr;
  const auto own = high_.find(slot);
  return own != high_.end() ? &own->second : nullptr;
}

uint32_t CountColumn::count_tabled(const Block& block, Slot place, Code code) {
  if (code < 0 || code >= block.rows()) return 0;
  const size_t at = static_cast<size_t>(code) * SPAN + place;
  return block.words.empty() ? block.bytes[at] : block.words[at];
}

uint32_t CountColumn::count_further(Slot slot, Code code) const {
  const Block& block = blocks_[slot / SPAN];
  if (code < 0) return 0;
  if (code < TABLED) {
    if (block.tabled) return count_tabled(block, slot % SPAN, code);
    const uint32_t key = Further::key_of(code, slot % SPAN);
    const auto at = find_in_order(block.further, key);
    return at != block.further.end() && at->key == key ? at->count : 0;
  }
  const std::vector<Tally>* own = high(slot);
  if (own == nullptr) return 0;
  const auto entry = find_in_order(*own, code);
  return entry != own->end() && entry->first == code ? entry->second : 0;
}

void CountColumn::values(Slot slot, std::vector<Tally>& out) const {
  out.clear();
  const Block& block = blocks_[slot / SPAN];
  for (Code code = 0; code < block.rows(); ++code)
    if (const uint32_t times = count_tabled(block, slot % SPAN, code); times > 0)
      out.emplace_back(code, times);
  for (const Further& entry : block.further)
    if (entry.key % SPAN == slot % SPAN) out.emplace_back(entry.code(), entry.count);
  if (const std::vector<Tally>* own = high(slot)) out.insert(out.end(), own->begin(), own->end());
  if (const Tally own = first(slot); own.second > 0)
    out.insert(find_in_order(out, own.first), own);
}

bool CountColumn::shares(Slot slot, std::uint64_t n, const std::vector<Tally>& other,
                         Divisor n_other) const {
  const auto agree = [&](std::uint64_t mine, const Tally& value) {
    return mine > 0 && mine * n_other.value == value.second * n;
  };
  const std::vector<Tally>* own = high(slot);
  auto at = other.begin();
  for (; at != other.end() && (own == nullptr || at->first < TABLED); ++at)
    if (n_other.may_divide(at->second * n) && agree(count(slot, at->first), *at)) return true;
  if (at == other.end()) return false;
  const Tally one = first(slot);
  auto mine = own->begin();
  for (; at != other.end(); ++at) {  // many, both in order: walk along the two
    while (mine != own->end() && mine->first < at->first) ++mine;
    const bool listed = mine != own->end() && mine->first == at->first;
    if (agree(listed ? mine->second : one.first == at->first ? one.second : 0, *at)) return true;
  }
  return false;
}

const uint32_t* CountColumn::row(Code code, Slot begin, size_t m, uint32_t* scratch) const {
  if (!may_hold(code)) return nullptr;
  if (begin % SPAN + m <= SPAN) return row_of_block(code, begin, m, scratch);
  for (size_t done = 0; done < m;) {
    const Slot from = begin + static_cast<Slot>(done);
    const size_t part = std::min<size_t>(m - done, SPAN - from % SPAN);
    const uint32_t* counts = row_of_block(code, from, part, scratch + done);
    if (counts != scratch + done) std::copy_n(counts, part, scratch + done);
    done += part;
  }
  return scratch;
}

void CountColumn::pick(Code code, const std::vector<Slot>& slots, uint32_t* out) const {
  const auto each = [&](auto count) {
    for (size_t i = 0; i < slots.size(); ++i) out[i] = count(slots[i]);
  };
  if (!regular_) return each([&](Slot slot) { return this->count(slot, code); });
  if (narrow_) return each([&](Slot slot) { return first_count(bytes_, slot, code); });
  each([&](Slot slot) { return first_count(words_, slot, code); });
}

const uint32_t* CountColumn::row_of_block(Code code, Slot begin, size_t m,
                                          uint32_t* scratch) const {
  const Block& block = blocks_[begin / SPAN];
  const auto value = static_cast<uint32_t>(code);
  if (block.tabled && code < TABLED) {
    const size_t at = value * SPAN + begin % SPAN;
    if (code >= block.rows())
      std::fill_n(scratch, m, 0u);
    else if (!block.words.empty())
      return block.words.data() + at;
    else
      kernels::widen(block.bytes.data() + at, scratch, m);
    return scratch;
  }
  if (!narrow_)
    kernels::match(words_.code.data() + begin, words_.count.data() + begin, value, scratch, m);
  else if (value <= LARGEST_BYTE)
    kernels::match(bytes_.code.data() + begin, bytes_.count.data() + begin,
                   static_cast<uint8_t>(value), scratch, m);
  else
    std::fill_n(scratch, m, 0u);
  if (code >= TABLED) {
    if (block.high > 0) overlay(code, begin, m, scratch);
    return scratch;
  }
  const uint32_t end = Further::key_of(code, begin % SPAN + static_cast<Slot>(m));
  for (auto at = find_in_order(block.further, Further::key_of(code, begin % SPAN));
       at != block.further.end() && at->key < end; ++at)
    scratch[at->key % SPAN - begin % SPAN] = at->count;
  return scratch;
}

// Write the counts of a code from TABLED on, where they are listed, over those of the first values.
void CountColumn::overlay(Code code, Slot begin, size_t m, uint32_t* scratch) const {
  const auto entry = postings_.find(code);
  if (entry == postings_.end()) return;
  const Postings& postings = entry->second;
  for (auto at = find_in_order(postings, begin); at != postings.end() && at->slot < begin + m; ++at)
    scratch[at->slot - begin] = at->count;
}

void CountColumn::recount() {
  if (n_codes_ == 0 || is_held(static_cast<Code>(n_codes_ - 1))) return;
  Code most = -1;
  const size_t boxes = narrow_ ? bytes_.code.size() : words_.code.size();
  for (size_t slot = 0; slot < boxes; ++slot)
    if (const Tally own = first(static_cast<Slot>(slot)); own.second > 0)
      most = std::max(most, own.first);
  for (const Block& block : blocks_) {
    for (const Further& entry : block.further) most = std::max(most, entry.code());
    for (Code code = block.rows() - 1; code > most; --code)
      for (Slot place = 0; place < SPAN; ++place)
        if (count_tabled(block, place, code) > 0) most = code;
  }
  for (const auto& [code, postings] : postings_) most = std::max(most, code);
  n_codes_ = static_cast<size_t>(most + 1);
}

bool CountColumn::is_held(Code code) const {
  if (!may_hold(code)) return false;
  if (postings_.count(code) > 0) return true;
  uint32_t scratch[SPAN];
  const size_t boxes = narrow_ ? bytes_.code.size() : words_.code.size();
  for (size_t begin = 0; begin < boxes; begin += SPAN) {
    const size_t m = std::min<size_t>(SPAN, boxes - begin);
    if (kernels::total(row_of_block(code, static_cast<Slot>(begin), m, scratch), m) > 0)
      return true;
  }
  return false;
}

size_t CountColumn::bytes() const {
  const auto of = [](const auto& list) { return allocated(list.capacity() * sizeof(list[0])); };
  size_t total = bytes_.code.bytes() + bytes_.count.bytes() + words_.code.bytes() +
                 words_.count.bytes() + seen_.capacity() / 8 + of(blocks_);
  for (const Block& block : blocks_) total += of(block.bytes) + of(block.words) + of(block.further);
  const auto of_map = [&](const auto& map) {  // a node has a link besides the entry
    size_t nodes = 0;
    for (const auto& entry : map)
      nodes += allocated(sizeof(entry) + sizeof(void*)) + of(entry.second);
    return nodes + (map.empty() ? 0 : map.bucket_count() * sizeof(void*));
  };
  return total + of_map(postings_) + of_map(high_);
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

}  // namespace boxwise
