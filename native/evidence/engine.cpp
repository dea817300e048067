#include "engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "kernels/kernels.hpp"
#include "engine/thread_pool.hpp"
#include "kernels/vector_math.hpp"

namespace boxwise::evidence {

using kernels::exp_of;
using kernels::log_of;
using std::size_t;

namespace {
constexpr size_t LEARNED_AT_A_TIME = 32;    // rows, before waiting readers get a turn
constexpr size_t PREDICTED_AT_A_TIME = 64;  // rows, before a waiting writer gets its turn
constexpr size_t WORTH_A_THREAD = 100'000;  // boxes to evaluate

std::invalid_argument invalid(const std::string& text) { return std::invalid_argument(text); }

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> serial = 0;
  return ++serial;
}

void check_settings(const Settings& settings, size_t n_numeric) {
  if (!(settings.sizes.theta >= 0 && std::isfinite(settings.sizes.theta))) throw invalid("theta is below 0");
  if (!(settings.sizes.delta >= 0 && settings.sizes.delta <= 1)) throw invalid("delta is not in [0, 1]");
  if (settings.priors.empty()) throw invalid("a class prior is needed");
  for (double prior : settings.priors)
    if (!(prior >= 0 && prior <= 1)) throw invalid("a class prior is not in [0, 1]");
  std::vector<bool> constrained(n_numeric);
  for (const additive::Constraint& one : settings.monotone) {
    if (!settings.additive) throw invalid("without curves no column can be monotone");
    if (one.column >= n_numeric || constrained[one.column])
      throw invalid("a monotone column is none of the numeric ones, or named twice");
    if (one.label < -1 || (one.sign != 1 && one.sign != -1))
      throw invalid("a monotone column needs a class, and a sign of 1 or -1");
    constrained[one.column] = true;
  }
}

// Copies the probabilities of the first classes, the class that is predicted having the largest.
void copy_probabilities(const std::vector<double>& from, size_t n_classes, double* p) {
  const size_t won = most_probable(from);
  double sum = 0, rival = 0;
  for (size_t k = 0; k < n_classes; ++k) sum += p[k] = k < from.size() ? from[k] : 0.0;
  for (size_t k = 0; k < n_classes; ++k) {
    p[k] /= sum;
    if (k != won) rival = std::max(rival, p[k]);
  }
  if (won < n_classes && p[won] <= rival) p[won] = std::nextafter(rival, 2.0);
}
}  // namespace

// A row that was predicted is often learned next: then it need not be evaluated again.
struct EvidenceEngine::LastRow {
  std::uint64_t serial = 0, version = 0;  // of the engine then
  std::vector<double> lower, upper;
  std::vector<Code> codes;
  Outcome outcome;

  bool is(const EvidenceEngine& engine, const double* low, const double* high, const Code* values) const {
    const auto same = [](double a, double b) { return a == b || (a != a && b != b); };
    return serial == engine.serial_ && version == engine.version_ &&
           std::equal(lower.begin(), lower.end(), low, same) &&
           std::equal(upper.begin(), upper.end(), high, same) &&
           std::equal(codes.begin(), codes.end(), values);
  }
};

EvidenceEngine::LastRow& EvidenceEngine::last_row() {
  static thread_local LastRow last;
  return last;
}

EvidenceEngine::EvidenceEngine(size_t n_numeric, size_t n_categorical, Settings settings,
                               std::vector<Range> ranges)
    : learner_(n_numeric, n_categorical, (check_settings(settings, n_numeric), std::move(settings)),
               std::move(ranges)),
      serial_(next_serial()) {
  if (n_numeric + n_categorical == 0) throw invalid("a model needs at least one feature");
  const auto& all = learner_.scales().ranges();
  if (all.size() != n_numeric) throw invalid("one range per numeric feature is needed");
  for (const Range& range : all) {
    const bool unseen = range.low == UNSET && range.high == -UNSET && range.growing;
    if (!unseen && !(range.low >= -LARGEST && range.low <= range.high && range.high <= LARGEST))
      throw invalid("a range must be finite, its low end not above its high end");
    if (range.scale.has_value() != all[0].scale.has_value())
      throw invalid("some features have a scale, and others have none");
  }
}

std::unique_ptr<LearningEngine> EvidenceEngine::fresh() const {
  return std::make_unique<EvidenceEngine>(n_numeric(), n_categorical(), learner_.settings(),
                                          learner_.scales().ranges());
}

void EvidenceEngine::configure(Settings settings) {
  check_settings(settings, n_numeric());
  const auto writer = lock_.writing();
  ++version_;
  learner_.configure(std::move(settings));
}

void EvidenceEngine::check(const Rows& rows) const {
  for (size_t i = 0; i < rows.count * n_numeric(); ++i) {
    const double low = rows.lower[i], high = rows.upper[i];
    if (std::isnan(low) != std::isnan(high)) throw invalid("one end of an interval is missing");
    if (!std::isnan(low) && !(low >= -LARGEST && low <= high && high <= LARGEST))
      throw invalid("a number is not finite, too large, or an interval is upside down");
  }
}

void EvidenceEngine::check_to_learn(const Rows& rows, const std::int32_t* labels) const {
  auto classes = static_cast<std::int64_t>(learner_.n_classes());
  for (size_t row = 0; row < rows.count; ++row) {
    if (labels[row] < -1 || labels[row] > classes)
      throw invalid("classes must be numbered in order of first appearance");
    if (labels[row] == classes) ++classes;
  }
  for (size_t row = 0; row < rows.count; ++row) {
    if (rows.weights != nullptr && !(rows.weights[row] > 0)) continue;  // it is not learned
    const Code* codes = rows.codes + row * n_categorical();
    if (std::any_of(codes, codes + n_categorical(), [](Code code) { return code < 0; }))
      throw invalid("a category to learn has no code");
  }
}

template <class Before>
void EvidenceEngine::learn_each(const Rows& rows, const std::int32_t* labels, Before before) {
  check(rows);
  LastRow& last = last_row();
  for (size_t begin = 0; begin < rows.count; begin += LEARNED_AT_A_TIME) {
    const auto writer = lock_.writing();
    if (begin == 0) check_to_learn(rows, labels);
    for (size_t row = begin; row < std::min(begin + LEARNED_AT_A_TIME, rows.count); ++row) {
      before(row, last);
      learn_row(rows, row, labels[row], last);
    }
  }
}

// A row of weight w is learned as if it came floor(w) times, and once more with what is left of w.
void EvidenceEngine::learn_row(const Rows& rows, size_t row, std::int32_t label, LastRow& last) {
  const double* lower = rows.lower + row * n_numeric();
  const double* upper = rows.upper + row * n_numeric();
  const Code* codes = rows.codes + row * n_categorical();
  double left = rows.weights == nullptr ? 1.0 : rows.weights[row];
  if (!(left > 0)) return;
  rows_before_last_ = learner_.state().rows;
  bool evaluated = last.is(*this, lower, upper, codes);
  last.serial = 0;  // the outcome is overwritten, whichever engine it was of
  for (; left > 0; left -= 1) {
    learner_.learn(lower, upper, codes, label, std::min(left, 1.0), last.outcome, evaluated);
    ++version_;
    evaluated = false;
  }
}

void EvidenceEngine::learn(const Rows& rows, const std::int32_t* labels) {
  learn_each(rows, labels, [](size_t, LastRow&) {});
}

void EvidenceEngine::test_then_train(const Rows& rows, const std::int32_t* labels,
                                     Answers answers) {
  learn_each(rows, labels, [&](size_t row, LastRow& last) {
    answers.labels[row] = -1;
    if (!learner_.can_predict()) return;
    evaluate(rows, row, last);
    answers.labels[row] = static_cast<std::int32_t>(most_probable(last.outcome.p));
    if (answers.shares != nullptr)
      copy_probabilities(last.outcome.p, learner_.n_classes(), answers.shares_of(row));
  });
}

void EvidenceEngine::remove(std::uint64_t id) {
  const auto writer = lock_.writing();
  ++version_;
  learner_.remove(id);
}

void EvidenceEngine::evaluate(const Rows& rows, size_t row, LastRow& last) const {
  const size_t n = n_numeric(), r = n_categorical();
  const double *lower = rows.lower + row * n, *upper = rows.upper + row * n;
  const Code* codes = rows.codes + row * r;
  if (last.is(*this, lower, upper, codes)) return;
  last.serial = 0;  // until it is done
  learner_.predict(lower, upper, codes, last.outcome);
  last.lower.assign(lower, lower + n);
  last.upper.assign(upper, upper + n);
  last.codes.assign(codes, codes + r);
  last.serial = serial_;
  last.version = version_;
}

template <class Use>
void EvidenceEngine::for_each_row(const Rows& rows, size_t threads, Use use) const {
  check(rows);
  if (threads > 1) threads = std::min(threads, 1 + rows.count * n_boxes() / WORTH_A_THREAD);
  parallel_for(rows.count, PREDICTED_AT_A_TIME, threads, [&] {
    return [&](size_t begin, size_t end) {
      LastRow& last = last_row();
      const auto reader = lock_.reading();
      if (!learner_.can_predict())
        throw invalid("no row with a label has been learned yet; learn some first");
      for (size_t row = begin; row < end; ++row) {
        evaluate(rows, row, last);
        use(row, last.outcome);
      }
    };
  });
}

void EvidenceEngine::predict(const Rows& rows, std::int32_t* labels, size_t threads) const {
  for_each_row(rows, threads, [&](size_t row, const Outcome& outcome) {
    labels[row] = static_cast<std::int32_t>(most_probable(outcome.p));
  });
}

std::vector<double> EvidenceEngine::probabilities(const Rows& rows, size_t n_classes,
                                                  size_t threads) const {
  if (n_classes > this->n_classes()) throw invalid("there are not so many classes");
  std::vector<double> all(rows.count * n_classes);
  for_each_row(rows, threads, [&](size_t row, const Outcome& outcome) {
    copy_probabilities(outcome.p, n_classes, all.data() + row * n_classes);
  });
  return all;
}

std::vector<double> EvidenceEngine::supports(const Rows& rows, size_t threads) const {
  std::vector<double> all(rows.count);
  for_each_row(rows, threads, [&](size_t row, const Outcome& outcome) {
    all[row] = outcome.support;
  });
  return all;
}

template <class Use>
void EvidenceEngine::for_each_box(Use use) const {
  size_t position = 0;
  for (const auto& [m, g, i] : boxes_in_order(learner_.state())) use(m, g, i, position++);
}

Matrix EvidenceEngine::memberships(const Rows& rows, size_t threads) const {
  check(rows);
  const auto reader = lock_.reading();
  const auto order = boxes_in_order(learner_.state());
  Matrix all(rows.count, order.size());
  threads = std::min(threads, 1 + rows.count * order.size() / WORTH_A_THREAD);
  parallel_for(rows.count, PREDICTED_AT_A_TIME, threads, [&] {
    return [&, out = Outcome()](size_t begin, size_t end) mutable {
      for (size_t row = begin; row < end; ++row) {
        learner_.predict(rows.lower + row * n_numeric(), rows.upper + row * n_numeric(),
                         rows.codes + row * n_categorical(), out);
        for (size_t b = 0; b < order.size(); ++b) {
          const auto& [m, g, i] = order[b];
          all.row(row)[b] = closeness(out.query, learner_.state().members[m].expert.groups[g], i,
                                      out.members[m].groups[g].terms);
        }
      }
    };
  });
  return all;
}

Matrix EvidenceEngine::responsibilities(const Rows& rows, size_t threads) const {
  check(rows);
  const auto reader = lock_.reading();  // for all rows: they must see the same boxes and classes
  if (!learner_.can_predict())
    throw invalid("no row with a label has been learned yet; learn some first");
  const size_t classes = learner_.n_classes();
  const auto order = boxes_in_order(learner_.state());
  Matrix all(rows.count, order.size());
  threads = std::min(threads, 1 + rows.count * order.size() / WORTH_A_THREAD);
  parallel_for(rows.count, PREDICTED_AT_A_TIME, threads, [&] {
    return [&, p = std::vector<double>(classes)](size_t begin, size_t end) mutable {
      LastRow& last = last_row();
      for (size_t row = begin; row < end; ++row) {
        evaluate(rows, row, last);
        const Outcome& out = last.outcome;
        copy_probabilities(out.p, classes, p.data());
        for (size_t b = 0; b < order.size(); ++b) {
          const auto& [m, g, i] = order[b];
          const bool counts = g > 0 && g - 1 < out.members[m].p.size() && out.mixed[g - 1] > 0;
          all.row(row)[b] = counts ? p[g - 1] * out.weights[m] * out.members[m].p[g - 1] /
                                         out.mixed[g - 1] * out.members[m].groups[g].parts[i]
                                   : 0.0;
        }
      }
    };
  });
  return all;
}

BoxTerms EvidenceEngine::terms(const Rows& row) const {
  check(row);
  const auto reader = lock_.reading();
  const size_t n = n_numeric(), r = n_categorical(), classes = learner_.n_classes();
  Outcome out;
  learner_.predict(row.lower, row.upper, row.codes, out);
  const Expert& expert = learner_.state().members.front().expert;
  BoxTerms all;
  all.temperature = expert.relevance.temperature();
  for_each_box([&](size_t m, size_t g, size_t i, size_t) {
    const size_t begin = all.terms.size();
    all.terms.resize(begin + n + r);
    if (m > 0 || (g == 0)) {
      all.log_weights.push_back(-std::numeric_limits<double>::infinity());
      return;
    }
    const Terms& terms = out.members[0].groups[g].terms;
    log_terms(out.query, expert.groups[g], i, terms, &all.terms[begin]);
    all.log_weights.push_back(
        log_of(faded_weight(expert.groups[g].n[i], expert.groups[g].last[i], terms)));
  });
  all.parts = learner_.parts(out);
  all.by_boxes = out.by_boxes;
  const double prior = learner_.prior();
  for (size_t k = 0; k < classes; ++k) {
    const size_t begin = all.background.size();
    const bool known = k + 1 < expert.stats.size() && expert.stats[k + 1].n() > 0;
    all.background.resize(begin + n + r, known ? 0.0 : NAN);
    all.log_background_weights.push_back(
        known ? log_of(expert.density.background * expert.stats[k + 1].n()) : -INFINITY);
    all.log_classes.push_back(known ? prior * log_of(std::max(expert.stats[k + 1].n(), 1.0)) : 0.0);
    if (known) background_terms(out.query, out.members[0].groups[k + 1].terms, n, &all.background[begin]);
  }
  return all;
}

std::vector<additive::Curve> EvidenceEngine::curves() const {
  const auto reader = lock_.reading();
  const auto& state = learner_.state();
  const size_t n = n_numeric(), classes = learner_.n_classes();
  std::vector<additive::Curve> all;
  for (size_t j = 0; j < n; ++j)
    all.push_back(additive::numeric_curve(state.layer, learner_.scales(), j, classes));
  for (size_t j = 0; j < n_categorical(); ++j)
    all.push_back(additive::categorical_curve(state.layer, n + j, state.values_known[j], classes));
  return all;
}

void EvidenceEngine::read_state(Arrays& arrays, std::vector<Range>& ranges, size_t& n_classes,
                                std::uint64_t& next_id) const {
  const auto reader = lock_.reading();
  arrays = to_arrays(learner_);
  ranges = learner_.scales().ranges();
  n_classes = learner_.n_classes();
  next_id = learner_.state().next_id;
}

bool EvidenceEngine::warning() const {
  const auto reader = lock_.reading();
  const auto& members = learner_.state().members;
  return std::any_of(members.begin(), members.end(),
                     [](const Member& member) { return member.role == Role::CHALLENGER; });
}

bool EvidenceEngine::drift() const {
  const auto reader = lock_.reading();
  const auto& changes = learner_.state().changes;
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    if (change->row <= rows_before_last_) return false;
    if (change->event == Event::REPLACED || change->event == Event::RETURNED) return true;
  }
  return false;
}

void EvidenceEngine::restore(const Arrays& arrays, size_t n_classes, std::uint64_t next_id) {
  auto state = to_state(arrays, learner_, n_classes, next_id);
  const auto writer = lock_.writing();
  ++version_;
  learner_.restore(std::move(state), n_classes);
  rows_before_last_ = learner_.state().rows - std::min<std::uint64_t>(learner_.state().rows, 1);
}

void EvidenceEngine::merge_alike(size_t most) {
  const auto writer = lock_.writing();
  ++version_;
  learner_.merge_alike(most);
}

std::vector<double> EvidenceEngine::multipliers() const {
  const auto reader = lock_.reading();
  std::vector<double> all;
  for (double log : learner_.state().members.front().expert.relevance.logs()) all.push_back(exp_of(log));
  return all;
}

double EvidenceEngine::prior() const {
  const auto reader = lock_.reading();
  return learner_.prior();
}

size_t EvidenceEngine::n_classes() const {
  const auto reader = lock_.reading();
  return learner_.n_classes();
}

size_t EvidenceEngine::n_boxes() const {
  const auto reader = lock_.reading();
  return learner_.n_boxes();
}

size_t EvidenceEngine::bytes() const {
  const auto reader = lock_.reading();
  size_t total = 0;
  for (const Member& member : learner_.state().members)
    for (const BoxGroup& group : member.expert.groups) total += group.bytes();
  return total + learner_.state().layer.bytes();
}

}  // namespace boxwise::evidence
