#include "evidence_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "evidence_inquiry.hpp"
#include "kernels.hpp"
#include "turns.hpp"

namespace boxwise {

using std::size_t;

namespace {
constexpr std::uint64_t ALL_OF = 500, ONE_IN = 16;  // the rows that are tested: fewer, if there are
constexpr size_t MANY = 2048;                       // boxes
constexpr std::uint64_t STEP_IN = 4;                // the rows from which reaches are learned:
constexpr size_t VERY_MANY = 8192;                  // fewer, if there are so many boxes
constexpr std::uint64_t LATEST = std::uint64_t{1} << 32;  // no class has so many boxes
constexpr double MEMORY = 0.999;    // what a loss still counts, at most, when the next row is tested
constexpr double RATE = 0.4;        // how fast the say of a choice falls with its losses
constexpr size_t VOICES = 40;            // choices that have a say at first,
constexpr std::uint64_t AT_FIRST = 1000;  // for so many rows
constexpr double LEAST_CHOICE = 1e-6, MOST_CHOICE = 1e6;  // products of some of them are still numbers
constexpr double MOST_LOSS = 2;  // of a choice that was sure, and wrong
constexpr size_t MUCH = 10'000;    // responsibilities that make another thread worth starting

std::invalid_argument invalid(const char* text) { return std::invalid_argument(text); }
}  // namespace

EvidenceEngine::EvidenceEngine(size_t n_continuous, size_t n_categorical,
                               EvidenceSettings settings, std::vector<Range> ranges)
    : EntropyEngine(n_continuous, n_categorical, settings.learning, std::move(ranges)),
      test_(std::make_unique<Inquiry>(false)),
      step_(std::make_unique<Inquiry>(true)) {
  check(settings);
  decide_by(std::move(settings));
}

EvidenceEngine::~EvidenceEngine() = default;

std::unique_ptr<Engine> EvidenceEngine::fresh() const {
  return std::make_unique<EvidenceEngine>(n_, r_, evidence_, ranges_);
}

void EvidenceEngine::configure(EvidenceSettings settings) {
  check(settings);
  EntropyEngine::configure(settings.learning);
  const auto writer = writing();
  decide_by(std::move(settings));
}

void EvidenceEngine::decide_by(EvidenceSettings settings) {
  const bool same_powers = settings.powers == evidence_.powers;
  const bool same_memory = settings.forget == evidence_.forget;
  const bool same_choices = settings.bandwidths == evidence_.bandwidths &&
                            settings.backoffs == evidence_.backoffs &&
                            settings.temperatures == evidence_.temperatures;
  evidence_ = std::move(settings);
  if (same_powers && same_choices && same_memory) return;
  if (!same_powers || !same_choices) record_.tallies.clear();
  if (!same_choices || !same_memory) {
    const size_t choices = evidence_.bandwidths.size() * evidence_.backoffs.size() *
                           evidence_.temperatures.size();
    record_.rows = record_.tests = 0;
    record_.test.waits = record_.step.waits = test_->open = step_->open = false;
    record_.losses.assign(choices, 0.0);
    forget_reaches();
  }
  choose();
  choose_power();
}

void EvidenceEngine::check(const EvidenceSettings& settings) const {
  const auto all_fit = [](const std::vector<double>& values) {
    return !values.empty() && std::all_of(values.begin(), values.end(), [](double value) {
      return value >= LEAST_CHOICE && value <= MOST_CHOICE;
    });
  };
  if (!all_fit(settings.bandwidths)) throw invalid("a bandwidth is not in [1e-6, 1e6]");
  if (!all_fit(settings.backoffs)) throw invalid("a backoff is not in [1e-6, 1e6]");
  if (!all_fit(settings.temperatures)) throw invalid("a temperature is not in [1e-6, 1e6]");
  if (settings.powers.empty() || !std::all_of(settings.powers.begin(), settings.powers.end(),
                                              [](double k) { return k >= 0 && k <= 1; }))
    throw invalid("a power is not in [0, 1]");
}

void EvidenceEngine::set_portions(size_t test, size_t step) {
  for (const size_t portion : {test, step})
    if (portion == 0 || portion % kernels::LOT != 0 || (portion % BLOCK != 0 && BLOCK % portion != 0))
      throw invalid("a portion is 64 boxes, 128, or a multiple of 256");
  const auto writer = writing();
  test_portion_ = test;
  step_portion_ = step;
}

void EvidenceEngine::check_waiting(const Record& record) const {
  const auto& [test_waits, due, label, scores, samples] = record.test;
  const auto in_time = [&](std::uint64_t row) { return row <= record.rows + LATEST; };
  const size_t pairs = evidence_.bandwidths.size() * evidence_.backoffs.size();
  const auto possible = [](double score) { return score < std::numeric_limits<double>::infinity(); };
  if (test_waits && (!in_time(due) || label >= samples.size() ||
                     scores.size() != pairs * samples.size() ||
                     !std::all_of(scores.begin(), scores.end(), possible) ||
                     !std::all_of(samples.begin(), samples.end(), possible)))
    throw invalid("the test that waits does not fit the choices");
  if (record.step.waits &&
      (!in_time(record.step.due) || record.step.slopes.size() != n_ + r_ + 1))
    throw invalid("the step that waits does not fit the columns");
}

Record EvidenceEngine::record() const {
  const auto reader = reading();
  const std::scoped_lock hold(asking_);
  Record record = record_;
  for (Inquiry* inquiry : {test_.get(), step_.get()})
    if (inquiry->open) ask_until(*inquiry, inquiry->boxes);
  if (test_->open) conclude_test(*test_, record.test);
  if (step_->open) conclude_step(*step_, record.step);
  return record;
}

void EvidenceEngine::restore_record(Record record) {
  const auto writer = writing();
  const auto usable = [](const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(),
                       [](double x) { return x >= 0 && std::isfinite(x); });
  };
  if (record.losses.size() != record_.losses.size() || !usable(record.losses))
    throw invalid("the losses do not fit the choices");
  if (record.tallies.size() % (3 * evidence_.powers.size()) != 0 || !usable(record.tallies))
    throw invalid("the tallies do not fit the powers");
  const size_t features = n_ + r_ + 1;
  if (record.reaches.size() != features || record.steepness.size() != features ||
      !usable(record.steepness) ||
      !std::all_of(record.reaches.begin(), record.reaches.end(),
                   [](double x) { return std::abs(x) <= FARTHEST; }))
    throw invalid("the reaches do not fit the columns");
  check_waiting(record);
  test_->open = step_->open = false;
  record_ = std::move(record);
  clock_ = static_cast<double>(record_.clock);
  reach_out();
  choose();
  choose_power();
}

std::vector<double> EvidenceEngine::chosen() const {
  const auto reader = reading();
  const auto best = static_cast<size_t>(
      std::min_element(record_.losses.begin(), record_.losses.end()) - record_.losses.begin());
  const size_t temperatures = evidence_.temperatures.size(), backoffs = evidence_.backoffs.size();
  return {evidence_.bandwidths[best / temperatures / backoffs],
          evidence_.backoffs[best / temperatures % backoffs],
          evidence_.temperatures[best % temperatures]};
}

void EvidenceEngine::learn_one(const Sample& x) {
  if (x.label >= 0) {
    go_on(*test_, record_.test.due);
    go_on(*step_, record_.step.due);
    choose_if_due();
    move_if_due();
    if (groups_[x.label + 1].size() > 0) {
      const bool choices = record_.losses.size() > 1 || evidence_.powers.size() > 1;
      if (choices && !record_.test.waits && due(ONE_IN * (1 + count() / MANY))) {
        begin_test(x);
        choose_if_due();
      }
      if (!record_.step.waits && due(STEP_IN * (1 + count() / VERY_MANY))) {
        begin_step(x);
        move_if_due();
      }
    }
    ++record_.rows;
  }
  clock_ = static_cast<double>(++record_.clock);
  EntropyEngine::learn_one(x);
}

bool EvidenceEngine::due(std::uint64_t one_in) const {
  return record_.rows < ALL_OF || record_.rows % one_in == 0;
}

// What each choice would have said of x, whose class is known.
void EvidenceEngine::begin_test(const Sample& x) {
  const size_t bandwidths = evidence_.bandwidths.size(), backoffs = evidence_.backoffs.size();
  std::vector<bool> asked(bandwidths * backoffs, false);
  for (size_t pair = 0; pair < asked.size(); ++pair)
    asked[pair_of(pair / backoffs, pair % backoffs)] = true;
  begin(*test_, x, asked, test_portion_);
  record_.test = {true, record_.rows + count() / test_portion_, static_cast<std::uint64_t>(x.label),
                  {}, {}};
  go_on(*test_, record_.test.due);
}

void EvidenceEngine::conclude_test(const Inquiry& inquiry, Test& test) const {
  add_up_scores(inquiry, test.scores);
  test.samples.clear();
  for (const Answers& a : inquiry.classes) test.samples.push_back(static_cast<double>(a.samples));
}

void EvidenceEngine::choose_if_due() {
  const Test& test = record_.test;
  if (!test.waits || test.due > record_.rows) return;
  if (test_->open) conclude_test(*test_, record_.test);
  test_->open = record_.test.waits = false;
  const size_t classes = test.samples.size(), backoffs = evidence_.backoffs.size();
  const double memory = fading(record_.tests++, MEMORY);
  if (evidence_.powers.size() > 1) test_powers(memory);
  std::vector<double> p;
  size_t at = 0;
  for (size_t pair = 0; pair < evidence_.bandwidths.size() * backoffs; ++pair) {
    const double* s = &test.scores[pair_of(pair / backoffs, pair % backoffs) * classes];
    for (double temperature : evidence_.temperatures) {
      soften(s, classes, temperature, p);
      double loss = 0;  // the Brier score
      for (size_t k = 0; k < classes; ++k) {
        const double off = k == test.label ? p[k] - 1 : p[k];
        loss += off * off;
      }
      if (std::isnan(loss)) loss = MOST_LOSS;  // no class is possible
      record_.losses[at] = record_.losses[at] * memory + loss;
      ++at;
    }
  }
  choose();
}

void EvidenceEngine::test_powers(double memory) {
  const Test& test = record_.test;
  const size_t powers = evidence_.powers.size(), classes = test.samples.size();
  std::vector<double> p;
  record_.tallies.resize(std::max(record_.tallies.size(), classes * powers * 3), 0.0);
  for (double& tally : record_.tallies) tally *= memory;
  for (size_t k = 0; k < powers; ++k) {
    mix(test.scores, take_out(test.samples, evidence_.powers[k]), p);
    const auto won = static_cast<size_t>(std::max_element(p.begin(), p.end()) - p.begin());
    record_.tallies[(test.label * powers + k) * 3] += 1;
    record_.tallies[(won * powers + k) * 3 + 1] += 1;
    if (won == test.label) record_.tallies[(test.label * powers + k) * 3 + 2] += 1;
  }
  choose_power();
}

// The power with the best class balanced accuracy; the first of several.
void EvidenceEngine::choose_power() {
  const size_t powers = evidence_.powers.size();
  double best = -1;
  for (size_t k = 0; k < powers; ++k) {
    double sum = 0, classes = 0;
    for (size_t at = k * 3; at < record_.tallies.size(); at += powers * 3) {
      const double rows = std::max(record_.tallies[at], record_.tallies[at + 1]);
      if (rows == 0) continue;
      sum += record_.tallies[at + 2] / rows;
      classes += 1;
    }
    const double accuracy = classes > 0 ? sum / classes : 0;
    if (accuracy <= best) continue;
    best = accuracy;
    power_ = evidence_.powers[k];
  }
}

// What is taken off the scores of the classes: the logarithm of their samples, to a power.
std::vector<double> EvidenceEngine::take_out(std::vector<double> samples, double power) {
  for (double& n : samples) n = power * std::log(std::max(n, 1.0));
  return samples;
}

std::vector<double> EvidenceEngine::weigh_classes(size_t classes,
                                                  const std::vector<Census>* census) const {
  std::vector<double> samples(classes, 0.0);
  for (size_t k = 0; k < classes && power_ > 0; ++k) {
    const Group& g = groups_[k + 1];
    samples[k] = static_cast<double>(census != nullptr ? (*census)[k + 1].samples
                                                       : kernels::total(g.n.data(), g.size()));
  }
  return take_out(std::move(samples), power_);
}

// Who may have a say, and how much: less with every loss.
void EvidenceEngine::choose() {
  std::vector<size_t> order(record_.losses.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t voices = std::min(order.size(), VOICES);
  if (!std::is_sorted(record_.losses.begin(), record_.losses.end()))  // as they are at first
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(voices), order.end(),
                      [&](size_t a, size_t b) {
                        return std::pair(record_.losses[a], a) < std::pair(record_.losses[b], b);
                      });
  order.resize(voices);
  const size_t temperatures = evidence_.temperatures.size(), backoffs = evidence_.backoffs.size();
  voices_.clear();
  voices_.reserve(voices);
  for (size_t place : order)
    voices_.push_back({place / temperatures / backoffs, place / temperatures % backoffs,
                       evidence_.temperatures[place % temperatures],
                       std::exp(RATE * (record_.losses[order[0]] - record_.losses[place]))});
}

// The best choices at first; then those with the best pair of bandwidth and backoff, at whatever temperature.
bool EvidenceEngine::is_heard(const Voice& voice) const {
  const Voice& best = voices_[0];
  return record_.rows < AT_FIRST ||
         (voice.bandwidth == best.bandwidth && voice.backoff == best.backoff);
}

void EvidenceEngine::heard(std::vector<bool>& asked) const {
  asked.assign(evidence_.bandwidths.size() * evidence_.backoffs.size(), false);
  for (const Voice& voice : voices_)
    if (is_heard(voice)) asked[pair_of(voice.bandwidth, voice.backoff)] = true;
}

void EvidenceEngine::mix(const std::vector<double>& scores, const std::vector<double>& weighed,
                         std::vector<double>& p) const {
  static thread_local std::vector<double> said;
  const size_t classes = weighed.size();
  p.assign(classes, 0.0);
  double weights = 0;
  for (const Voice& voice : voices_) {
    if (!is_heard(voice)) continue;
    say(voice, scores, weighed, said);
    for (size_t k = 0; k < classes; ++k) p[k] += voice.weight * said[k];
    weights += voice.weight;
  }
  for (double& share : p) share /= weights;
}

// What one voice says of the classes.
void EvidenceEngine::say(const Voice& voice, const std::vector<double>& scores,
                         const std::vector<double>& weighed, std::vector<double>& said) const {
  static thread_local std::vector<double> balanced;
  const size_t classes = weighed.size();
  const double* own = &scores[pair_of(voice.bandwidth, voice.backoff) * classes];
  balanced.resize(classes);
  for (size_t k = 0; k < classes; ++k) balanced[k] = own[k] - weighed[k];
  soften(balanced.data(), classes, voice.temperature, said);
}

namespace {
bool is_close(const std::vector<double>& p) {
  constexpr double CLOSE = 1 - 1e-9;
  double first = 0, second = 0;
  for (const double share : p) {
    second = std::max(second, std::min(first, share));
    first = std::max(first, share);
  }
  return second > first * CLOSE;
}
}  // namespace

// If not every class matters, those that cannot win have no probability.
void EvidenceEngine::judge(const Sample& x, bool every_class, size_t classes, Scratch& scratch,
                           Verdict& verdict) const {
  static thread_local std::vector<double> scores;
  static thread_local std::vector<bool> asked;
  verdict.distance.assign(classes, 0.0);
  verdict.weight.assign(classes, 0);
  const std::vector<Census>* census = scratch.census.get();
  heard(asked);
  const std::vector<double> weighed = weigh_classes(classes, census);
  score(x, asked, classes, scores, census, every_class ? nullptr : &weighed);
  mix(scores, weighed, verdict.best);
  if (every_class || !is_close(verdict.best)) return;
  score(x, asked, classes, scores, census);  // without the others a tie might be rounded away, or made
  mix(scores, weighed, verdict.best);
}

void EvidenceEngine::share_out(const Verdict& verdict, double* p) const {
  const size_t classes = verdict.best.size(), won = winner(verdict);
  double rival = 0;
  for (size_t k = 0; k < classes; ++k) {
    p[k] = verdict.best[k];
    if (k != won) rival = std::max(rival, p[k]);
  }
  if (p[won] <= rival) p[won] = std::nextafter(rival, 2.0);  // argmax must name the winner
}

// Without numbers all bandwidths say the same, and without categories all backoffs.
size_t EvidenceEngine::pair_of(size_t bandwidth, size_t backoff) const {
  return (n_ > 0 ? bandwidth : 0) * evidence_.backoffs.size() + (r_ > 0 ? backoff : 0);
}

Sheet EvidenceEngine::responsibilities(const Rows& rows, size_t threads) const {
  Engine::check(rows);
  const auto reader = reading();
  if (!can_predict()) throw invalid("no row with a label has been learned yet; learn some first");
  const auto order = in_order();
  Sheet all(rows.count, order.size());
  threads = std::min(threads, 1 + rows.count * order.size() / MUCH);
  in_turns(rows.count, 1, threads, [&] {
    return [&, x = Sample{}, carried = std::vector<std::vector<double>>{}](size_t row,
                                                                           size_t) mutable {
      read(rows, row, x);
      carry(x, carried);
      for (size_t i = 0; i < order.size(); ++i) {
        const auto [group, slot] = order[i].second;
        all.row(row)[i] = group > 0 ? carried[group - 1][slot] : 0.0;
      }
    };
  });
  return all;
}

// By class, by box.
void EvidenceEngine::carry(const Sample& x, std::vector<std::vector<double>>& carried) const {
  const size_t classes = groups_.size() - 1;
  std::vector<double> scores, said;
  std::vector<bool> asked;
  heard(asked);
  score(x, asked, classes, scores);
  const std::vector<double> weighed = weigh_classes(classes);
  Question q;
  ask_for(x, asked, q);
  carried.resize(classes);
  for (size_t k = 0; k < classes; ++k) {
    const size_t boxes = groups_[k + 1].size();
    carried[k].assign(boxes, 0.0);
    if (boxes == 0) continue;
    put(groups_[k + 1], q);
    double weights = 0;
    std::vector<std::vector<double>> shares(asked.size());
    for (const Voice& voice : voices_) {
      if (!is_heard(voice)) continue;
      const size_t pair = pair_of(voice.bandwidth, voice.backoff);
      if (shares[pair].empty()) share_among_boxes(q, pair, shares[pair]);
      say(voice, scores, weighed, said);
      for (size_t slot = 0; slot < boxes; ++slot)
        carried[k][slot] += voice.weight * (said[k] * shares[pair][slot]);
      weights += voice.weight;
    }
    for (double& part : carried[k]) part /= weights;
  }
}

}  // namespace boxwise
