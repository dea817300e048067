// What the boxes of a class say of a sample, together.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "evidence_question.hpp"
#include "kernels.hpp"
#include "scan.hpp"

namespace boxwise {

using std::size_t;

namespace {
constexpr size_t FACTORS = 8;       // so many are multiplied before the logarithm is taken
constexpr size_t DENSITIES = 32;    // and of these
constexpr double LARGE = 1e250, SMALL = 1e-90;  // what products may be, and the largest of a part
constexpr double FAINT = 1e-100;  // parts that all contradict each other so are not multiplied
constexpr double FADED = 1e-36;   // more than e^FAINTEST / (FAINT e^NEGLIGIBLE)
constexpr size_t MANY_BOXES = 512;  // of all classes, so that it pays to compare what they can say
constexpr double NEAR = 0.001;    // how far off they may be, to be of use
constexpr double INFINITE = std::numeric_limits<double>::infinity();

}  // namespace

void EvidenceEngine::score(const Sample& x, const std::vector<bool>& asked, size_t classes,
                           std::vector<double>& scores, const std::vector<Census>* census,
                           const std::vector<double>* contest) const {
  static thread_local Question q;
  static thread_local std::vector<Entrant> entrants;
  static thread_local Trial contests;
  ask_for(x, asked, q);
  scores.assign(asked.size() * classes, -INFINITE);
  entrants.clear();
  for (size_t k = 0; k < classes; ++k)
    if (groups_[k + 1].size() > 0) entrants.push_back({k, -INFINITE, INFINITE});
  const bool ordered = contest != nullptr && q.only && entrants.size() > 1 &&
                       index_mode_ != IndexMode::OFF &&
                       (index_mode_ == IndexMode::ON ||
                        (count() >= MANY_BOXES && contests.is_due()));
  if (ordered) find_entrants(q, census, *contest, entrants);
  if (ordered && entrants.size() == 1) {  // it wins, whatever it scores
    scores[*q.only * classes + entrants[0].k] = entrants[0].lowest;
    contests.tell(true);
    return;
  }
  double best = -INFINITE;
  size_t asked_boxes = 0;
  for (const auto& [k, lowest, highest] : entrants) {
    if (highest < best) break;
    asked_boxes += groups_[k + 1].size();
    put(groups_[k + 1], q, census != nullptr ? &(*census)[k + 1] : nullptr);
    ask(q);
    for (size_t pair = 0; pair < asked.size(); ++pair)
      if (asked[pair]) scores[pair * classes + k] = log_sum(q, pair) + q.census->level;
    if (ordered) best = std::max(best, scores[*q.only * classes + k] - (*contest)[k]);
  }
  if (ordered) contests.tell(2 * asked_boxes <= count());
}

// What is the same for all classes.
void EvidenceEngine::ask_for(const Sample& x, const std::vector<bool>& asked, Question& q) const {
  const auto begin = [](const std::vector<double>& choices, std::vector<Part>& parts) {
    parts.resize(choices.size());
    for (size_t i = 0; i < choices.size(); ++i) {
      parts[i].choice = choices[i];
      parts[i].asked = false;
    }
  };
  begin(evidence_.bandwidths, q.numbers);
  begin(evidence_.backoffs, q.categories);
  size_t pairs = 0;
  for (size_t pair = 0; pair < asked.size(); ++pair) {
    if (!asked[pair]) continue;
    q.numbers_of(pair).asked = q.categories_of(pair).asked = true;
    q.only = ++pairs == 1 ? std::optional(pair) : std::nullopt;
  }
  q.x = &x;
  q.units.clear();
  q.falls.clear();
  for (const Probe& p : x.probes) {
    q.units.push_back(width(p.j) > 0 ? 1 / width(p.j) : 0.0);
    q.falls.push_back(q.units.back() / reach_[p.j]);
  }
  q.even.clear();
  for (size_t j = 0; j < r_; ++j) {
    size_t values = 0;
    for (const Group& g : groups_) values = std::max(values, g.D[j].n_codes());
    q.even.push_back(1 / static_cast<double>(values + 1));
  }
  for (Part& part : q.numbers) {
    if (!part.asked) continue;
    part.wide.clear();
    for (const Probe& p : x.probes) part.wide.push_back(2 * (part.choice * reach_[p.j]));
  }
  for (Part& part : q.categories) {
    if (!part.asked) continue;
    part.wide.clear();
    for (size_t j = 0; j < r_; ++j) part.wide.push_back(part.choice * reach_[n_ + j]);
  }
}

void EvidenceEngine::put(const Group& boxes, Question& q, const Census* census) const {
  const Group& g = census != nullptr && census->terrain ? census->terrain->group : boxes;
  q.g = &g;
  if (census == nullptr) weigh_boxes(g, q.made);
  q.census = census != nullptr ? census : &q.made;
  ask_run(q, 0, g.size());
  q.shares.clear();
  const auto samples = static_cast<double>(q.census->samples);
  for (size_t j = 0; j < r_; ++j) {
    const std::uint64_t seen = !q.crowd.counts.empty() ? kernels::total(q.crowd.counts[j], g.size())
                               : census != nullptr     ? census->seen(j, q.x->codes[j])
                                                       : add_up(g, j, q.x->codes[j]);
    q.shares.push_back((static_cast<double>(seen) + q.even[j]) / (samples + 1));
  }
  back_up(q);
}

// What the values of the sample have anyway, in the class.
void EvidenceEngine::back_up(Question& q) const {
  for (Part& part : q.categories) {
    if (!part.asked) continue;
    part.own.clear();
    for (size_t j = 0; j < r_; ++j) part.own.push_back(part.wide[j] * q.shares[j]);
  }
}

// So many boxes from the first on, which begins a lot, by the weights that the census begins with.
void EvidenceEngine::ask_run(Question& q, Slot first, size_t size) const {
  const Group& g = *q.g;
  Crowd& crowd = q.crowd;
  make_room(q.away, whole(size));
  crowd.of = Crowd::Of::RUN;
  crowd.first = first;
  crowd.size = size;
  crowd.n = g.n.data() + first;
  crowd.weight = q.census->weight.data();
  crowd.V.clear();
  crowd.W.clear();
  for (const Probe& p : q.x->probes) {
    crowd.V.push_back(g.V[p.j].data() + first);
    crowd.W.push_back(g.W[p.j].data() + first);
  }
  crowd.counts.clear();
  if (size <= FEW_BOXES) {
    make_room(crowd.words, r_ * FEW_BOXES);
    for (size_t j = 0; j < r_; ++j) {
      const auto* counts = g.D[j].row(q.x->codes[j], first, size, crowd.words.data() + j * FEW_BOXES);
      crowd.counts.push_back(counts != nullptr ? counts : padding::ZEROS.entries);
    }
  }
  q.begin_anew();
}

// Nearly right, where it is worth it.
void EvidenceEngine::ask(Question& q) const {
  narrow(q);
  if (q.crowd.size <= FEW_BOXES) return;
  ask_numbers(q);
  ask_categories(q);
}

// weight / extents * e^(-distance / bandwidth): the density of a box is even inside and falls off over a
// bandwidth outside. The extents are taken as multiples of what they are at least, so that products
// of some stay normal numbers; where there are more features, logarithms are taken in between.
void EvidenceEngine::ask_numbers(Question& q) const {
  const size_t features = q.units.size(), boxes = q.crowd.size;
  q.sound = true;
  for (Part& part : q.numbers) {
    if (!part.asked) continue;
    make_room(part.said, whole(boxes));
    part.densities.clear();
    part.most = part.tails = 0;
    for (size_t f = 0; f < features; ++f) {
      const Probe& p = q.x->probes[f];
      if (q.units[f] == 0) continue;
      const double tails = part.wide[f];
      part.densities.push_back({q.crowd.V[f], q.crowd.W[f], p.xl, p.xu, q.falls[f],
                                q.units[f] / tails, 1 / tails});
      part.most -= std::log(tails);
      part.tails += std::abs(std::log(tails));
    }
    if (features > DENSITIES) make_room(part.logs, whole(boxes));
  }
  q.crowd.visit([&](size_t place, size_t at, size_t m) {
    double* away = q.away.data() + place;
    std::fill_n(away, whole(m), 0.0);
    bool first = true;  // all bandwidths share the distances
    for (Part& part : q.numbers) {
      if (!part.asked) continue;
      double* said = part.said.data() + place;
      const size_t count = part.densities.size();
      if (features > DENSITIES) std::fill_n(part.logs.data() + place, m, 0.0);
      size_t f = 0;
      do {
        if (f > 0) kernels::add_log(said, part.logs.data() + place, m);
        std::fill_n(said, whole(m), 1.0);
        const size_t some = std::min(count - f, DENSITIES);
        if (kernels::spread_out(part.densities.data() + f, some, at, first ? away : nullptr, said,
                                m) > LARGE)
          q.sound = false;
        f += some;
      } while (f < count);
      first = false;
    }
  });
  for (Part& part : q.numbers)
    if (part.asked) let_fall(q, part);
}

void EvidenceEngine::let_fall(Question& q, Part& part) const {
  const size_t boxes = q.crowd.size;
  const double* away = q.away.data();
  double rate = 1 / part.choice;
  if (part.densities.size() > DENSITIES) {  // with the logarithms taken on the way
    for (size_t i = 0; i < boxes; ++i) part.logs[i] += away[i] * rate;
    away = part.logs.data();
    rate = 1;
  }
  const double nearest = kernels::lowest(away, boxes);
  const double inside =
      kernels::fall_off(q.crowd.weight, away, nearest, rate, part.said.data(), boxes);
  part.top = kernels::most(part.said.data(), boxes);
  part.most += std::log(part.top) - nearest * rate;
  // Boxes that are further away than powers go must not be heard.
  q.sound = q.sound && part.top > SMALL && inside * FADED < part.top;
}

// The share of x's values among those of a box and, as if these were so many, of its class.
void EvidenceEngine::ask_categories(Question& q) const {
  alignas(64) double product[BLOCK];
  alignas(64) std::uint32_t scratch[FACTORS][BLOCK];
  static_assert(FACTORS <= kernels::MOST_BACKINGS);
  kernels::Backing backings[FACTORS];
  const Crowd& crowd = q.crowd;
  for (Part& part : q.categories) make_room(part.said, crowd.size);
  const bool few = r_ <= FACTORS;  // if so, logarithms are not needed
  crowd.visit([&](size_t place, size_t at, size_t m) {
    for (size_t first = 0; first < std::max(r_, size_t{1}); first += FACTORS) {
      const size_t features = std::min(FACTORS, r_ - first);
      for (size_t f = 0; f < features; ++f) {
        const std::uint32_t* counts =
            crowd.counts.empty() ? q.g->D[first + f].row(q.x->codes[first + f],
                                                         crowd.first + static_cast<Slot>(at), m,
                                                         scratch[f])
                                 : crowd.counts[first + f] + place;
        backings[f].counts = counts != nullptr ? counts : padding::ZEROS.entries;
      }
      for (Part& part : q.categories) {
        if (!part.asked) continue;
        for (size_t f = 0; f < features; ++f) {
          backings[f].backoff = part.wide[first + f];
          backings[f].own = part.own[first + f];
        }
        double* said = part.said.data() + place;
        kernels::back_off(backings, features, crowd.n + place, few ? said : product, m);
        if (few) continue;
        if (first == 0) std::fill_n(said, m, 0.0);
        kernels::add_log(product, said, m);
      }
    }
  });
  for (Part& part : q.categories) {
    if (!part.asked) continue;
    const double most = kernels::most(part.said.data(), crowd.size);
    part.most = few ? std::log(most) : most;
    part.top = few ? most : 1.0;
    if (!few) kernels::raise(part.said.data(), most, crowd.size);
    q.sound = q.sound && part.top > SMALL;
  }
}

// log(sum of n e), in whole grains: most of them follow from what the parts say; those of the rest,
// the largest among them, are computed as the specification does.
double EvidenceEngine::log_sum(Question& q, size_t pair) const {
  static thread_local std::vector<size_t> unsure;
  static thread_local std::vector<double> l;
  Part &numbers = q.numbers_of(pair), &categories = q.categories_of(pair);
  unsure.clear();
  std::uint64_t sum = count_sure(q, numbers, categories, unsure);
  l.clear();
  for (const size_t place : unsure) l.push_back(log_evidence(q, place, numbers, categories));
  q.most = *std::max_element(l.begin(), l.end());
  for (const double one : l) sum += grains(one, q.most);
  return q.most + std::log(static_cast<double>(sum) / GRAINS);
}

// The grains of the boxes for which they are sure; the others are listed.
std::uint64_t EvidenceEngine::count_sure(Question& q, const Part& numbers, const Part& categories,
                                         std::vector<size_t>& unsure) const {
  static_assert(BLOCK <= kernels::MOST_TOGETHER);
  alignas(64) double apart[BLOCK];
  const double *x = numbers.said.data(), *y = categories.said.data();
  const size_t boxes = q.crowd.size;
  find_scale(q, numbers, categories);
  if (q.scale == 0) {
    unsure.resize(boxes);
    std::iota(unsure.begin(), unsure.end(), size_t{0});
    return 0;
  }
  std::uint64_t sum = 0;
  for (size_t begin = 0; begin < boxes; begin += BLOCK) {
    const size_t m = std::min(BLOCK, boxes - begin);
    sum += static_cast<std::uint64_t>(
        kernels::whole(x + begin, y + begin, q.scale, q.margin, apart, m));
    for (const size_t i : Passing(apart, m)) unsure.push_back(begin + i);
  }
  return sum;
}

// What the parts of a box are multiplied by to be grains, and how far off that may be; a scale of 0 if
// they are good for nothing.
void EvidenceEngine::find_scale(Question& q, const Part& numbers, const Part& categories) const {
  q.scale = 0;
  const size_t boxes = q.crowd.size;
  if (boxes <= FEW_BOXES || !q.sound) return;
  const double most = kernels::most_product(numbers.said.data(), categories.said.data(), boxes);
  const double product = most / (numbers.top * categories.top);
  if (!(product >= FAINT && product <= 2)) return;  // 1 at most, but for rounding
  q.margin = 2 * margin(q, numbers, categories, product);  // that of a box, and that of the largest
  if (q.margin < NEAR) q.scale = GRAINS / most;
}

// How far e^(l - most) can be off, relative to itself, for a box that is not negligible: by the
// rounding in the specification, and by that in the parts, where no intermediate is above `size`.
double EvidenceEngine::margin(const Question& q, const Part& numbers, const Part& categories,
                              double product) const {
  const auto features = static_cast<double>(q.units.size());
  const double logarithms = features / FACTORS + static_cast<double>(r_) / FACTORS + 2;
  const double below = -NEGLIGIBLE - std::log(product);  // a part can be, beside its largest
  const double size = 23 + 3 * numbers.tails + std::abs(numbers.most) + std::abs(categories.most) +
                      2 * below;  // a box has less than e^23 samples, and more
                               // than e^-23 of them left
  return (54 + 4 * logarithms) * 0x1p-53 * size;
}

namespace {
// Adds the logarithm of the product of some factors; of each by itself, if that is too small or large.
void add_logs(const double* factors, size_t count, double& sum) {
  double product = 1;
  for (size_t i = 0; i < count; ++i) product *= factors[i];
  if (product > 0 && product < INFINITE)
    sum += std::log(product);
  else
    for (size_t i = 0; i < count; ++i) sum += std::log(factors[i]);
}
}  // namespace

// log(n e), exactly as the specification has it: logarithms are taken of FACTORS features at a time.
double EvidenceEngine::log_evidence(Question& q, size_t place, Part& numbers,
                                    Part& categories) const {
  const Crowd& crowd = q.crowd;
  const size_t at = crowd.at(place);
  double &extents = numbers.exact[place], &shares = categories.exact[place];
  double factors[FACTORS];
  if (std::isnan(extents)) {
    numbers.known.push_back(place);
    const auto& probes = q.x->probes;
    double away = 0;
    extents = 0;
    for (size_t f = 0; f < probes.size();) {
      size_t count = 0;
      for (const size_t turn = probes[f].j / FACTORS;
           f < probes.size() && probes[f].j / FACTORS == turn; ++f) {
        const Probe& p = probes[f];
        const double v = crowd.V[f][at], w = crowd.W[f][at];
        if (v > w || q.units[f] == 0) continue;
        away += std::max(std::max(p.xu - w, v - p.xl), 0.0) * q.falls[f];
        factors[count++] = (w - v) * q.units[f] + numbers.wide[f];
      }
      add_logs(factors, count, extents);
    }
    q.away[place] = away;
  }
  if (std::isnan(shares)) {
    categories.known.push_back(place);
    double sum = 0;
    for (size_t j = 0; j < r_;) {
      size_t count = 0;
      for (; j < r_ && count < FACTORS; ++j) {
        const std::uint32_t times =
            crowd.counts.empty() ? q.g->D[j].count(crowd.slot(place), q.x->codes[j])
                                 : crowd.counts[j][place];
        factors[count++] = (times + categories.own[j]) / (crowd.n[place] + categories.wide[j]);
      }
      add_logs(factors, count, sum);
    }
    shares = std::log(crowd.weight[place]) + sum;
  }
  return shares - extents - q.away[place] / numbers.choice;
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
