// The input of a fuzz target: bytes are turned into numbers, codes and tables of rows, with a
// liking for what is rare in data and common in bugs: ties, gaps, the ends of the range of a
// number.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

#include "engine/engine.hpp"
#include "kernels/kernels.hpp"

namespace fuzz {

using boxwise::Code;

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  bool any() const { return left_ > 0; }

  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  std::size_t below(std::size_t n) { return byte() % n; }

  template <class T>
  T raw() {
    std::uint8_t bytes[sizeof(T)];
    for (auto& b : bytes) b = byte();
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }

  double number() {
    static constexpr double none = std::numeric_limits<double>::quiet_NaN();
    static constexpr double inf = std::numeric_limits<double>::infinity();
    static constexpr double odd[] = {none,   inf,    -inf,   1e150,   -1e150, 1.01e150, 1e300,
                                     5e-324, 1e-150, 1e-200, -1e-150, -0.0,   1e16,     0.1};
    const std::uint8_t kind = byte();
    if (kind < 150) return kind % 16 / 8.0;  // a grid, so that there are ties
    if (kind < 200) return byte() / 256.0;
    if (kind < 215) return none;
    if (kind < 235) return odd[below(std::size(odd))];
    return raw<double>();
  }
  double share() {
    static constexpr double shares[] = {0.0, 0.1, 0.25, 0.5, 0.9, 1.0, 5e-324, 2.0};
    const std::uint8_t kind = byte();
    return kind < 240 ? shares[kind % std::size(shares)] : number();
  }
  Code code() {
    const std::uint8_t kind = byte();
    if (kind < 180) return kind % 4;
    if (kind < 240) return 55 + kind % 20;  // around where counts become sparse
    if (kind < 248) return -1;
    const Code any = raw<Code>();
    return any > largest_code ? any % largest_code : any;
  }

  Code largest_code = std::numeric_limits<Code>::max();

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

struct Table {
  std::size_t n, r;  // numeric features, categorical ones
  std::vector<double> lower, upper;
  std::vector<Code> codes;
  std::vector<std::int32_t> labels;

  std::size_t count() const { return labels.size(); }
  boxwise::Rows rows() const { return rows(0, count()); }
  boxwise::Rows rows(std::size_t begin, std::size_t end) const {
    return {end - begin, lower.data() + begin * n, upper.data() + begin * n,
            codes.data() + begin * r};
  }
};

// Every value of every row is in the input; many tables are refused.
inline Table written_table(Input& in, std::size_t n, std::size_t r, std::size_t classes,
                           bool to_learn) {
  Table t{n, r, {}, {}, {}, {}};
  const std::size_t count = 1 + in.below(in.byte() < 200 ? 8 : 70);
  auto known = static_cast<std::int32_t>(classes);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double x = in.number();
      const std::uint8_t kind = in.byte();
      t.lower.push_back(x);
      t.upper.push_back(kind < 200 ? x : kind < 245 ? x + kind % 3 / 8.0 : in.number());
    }
    for (std::size_t j = 0; j < r; ++j) {
      const Code code = in.code();
      t.codes.push_back(to_learn && code == -1 && in.byte() < 200 ? 0 : code);
    }
    const std::uint8_t kind = in.byte();
    std::int32_t label = kind % (known + 2) - 1;
    if (kind > 252) label = in.raw<std::int32_t>();
    if (label == known) ++known;
    t.labels.push_back(label);
  }
  return t;
}

// Many rows from few bytes, none of them refused: enough boxes for an index, for blocks and for
// results that wait.
inline Table drawn_table(Input& in, std::size_t n, std::size_t r, std::size_t classes) {
  static constexpr std::int32_t MOST_CLASSES = 5;
  Table t{n, r, {}, {}, {}, {}};
  const std::size_t count = 32 + in.byte();
  const std::uint32_t steps = 2 + in.byte(), values = 1 + in.byte() % 80;
  const double size = in.byte() < 128 ? 1.0 : 1000.0;
  std::uint32_t state = in.raw<std::uint16_t>();
  const auto draw = [&](std::uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
  };
  auto known = static_cast<std::int32_t>(classes);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const bool none = draw(16) == 0;
      const double x = none ? std::nan("") : size * draw(steps) / steps;
      t.lower.push_back(x);
      t.upper.push_back(draw(8) == 0 ? x + size * draw(4) / 16 : x);
    }
    for (std::size_t j = 0; j < r; ++j) t.codes.push_back(static_cast<Code>(draw(values)));
    const std::uint32_t choices = std::min(known + 1, std::max(known, MOST_CLASSES));
    const auto label = draw(12) == 0 ? -1 : static_cast<std::int32_t>(draw(choices));
    if (label == known) ++known;
    t.labels.push_back(label);
  }
  return t;
}

// The rows again and again, until there are enough.
inline Table repeated(const Table& t, std::size_t count) {
  Table all{t.n, t.r, {}, {}, {}, {}};
  while (all.count() < count) {
    all.lower.insert(all.lower.end(), t.lower.begin(), t.lower.end());
    all.upper.insert(all.upper.end(), t.upper.begin(), t.upper.end());
    all.codes.insert(all.codes.end(), t.codes.begin(), t.codes.end());
    all.labels.insert(all.labels.end(), t.labels.begin(), t.labels.end());
  }
  return all;
}

}  // namespace fuzz
