#include "store/count_column.hpp"

#include <map>

#include "tests/check.hpp"

using namespace boxwise;
using Counts = std::map<Code, std::uint32_t>;  // of a box, as they should be

namespace {
std::uint32_t at(const Counts& counts, Code code) {
  const auto found = counts.find(code);
  return found == counts.end() ? 0 : found->second;
}

void compare(const CountColumn& column, const std::vector<Counts>& boxes, Code codes) {
  std::vector<Tally> values;
  std::vector<Slot> all;
  for (Slot slot = 0; slot < boxes.size(); ++slot) {
    all.push_back(slot);
    column.values(slot, values);
    CHECK(values == std::vector<Tally>(boxes[slot].begin(), boxes[slot].end()));
  }
  alignas(64) std::uint32_t scratch[CountColumn::SPAN + 16];
  std::vector<std::uint32_t> picked(boxes.size());
  for (Code code = 0; code < codes; ++code) {
    column.pick(code, all, picked.data());
    for (Slot begin = 0; begin < boxes.size(); begin += CountColumn::SPAN) {
      const std::size_t m = std::min<std::size_t>(CountColumn::SPAN, boxes.size() - begin);
      const std::uint32_t* row = column.row(code, begin, m, scratch);
      for (std::size_t i = 0; i < m; ++i) {
        const std::uint32_t wanted = at(boxes[begin + i], code);
        CHECK(column.count(begin + static_cast<Slot>(i), code) == wanted);
        CHECK((row == nullptr ? 0 : row[i]) == wanted);
        CHECK(picked[begin + i] == wanted);
      }
    }
  }
}

// Boxes that come, take values and go; `codes` and `most` choose between bytes, words and lists.
void random_walk(unsigned seed, int steps, unsigned codes, unsigned most, double second) {
  check::Random random(seed);
  CountColumn column;
  std::vector<Counts> boxes;
  for (int step = 0; step < steps; ++step) {
    const unsigned kind = random.below(10);
    if (boxes.empty() || kind < 5) {
      column.open(0);
      boxes.emplace_back();
      const auto code = static_cast<Code>(random.below(codes));
      column.add(static_cast<Slot>(boxes.size() - 1), code, 1);
      boxes.back()[code] = 1;
    } else if (kind < 9) {
      const Slot slot = random.below(static_cast<unsigned>(boxes.size()));
      const bool other = random.unit() < second;
      const Code code = other ? static_cast<Code>(random.below(codes)) : boxes[slot].begin()->first;
      const std::uint32_t times = 1 + random.below(most);
      column.add(slot, code, times);
      boxes[slot][code] += times;
    } else {
      const Slot slot = random.below(static_cast<unsigned>(boxes.size()));
      column.move_last(slot, static_cast<Slot>(boxes.size() - 1));
      boxes[slot] = boxes.back();
      boxes.pop_back();
    }
  }
  compare(column, boxes, static_cast<Code>(codes));
}
}  // namespace

TEST(one_value_per_box_stays_in_bytes) {
  random_walk(1, 1500, 200, 1, 0.0);
}

TEST(counts_past_a_byte_become_words) { random_walk(2, 800, 20, 300, 0.0); }

TEST(further_values_are_listed_then_tabled) {
  random_walk(3, 600, 12, 2, 0.1);
  random_walk(4, 3000, 12, 2, 0.9);
  random_walk(6, 3000, 12, 200, 0.9);  // tables of words
}

TEST(codes_from_256_on_are_listed_by_value) { random_walk(5, 1500, 600, 3, 0.7); }

TEST(a_block_of_single_values_can_be_read_plainly) {
  CountColumn column;
  for (Slot slot = 0; slot < 100; ++slot) {
    column.open(0);
    column.add(slot, static_cast<Code>(slot % 7), 1 + slot % 3);
  }
  const auto plain = column.plain(64, 36);
  CHECK(plain.has_value());
  for (Slot i = 0; plain && i < 36; ++i) {
    CHECK(plain->code[i] == (64 + i) % 7);
    CHECK(plain->count[i] == 1 + (64 + i) % 3);
  }
  column.add(70, 6, 1);  // a second value in the block
  CHECK(!column.plain(64, 36).has_value());
}

TEST(shares_a_value_of_equal_frequency_exactly) {
  CountColumn column;
  column.open(0);
  column.add(0, 3, 2);
  column.add(0, 5, 4);  // a third and two thirds
  CHECK(column.shares(0, 6, {{5, 6}, {9, 3}}, 9));
  CHECK(!column.shares(0, 6, {{3, 6}, {5, 3}}, 9));
  CHECK(!column.shares(0, 6, {{9, 9}}, 9));
}

TEST(codes_that_no_box_holds_are_forgotten) {
  CountColumn column;
  for (Slot slot = 0; slot < 2; ++slot) {
    column.open(0);
    column.add(slot, slot == 0 ? 2 : 40, 1);
  }
  CHECK(column.n_codes() == 41);
  column.move_last(1, 1);
  column.recount();
  CHECK(column.n_codes() == 3);
}

TEST(a_divisor_tells_what_it_divides) {
  for (std::uint64_t n = 1; n < 200; ++n)
    for (std::uint64_t x = 0; x < 2000; ++x) CHECK(Divisor(n).may_divide(x) == (x % n == 0));
}
