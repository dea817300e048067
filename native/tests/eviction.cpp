#include "evidence/budget.hpp"

#include <algorithm>

#include "tests/check.hpp"

using namespace boxwise::evidence;

namespace {
// A model of one numeric column with a box for each (class, weight); -1: without a class. The ids
// count up from 0.
struct Fixture {
  explicit Fixture(const std::vector<std::pair<int, double>>& boxes)
      : scales({{0.0, 1.0, true}}), expert(1, 0, {0.1, 1.0}, {}) {
    double at = 0;
    for (const auto& [label, weight] : boxes) {
      Query x{{{0, at, at, at, at}}, {}};
      at += 0.01;
      expert.tick(label, weight);
      expert.create(x, label, weight, id++);
    }
  }
  std::vector<std::uint64_t> ids(std::size_t group) const {
    auto all = expert.groups[group].id;
    std::sort(all.begin(), all.end());
    return all;
  }
  // All boxes took their last row just now.
  void same_age() {
    for (BoxGroup& group : expert.groups)
      for (std::size_t i = 0; i < group.size(); ++i) group.set_last(i, expert.clock);
  }
  Scales scales;
  Expert expert;
  std::uint64_t id = 0;
};
using Ids = std::vector<std::uint64_t>;
}  // namespace

TEST(the_lightest_box_goes) {
  Fixture fixture({{0, 5}, {0, 2}, {0, 9}, {0, 4}});
  fixture.same_age();
  CHECK(evict(fixture.expert));
  CHECK((fixture.ids(1) == Ids{0, 2, 3}));
  CHECK(evict(fixture.expert));
  CHECK((fixture.ids(1) == Ids{0, 2}));
}

TEST(of_equal_boxes_the_oldest_goes) {
  Fixture fixture({{0, 3}, {0, 3}, {0, 3}});
  fixture.same_age();
  CHECK(evict(fixture.expert));
  CHECK((fixture.ids(1) == Ids{1, 2}));
}

TEST(weight_fades_with_age) {
  std::vector<std::pair<int, double>> boxes{{0, 12}};
  for (int i = 0; i < 40; ++i) boxes.push_back({0, 10});
  Fixture fixture(boxes);
  const double long_ago = fixture.expert.groups[1].last[0];
  fixture.same_age();
  fixture.expert.groups[1].set_last(0, long_ago);  // the heaviest
  CHECK(evict(fixture.expert));
  CHECK(fixture.ids(1).front() == 1);
}

TEST(a_rare_class_keeps_half_of_an_even_share) {
  // Two boxes of the rare class are as light as can be: of twelve in two classes it may keep three.
  std::vector<std::pair<int, double>> boxes{{1, 1}, {1, 1}};
  for (int i = 0; i < 10; ++i) boxes.push_back({0, 20.0 + i});
  Fixture fixture(boxes);
  fixture.same_age();
  CHECK(evict(fixture.expert));
  CHECK((fixture.ids(2) == Ids{0, 1}));
  CHECK(fixture.ids(1).front() == 3);  // the lightest of the others went
}

TEST(only_boxes_without_a_class_if_asked) {
  Fixture fixture({{0, 1}, {-1, 7}, {-1, 5}});
  fixture.same_age();
  CHECK(evict(fixture.expert, true));
  CHECK((fixture.ids(0) == Ids{1}));
  CHECK(evict(fixture.expert, true));
  CHECK(!evict(fixture.expert, true));
  CHECK((fixture.ids(1) == Ids{0}));
}

TEST(class_statistics_follow) {
  Fixture fixture({{0, 5}, {0, 2}});
  fixture.same_age();
  CHECK(fixture.expert.stats[1].n() == 7);
  evict(fixture.expert);
  CHECK(fixture.expert.stats[1].n() == 5);
}

TEST(reducing_keeps_the_heaviest_and_some_of_each_class) {
  std::vector<std::pair<int, double>> boxes{{1, 1}, {1, 2}, {1, 3}};
  for (int i = 0; i < 9; ++i) boxes.push_back({0, 10.0 + i});
  Fixture fixture(boxes);
  fixture.same_age();
  reduce(fixture.expert, 8);
  CHECK(fixture.expert.n_boxes() == 8);
  CHECK((fixture.ids(2) == Ids{1, 2}));  // half of an even share of 8
  CHECK((fixture.ids(1) == Ids{6, 7, 8, 9, 10, 11}));
  reduce(fixture.expert, 100);
  CHECK(fixture.expert.n_boxes() == 8);
}
