// A fuzz target for the engine: bytes become settings, rows and edits, and whatever they are, the
// engine either refuses them by an exception or keeps its promises. Built by scripts/fuzz.sh.
//
// EIOL-GFMM is here, the learner by evidence in evidence.hpp. Two engines of one learner get the same
// orders. The first passes over all boxes and learns a table in
// one call. The second has an index, learns in portions, has its state taken in between, predicts in
// threads or row by row, and is rebuilt from its state now and then, so that its boxes lie in other places
// in memory. Both must come to the same boxes and the same predictions.
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "evidence.hpp"
#include "input.hpp"
#include "learners.hpp"
#include "promise.hpp"

namespace fuzz {
namespace {

class Session {
 public:
  using Learner = ByMembership;
  using Engine = Learner::Engine;

  explicit Session(Input& in) : in_(in), n_(in.below(4)), r_(in.below(4)) {
    in_.largest_code = Learner::LARGEST_CODE;
    settings_ = Learner::settings(in_, n_);
    const std::vector<boxwise::Range> ranges = first_ranges();
    engine_ = renewed(ranges, false);
    twin_ = renewed(ranges, true);
  }

  void run() {
    for (int step = 0; step < 100 && in_.any(); ++step) {
      switch (in_.below(16)) {
        case 0: rebuild_twin(); break;
        case 1: remove(); break;
        case 2: merge(); break;
        case 3: configure(); break;
        case 4: restore_odd_boxes(); break;
        case 5: start_from_odd_state(); break;
        case 6: test_then_train(); break;
        case 7: learn(some_table(true)); break;
        case 8:
        case 9:
        case 10: predict(some_table(false)); break;
        default: learn(written_table(in_, n_, r_, engine_->n_classes(), true));
      }
      check_boxes();
    }
    predict(written_table(in_, n_, r_, engine_->n_classes(), false));
  }

 private:
  std::vector<boxwise::Range> first_ranges() {
    std::vector<boxwise::Range> ranges;
    const bool by_rank = in_.byte() < 64;
    for (std::size_t j = 0; j < n_; ++j) {
      const std::uint8_t kind = in_.byte();
      if (kind < 150)
        ranges.push_back({boxwise::UNSET, -boxwise::UNSET, true});
      else if (kind < 230)
        ranges.push_back({0.0, 1.0, kind % 2 == 0});
      else
        ranges.push_back({in_.number(), in_.number(), kind % 2 == 0});
      if (by_rank) ranges.back().scale.emplace();
    }
    return ranges;
  }

  // A drawn table takes as long as a hundred written ones: there are few in a session.
  Table some_table(bool to_learn) {
    if (drawn_ == 3) return written_table(in_, n_, r_, engine_->n_classes(), to_learn);
    ++drawn_;
    return drawn_table(in_, n_, r_, engine_->n_classes());
  }

  std::unique_ptr<Engine> renewed(const std::vector<boxwise::Range>& ranges, bool indexed) {
    static constexpr boxwise::IndexMode modes[] = {boxwise::IndexMode::ON, boxwise::IndexMode::ON,
                                                   boxwise::IndexMode::SMALL,
                                                   boxwise::IndexMode::AUTO};
    static constexpr std::size_t capacities[] = {2, 3, 8, 64};
    auto engine = Learner::make(n_, r_, settings_, ranges);
    if (indexed)
      engine->set_index(modes[in_.below(4)], capacities[in_.below(4)]);
    else
      engine->set_index(boxwise::IndexMode::OFF);
    return engine;
  }

  // Gives both engines one order: both refuse it, or neither does.
  template <class Order>
  bool both(Order order) {
    const bool done = attempt([&] { order(*engine_); });
    CHECK(attempt([&] { order(*twin_); }) == done);
    return done;
  }

  template <class Order>
  static bool attempt(Order order) {
    try {
      order();
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    } catch (const std::overflow_error&) {
      return false;
    }
  }

  void learn(const Table& t) {
    const Snapshot before = engine_->snapshot();
    const bool done = attempt([&] { engine_->learn(t.rows(), t.labels.data()); });
    const std::size_t portion = done ? 1 + in_.below(40) : t.count();
    CHECK(done == attempt([&] {
            for (std::size_t begin = 0; begin < t.count(); begin += portion) {
              twin_->learn(t.rows(begin, std::min(begin + portion, t.count())), &t.labels[begin]);
            }
          }));
    const Snapshot after = engine_->snapshot();
    if (done)
      CHECK(total(after) == total(before) + t.count());
    else if (!full(before))
      CHECK(equal(before, after));
  }

  // One call and a call for each row come to the same.
  void test_then_train() {
    const Table t = written_table(in_, n_, r_, engine_->n_classes(), true);
    std::vector<std::int32_t> at_once(t.count()), one(1);
    const Snapshot before = twin_->snapshot();
    if (!attempt([&] { twin_->test_then_train(t.rows(), t.labels.data(), {at_once.data()}); })) {
      CHECK(!attempt([&] { engine_->learn(t.rows(), t.labels.data()); }));
      CHECK(full(before) || equal(before, twin_->snapshot()));
      return;
    }
    for (std::size_t row = 0; row < t.count(); ++row) {
      const boxwise::Rows rows = t.rows(row, row + 1);
      if (!attempt([&] { engine_->predict(rows, one.data()); })) one[0] = -1;
      CHECK(one[0] == at_once[row]);
      engine_->learn(rows, &t.labels[row]);
    }
  }

  void predict(const Table& t) {
    std::vector<std::int32_t> labels(t.count()), others(t.count());
    if (!both([&](Engine& e) { e.predict(t.rows(), (&e == engine_.get() ? labels : others).data()); }))
      return;
    CHECK(labels == others);
    const std::size_t classes = engine_->n_classes();
    const std::vector<double> p = engine_->probabilities(t.rows(), classes);
    CHECK(equal(p, twin_->probabilities(t.rows(), classes)));
    for (std::size_t row = 0; row < t.count(); ++row)
      check_probabilities(&p[row * classes], classes, labels[row]);
    check_memberships(t);
    check_row_by_row(t, labels, p);
    check_threads(t, labels, p);
    Learner::check_decision(*engine_, t, engine_->snapshot(), labels, p);
  }

  static void check_probabilities(const double* p, std::size_t classes, std::int32_t label) {
    CHECK(label >= 0 && label < static_cast<std::int32_t>(classes));
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      CHECK(p[k] >= 0 && p[k] <= 1 + 1e-12);
      sum += p[k];
      if (static_cast<std::int32_t>(k) != label) CHECK(p[k] < p[label]);
    }
    CHECK(std::abs(sum - 1) < 1e-9);
  }

  void check_memberships(const Table& t) const {
    const auto m = engine_->memberships(t.rows()), other = twin_->memberships(t.rows());
    CHECK(m.columns == engine_->n_boxes() && other.columns == m.columns);
    for (std::size_t row = 0; row < t.count(); ++row)
      for (std::size_t i = 0; i < m.columns; ++i) {
        CHECK(m.row(row)[i] >= 0 && m.row(row)[i] <= 1 + 1e-12);
        CHECK(m.row(row)[i] == other.row(row)[i]);
      }
  }

  void check_row_by_row(const Table& t, const std::vector<std::int32_t>& labels,
                        const std::vector<double>& p) const {
    const std::size_t classes = p.size() / t.count();
    for (std::size_t row = 0; row < std::min<std::size_t>(t.count(), 16); ++row) {
      std::int32_t label;
      twin_->predict(t.rows(row, row + 1), &label);
      CHECK(label == labels[row]);
      const auto alone = twin_->probabilities(t.rows(row, row + 1), classes);
      CHECK(std::equal(alone.begin(), alone.end(), p.begin() + row * classes));
    }
  }

  // Threads are started where there is much to do: the rows are predicted several times over.
  void check_threads(const Table& t, const std::vector<std::int32_t>& labels,
                     const std::vector<double>& p) {
    constexpr std::size_t MUCH = 100'000, FEW = 100;
    const std::size_t boxes = engine_->n_boxes();
    if (threaded_ || boxes < FEW) return;
    threaded_ = true;
    const Table all = repeated(t, 1 + MUCH / boxes);
    std::vector<std::int32_t> found(all.count());
    twin_->predict(all.rows(), found.data(), 3);
    const auto shares = twin_->probabilities(all.rows(), p.size() / t.count(), 3);
    for (std::size_t row = 0; row < all.count(); ++row)
      CHECK(found[row] == labels[row % t.count()]);
    for (std::size_t i = 0; i < shares.size(); ++i) CHECK(shares[i] == p[i % p.size()]);
  }

  void rebuild_twin() {
    const Snapshot state = engine_->snapshot();
    twin_ = renewed(state.ranges, true);
    twin_->restore(state);
    CHECK(equal(state, twin_->snapshot()));
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
    const auto s = Learner::settings(in_, n_);
    if (both([&](Engine& e) { e.configure(s); })) settings_ = s;
  }

  // In the engines as they are: what is refused leaves them so.
  void restore_odd_boxes() {
    const Snapshot before = engine_->snapshot();
    Snapshot all = before;
    for (std::size_t times = in_.below(3) + 1; times > 0; --times) spoil_boxes(all);
    if (!both([&](Engine& e) { e.restore(all); })) CHECK(equal(before, engine_->snapshot()));
  }

  // As a model file is read: a state that is not refused must be one to go on from.
  void start_from_odd_state() {
    Snapshot state = engine_->snapshot();
    for (std::size_t times = in_.below(3) + 1; times > 0; --times) spoil_boxes(state);
    std::unique_ptr<Engine> engine, twin;
    if (!attempt([&] {
          engine = renewed(state.ranges, false);
          engine->restore(state);
        }))
      return;
    twin = renewed(state.ranges, true);
    twin->restore(state);
    engine_ = std::move(engine);
    twin_ = std::move(twin);
  }

  void spoil_boxes(Snapshot& all) {
    switch (in_.below(14)) {
      case 0: spoil(in_, all.V, in_.number()); break;
      case 1: spoil(in_, all.W, in_.number()); break;
      case 2: spoil(in_, all.n, in_.raw<std::uint32_t>()); break;
      case 3: spoil(in_, all.label, in_.raw<std::int8_t>()); break;
      case 4: spoil(in_, all.id, in_.raw<std::uint64_t>()); break;
      case 5: spoil(in_, all.first, in_.byte() < 200 ? in_.byte() : in_.raw<std::uint64_t>()); break;
      case 6: spoil(in_, all.code, in_.code()); break;
      case 7: spoil(in_, all.times, in_.raw<std::uint32_t>()); break;
      case 9: all.n_classes = in_.byte(); break;
      case 10: all.next_id = in_.raw<std::uint64_t>() >> 1; break;
      case 11: spoil_range(all); break;
      default: fill_a_box(all);
    }
  }

  void spoil_range(Snapshot& all) {
    if (all.ranges.empty()) return;
    boxwise::Range& range = all.ranges[in_.below(all.ranges.size())];
    if (!range.scale || in_.below(2) == 0) {
      (in_.below(2) == 0 ? range.low : range.high) = in_.number();
      return;
    }
    std::vector<double> state = range.scale->state();
    spoil(in_, state, in_.number());
    attempt([&] { range.scale = boxwise::QuantileScale::from_state(state); });
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
      if (n > std::numeric_limits<std::uint32_t>::max() - 300) return true;
    return all.next_id > std::numeric_limits<std::uint64_t>::max() - 300;
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

  Input& in_;
  std::size_t n_, r_;
  Learner::Settings settings_;
  std::unique_ptr<Engine> engine_, twin_;
  int drawn_ = 0;          // tables
  bool threaded_ = false;  // something was predicted by several threads
};

template <class Kind>
void run(Input& in) {
  std::optional<Kind> session;
  try {
    session.emplace(in);
  } catch (const std::invalid_argument&) {
    return;
  }
  session->run();
}

}  // namespace
}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input in(data, size);
  if (in.byte() % 2 == 0)
    fuzz::run<fuzz::Session>(in);
  else
    fuzz::run<fuzz::EvidenceSession>(in);
  return 0;
}
