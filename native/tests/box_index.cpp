#include "index/box_index.hpp"

#include <memory>
#include <numeric>
#include <set>

#include "tests/check.hpp"

using namespace boxwise;

namespace {
constexpr std::size_t N = 2, R = 3;
constexpr unsigned FIRST_CODES = 12, CODES = 40;  // before there is an index, and in all

// Half of the boxes are pure and small, some hold many values, as boxes of a stream do.
Box random_box(check::Random& random, std::uint64_t id, unsigned codes) {
  Box box;
  const bool open = random.below(4) == 0;
  box.n = open ? 2 + random.below(30) : 1 + random.below(3);
  box.id = id;
  for (std::size_t j = 0; j < N; ++j) {
    const double low = random.unit();
    box.V.push_back(low);
    box.W.push_back(low + 0.1 * random.unit());
  }
  for (std::size_t j = 0; j < R; ++j) {
    std::vector<Tally> values;
    const unsigned own = random.below(codes - 2);
    if (open && random.below(3) > 0) {
      values = {{static_cast<Code>(own), box.n / 2}, {static_cast<Code>(own + 2), box.n - box.n / 2}};
    } else {
      values = {{static_cast<Code>(own), box.n}};
    }
    box.D.push_back(values);
  }
  return box;
}

struct Row {
  double x[N];
  Code codes[R];
};
Row random_row(check::Random& random) {
  const unsigned codes = random.below(2) == 0 ? CODES : FIRST_CODES;
  Row row;
  for (double& x : row.x) x = random.unit();
  for (Code& code : row.codes) code = static_cast<Code>(random.below(codes));
  return row;
}

struct Fixture {
  Fixture(bool mean, double delta, std::size_t capacity, unsigned seed, std::size_t boxes)
      : random(seed), test(delta, mean, R), group(N, R, false), mean(mean) {
    for (; next < 20; ++next) group.append(random_box(random, next, FIRST_CODES));
    index = std::make_unique<BoxIndex>(group, capacity, test, margins, false);
    for (; next < boxes; ++next) add();
    while (!index->follows_all(group)) index->follow(group, 7);
  }
  void add() {
    const Box box = random_box(random, next, random.below(2) == 0 ? CODES : FIRST_CODES);
    const Slot slot = group.append(box);
    index->added(group, slot, box);
  }
  void remove(Slot slot) {
    const Box box = group.remove(slot);
    index->removed(group, slot, box);
  }
  // The box takes the values of a row.
  void take(Slot slot, const Row& row) {
    for (std::size_t j = 0; j < N; ++j) {
      group.V[j][slot] = std::min(group.V[j][slot], row.x[j]);
      group.W[j][slot] = std::max(group.W[j][slot], row.x[j]);
    }
    for (std::size_t j = 0; j < R; ++j) group.D[j].add(slot, row.codes[j], 1);
    group.set_samples(slot, group.n[slot] + 1);
    index->changed(group, slot, row.codes);
  }
  bool entropy_passes(Slot slot, const Row& row) {
    std::uint32_t least = group.n[slot];
    double sum_of_g = 0;
    for (std::size_t j = 0; j < R; ++j) {
      const std::uint32_t count = group.D[j].count(slot, row.codes[j]);
      least = std::min(least, count);
      sum_of_g += EntropyTest::g(count);
    }
    return mean ? test.passes(group.n[slot], sum_of_g) : least >= test.min_count(group.n[slot]);
  }
  bool fits(Slot slot, const Row& row, double limit) const {
    for (std::size_t j = 0; j < N; ++j)
      if (std::max(group.W[j][slot], row.x[j]) - std::min(group.V[j][slot], row.x[j]) > limit)
        return false;
    return true;
  }
  // How many boxes a search for those that a row may grow visits; all that may must be among them.
  std::size_t check_growing(const Row& row, double limit) {
    BoxIndex::Growing x;
    for (std::size_t j = 0; j < N; ++j) x.sides.push_back({j, row.x[j], row.x[j], limit});
    Signature signature;
    for (std::size_t j = 0; j < R; ++j) {
      x.values.push_back(index->value(j, row.codes[j]));
      signature.add(j, false, row.codes[j]);
    }
    x.signature = signature.value();
    std::set<Slot> found;
    index->visit_growing(x, [&](const Forest::Leaf& leaf, std::size_t lane) {
      CHECK(found.insert(leaf.items[lane]).second);  // once
    });
    for (Slot slot = 0; slot < group.size(); ++slot)
      if (fits(slot, row, limit) && entropy_passes(slot, row)) CHECK(found.count(slot) == 1);
    return found.size();
  }
  std::size_t check_containing(const Row& row) {
    BoxIndex::Meeting x;
    for (std::size_t j = 0; j < N; ++j) x.sides.push_back({j, row.x[j], row.x[j]});
    for (std::size_t j = 0; j < R; ++j) x.values.push_back(index->value(j, row.codes[j]));
    std::set<Slot> found;
    index->visit_containing(x, [&](Slot slot) { found.insert(slot); });
    for (Slot slot = 0; slot < group.size(); ++slot) {
      bool contains = true;
      for (std::size_t j = 0; j < N; ++j)
        contains = contains && group.V[j][slot] <= row.x[j] && row.x[j] <= group.W[j][slot];
      for (std::size_t j = 0; j < R; ++j)
        contains = contains && group.D[j].count(slot, row.codes[j]) > 0;
      if (contains) CHECK(found.count(slot) == 1);
    }
    return found.size();
  }
  check::Random random;
  EntropyTest test;
  std::vector<double> margins{0.2, 0.2};
  Group group;
  std::unique_ptr<BoxIndex> index;
  std::uint64_t next = 0;
  bool mean;
};

void search_all(bool mean, double delta, std::size_t capacity, unsigned seed) {
  constexpr std::size_t BOXES = 600;
  Fixture fixture(mean, delta, capacity, seed, BOXES);
  std::size_t growing = 0, containing = 0;
  constexpr int ROWS = 60;
  for (int row = 0; row < ROWS; ++row) {
    growing += fixture.check_growing(random_row(fixture.random), 0.3);
    containing += fixture.check_containing(random_row(fixture.random));
  }
  CHECK(growing < ROWS * BOXES / 2);  // else it leaves nothing out
  CHECK(containing < ROWS * BOXES / 10);
}
}  // namespace

TEST(no_box_that_a_row_may_grow_or_is_in_is_missed) {
  for (const std::size_t capacity : {2, 5, 64})
    for (const double delta : {0.0, 0.3, 0.7}) {
      search_all(false, delta, capacity, 1);
      search_all(true, delta, capacity, 2);
    }
}

TEST(it_follows_boxes_that_grow_and_go) {
  Fixture fixture(true, 0.6, 4, 3, 300);
  for (int step = 0; step < 400; ++step) {
    const auto slot = static_cast<Slot>(fixture.random.below(
        static_cast<unsigned>(fixture.group.size())));
    const unsigned kind = fixture.random.below(3);
    if (kind == 0) {
      fixture.remove(slot);
    } else if (kind == 1) {
      fixture.take(slot, random_row(fixture.random));
    } else {
      ++fixture.next;
      fixture.add();
    }
    if (step % 10 != 0) continue;
    CHECK(fixture.index->follows_all(fixture.group));
    fixture.check_growing(random_row(fixture.random), 0.4);
    fixture.check_containing(random_row(fixture.random));
  }
}

TEST(boxes_that_share_a_frequency_have_a_common_factor) {
  for (std::uint32_t n = 2; n < 400; ++n)
    for (std::uint32_t m = 2; m < 400; ++m)
      if (std::gcd(n, m) > 1)
        CHECK((BoxIndex::common_factors(n) & BoxIndex::common_factors(m)) != 0);
  CHECK((BoxIndex::common_factors(8) & BoxIndex::common_factors(9)) == 0);
}

TEST(rare_values_list_the_boxes_that_hold_them) {
  RareValues rare(0);
  check::Random random(5);
  std::vector<std::set<Slot>> held(40);
  for (int step = 0; step < 4000; ++step) {
    const unsigned code = random.below(40);
    const Slot slot = random.below(100);
    if (held[code].insert(slot).second) {
      rare.add(static_cast<Code>(code), slot);
    } else {
      held[code].erase(slot);
      rare.remove(static_cast<Code>(code), slot);
    }
  }
  for (unsigned code = 0; code < held.size(); ++code) {
    std::vector<Slot> slots;
    CHECK(rare.times(static_cast<Code>(code)) == held[code].size());
    CHECK(rare.list(static_cast<Code>(code), slots));
    CHECK(std::set<Slot>(slots.begin(), slots.end()) == held[code]);
  }
}

TEST(a_value_of_too_many_boxes_is_no_longer_listed) {
  RareValues rare(0);
  for (Slot slot = 0; slot <= RareValues::MAX_POSTINGS; ++slot) rare.add(3, slot);
  std::vector<Slot> slots;
  CHECK(rare.times(3) == RareValues::FREQUENT);
  CHECK(!rare.list(3, slots));
}
