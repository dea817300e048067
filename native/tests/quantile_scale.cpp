#include "store/quantile_scale.hpp"

#include <algorithm>

#include "tests/check.hpp"

using boxwise::QuantileScale;

namespace {
std::vector<double> skewed(unsigned seed, std::size_t count) {
  check::Random random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = std::exp(8 * random.unit());
  return values;
}

void meet_all(QuantileScale& scale, const std::vector<double>& values) {
  for (const double value : values) scale.meet(value, value);
}

double rank(std::vector<double> values, double x) {
  std::sort(values.begin(), values.end());
  const auto below = std::lower_bound(values.begin(), values.end(), x) - values.begin();
  return static_cast<double>(below) / static_cast<double>(values.size());
}
}  // namespace

TEST(positions_are_ranks) {
  const std::vector<double> values = skewed(1, 20'000);
  QuantileScale scale;
  meet_all(scale, values);
  for (const double x : {1.5, 10.0, 55.0, 200.0, 2000.0}) CHECK_NEAR(scale(x), rank(values, x), 0.05);
  CHECK_NEAR(scale(*std::min_element(values.begin(), values.end())), 0.0, 0.02);
  CHECK_NEAR(scale(*std::max_element(values.begin(), values.end())), 1.0, 0.02);
}

TEST(positions_rise_with_the_value) {
  QuantileScale scale;
  meet_all(scale, skewed(2, 3000));
  double last = -1;
  for (double x = 0.5; x < 4000; x *= 1.01) {
    CHECK(scale(x) >= last);
    last = scale(x);
  }
}

TEST(it_is_ready_with_two_values) {
  QuantileScale scale;
  CHECK(!scale.is_ready());
  scale.meet(3, 3);
  scale.meet(3, 3);
  CHECK(!scale.is_ready());
  CHECK(scale.meet(4, 4));
  CHECK(scale.is_ready());
  CHECK(scale(3) == 0 && scale(4) == 1);
}

TEST(memory_stays_small) {
  QuantileScale scale;
  meet_all(scale, skewed(3, 100'000));
  CHECK(scale.state().size() < 10'000);
}

TEST(a_joined_scale_is_that_of_all_values) {
  const std::vector<double> a = skewed(4, 4000);
  std::vector<double> b = skewed(5, 4000);
  for (double& value : b) value *= 3;
  QuantileScale one, other;
  meet_all(one, a);
  meet_all(other, b);
  one.join(other);
  std::vector<double> all = a;
  all.insert(all.end(), b.begin(), b.end());
  for (const double x : {2.0, 30.0, 100.0, 900.0}) CHECK_NEAR(one(x), rank(all, x), 0.05);
}

TEST(state_holds_all_there_is) {
  QuantileScale scale;
  meet_all(scale, skewed(6, 5000));
  QuantileScale copy = QuantileScale::from_state(scale.state());
  CHECK(copy == scale);
  for (const double value : skewed(7, 500)) CHECK(scale.meet(value, value) == copy.meet(value, value));
  CHECK(copy == scale);
}

TEST(many_positions_are_those_of_each) {
  QuantileScale scale;
  meet_all(scale, skewed(8, 2000));
  const std::vector<double> values = skewed(9, 77);
  std::vector<double> out(values.size());
  scale.positions(values.data(), values.size(), out.data());
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(out[i] == scale(values[i]));
}

TEST(surveyed_values_are_not_counted_again) {
  const std::vector<double> values = skewed(10, 1000);
  QuantileScale scale;
  scale.survey(values.size(), values.data(), values.data());
  const auto before = scale.points();
  for (const double value : values) CHECK(!scale.meet(value, value));
  CHECK(scale.points() == before);
}
