// The learner by evidence as it is fuzzed: one engine learns tables in one call, its twin in portions
// with weights given or left out, predicts before it learns, and is rebuilt from its state now and then.
// Both must come to the same state and the same probabilities, bit for bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <variant>
#include <vector>

#include "evidence/engine.hpp"
#include "input.hpp"
#include "promise.hpp"

namespace fuzz {

class EvidenceSession {
 public:
  using Engine = boxwise::evidence::EvidenceEngine;
  using Arrays = boxwise::evidence::Arrays;

  explicit EvidenceSession(Input& in) : in_(in), n_(in.below(4)), r_(in.below(4)) {
    in_.largest_code = 5000;
    settings_ = settings();
    const bool by_rank = in_.below(2) == 0;
    std::vector<boxwise::Range> ranges(n_, {boxwise::UNSET, -boxwise::UNSET, true});
    for (auto& range : ranges)
      if (by_rank) range.scale.emplace();
    engine_ = std::make_unique<Engine>(n_, r_, settings_, ranges);
    twin_ = std::make_unique<Engine>(n_, r_, settings_, ranges);
  }

  void run() {
    for (int step = 0; step < 60 && in_.any(); ++step) {
      switch (in_.below(10)) {
        case 0: rebuild_twin(); break;
        case 1: remove(); break;
        case 2: configure(); break;
        case 3: start_from_odd_state(); break;
        case 4: learn(drawn_ < 2 ? (++drawn_, drawn_table(in_, n_, r_, engine_->n_classes()))
                                 : written_table(in_, n_, r_, engine_->n_classes(), true)); break;
        case 5:
        case 6: predict(written_table(in_, n_, r_, engine_->n_classes(), false)); break;
        default: learn(written_table(in_, n_, r_, engine_->n_classes(), true));
      }
      CHECK(settings_.max_boxes == 0 || engine_->n_boxes() <= settings_.max_boxes);
    }
    CHECK(same_state());
    predict(written_table(in_, n_, r_, engine_->n_classes(), false));
  }

 private:
  struct State {
    Arrays arrays;
    std::vector<boxwise::Range> ranges;
    std::size_t n_classes = 0;
    std::uint64_t next_id = 0;
  };

  boxwise::evidence::Settings settings() {
    boxwise::evidence::Settings s;
    s.sizes = {in_.share(), in_.share()};
    const std::uint8_t kind = in_.byte();
    s.max_boxes = kind < 100 ? 1000 : kind < 150 ? 0 : 1 + in_.below(60);
    s.adapt = in_.below(4) != 0;
    if (in_.below(2) == 0) s.priors = {0.0, 0.5, 1.0};
    return s;
  }

  template <class Order>
  static bool attempt(Order order) {
    try {
      order();
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  }

  static State state(const Engine& engine) {
    State s;
    engine.read_state(s.arrays, s.ranges, s.n_classes, s.next_id);
    return s;
  }

  static bool equal(const Arrays& a, const Arrays& b) {
    if (a.size() != b.size()) return false;
    for (const auto& [name, array] : a) {
      const auto other = b.find(name);
      if (other == b.end() || array.index() != other->second.index()) return false;
      const bool same = std::visit(
          [&](const auto& x) {
            const auto& y = std::get<std::decay_t<decltype(x)>>(other->second);
            return x.shape == y.shape &&
                   std::equal(x.values.begin(), x.values.end(), y.values.begin(), y.values.end(),
                              [](auto p, auto q) { return p == q || (p != p && q != q); });
          },
          array);
      if (!same) return false;
    }
    return true;
  }

  bool same_state() const {
    const State a = state(*engine_), b = state(*twin_);
    return equal(a.arrays, b.arrays) && a.ranges == b.ranges && a.n_classes == b.n_classes &&
           a.next_id == b.next_id;
  }

  void learn(const Table& t) {
    const std::size_t portion = 1 + in_.below(40);
    const bool look = in_.below(2) == 0;
    std::vector<double> ones(t.count(), 1.0);
    const bool done = attempt([&] { engine_->learn(t.rows(), t.labels.data()); });
    const bool twin_done = attempt([&] {
      for (std::size_t begin = 0; begin < t.count(); begin += done ? portion : t.count()) {
        auto rows = t.rows(begin, done ? std::min(begin + portion, t.count()) : t.count());
        if (look && twin_->n_classes() > 0) {
          std::vector<std::int32_t> labels(rows.count);
          attempt([&] { twin_->predict(rows, labels.data(), 1); });
        }
        rows.weights = look ? &ones[begin] : nullptr;
        twin_->learn(rows, &t.labels[begin]);
      }
    });
    CHECK(done == twin_done);
  }

  void predict(const Table& t) {
    std::vector<std::int32_t> labels(t.count()), others(t.count());
    const bool done = attempt([&] { engine_->predict(t.rows(), labels.data(), 1); });
    CHECK(done == attempt([&] { twin_->predict(t.rows(), others.data(), 2); }));
    if (!done) return;
    CHECK(labels == others);
    const std::size_t classes = engine_->n_classes(), boxes = engine_->n_boxes();
    const auto p = engine_->probabilities(t.rows(), classes, 1);
    CHECK(p == twin_->probabilities(t.rows(), classes, 2));
    const auto supports = engine_->supports(t.rows(), 1);
    const auto carried = engine_->responsibilities(t.rows(), 1);
    for (std::size_t row = 0; row < t.count(); ++row) {
      CHECK(supports[row] >= 0 && std::isfinite(supports[row]));
      double sum = 0, of_boxes = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        const double share = p[row * classes + k];
        CHECK(share >= 0 && share <= 1 + 1e-12);
        CHECK(static_cast<std::int32_t>(k) == labels[row] || share < p[row * classes + labels[row]]);
        sum += share;
      }
      for (std::size_t i = 0; i < boxes; ++i) of_boxes += carried.row(row)[i];
      CHECK(std::abs(sum - 1) < 1e-9 && of_boxes <= 1 + 1e-9);
    }
  }

  void rebuild_twin() {
    const State s = state(*engine_);
    twin_ = std::make_unique<Engine>(n_, r_, settings_, s.ranges);
    twin_->restore(s.arrays, s.n_classes, s.next_id);
    CHECK(same_state());
  }

  void remove() {
    const auto ids = std::get<boxwise::evidence::ArrayOf<std::uint64_t>>(state(*engine_).arrays["id"]);
    const std::uint64_t id = ids.values.empty() ? 7 : ids.values[in_.below(ids.values.size())];
    CHECK(attempt([&] { engine_->remove(id); }) == attempt([&] { twin_->remove(id); }));
  }

  void configure() {
    const auto s = settings();
    if (attempt([&] { engine_->configure(s); })) settings_ = s;
    attempt([&] { twin_->configure(s); });
  }

  // As a model file is read: a state that is not refused must be one to go on from.
  void start_from_odd_state() {
    State s = state(*engine_);
    for (std::size_t times = in_.below(3) + 1; times > 0; --times) {
      auto spoiled = s.arrays.begin();
      std::advance(spoiled, static_cast<std::ptrdiff_t>(in_.below(s.arrays.size())));
      std::visit([&](auto& array) { spoil(array); }, spoiled->second);
    }
    auto engine = std::make_unique<Engine>(n_, r_, settings_, s.ranges);
    if (!attempt([&] { engine->restore(s.arrays, s.n_classes, s.next_id); })) return;
    twin_ = std::make_unique<Engine>(n_, r_, settings_, s.ranges);
    twin_->restore(s.arrays, s.n_classes, s.next_id);
    engine_ = std::move(engine);
  }

  template <class T>
  void spoil(boxwise::evidence::ArrayOf<T>& array) {
    if (array.values.empty() || in_.below(10) == 0) {
      array.values.push_back(static_cast<T>(in_.byte()));
      if (array.shape.size() == 1) array.shape[0] = array.values.size();
    } else if constexpr (std::is_same_v<T, double>) {
      array.values[in_.below(array.values.size())] = in_.number();
    } else {
      array.values[in_.below(array.values.size())] = in_.raw<T>();
    }
  }

  Input& in_;
  std::size_t n_, r_;
  boxwise::evidence::Settings settings_;
  std::unique_ptr<Engine> engine_, twin_;
  int drawn_ = 0;  // tables, each of which takes as long as a hundred written ones
};

}  // namespace fuzz
