#include "drift/adwin.hpp"

#include "tests/check.hpp"

using boxwise::drift::Adwin;

namespace {
// Updates with a Bernoulli stream of mean p; returns how often a change was found.
int feed(Adwin& window, check::Random& random, double p, int count) {
  int changes = 0;
  for (int i = 0; i < count; ++i) changes += window.update(random.unit() < p ? 1.0 : 0.0);
  return changes;
}
}  // namespace

TEST(a_steady_stream_has_no_change) {
  check::Random random(1);
  Adwin window;
  CHECK(feed(window, random, 0.3, 4000) == 0);
  CHECK(window.width() == 4000);
}

TEST(a_step_is_found_soon_and_the_older_part_dropped) {
  check::Random random(2);
  Adwin window;
  feed(window, random, 0.1, 2000);
  int until = 0;
  while (until < 500 && feed(window, random, 0.8, 1) == 0) ++until;
  CHECK(until < 100);
  CHECK(window.older() < window.newer());
  CHECK_NEAR(window.older(), 0.1, 0.05);
  CHECK(window.width() < 500);
}

TEST(a_higher_confidence_needs_more_rows) {
  const auto rows_until = [](double delta) {
    check::Random random(3);
    Adwin window(delta);
    feed(window, random, 0.2, 1000);
    int rows = 0;
    while (rows < 2000 && feed(window, random, 0.5, 1) == 0) ++rows;
    return rows;
  };
  CHECK(rows_until(0.002) < 1000);
  CHECK(rows_until(1e-12) > rows_until(0.05));
}

TEST(a_restored_window_goes_on_alike) {
  check::Random random(4);
  Adwin window;
  feed(window, random, 0.3, 777);
  const std::vector<double> state = window.state();
  const double* at = state.data();
  Adwin copy = Adwin::from_state(at, state.data() + state.size());
  CHECK(at == state.data() + state.size());
  check::Random one(5), other(5);
  for (int i = 0; i < 40; ++i) {
    const double p = i < 20 ? 0.3 : 0.9;
    CHECK(feed(window, one, p, 32) == feed(copy, other, p, 32));
    CHECK(window.width() == copy.width());
  }
  CHECK(window.state() == copy.state());
}
