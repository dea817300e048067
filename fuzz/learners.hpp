// The learners that are fuzzed: how each is set up, what makes up its state, and what its decisions
// promise beyond those of the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "evidence_engine.hpp"
#include "input.hpp"
#include "promise.hpp"

namespace fuzz {

using boxwise::Record;
using boxwise::Snapshot;

struct State {
  Snapshot boxes;
  Record record;  // blank where the learner has none
};

inline bool equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
inline bool equal(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return equal(x, y); });
}
inline bool equal(const Snapshot& a, const Snapshot& b) {
  return a.ranges == b.ranges && equal(a.V, b.V) && equal(a.W, b.W) && a.n == b.n &&
         a.label == b.label && a.id == b.id && a.last == b.last && a.first == b.first &&
         a.code == b.code && a.times == b.times && a.n_classes == b.n_classes &&
         a.next_id == b.next_id;
}
inline bool equal(const Record& a, const Record& b) {
  if (a.test.waits != b.test.waits || a.step.waits != b.step.waits) return false;
  if (a.test.waits && !(a.test.due == b.test.due && a.test.label == b.test.label &&
                        equal(a.test.scores, b.test.scores) && equal(a.test.samples, b.test.samples)))
    return false;
  if (a.step.waits && !(a.step.due == b.step.due && equal(a.step.slopes, b.step.slopes)))
    return false;
  return a.rows == b.rows && a.tests == b.tests && a.steps == b.steps && a.clock == b.clock &&
         equal(a.losses, b.losses) && equal(a.tallies, b.tallies) && equal(a.reaches, b.reaches) &&
         equal(a.steepness, b.steepness);
}
inline bool equal(const State& a, const State& b) {
  return equal(a.boxes, b.boxes) && equal(a.record, b.record);
}

// Changes one of the values, or adds one.
template <class T, class U>
void spoil(Input& in, std::vector<T>& values, U value) {
  if (values.empty() || in.below(10) == 0)
    values.push_back(static_cast<T>(value));
  else
    values[in.below(values.size())] = static_cast<T>(value);
}

struct Portions {  // what EvidenceEngine::set_portions takes; small ones make results wait
  std::size_t test, step;
};

// EIOL-GFMM: the box with the highest membership decides.
struct ByMembership {
  using Engine = boxwise::EntropyEngine;
  using Settings = boxwise::EntropySettings;
  static constexpr Code LARGEST_CODE = std::numeric_limits<Code>::max();

  static Settings settings(Input& in, std::size_t n) {
    Settings s;
    s.theta = in.share();
    s.delta = in.share();
    s.alpha = in.share();
    const std::uint8_t kind = in.byte();
    s.mean = kind % 2 == 1;
    s.max_boxes = kind < 224 ? 0 : 1 + in.below(16);
    for (std::size_t j = 0; j < n; ++j) {
      const double gamma = in.share();
      s.gamma.push_back(gamma == 0 ? 1.0 : gamma);
    }
    return s;
  }

  static std::unique_ptr<Engine> make(std::size_t n, std::size_t r, const Settings& settings,
                                      const std::vector<boxwise::Range>& ranges, Portions) {
    return std::make_unique<Engine>(n, r, settings, ranges);
  }
  static State state(const Engine& engine) { return {engine.snapshot(), {}}; }
  static void restore(Engine& engine, const State& state) { engine.restore(state.boxes); }
  static void spoil_record(Input&, Record&) {}

  static void check_decision(const Engine& engine, const Table& t, const Snapshot& boxes,
                             const std::vector<std::int32_t>& labels, const std::vector<double>&) {
    const auto m = engine.memberships(t.rows());
    for (std::size_t row = 0; row < t.count(); ++row) {
      double best = -1, own = -1;
      for (std::size_t i = 0; i < boxes.n.size(); ++i) {
        if (boxes.label[i] < 0) continue;
        best = std::max(best, m.row(row)[i]);
        if (boxes.label[i] == labels[row]) own = std::max(own, m.row(row)[i]);
      }
      CHECK(own == best);
    }
  }
};

// All boxes of a class decide together; it keeps a record of how well its choices have predicted.
struct ByEvidence {
  using Engine = boxwise::EvidenceEngine;
  using Settings = boxwise::EvidenceSettings;
  // It has arrays by code: values are numbered as they appear, so that there are no large codes of few
  // values.
  static constexpr Code LARGEST_CODE = 5000;

  static Settings settings(Input& in, std::size_t n) {
    Settings s;
    s.learning = ByMembership::settings(in, n);
    s.bandwidths = choices(in, {0.01, 0.1, 0.4, 1e-6, 1e6});
    s.backoffs = choices(in, {0.03, 2.0, 32.0, 1e-6, 1e6});
    s.temperatures = choices(in, {0.5, 1.0, 4.0, 1e-6, 1e6});
    s.powers = in.byte() < 100 ? std::vector<double>{0.0} : std::vector<double>{in.share(), 0.5, 1.0};
    s.forget = in.below(2) == 1;
    return s;
  }

  static std::unique_ptr<Engine> make(std::size_t n, std::size_t r, const Settings& settings,
                                      const std::vector<boxwise::Range>& ranges,
                                      Portions portions) {
    auto engine = std::make_unique<Engine>(n, r, settings, ranges);
    engine->set_portions(portions.test, portions.step);
    return engine;
  }
  static State state(const Engine& engine) { return {engine.snapshot(), engine.record()}; }
  static void restore(Engine& engine, const State& state) {
    engine.restore_record(state.record);
    engine.restore(state.boxes);
  }

  static void spoil_record(Input& in, Record& record) {
    switch (in.below(12)) {
      case 0: record.rows = in.raw<std::uint64_t>(); break;
      case 1: record.tests = in.raw<std::uint64_t>(); break;
      case 2: record.steps = in.raw<std::uint64_t>(); break;
      case 3: record.clock = in.raw<std::uint64_t>(); break;
      case 4: spoil(in, record.losses, in.number()); break;
      case 5: spoil(in, record.tallies, in.number()); break;
      case 6: spoil(in, record.reaches, in.number()); break;
      case 7: spoil(in, record.steepness, in.number()); break;
      case 8: spoil(in, record.test.scores, in.number()); break;
      case 9: spoil(in, record.test.samples, in.number()); break;
      case 10: spoil(in, record.step.slopes, in.number()); break;
      default: record.test.label = in.byte();
    }
  }

  // What the boxes of a class carry adds up to its probability.
  static void check_decision(const Engine& engine, const Table& t, const Snapshot& boxes,
                             const std::vector<std::int32_t>&, const std::vector<double>& p) {
    const auto carried = engine.responsibilities(t.rows());
    for (std::size_t row = 0; row < t.count(); ++row) {
      std::vector<double> sums(boxes.n_classes, 0.0);
      for (std::size_t i = 0; i < boxes.n.size(); ++i) {
        const double part = carried.row(row)[i];
        CHECK(part >= 0 && part <= 1 + 1e-12);
        if (boxes.label[i] >= 0) sums[static_cast<std::size_t>(boxes.label[i])] += part;
        else CHECK(part == 0);
      }
      for (std::size_t k = 0; k < sums.size(); ++k)
        CHECK(std::abs(sums[k] - p[row * sums.size() + k]) < 1e-9);
    }
  }

 private:
  static std::vector<double> choices(Input& in, std::vector<double> known) {
    const std::uint8_t kind = in.byte();
    if (kind < 100) return {known[kind % known.size()]};
    if (kind < 240) return {known[0], known[1 + kind % (known.size() - 1)]};
    if (kind < 248) return known;
    return {in.number(), known[0]};
  }
};

}  // namespace fuzz
