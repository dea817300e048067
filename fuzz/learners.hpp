// EIOL-GFMM as it is fuzzed: its settings, what makes up its state, what its decisions promise.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "eiol/entropy_engine.hpp"
#include "input.hpp"
#include "promise.hpp"

namespace fuzz {

using boxwise::Snapshot;

inline bool equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
inline bool equal(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return equal(x, y); });
}
inline bool equal(const Snapshot& a, const Snapshot& b) {
  return a.ranges == b.ranges && equal(a.V, b.V) && equal(a.W, b.W) && a.n == b.n &&
         a.label == b.label && a.id == b.id && a.first == b.first &&
         a.code == b.code && a.times == b.times && a.n_classes == b.n_classes &&
         a.next_id == b.next_id;
}
// Changes one of the values, or adds one.
template <class T, class U>
void spoil(Input& in, std::vector<T>& values, U value) {
  if (values.empty() || in.below(10) == 0)
    values.push_back(static_cast<T>(value));
  else
    values[in.below(values.size())] = static_cast<T>(value);
}

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
                                      const std::vector<boxwise::Range>& ranges) {
    return std::make_unique<Engine>(n, r, settings, ranges);
  }

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

}  // namespace fuzz
