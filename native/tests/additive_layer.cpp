#include "additive/layer.hpp"

#include <algorithm>

#include "tests/check.hpp"

using namespace boxwise::additive;
using boxwise::evidence::Query;
using boxwise::evidence::Scales;
using std::size_t;

namespace {
// A plain extended Kalman filter with one covariance matrix for all weights.
struct PlainFilter {
  std::vector<double> weights, first;
  std::vector<std::vector<double>> P;
  double drift;

  void update(const std::vector<double>& x, double error, double curvature) {
    const size_t m = weights.size();
    std::vector<double> gain(m);
    double variance = 0;
    for (size_t i = 0; i < m; ++i)
      for (size_t k = 0; k < m; ++k) gain[i] += P[i][k] * x[k];
    for (size_t i = 0; i < m; ++i) variance += x[i] * gain[i];
    const double shrink = 1 / (1 + curvature * variance);
    for (size_t i = 0; i < m; ++i) {
      weights[i] += error * shrink * gain[i];
      for (size_t k = 0; k < m; ++k) P[i][k] -= curvature * shrink * gain[i] * gain[k];
    }
    for (size_t i = 0; i < m; ++i)
      if (P[i][i] < first[i]) P[i][i] += drift * first[i];
  }
};

const Scales SCALES({{0.0, 10.0, false}});

std::vector<Active> inputs_of(const Slots& slots, double value, std::int32_t code) {
  Query x{{{0, value / 10, value / 10, value, value}}, {code}};
  std::vector<Active> active;
  slots.read(x, SCALES, {4}, active);
  return active;
}

struct Learned {
  Learned(size_t classes, unsigned seed, int rows) : layer(1, 1), classes(classes) {
    check::Random random(seed);
    for (int i = 0; i < rows; ++i) {
      const double value = 10 * random.unit();
      const auto code = static_cast<std::int32_t>(random.below(4));
      judge(value, code);
      layer.learn(label_of(value, code), 1.0, classes, at);
    }
  }
  size_t label_of(double value, std::int32_t code) const {
    return classes == 2 ? value > 6 : (value > 6) + (code == 2);
  }
  const Judgement& judge(double value, std::int32_t code) {
    at.inputs = inputs_of(layer.slots(), value, code);
    layer.judge(std::vector<double>(classes, 1.0 / static_cast<double>(classes)), 1.0, at);
    return at;
  }
  Layer layer;
  size_t classes;
  Judgement at;
};
}  // namespace

TEST(the_filter_is_an_extended_kalman_filter) {
  Layout layout(1, 1);
  check::Random random(1);
  for (int i = 0; i < 30; ++i)
    layout.meet(inputs_of(layout.slots(), 10 * random.unit(), static_cast<std::int32_t>(i % 4)));
  Filter filter(1e-3);
  filter.grow(layout);
  PlainFilter plain;
  plain.drift = 1e-3;
  for (size_t i = 0; i < layout.size(); ++i) {
    plain.weights.push_back(i == Layout::BOXES ? 1.0 : 0.0);
    plain.first.push_back(layout.first_variance(i));
    plain.P.emplace_back(layout.size());
    plain.P[i][i] = plain.first[i];
  }
  for (int step = 0; step < 200; ++step) {
    Row row{{Layout::BIAS, layout.place(Layout::BIAS), 1.0},
            {Layout::BOXES, layout.place(Layout::BOXES), random.unit() - 0.5}};
    for (const Active& input : inputs_of(layout.slots(), 10 * random.unit(),
                                         static_cast<std::int32_t>(random.below(4)))) {
      const auto index = static_cast<size_t>(layout.find(input.slot));
      row.push_back({index, layout.place(index), input.x});
    }
    std::vector<double> x(layout.size());
    double logit = 0;
    for (const RowInput& input : row) x[input.index] = input.x;
    for (size_t i = 0; i < x.size(); ++i) logit += x[i] * plain.weights[i];
    CHECK_NEAR(filter.logit(row), logit, 1e-9);
    const double p = 1 / (1 + std::exp(-logit)), error = (random.unit() < 0.5) - p;
    filter.update(row, error, p * (1 - p));
    plain.update(x, error, p * (1 - p));
    for (size_t i = 0; i < x.size(); ++i)
      CHECK_NEAR(filter.weight(layout.place(i)), plain.weights[i], 1e-9);
  }
}

TEST(a_column_of_its_own_keeps_the_weights) {
  Layout before(1, 1);
  before.meet(inputs_of(before.slots(), 4, 1));
  Filter filter(1e-3);
  filter.grow(before);
  Row row;
  for (size_t i = 0; i < before.size(); ++i) row.push_back({i, before.place(i), 0.3});
  filter.update(row, 0.7, 0.2);
  Layout after = before;
  after.decouple();
  Filter apart = filter;
  apart.decouple(before, after);
  CHECK(after.n_blocks() > before.n_blocks());
  for (size_t i = 0; i < before.size(); ++i)
    CHECK(apart.weight(after.place(i)) == filter.weight(before.place(i)));
}

TEST(hats_sum_to_one) {
  const Slots slots(1, 1);
  for (double value = -1; value < 11; value += 0.37) {
    double sum = 0;
    for (const Active& input : inputs_of(slots, value, 0)) sum += slots.is_hat(input.slot) ? input.x : 0;
    CHECK_NEAR(sum, 1.0, 1e-12);
  }
}

TEST(an_untrained_layer_says_what_the_boxes_say) {
  Layer layer(1, 1);
  Judgement at;
  at.inputs = inputs_of(layer.slots(), 3, 1);
  layer.judge({0.2, 0.5, 0.3}, 1.0, at);
  CHECK((at.p == std::vector<double>{0.2, 0.5, 0.3}));
}

TEST(it_learns_what_the_boxes_do_not_know) {
  for (const size_t classes : {2, 3}) {
    Learned learned(classes, 2, 2000);
    int right = 0;
    check::Random random(3);
    for (int i = 0; i < 300; ++i) {
      const double value = 10 * random.unit();
      const auto code = static_cast<std::int32_t>(random.below(4));
      const auto& p = learned.judge(value, code).p;
      right += static_cast<size_t>(std::max_element(p.begin(), p.end()) - p.begin()) ==
               learned.label_of(value, code);
    }
    CHECK(right > 255);
  }
}

TEST(parts_add_up_to_the_decision) {
  for (const size_t classes : {2, 3}) {
    Learned learned(classes, 4, 500);
    const Judgement& at = learned.judge(7.3, 2);
    const std::vector<double> parts = learned.layer.parts(at);
    const size_t width = parts.size() / classes;
    std::vector<double> p(classes);
    double sum = 0;
    for (size_t k = 0; k < classes; ++k) {
      double logit = 0;
      for (size_t i = 0; i < width; ++i) logit += parts[k * width + i];
      sum += p[k] = std::exp(logit);
    }
    for (size_t k = 0; k < classes; ++k) CHECK_NEAR(p[k] / sum, at.p[k], 1e-9);
  }
}

TEST(a_constrained_column_is_monotone) {
  for (const size_t classes : {2, 3})
    for (const double sign : {1.0, -1.0}) {
      Layer layer(1, 1);
      layer.constrain({{0, 1, sign}});
      Judgement at;
      check::Random random(7);
      const auto judge = [&](double value) -> const Judgement& {
        at.inputs = inputs_of(layer.slots(), value, 1);
        layer.judge(std::vector<double>(classes, 1.0 / static_cast<double>(classes)), 1.0, at);
        return at;
      };
      for (int i = 0; i < 400; ++i) {
        const double value = 10 * random.unit();
        const bool is_odd = value > 1 && value < 3;
        judge(value);
        layer.learn(((value > 5) == (sign > 0)) != is_odd, 1.0, classes, at);
      }
      double before = judge(-1).p[1];
      for (double value = -1; value < 11; value += 0.1) {
        CHECK(sign * (judge(value).p[1] - before) >= -1e-12);
        before = at.p[1];
      }
      CHECK(std::abs(judge(9).p[1] - judge(1).p[1]) > 0.01);
    }
}

TEST(a_class_without_a_row_constrains_nothing) {
  Learned free(2, 9, 300), bound(2, 9, 0);
  bound.layer.constrain({{0, 2, 1.0}});
  check::Random random(9);
  for (int i = 0; i < 300; ++i) {
    const double value = 10 * random.unit();
    const auto code = static_cast<std::int32_t>(random.below(4));
    bound.judge(value, code);
    bound.layer.learn(bound.label_of(value, code), 1.0, 2, bound.at);
  }
  CHECK((free.judge(4, 1).p == bound.judge(4, 1).p));
  bound.layer.learn(2, 1.0, 3, bound.at);  // the class comes: the curves of the others fall now
  double before = 1;
  bound.classes = 3;
  for (double value = 0; value < 10; value += 0.5) {
    const std::vector<double> p = bound.judge(value, 1).p;
    CHECK(before >= 1 - p[2] - 1e-12);
    before = 1 - p[2];
  }
}

TEST(a_class_without_boxes_stays_impossible) {
  Learned learned(3, 5, 300);
  learned.at.inputs = inputs_of(learned.layer.slots(), 3, 1);
  learned.layer.judge({0.5, 0.0, 0.5}, 1.0, learned.at);
  CHECK(learned.at.p[1] == 0);
  CHECK_NEAR(learned.at.p[0] + learned.at.p[2], 1.0, 1e-12);
}

TEST(a_restored_layer_judges_and_learns_alike) {
  Learned learned(3, 6, 400);
  Learned copy(3, 6, 0);
  copy.layer.restore(learned.layer.save(), 3);
  for (int i = 0; i < 50; ++i) {
    const double value = 0.2 * i;
    CHECK(copy.judge(value, 1).p == learned.judge(value, 1).p);
    copy.layer.learn(1, 1.0, 3, copy.at);
    learned.layer.learn(1, 1.0, 3, learned.at);
  }
}
