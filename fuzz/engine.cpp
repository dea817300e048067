// A fuzz target for the engine: bytes become settings, rows and edits, and whatever they are, the
// engine either refuses them by an exception or keeps its promises. Built by scripts/fuzz.sh.
//
// Two engines get the same orders. The second is rebuilt from a snapshot now and then, so its boxes
// lie in other places in memory; both must go on to the same boxes.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "entropy_engine.hpp"
#include "kernels.hpp"

namespace {

using boxwise::Code;
using Engine = boxwise::EntropyEngine;
using boxwise::Snapshot;

constexpr double NONE = std::numeric_limits<double>::quiet_NaN();
constexpr double INF = std::numeric_limits<double>::infinity();

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      std::fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                             \
    }                                                                           \
  } while (false)

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
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
    static const double odd[] = {NONE,  INF,    -INF,  1e150,   -1e150, 1.01e150, 1e300,
                                 5e-324, 1e-150, 1e-200, -1e-150, -0.0,   1e16,     0.1};
    const std::uint8_t kind = byte();
    if (kind < 200) return kind % 16 / 8.0;  // a grid, so that there are ties
    if (kind < 215) return NONE;
    if (kind < 235) return odd[below(std::size(odd))];
    return raw<double>();
  }
  double share() {
    static const double shares[] = {0.0, 0.1, 0.25, 0.5, 0.9, 1.0, 5e-324, 2.0};
    const std::uint8_t kind = byte();
    return kind < 240 ? shares[kind % std::size(shares)] : number();
  }
  Code code() {
    const std::uint8_t kind = byte();
    if (kind < 180) return kind % 4;
    if (kind < 240) return 55 + kind % 20;  // around where counts become sparse
    return kind < 248 ? -1 : raw<Code>();
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

bool equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
bool equal(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!equal(a[i], b[i])) return false;
  return true;
}
bool equal(const Snapshot& a, const Snapshot& b) {
  if (a.ranges.size() != b.ranges.size()) return false;
  for (std::size_t j = 0; j < a.ranges.size(); ++j)
    if (a.ranges[j].low != b.ranges[j].low || a.ranges[j].high != b.ranges[j].high ||
        a.ranges[j].growing != b.ranges[j].growing)
      return false;
  return equal(a.V, b.V) && equal(a.W, b.W) && a.n == b.n && a.label == b.label && a.id == b.id &&
         a.first == b.first && a.code == b.code && a.times == b.times &&
         a.n_classes == b.n_classes && a.next_id == b.next_id;
}

struct Table {
  std::vector<double> lower, upper;
  std::vector<Code> codes;
  std::vector<std::int32_t> labels;
  boxwise::Rows rows() const { return {labels.size(), lower.data(), upper.data(), codes.data()}; }
};

class Session {
 public:
  explicit Session(Bytes& in) : in_(in), n_(in.below(4)), r_(in.below(4)) {
    settings_ = settings();
    std::vector<boxwise::Range> ranges;
    for (std::size_t j = 0; j < n_; ++j) {
      const std::uint8_t kind = in_.byte();
      if (kind < 150)
        ranges.push_back({boxwise::UNSET, -boxwise::UNSET, true});
      else if (kind < 230)
        ranges.push_back({0.0, 1.0, kind % 2 == 0});
      else
        ranges.push_back({in_.number(), in_.number(), kind % 2 == 0});
    }
    engine_ = std::make_unique<Engine>(n_, r_, settings_, ranges);
    renew_twin(ranges);
  }

  void run() {
    for (int step = 0; step < 200 && in_.any(); ++step) {
      switch (in_.below(12)) {
        case 0: rebuild_twin(); break;
        case 1: remove(); break;
        case 2: merge(); break;
        case 3: configure(); break;
        case 4: restore_something_odd(); break;
        case 5:
        case 6: predict(); break;
        default: learn();
      }
      check_boxes();
    }
    predict();
  }

 private:
  boxwise::EntropySettings settings() {
    boxwise::EntropySettings s;
    s.theta = in_.share();
    s.delta = in_.share();
    s.alpha = in_.share();
    s.mean = in_.below(2) == 1;
    for (std::size_t j = 0; j < n_; ++j) {
      const double gamma = in_.share();
      s.gamma.push_back(gamma == 0 ? 1.0 : gamma);
    }
    return s;
  }

  Table table(bool to_learn) {
    Table t;
    std::int32_t classes = static_cast<std::int32_t>(engine_->n_classes());
    const std::size_t count = 1 + in_.below(in_.byte() < 200 ? 8 : 70);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < n_; ++j) {
        const double x = in_.number();
        const std::uint8_t kind = in_.byte();
        t.lower.push_back(x);
        t.upper.push_back(kind < 200 ? x : kind < 245 ? x + kind % 3 / 8.0 : in_.number());
      }
      for (std::size_t j = 0; j < r_; ++j) {
        const Code code = in_.code();
        t.codes.push_back(to_learn && code == -1 && in_.byte() < 200 ? 0 : code);
      }
      const std::uint8_t kind = in_.byte();
      std::int32_t label = kind % (classes + 2) - 1;
      if (kind > 252) label = in_.raw<std::int32_t>();
      if (label == classes) ++classes;
      t.labels.push_back(label);
    }
    return t;
  }

  // Gives both engines one order: both refuse it, or neither does.
  template <class Order>
  bool both(Order order) {
    const bool done = attempt(*engine_, order);
    CHECK(attempt(*twin_, order) == done);
    return done;
  }

  template <class Order>
  static bool attempt(Engine& engine, Order order) {
    try {
      order(engine);
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    } catch (const std::overflow_error&) {
      return false;
    }
  }

  void learn() {
    const Table t = table(true);
    const Snapshot before = engine_->snapshot();
    const bool done = both([&](Engine& e) { e.learn(t.rows(), t.labels.data()); });
    const Snapshot after = engine_->snapshot();
    if (done)
      CHECK(total(after) == total(before) + t.labels.size());
    else if (!full(before))
      CHECK(equal(before, after));
  }

  void predict() {
    const Table t = table(false);
    const std::size_t count = t.labels.size();
    std::vector<std::int32_t> labels(count), same(count);
    if (!both([&](Engine& e) { e.predict(t.rows(), (&e == engine_.get() ? labels : same).data()); }))
      return;
    CHECK(labels == same);
    const size_t classes = engine_->n_classes();
    const auto p = engine_->probabilities(t.rows(), classes);
    const auto [boxes, m] = engine_->memberships(t.rows());
    const Snapshot all = engine_->snapshot();
    CHECK(classes == all.n_classes && boxes == all.n.size());
    CHECK(equal(p, twin_->probabilities(t.rows(), classes)));
    CHECK(equal(m, twin_->memberships(t.rows()).second));
    for (std::size_t row = 0; row < count; ++row) {
      CHECK(labels[row] >= 0 && labels[row] < static_cast<std::int32_t>(classes));
      double sum = 0, best = -1, own = -1;
      for (std::size_t k = 0; k < classes; ++k) {
        const double share = p[row * classes + k];
        CHECK(share >= 0 && share <= 1 + 1e-12);
        sum += share;
        if (static_cast<std::int32_t>(k) != labels[row])
          CHECK(share < p[row * classes + static_cast<std::size_t>(labels[row])]);
      }
      CHECK(std::abs(sum - 1) < 1e-9);
      for (std::size_t i = 0; i < boxes; ++i) {
        const double degree = m[row * boxes + i];
        CHECK(degree >= 0 && degree <= 1 + 1e-12);
        if (all.label[i] < 0) continue;
        best = std::max(best, degree);
        if (all.label[i] == labels[row]) own = std::max(own, degree);
      }
      CHECK(own == best);
    }
  }

  // The twin finds its boxes by an index, the engine by passing over all of them.
  void renew_twin(const std::vector<boxwise::Range>& ranges) {
    twin_ = std::make_unique<Engine>(n_, r_, settings_, ranges);
    twin_->set_index(boxwise::IndexMode::ON, 3);
  }

  void rebuild_twin() {
    const Snapshot all = engine_->snapshot();
    renew_twin(all.ranges);
    twin_->restore(all);
    CHECK(equal(all, twin_->snapshot()));
    CHECK(twin_->n_boxes() == engine_->n_boxes() && twin_->n_classes() == engine_->n_classes());
  }

  std::uint64_t some_id(const Snapshot& all) {
    const std::uint8_t kind = in_.byte();
    if (all.id.empty() || kind > 250) return in_.raw<std::uint64_t>();
    return all.id[kind % all.id.size()];
  }

  void remove() {
    const Snapshot before = engine_->snapshot();
    const std::uint64_t id = some_id(before);
    if (!both([&](Engine& e) { e.remove(id); })) return;
    CHECK(engine_->n_boxes() == before.n.size() - 1);
    for (std::uint64_t left : engine_->snapshot().id) CHECK(left != id);
  }

  void merge() {
    const Snapshot before = engine_->snapshot();
    const std::uint64_t kept = some_id(before), other = some_id(before);
    if (both([&](Engine& e) { e.merge(kept, other); })) {
      CHECK(engine_->n_boxes() == before.n.size() - 1);
      CHECK(total(engine_->snapshot()) == total(before));
    } else {
      CHECK(equal(before, engine_->snapshot()));
    }
  }

  void configure() {
    const boxwise::EntropySettings s = settings();
    if (both([&](Engine& e) { e.configure(s); })) settings_ = s;
  }

  void restore_something_odd() {
    Snapshot all = engine_->snapshot();
    const Snapshot before = all;
    for (std::size_t times = in_.below(3) + 1; times > 0; --times) {
      switch (in_.below(11)) {
        case 0: spoil(all.V, in_.number()); break;
        case 1: spoil(all.W, in_.number()); break;
        case 2: spoil(all.n, in_.raw<std::uint32_t>()); break;
        case 3: spoil(all.label, in_.raw<std::int8_t>()); break;
        case 4: spoil(all.id, in_.raw<std::uint64_t>()); break;
        case 5: spoil(all.first, in_.byte() < 200 ? in_.byte() : in_.raw<std::uint64_t>()); break;
        case 6: spoil(all.code, in_.code()); break;
        case 7: spoil(all.times, in_.raw<std::uint32_t>()); break;
        case 8: all.n_classes = in_.byte(); break;
        case 9: all.next_id = in_.raw<std::uint64_t>() >> 1; break;
        default: fill_a_box(all);
      }
    }
    if (!both([&](Engine& e) { e.restore(all); })) CHECK(equal(before, engine_->snapshot()));
  }

  template <class T, class U>
  void spoil(std::vector<T>& values, U value) {
    if (values.empty() || in_.below(10) == 0)
      values.push_back(static_cast<T>(value));
    else
      values[in_.below(values.size())] = static_cast<T>(value);
  }

  // A box that holds about as many samples as can be counted.
  void fill_a_box(Snapshot& all) {
    if (all.n.empty()) return;
    const std::size_t i = in_.below(all.n.size());
    const std::uint32_t more = std::numeric_limits<std::uint32_t>::max() - all.n[i] - in_.byte() % 3;
    if (all.n[i] > more) return;
    all.n[i] += more;
    for (std::size_t j = 0; j < r_; ++j) {  // it may have been spoiled already
      const std::size_t set = i * r_ + j;
      if (set < all.first.size() && all.first[set] < all.times.size())
        all.times[all.first[set]] += more;
    }
  }

  static std::uint64_t total(const Snapshot& all) {
    std::uint64_t sum = 0;
    for (auto n : all.n) sum += n;
    return sum;
  }
  static bool full(const Snapshot& all) {  // learning may then stop half way
    for (auto n : all.n)
      if (n > std::numeric_limits<std::uint32_t>::max() - 100) return true;
    return false;
  }

  void check_boxes() const {
    const Snapshot all = engine_->snapshot();
    CHECK(equal(all, twin_->snapshot()));
    const std::size_t boxes = all.n.size();
    CHECK(all.V.size() == boxes * n_ && all.W.size() == boxes * n_);
    CHECK(all.first.size() == boxes * r_ + 1 && all.first.back() == all.code.size());
    for (std::size_t i = 0; i < boxes; ++i) {
      CHECK(all.n[i] > 0 && all.id[i] < all.next_id);
      CHECK(i == 0 || all.id[i - 1] < all.id[i]);
      CHECK(all.label[i] >= -1 && all.label[i] < static_cast<std::int32_t>(all.n_classes));
      for (std::size_t j = 0; j < n_; ++j) {
        const double v = all.V[i * n_ + j], w = all.W[i * n_ + j];
        CHECK((std::isnan(v) && std::isnan(w)) || (v <= w && std::isfinite(v) && std::isfinite(w)));
      }
      for (std::size_t j = 0; j < r_; ++j) {
        std::uint64_t sum = 0;
        for (auto s = all.first[i * r_ + j]; s < all.first[i * r_ + j + 1]; ++s) {
          CHECK(all.times[s] > 0 && all.code[s] >= 0);
          CHECK(s == all.first[i * r_ + j] || all.code[s - 1] < all.code[s]);
          sum += all.times[s];
        }
        CHECK(sum == all.n[i]);
      }
    }
  }

  Bytes& in_;
  std::size_t n_, r_;
  boxwise::EntropySettings settings_;
  std::unique_ptr<Engine> engine_, twin_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes in(data, size);
  std::optional<Session> session;
  try {
    session.emplace(in);
  } catch (const std::invalid_argument&) {
    return 0;
  }
  session->run();
  return 0;
}

#ifdef BOXWISE_FUZZ_MAIN
// For compilers without libFuzzer: random inputs and mutations of them, no guidance by coverage.
#include <chrono>
#include <random>

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 60;
  const unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : std::random_device{}();
  std::printf("seed %lu\n", seed);
  std::fflush(stdout);
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::uint8_t>> pool;
  unsigned long long runs = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (; std::chrono::steady_clock::now() < end; ++runs) {
    std::vector<std::uint8_t> input;
    if (pool.size() < 100 || random() % 4 == 0) {
      input.resize(random() % 2000);
      for (auto& byte : input) byte = static_cast<std::uint8_t>(random());
    } else {
      input = pool[random() % pool.size()];
      for (auto changes = 1 + random() % 8; changes > 0 && !input.empty(); --changes)
        input[random() % input.size()] = static_cast<std::uint8_t>(random());
    }
    LLVMFuzzerTestOneInput(input.data(), input.size());
    if (pool.size() < 1000)
      pool.push_back(std::move(input));
    else
      pool[random() % pool.size()] = std::move(input);
  }
  std::printf("%llu inputs, nothing found\n", runs);
}
#endif
