#include "index/box_index.hpp"

#include <algorithm>
#include <bit>

namespace boxwise {

using std::size_t;
using std::uint32_t;

namespace {
// The first code that is listed in a column with more values than words, the bulk of those that are very
// long: to list all of a thousand values would take more memory than it saves time.
constexpr size_t LISTED_FROM = 1024;
// For the values known by now and some to come. Those beyond share rows, as all do modulo their
// number.
std::vector<size_t> count_rows(const Group& g) {
  std::vector<size_t> counts;
  for (const CountColumn& column : g.D)
    counts.push_back(std::min<size_t>(column.n_codes() + column.n_codes() / 4 + 4, 64));
  return counts;
}
}  // namespace

BoxIndex::BoxIndex(const Group& g, size_t capacity, EntropyTest& test,
                   const std::vector<double>& margins, bool quantized)
    : r_(g.D.size()),
      rows_(count_rows(g)),
      test_(test),
      splitting_{margins, std::vector<bool>(r_)} {
  for (size_t j = 0; j < r_; ++j) {
    const size_t words = rows_.count(j);
    rare_.emplace_back(static_cast<Code>(words < lanes::COUNT ? words : LISTED_FROM));
  }
  summary_.masks.resize(r_);
  const size_t bands = static_cast<size_t>(std::bit_width(r_)) + 2;
  for (size_t band = 0; band < bands; ++band)  // in the first of them boxes have one value each
    forests_.emplace_back(g.V.size(), rows_, capacity, quantized && !g.quantized.empty(), band > 0);
}

uint32_t BoxIndex::band() const {
  if (summary_.allowed >= r_) return static_cast<uint32_t>(forests_.size() - 1);
  return static_cast<uint32_t>(std::bit_width(summary_.allowed));
}

void BoxIndex::follow(const Group& g, size_t boxes) {
  for (; boxes > 0 && !follows_all(g); --boxes) {
    addresses_.emplace_back();
    take_in(g, static_cast<Slot>(addresses_.size() - 1));
  }
}

void BoxIndex::take_in(const Group& g, Slot slot) {
  Signature signature;
  for (size_t j = 0; j < r_; ++j) {
    g.D[j].values(slot, values_);
    see(slot, j, values_, signature);
  }
  summary_.signature = signature.value();
  insert(g, slot);
}

void BoxIndex::requantized(const Group& g, Slot slot) {
  if (slot < addresses_.size()) forests_[addresses_[slot].band].quantize(addresses_[slot].at, g);
}

void BoxIndex::added(const Group& g, Slot slot, const Box& box) {
  if (slot != addresses_.size()) return;  // its turn will come
  Signature signature;
  for (size_t j = 0; j < r_; ++j) see(slot, j, box.D[j], signature);
  summary_.signature = signature.value();
  addresses_.emplace_back();
  insert(g, slot);
}

void BoxIndex::see(Slot slot, size_t j, const std::vector<Tally>& values, Signature& signature) {
  summary_.masks[j] = 0;
  for (auto [code, times] : values) {
    summary_.masks[j] |= bit(j, code);
    rare_[j].add(code, slot);
  }
  signature.add(j, values.size() > 1, values[0].first);
}

void BoxIndex::changed(const Group& g, Slot slot, const Code* codes) {
  if (slot >= addresses_.size()) return;
  const Address address = addresses_[slot];
  Signature signature;
  for (size_t j = 0; j < r_; ++j) {
    summary_.masks[j] = bit(j, codes[j]);
    const uint32_t times = g.D[j].count(slot, codes[j]);
    if (times == 1) rare_[j].add(codes[j], slot);  // the first time
    signature.add(j, times != g.n[slot], codes[j]);
  }
  summary_.signature = signature.value();
  describe(g, slot);
  Forest& forest = forests_[address.band];
  if (band() == address.band) {
    if (address.band > 0) renew_shares(g, slot, codes);
    return forest.update(address.at, g, summary_);
  }
  for (size_t j = 0; j < r_; ++j)
    summary_.masks[j] |= forest.leaf_of(address.at).values(j, address.at % lanes::COUNT);
  erase(address);
  insert(g, slot);
}

void BoxIndex::removed(const Group& g, Slot slot, const Box& box) {
  const auto last = static_cast<Slot>(g.size());
  if (slot >= addresses_.size()) return;
  erase(addresses_[slot]);
  for (size_t j = 0; j < r_; ++j)
    for (auto [code, times] : box.D[j]) rare_[j].remove(code, slot);
  if (last < addresses_.size()) {
    const Address moved = addresses_.back();
    addresses_.pop_back();
    if (slot == last) return;
    addresses_[slot] = moved;
    forests_[moved.band].rename(moved.at, slot);
    for (size_t j = 0; j < r_; ++j) {
      g.D[j].values(slot, values_);
      for (auto [code, times] : values_) rare_[j].rename(code, last, slot);
    }
    return;
  }
  take_in(g, slot);  // what came into the slot was not followed yet
}

void BoxIndex::sort_out(const Code* codes, BestFirst::GroupQuery& query) const {
  for (size_t j = 0; j < r_; ++j)
    if (!rare_[j].list(codes[j], query.few)) query.values.push_back(value(j, codes[j]));
  std::sort(query.few.begin(), query.few.end());
  query.few.erase(std::unique(query.few.begin(), query.few.end()), query.few.end());
}

bool BoxIndex::list_rarest(const std::vector<lanes::Value>& values,
                           std::vector<Slot>& slots) const {
  slots.clear();
  const lanes::Value* rarest = nullptr;
  uint32_t least = RareValues::FREQUENT;
  for (const lanes::Value& value : values) {
    const uint32_t times = rare_[value.j].times(value.code);
    if (times >= least) continue;
    least = times;
    rarest = &value;
  }
  return rarest != nullptr && rare_[rarest->j].list(rarest->code, slots);
}

void BoxIndex::describe(const Group& g, Slot slot) {
  summary_.allowed = r_ == 0 ? 0 : test_.max_missing(g.n[slot]);
  summary_.factors = common_factors(g.n[slot]);
}

void BoxIndex::list_shares(const Group& g, Slot slot) {
  summary_.shares.clear();
  summary_.has_all_shares = true;
  for (size_t j = 0; j < r_; ++j) {
    g.D[j].values(slot, values_);
    for (auto [code, times] : values_)
      summary_.shares.push_back({value(j, code).row, CategorySummary::share(times, g.n[slot])});
  }
}

// With a sample more, those of its values are larger. The others are smaller, which is noted now
// and then.
void BoxIndex::renew_shares(const Group& g, Slot slot, const Code* codes) {
  constexpr uint32_t TIMES = 4;  // while the number of samples doubles
  const uint32_t n = g.n[slot];
  if (n % std::max(std::bit_floor(n) / TIMES, 1u) == 0) return list_shares(g, slot);
  summary_.shares.clear();
  summary_.has_all_shares = false;
  for (size_t j = 0; j < r_; ++j)
    summary_.shares.push_back(
        {value(j, codes[j]).row, CategorySummary::share(g.D[j].count(slot, codes[j]), n)});
}

void BoxIndex::insert(const Group& g, Slot slot) {
  describe(g, slot);
  const uint32_t band = this->band();
  if (band > 0) list_shares(g, slot);
  const auto moved = [&](Slot other, Forest::Address at) { addresses_[other].at = at; };
  for (size_t j = 0; j < r_; ++j) splitting_.skip[j] = mostly_rare(j);
  const auto at = forests_[band].insert(g, slot, summary_, splitting_, moved);
  addresses_[slot] = {band, at};
}

void BoxIndex::erase(Address address) {
  forests_[address.band].erase(address.at, [&](Slot other, Forest::Address at) {
    addresses_[other].at = at;
  });
}

size_t BoxIndex::bytes() const {
  size_t total = addresses_.size() * sizeof(Address);
  for (const Forest& forest : forests_) total += forest.bytes();
  for (const RareValues& values : rare_) total += values.bytes();
  return total;
}

namespace {
Word factorise(uint32_t n) {
  constexpr uint32_t PRIMES[] = {2,  3,  5,  7,  11, 13, 17, 19, 23,
                                 29, 31, 37, 41, 43, 47, 53, 59, 61};
  Word bits = 0, bit = 1;
  for (const uint32_t prime : PRIMES) {
    if (n % prime == 0) bits |= bit;
    while (n % prime == 0) n /= prime;
    bit <<= 1;
  }
  return n > 1 ? bits | bit : bits;  // larger ones share a bit
}

// Filled when the module is loaded: no row waits for it.
const std::vector<Word> FIRST_FACTORS = [] {
  std::vector<Word> first(1024);
  for (uint32_t k = 1; k < first.size(); ++k) first[k] = factorise(k);
  return first;
}();
}  // namespace

Word BoxIndex::common_factors(uint32_t n) {
  return n < FIRST_FACTORS.size() ? FIRST_FACTORS[n] : factorise(n);
}

}  // namespace boxwise
