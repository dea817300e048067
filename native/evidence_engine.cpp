#include "evidence_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace boxwise {

using std::size_t;

namespace {
constexpr size_t FACTORS = 8;       // so many are multiplied before the logarithm is taken
constexpr double NEGLIGIBLE = -30;  // a box that says e^30 times less than another adds nothing
constexpr double GRAINS = 0x1p42;   // sums are counted in grains: in whole numbers, and so in any
                                    // order the same
constexpr double WORST = 10;        // what a prediction can cost, however wrong it was
constexpr std::uint64_t ALL_OF = 500, ONE_IN = 8;  // the rows that are tested
constexpr double MEMORY = 0.999;    // what a loss still counts when the next row is tested
constexpr double RATE = 0.1;        // how fast the say of a choice falls with its losses
constexpr size_t VOICES = 40, LEAST_VOICES = 4;  // have a say: fewer, the more boxes there are
constexpr size_t EFFORT = 4096;                  // boxes to ask, all voices together
constexpr size_t NOWHERE = std::numeric_limits<size_t>::max();
constexpr double INFINITE = std::numeric_limits<double>::infinity();

std::invalid_argument invalid(const char* text) { return std::invalid_argument(text); }

// log(sum of exp(l)), what is negligible beside the largest left out.
double log_sum(const double* l, size_t count) {
  const double most = *std::max_element(l, l + count);
  std::uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i)
    if (l[i] - most > NEGLIGIBLE)
      sum += static_cast<std::uint64_t>(std::exp(l[i] - most) * GRAINS);
  return most + std::log(static_cast<double>(sum) / GRAINS);
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
  const bool same = settings.bandwidths == evidence_.bandwidths &&
                    settings.backoffs == evidence_.backoffs &&
                    settings.temperatures == evidence_.temperatures &&
                    settings.powers == evidence_.powers;
  evidence_ = std::move(settings);
  if (same) return;
  const size_t choices = evidence_.bandwidths.size() * evidence_.backoffs.size() *
                         evidence_.temperatures.size();
  record_ = {0, std::vector<double>(choices, 0.0), {}};
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
    if (choices && is_tested(record_.rows) && groups_[x.label + 1].size() > 0) test(x);
    ++record_.rows;
  }
  EntropyEngine::learn_one(x);
}

bool EvidenceEngine::is_tested(std::uint64_t row) const {
  return row < ALL_OF || row % ONE_IN == 0;
}

// What each choice would have said of x, whose class is known.
void EvidenceEngine::test(const Sample& x) {
  const size_t classes = groups_.size() - 1, label = static_cast<size_t>(x.label);
  std::vector<double> scores, p;
  score(x, evidence_.bandwidths, evidence_.backoffs, classes, scores);
  mix([&](const Voice& voice) {
    return &scores[(voice.bandwidth * evidence_.backoffs.size() + voice.backoff) * classes];
  }, classes, p);
  test_powers(p, label);
  size_t at = 0;
  for (const double* s = scores.data(); s != scores.data() + scores.size(); s += classes) {
    const double most = *std::max_element(s, s + classes);
    for (double temperature : evidence_.temperatures) {
      double sum = 0;
      for (size_t k = 0; k < classes; ++k) sum += std::exp((s[k] - most) / temperature);
      const double loss = std::log(sum) - (s[label] - most) / temperature;
      record_.losses[at] = record_.losses[at] * MEMORY + std::min(WORST, loss);
      ++at;
    }
  }
  choose();
}

void EvidenceEngine::test_powers(const std::vector<double>& p, size_t label) {
  const size_t powers = evidence_.powers.size(), classes = p.size();
  if (powers == 1) return;
  record_.tallies.resize(std::max(record_.tallies.size(), classes * powers * 3), 0.0);
  for (double& tally : record_.tallies) tally *= MEMORY;
  const std::vector<double> n = samples(classes);
  for (size_t k = 0; k < powers; ++k) {
    size_t won = 0;
    double best = -1;
    for (size_t c = 0; c < classes; ++c) {
      const double score = p[c] > 0 ? p[c] / std::pow(n[c], evidence_.powers[k]) : 0;
      if (score > best) {
        best = score;
        won = c;
      }
    }
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

// How many samples each class has.
std::vector<double> EvidenceEngine::samples(size_t classes) const {
  std::vector<double> n(classes, 0.0);
  for (size_t c = 0; c < classes; ++c)
    for (size_t slot = 0; slot < groups_[c + 1].size(); ++slot) n[c] += groups_[c + 1].n[slot];
  return n;
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
  size_t boxes = 1;
  for (const Group& g : groups_) boxes += g.size();
  return std::min(voices_.size(), std::max(LEAST_VOICES, EFFORT / boxes));
}

template <class ScoresOf>
void EvidenceEngine::mix(ScoresOf scores_of, size_t classes, std::vector<double>& p) const {
  static thread_local std::vector<double> parts;
  p.assign(classes, 0.0);
  parts.resize(classes);
  double weights = 0;
  const size_t heard = speakers();
  for (size_t i = 0; i < heard; ++i) {
    const Voice& voice = voices_[i];
    const double* s = scores_of(voice);
    const double most = *std::max_element(s, s + classes);
    double total = 0;
    for (size_t k = 0; k < classes; ++k)
      total += parts[k] = std::exp((s[k] - most) / voice.temperature);
    for (size_t k = 0; k < classes; ++k) p[k] += voice.weight * (parts[k] / total);
    weights += voice.weight;
  }
  for (double& share : p) share /= weights;
}

void EvidenceEngine::judge(const Sample& x, bool, size_t classes, Scratch&,
                           Verdict& verdict) const {
  static thread_local std::vector<double> scores, bandwidths, backoffs;
  static thread_local std::vector<size_t> bandwidth_at, backoff_at;
  verdict.distance.assign(classes, 0.0);
  verdict.weight.assign(classes, 0);
  const auto use = [](const std::vector<double>& all, std::vector<double>& used,
                      std::vector<size_t>& at, size_t place) {
    if (at[place] < used.size()) return;
    at[place] = used.size();
    used.push_back(all[place]);
  };
  bandwidths.clear();
  backoffs.clear();
  bandwidth_at.assign(evidence_.bandwidths.size(), NOWHERE);
  backoff_at.assign(evidence_.backoffs.size(), NOWHERE);
  for (size_t i = 0; i < speakers(); ++i) {
    use(evidence_.bandwidths, bandwidths, bandwidth_at, voices_[i].bandwidth);
    use(evidence_.backoffs, backoffs, backoff_at, voices_[i].backoff);
  }
  score(x, bandwidths, backoffs, classes, scores);
  mix([&](const Voice& voice) {
    const size_t h = bandwidth_at[voice.bandwidth], a = backoff_at[voice.backoff];
    return &scores[(h * backoffs.size() + a) * classes];
  }, classes, verdict.best);
  if (power_ == 0) return;
  const std::vector<double> n = samples(classes);
  double total = 0;
  for (size_t k = 0; k < classes; ++k)
    total += verdict.best[k] = verdict.best[k] > 0 ? verdict.best[k] / std::pow(n[k], power_) : 0;
  for (double& p : verdict.best) p /= total;
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

void EvidenceEngine::score(const Sample& x, const std::vector<double>& bandwidths,
                           const std::vector<double>& backoffs, size_t classes,
                           std::vector<double>& scores) const {
  const size_t choices = bandwidths.size() * backoffs.size();
  scores.assign(choices * classes, -INFINITE);
  std::vector<double> of_class(choices);
  for (size_t k = 0; k < classes; ++k) {
    if (groups_[k + 1].size() == 0) continue;
    score_group(groups_[k + 1], x, bandwidths, backoffs, of_class);
    for (size_t c = 0; c < choices; ++c) scores[c * classes + k] = of_class[c];
  }
}

namespace {
// sums = the logarithm of the product over the features, for each of m boxes; multiply(j, products)
// puts in the factors of feature j. The logarithm is taken before products become too small.
template <class Multiply>
void log_products(size_t features, size_t m, std::vector<double>& sums, Multiply multiply) {
  static thread_local std::vector<double> products;
  sums.assign(m, 0.0);
  for (size_t begin = 0; begin < features; begin += FACTORS) {
    products.assign(m, 1.0);
    for (size_t j = begin; j < std::min(begin + FACTORS, features); ++j)
      multiply(j, products.data());
    for (size_t i = 0; i < m; ++i) sums[i] += std::log(products[i]);
  }
}
}  // namespace

// For each box of the class l = log n + log(shares) - log(extents) - distance / bandwidth; the
// class is the sum of them all.
void EvidenceEngine::score_group(const Group& g, const Sample& x,
                                 const std::vector<double>& bandwidths,
                                 const std::vector<double>& backoffs,
                                 std::vector<double>& scores) const {
  static thread_local std::vector<double> away, weight, l;
  static thread_local std::vector<std::vector<double>> extents, shares;
  const size_t m = g.size();
  measure_distances(g, x, away);
  extents.resize(bandwidths.size());
  shares.resize(backoffs.size());
  for (size_t h = 0; h < bandwidths.size(); ++h) measure_extents(g, x, bandwidths[h], extents[h]);
  for (size_t a = 0; a < backoffs.size(); ++a) measure_shares(g, x, backoffs[a], shares[a]);
  weight.resize(m);
  for (size_t i = 0; i < m; ++i) weight[i] = std::log(static_cast<double>(g.n[i]));
  l.resize(m);
  for (size_t h = 0; h < bandwidths.size(); ++h)
    for (size_t a = 0; a < backoffs.size(); ++a) {
      const double *extent = extents[h].data(), *share = shares[a].data();
      for (size_t i = 0; i < m; ++i)
        l[i] = weight[i] + share[i] - extent[i] - away[i] / bandwidths[h];
      scores[h * backoffs.size() + a] = log_sum(l.data(), m);
    }
}

// How far x sticks out, over all features, as shares of their ranges.
void EvidenceEngine::measure_distances(const Group& g, const Sample& x,
                                       std::vector<double>& away) const {
  away.assign(g.size(), 0.0);
  for (const Probe& p : x.probes) {
    if (width(p.j) == 0) continue;
    const double unit = 1 / width(p.j), *V = g.V[p.j].data(), *W = g.W[p.j].data();
    for (size_t i = 0; i < g.size(); ++i) {
      const double out = std::max(std::max(p.xu - W[i], V[i] - p.xl), 0.0) * unit;
      away[i] += V[i] > W[i] ? 0.0 : out;
    }
  }
}

// What a box's density is divided by: it is even inside and falls off over a bandwidth outside.
void EvidenceEngine::measure_extents(const Group& g, const Sample& x, double bandwidth,
                                     std::vector<double>& sums) const {
  auto probe = x.probes.begin();
  log_products(n_, g.size(), sums, [&](size_t j, double* products) {
    if (probe == x.probes.end() || probe->j != j) return;
    ++probe;
    if (width(j) == 0) return;
    const double unit = 1 / width(j), tails = 2 * bandwidth;
    const double *V = g.V[j].data(), *W = g.W[j].data();
    for (size_t i = 0; i < g.size(); ++i)
      products[i] *= V[i] > W[i] ? 1.0 : (W[i] - V[i]) * unit + tails;
  });
}

// The share of x's values among those of a box and, as if these were so many, of its class.
void EvidenceEngine::measure_shares(const Group& g, const Sample& x, double backoff,
                                    std::vector<double>& sums) const {
  static thread_local std::vector<double> spread;
  spread.resize(g.size());
  double samples = 0;
  for (size_t i = 0; i < g.size(); ++i) {
    samples += g.n[i];
    spread[i] = 1 / (g.n[i] + backoff);
  }
  log_products(r_, g.size(), sums, [&](size_t j, double* products) {
    size_t values = 0;
    for (const Group& other : groups_) values = std::max(values, other.D[j].n_codes());
    const double even = 1 / static_cast<double>(values + 1);  // a value never seen has its share
    const double seen = static_cast<double>(g.D[j].total(x.codes[j], g.size()));
    const double own = backoff * ((seen + even) / (samples + 1));
    std::uint32_t scratch[BLOCK];
    for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
      const size_t m = std::min(BLOCK, g.size() - begin);
      const std::uint32_t* counts =
          g.D[j].row(x.codes[j], static_cast<Slot>(begin), m, scratch);
      for (size_t i = 0; i < m; ++i) {
        const double count = counts != nullptr ? counts[i] : 0;
        products[begin + i] *= (count + own) * spread[begin + i];
      }
    }
  });
}

}  // namespace boxwise
