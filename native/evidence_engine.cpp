#include "evidence_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "kernels.hpp"
#include "scan.hpp"
#include "turns.hpp"

namespace boxwise {

using std::size_t;

namespace {
constexpr size_t FACTORS = 8;       // so many are multiplied before the logarithm is taken
constexpr double NEGLIGIBLE = -30;  // a box that says e^30 times less than another adds nothing
constexpr double GRAINS = 0x1p42;   // sums are counted in grains: in whole numbers, and so in any
                                    // order the same
constexpr std::uint64_t ALL_OF = 500, ONE_IN = 8;  // the rows that are tested: fewer, if there are
constexpr size_t MANY = 2048;                      // boxes
constexpr double MEMORY = 0.999;    // what a loss still counts, at most, when the next row is tested
constexpr double RATE = 0.4;        // how fast the say of a choice falls with its losses
constexpr size_t VOICES = 40, LEAST_VOICES = 4;  // have a say: fewer, the more boxes there are
constexpr size_t EFFORT = 4096;                  // boxes to ask, all voices together
constexpr double FAINT = 1e-100;  // parts that all contradict each other so are not multiplied
constexpr size_t FEW = 16;        // boxes for which it is quicker to compute all exactly
constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();
constexpr size_t MUCH = 10'000;    // responsibilities that make another thread worth starting
constexpr double INFINITE = std::numeric_limits<double>::infinity();

// What a box adds to the sum of a class in which the largest is `most`.
std::uint64_t grains(double l, double most) {
  return l - most > NEGLIGIBLE ? static_cast<std::uint64_t>(std::exp(l - most) * GRAINS) : 0;
}

std::invalid_argument invalid(const char* text) { return std::invalid_argument(text); }

// The probabilities that belong to the scores.
void soften(const double* scores, size_t classes, double temperature, std::vector<double>& p) {
  p.resize(classes);
  const double most = *std::max_element(scores, scores + classes);
  double total = 0;
  for (size_t k = 0; k < classes; ++k) total += p[k] = std::exp((scores[k] - most) / temperature);
  for (double& part : p) part /= total;
}

}  // namespace

EvidenceEngine::EvidenceEngine(size_t n_continuous, size_t n_categorical,
                               EvidenceSettings settings, std::vector<Range> ranges)
    : EntropyEngine(n_continuous, n_categorical, settings.learning, std::move(ranges)) {
  configure(std::move(settings));
}

std::unique_ptr<Engine> EvidenceEngine::fresh() const {
  return std::make_unique<EvidenceEngine>(n_, r_, evidence_, ranges_);
}

void EvidenceEngine::configure(EvidenceSettings settings) {
  check(settings);
  EntropyEngine::configure(settings.learning);
  const auto writer = writing();
  const bool same_powers = settings.powers == evidence_.powers;
  const bool same_choices = settings.bandwidths == evidence_.bandwidths &&
                            settings.backoffs == evidence_.backoffs &&
                            settings.temperatures == evidence_.temperatures;
  evidence_ = std::move(settings);
  if (same_powers && same_choices) return;
  record_.tallies.clear();
  if (!same_choices) {
    const size_t choices = evidence_.bandwidths.size() * evidence_.backoffs.size() *
                           evidence_.temperatures.size();
    record_ = {0, 0, std::vector<double>(choices, 0.0), {}};
  }
  choose();
  choose_power();
}

void EvidenceEngine::check(const EvidenceSettings& settings) const {
  const auto all_above_0 = [](const std::vector<double>& values) {
    return !values.empty() && std::all_of(values.begin(), values.end(), [](double value) {
      return value > 0 && std::isfinite(value);
    });
  };
  if (!all_above_0(settings.bandwidths)) throw invalid("a bandwidth is not above 0");
  if (!all_above_0(settings.backoffs)) throw invalid("a backoff is not above 0");
  if (!all_above_0(settings.temperatures)) throw invalid("a temperature is not above 0");
  if (settings.powers.empty() || !std::all_of(settings.powers.begin(), settings.powers.end(),
                                              [](double k) { return k >= 0 && k <= 1; }))
    throw invalid("a power is not in [0, 1]");
}

Record EvidenceEngine::record() const {
  const auto reader = reading();
  return record_;
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
  record_ = std::move(record);
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
    const bool choices = record_.losses.size() > 1 || evidence_.powers.size() > 1;
    const std::uint64_t one_in = ONE_IN * (1 + count() / MANY);
    const bool due = record_.rows < ALL_OF || record_.rows % one_in == 0;
    if (choices && due && groups_[x.label + 1].size() > 0) test(x);
    ++record_.rows;
  }
  EntropyEngine::learn_one(x);
}

// What each choice would have said of x, whose class is known.
void EvidenceEngine::test(const Sample& x) {
  const size_t classes = groups_.size() - 1, label = static_cast<size_t>(x.label);
  const size_t bandwidths = evidence_.bandwidths.size(), backoffs = evidence_.backoffs.size();
  std::vector<double> scores, p;
  // The first boxes were few: what was best then fades as the number of tests grows.
  const auto tests = static_cast<double>(record_.tests++);
  const double memory = std::min(MEMORY, tests / (tests + 2));
  std::vector<bool> asked(bandwidths * backoffs, false);
  for (size_t pair = 0; pair < asked.size(); ++pair)
    asked[pair_of(pair / backoffs, pair % backoffs)] = true;
  score(x, asked, classes, scores);
  test_powers(scores, classes, label, memory);
  size_t at = 0;
  for (size_t pair = 0; pair < asked.size(); ++pair) {
    const double* s = &scores[pair_of(pair / backoffs, pair % backoffs) * classes];
    for (double temperature : evidence_.temperatures) {
      soften(s, classes, temperature, p);
      double loss = 0;  // the Brier score
      for (size_t k = 0; k < classes; ++k) {
        const double off = k == label ? p[k] - 1 : p[k];
        loss += off * off;
      }
      record_.losses[at] = record_.losses[at] * memory + loss;
      ++at;
    }
  }
  choose();
}

void EvidenceEngine::test_powers(const std::vector<double>& scores, size_t classes, size_t label,
                                 double memory) {
  const size_t powers = evidence_.powers.size();
  std::vector<double> p;
  if (powers == 1) return;
  record_.tallies.resize(std::max(record_.tallies.size(), classes * powers * 3), 0.0);
  for (double& tally : record_.tallies) tally *= memory;
  for (size_t k = 0; k < powers; ++k) {
    mix(scores, weigh_classes(classes, evidence_.powers[k]), p);
    const auto won = static_cast<size_t>(std::max_element(p.begin(), p.end()) - p.begin());
    record_.tallies[(label * powers + k) * 3] += 1;
    record_.tallies[(won * powers + k) * 3 + 1] += 1;
    if (won == label) record_.tallies[(label * powers + k) * 3 + 2] += 1;
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
std::vector<double> EvidenceEngine::weigh_classes(size_t classes, double power) const {
  std::vector<double> weights(classes, 0.0);
  for (size_t k = 0; k < classes && power > 0; ++k) {
    const Group& g = groups_[k + 1];
    const auto n = static_cast<double>(kernels::total(g.n.data(), g.size()));
    weights[k] = power * std::log(std::max(n, 1.0));
  }
  return weights;
}

// Who may have a say, and how much: less with every loss.
void EvidenceEngine::choose() {
  std::vector<size_t> order(record_.losses.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t voices = std::min(order.size(), VOICES);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(voices), order.end(),
                    [&](size_t a, size_t b) {
                      return std::pair(record_.losses[a], a) < std::pair(record_.losses[b], b);
                    });
  order.resize(voices);
  const size_t temperatures = evidence_.temperatures.size(), backoffs = evidence_.backoffs.size();
  voices_.clear();
  for (size_t place : order)
    voices_.push_back({place / temperatures / backoffs, place / temperatures % backoffs,
                       evidence_.temperatures[place % temperatures],
                       std::exp(RATE * (record_.losses[order[0]] - record_.losses[place]))});
}

size_t EvidenceEngine::speakers() const {
  return std::min(voices_.size(), std::max(LEAST_VOICES, EFFORT / (count() + 1)));
}

void EvidenceEngine::heard(std::vector<bool>& asked) const {
  asked.assign(evidence_.bandwidths.size() * evidence_.backoffs.size(), false);
  for (size_t i = 0; i < speakers(); ++i) asked[pair_of(voices_[i].bandwidth, voices_[i].backoff)] = true;
}

void EvidenceEngine::mix(const std::vector<double>& scores, const std::vector<double>& weighed,
                         std::vector<double>& p) const {
  static thread_local std::vector<double> said;
  const size_t classes = weighed.size();
  p.assign(classes, 0.0);
  double weights = 0;
  for (size_t i = 0; i < speakers(); ++i) {
    const Voice& voice = voices_[i];
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

void EvidenceEngine::judge(const Sample& x, bool, size_t classes, Scratch&,
                           Verdict& verdict) const {
  static thread_local std::vector<double> scores;
  static thread_local std::vector<bool> asked;
  verdict.distance.assign(classes, 0.0);
  verdict.weight.assign(classes, 0);
  heard(asked);
  score(x, asked, classes, scores);
  mix(scores, weigh_classes(classes, power_), verdict.best);
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

// For each box l = log(n e) is the sum of two parts, of the numbers and of the categories. What is
// said, e^(part - most), is only nearly right: where that might make a difference, `exact` has the
// terms of the specification.
struct EvidenceEngine::Part {
  bool asked;
  double choice;  // the bandwidth or the backoff
  Aligned<double> said;
  double most;
  std::vector<double> exact;  // NaN where it was not needed so far
};

struct EvidenceEngine::Question {
  const Sample* x;
  const Group* g;
  std::vector<double> units;   // by probe: 1 / the width of the feature; 0 if that has none
  std::vector<double> shares;  // of the values of x in the class
  Aligned<double> away;        // by box: how far x sticks out, once the numbers are looked at
  std::vector<Part> numbers, categories;  // by bandwidth, by backoff

  Part& numbers_of(size_t pair) { return numbers[pair / categories.size()]; }
  Part& categories_of(size_t pair) { return categories[pair % categories.size()]; }
};

void EvidenceEngine::score(const Sample& x, const std::vector<bool>& asked, size_t classes,
                           std::vector<double>& scores) const {
  static thread_local Question q;
  ask_for(asked, q);
  scores.assign(asked.size() * classes, -INFINITE);
  for (size_t k = 0; k < classes; ++k) {
    if (groups_[k + 1].size() == 0) continue;
    put(x, groups_[k + 1], q);
    if (groups_[k + 1].size() > FEW) {
      ask_numbers(q);
      ask_categories(q);
    }
    for (size_t pair = 0; pair < asked.size(); ++pair)
      if (asked[pair]) scores[pair * classes + k] = log_sum(q, pair);
  }
}

void EvidenceEngine::ask_for(const std::vector<bool>& asked, Question& q) const {
  const auto begin = [](const std::vector<double>& choices, std::vector<Part>& parts) {
    parts.resize(choices.size());
    for (size_t i = 0; i < choices.size(); ++i) {
      parts[i].choice = choices[i];
      parts[i].asked = false;
    }
  };
  begin(evidence_.bandwidths, q.numbers);
  begin(evidence_.backoffs, q.categories);
  for (size_t pair = 0; pair < asked.size(); ++pair)
    if (asked[pair]) q.numbers_of(pair).asked = q.categories_of(pair).asked = true;
}

void EvidenceEngine::put(const Sample& x, const Group& g, Question& q) const {
  q.x = &x;
  q.g = &g;
  q.units.clear();
  q.away.resize(g.size());
  for (const Probe& p : x.probes)
    q.units.push_back(width(p.j) > 0 ? 1 / width(p.j) : 0.0);
  q.shares.clear();
  std::uint32_t scratch[BLOCK];
  const auto samples = static_cast<double>(kernels::total(g.n.data(), g.size()));
  for (size_t j = 0; j < r_; ++j) {
    size_t values = 0;
    for (const Group& other : groups_) values = std::max(values, other.D[j].n_codes());
    const double even = 1 / static_cast<double>(values + 1);  // a value never seen has its share
    std::uint64_t seen = 0;
    for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
      const size_t m = std::min(BLOCK, g.size() - begin);
      const std::uint32_t* counts = g.D[j].row(x.codes[j], static_cast<Slot>(begin), m, scratch);
      if (counts != nullptr) seen += kernels::total(counts, m);
    }
    q.shares.push_back((static_cast<double>(seen) + even) / (samples + 1));
  }
  for (auto* parts : {&q.numbers, &q.categories})
    for (Part& part : *parts) part.exact.assign(part.asked ? g.size() : 0, UNKNOWN);
}

// log n - log(extents) - distance / bandwidth: the density of a box is even inside and falls off
// over a bandwidth outside.
void EvidenceEngine::ask_numbers(Question& q) const {
  alignas(64) double lightness[BLOCK], product[BLOCK];
  const Group& g = *q.g;
  for (Part& part : q.numbers) part.said.resize(g.size());
  for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
    const size_t m = std::min(BLOCK, g.size() - begin);
    kernels::spread(g.n.data() + begin, 0.0, lightness, m);
    double* away = q.away.data() + begin;
    std::fill_n(away, m, 0.0);
    for (size_t f = 0; f < q.units.size(); ++f) {
      const Probe& p = q.x->probes[f];
      kernels::stick_out(&g.V[p.j][begin], &g.W[p.j][begin], p.xl, p.xu, q.units[f], away, m);
    }
    for (Part& part : q.numbers) {
      if (!part.asked) continue;
      double* sum = part.said.data() + begin;
      std::fill_n(sum, m, 0.0);
      std::copy_n(lightness, m, product);  // so log n needs no logarithm of its own
      for (size_t f = 0; f < q.units.size(); ++f) {
        if (f > 0 && f % FACTORS == 0) {
          kernels::add_log(product, sum, m);
          std::fill_n(product, m, 1.0);
        }
        const size_t j = q.x->probes[f].j;
        if (q.units[f] > 0)
          kernels::extend(&g.V[j][begin], &g.W[j][begin], q.units[f], 2 * part.choice, product, m);
      }
      kernels::add_log(product, sum, m);
      kernels::fall(away, part.choice, sum, m);
    }
  }
  for (Part& part : q.numbers) {
    if (!part.asked) continue;
    part.most = kernels::most(part.said.data(), g.size());
    kernels::raise(part.said.data(), part.most, g.size());
  }
}

// The share of x's values among those of a box and, as if these were so many, of its class.
void EvidenceEngine::ask_categories(Question& q) const {
  alignas(64) double spread[BLOCK], product[BLOCK];
  alignas(64) std::uint32_t scratch[FACTORS][BLOCK];
  const std::uint32_t* counts[FACTORS];
  const Group& g = *q.g;
  for (Part& part : q.categories) part.said.assign(g.size(), 0.0);
  const bool few = r_ <= FACTORS;  // if so, logarithms are not needed
  for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
    const size_t m = std::min(BLOCK, g.size() - begin);
    for (size_t first = 0; first < std::max(r_, size_t{1}); first += FACTORS) {
      const size_t features = std::min(FACTORS, r_ - first);
      for (size_t f = 0; f < features; ++f)
        counts[f] = g.D[first + f].row(q.x->codes[first + f], static_cast<Slot>(begin), m,
                                       scratch[f]);
      for (Part& part : q.categories) {
        if (!part.asked) continue;
        double *said = part.said.data() + begin, *into = few ? said : product;
        kernels::spread(g.n.data() + begin, part.choice, spread, m);
        std::fill_n(into, m, 1.0);
        for (size_t f = 0; f < features; ++f)
          kernels::back_off(counts[f], part.choice * q.shares[first + f], spread, into, m);
        if (!few) kernels::add_log(product, said, m);
      }
    }
  }
  for (Part& part : q.categories) {
    if (!part.asked) continue;
    const double most = kernels::most(part.said.data(), g.size());
    part.most = few ? std::log(most) : most;
    if (few)
      kernels::scale(part.said.data(), 1 / most, g.size());
    else
      kernels::raise(part.said.data(), most, g.size());
  }
}

// log(sum of n e), in whole grains: most of them follow from what the parts say; those of the rest,
// the largest among them, are computed as the specification does.
double EvidenceEngine::log_sum(Question& q, size_t pair) const {
  static thread_local std::vector<Slot> unsure;
  static thread_local std::vector<double> l;
  Part &numbers = q.numbers_of(pair), &categories = q.categories_of(pair);
  unsure.clear();
  std::uint64_t sum = q.g->size() > FEW ? count_sure(q, numbers, categories, unsure) : 0;
  if (unsure.empty()) {  // the largest would be among them
    sum = 0;
    unsure.resize(q.g->size());
    std::iota(unsure.begin(), unsure.end(), Slot{0});
  }
  l.clear();
  for (const Slot slot : unsure) l.push_back(log_evidence(q, slot, numbers, categories));
  const double most = *std::max_element(l.begin(), l.end());
  for (const double one : l) sum += grains(one, most);
  return most + std::log(static_cast<double>(sum) / GRAINS);
}

// The grains of the boxes for which they are sure; the others, if it can be done, are listed.
std::uint64_t EvidenceEngine::count_sure(const Question& q, const Part& numbers,
                                         const Part& categories,
                                         std::vector<Slot>& unsure) const {
  static_assert(BLOCK <= kernels::MOST_WHOLE);
  alignas(64) double apart[BLOCK];
  const double *x = numbers.said.data(), *y = categories.said.data();
  const size_t boxes = q.g->size();
  const double product = kernels::most_product(x, y, boxes);
  if (!(product >= FAINT && product <= 2)) return 0;  // 1 at most, but for rounding
  const double error = margin(q, numbers, categories, product);
  if (!(error < 1)) return 0;
  std::uint64_t sum = 0;
  for (size_t begin = 0; begin < boxes; begin += BLOCK) {
    const size_t m = std::min(BLOCK, boxes - begin);
    sum += static_cast<std::uint64_t>(
        kernels::whole(x + begin, y + begin, GRAINS / product, error, apart, m));
    for (const size_t i : Passing(apart, m)) unsure.push_back(static_cast<Slot>(begin + i));
  }
  return sum;
}

// How far e^(l - most) can be off, relative to itself, for a box that is not negligible: by the
// rounding in the specification, and by that in the parts, where no intermediate is above `size`.
double EvidenceEngine::margin(const Question& q, const Part& numbers, const Part& categories,
                              double product) const {
  const auto features = static_cast<double>(q.units.size());
  const double logarithms = features / FACTORS + static_cast<double>(r_) / FACTORS + 2;
  const double below = -NEGLIGIBLE - std::log(product);  // a part can be, beside its largest
  const double tails = features * std::abs(std::log(2 * numbers.choice));
  const double size = 23 + 3 * tails + std::abs(numbers.most) + std::abs(categories.most) +
                      2 * below;  // a box has less than e^23 samples
  return (54 + 4 * logarithms) * 0x1p-53 * size;
}

namespace {
// The logarithm of the product of factor(0), factor(1), ...; taken before products become too small.
template <class Factor>
double log_product(size_t factors, Factor factor) {
  double sum = 0;
  for (size_t f = 0; f < factors;) {
    double product = 1, some[FACTORS];
    size_t count = 0;
    for (const size_t end = std::min(f + FACTORS, factors); f < end; ++f)
      product *= some[count++] = factor(f);
    if (product > 0 && product < INFINITE)
      sum += std::log(product);
    else
      for (size_t i = 0; i < count; ++i) sum += std::log(some[i]);
  }
  return sum;
}
}  // namespace

// log(n e), exactly as the specification has it.
double EvidenceEngine::log_evidence(Question& q, Slot slot, Part& numbers,
                                    Part& categories) const {
  const Group& g = *q.g;
  double &extents = numbers.exact[slot], &shares = categories.exact[slot];
  if (std::isnan(extents)) {
    size_t f = 0;
    double away = 0;
    extents = log_product(n_, [&](size_t j) {
      if (f == q.units.size() || q.x->probes[f].j != j) return 1.0;
      const Probe& p = q.x->probes[f];
      const double v = g.V[j][slot], w = g.W[j][slot], unit = q.units[f++];
      if (v > w || unit == 0) return 1.0;
      away += std::max(std::max(p.xu - w, v - p.xl), 0.0) * unit;
      return (w - v) * unit + 2 * numbers.choice;
    });
    q.away[slot] = away;
  }
  if (std::isnan(shares)) {
    const double n = g.n[slot], spread = 1 / (n + categories.choice);
    shares = std::log(n) + log_product(r_, [&](size_t j) {
      return (g.D[j].count(slot, q.x->codes[j]) + categories.choice * q.shares[j]) * spread;
    });
  }
  return shares - extents - q.away[slot] / numbers.choice;
}

std::pair<size_t, std::vector<double>> EvidenceEngine::responsibilities(const Rows& rows,
                                                                        size_t threads) const {
  Engine::check(rows);
  const auto reader = reading();
  if (!can_predict()) throw invalid("no row with a label has been learned yet; learn some first");
  const auto order = in_order();
  std::vector<double> all(rows.count * order.size());
  threads = std::min(threads, 1 + rows.count * order.size() / MUCH);
  in_turns(rows.count, 1, threads, [&] {
    return [&, x = Sample{}, carried = std::vector<std::vector<double>>{}](size_t row,
                                                                           size_t) mutable {
      read(rows, row, x);
      carry(x, carried);
      for (size_t i = 0; i < order.size(); ++i) {
        const auto [group, slot] = order[i].second;
        if (group > 0) all[row * order.size() + i] = carried[group - 1][slot];
      }
    };
  });
  return {order.size(), std::move(all)};
}

// By class, by box.
void EvidenceEngine::carry(const Sample& x, std::vector<std::vector<double>>& carried) const {
  const size_t classes = groups_.size() - 1, voices = speakers();
  std::vector<double> scores, said;
  std::vector<bool> asked;
  heard(asked);
  score(x, asked, classes, scores);
  const std::vector<double> weighed = weigh_classes(classes, power_);
  Question q;
  ask_for(asked, q);
  carried.resize(classes);
  for (size_t k = 0; k < classes; ++k) {
    const size_t boxes = groups_[k + 1].size();
    carried[k].assign(boxes, 0.0);
    if (boxes == 0) continue;
    put(x, groups_[k + 1], q);
    double weights = 0;
    std::vector<std::vector<double>> shares(asked.size());
    for (size_t i = 0; i < voices; ++i) {
      const Voice& voice = voices_[i];
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

// The boxes' parts of the sum of a class.
void EvidenceEngine::share_among_boxes(Question& q, size_t pair,
                                       std::vector<double>& shares) const {
  shares.resize(q.g->size());
  for (Slot slot = 0; slot < shares.size(); ++slot)
    shares[slot] = log_evidence(q, slot, q.numbers_of(pair), q.categories_of(pair));
  const double most = *std::max_element(shares.begin(), shares.end());
  std::uint64_t sum = 0;
  for (double& share : shares) {
    const std::uint64_t part = grains(share, most);
    sum += part;
    share = static_cast<double>(part);
  }
  for (double& share : shares) share /= static_cast<double>(sum);
}

}  // namespace boxwise
