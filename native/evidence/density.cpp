#include "density.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/packs.hpp"
#include "vector_math.hpp"

namespace boxwise::evidence {

using kernels::IN;
using kernels::load;
using kernels::Pack;
using kernels::store;
using std::size_t;

namespace {
constexpr size_t FACTORS = 15;          // columns, multiplied before a logarithm is taken
constexpr double NOTHING = -1e300;      // a logarithm no larger than any other
constexpr double LEAST_PART = 1e-3;     // of the likelihood of a class: boxes below give no gradient

// The columns of a row beside the boxes of a class.
struct Columns {
  struct Numeric {
    const double *V, *W;  // by box
    double low, high, h, per_h;
  };
  struct Categorical {
    const double* counts;  // by box
    double backoff, own;
  };
  std::vector<Numeric> numeric;
  std::vector<Categorical> categorical;
  std::vector<double> zeros;  // counts of a value that no box has
};

// The weights of the boxes, with which a product begins.
struct Weights {
  const double *n, *last;
  double newest, per_age;
};

template <size_t bytes>
INLINED void take_log(Pack<double, bytes>& above, Pack<double, bytes>& below, Pack<double, bytes>& sum) {
  sum += log_of_ratio<bytes>(above, below);
  above = below = Pack<double, bytes>{} + 1;
}

// The logarithms of weighted densities. A density is numerator / denominator * exp(-away); a logarithm
// is taken once for many columns. Boxes are taken a pack at a time, the last of them once more if they
// do not fill one.
template <size_t bytes>
INLINED void log_densities_in(const Columns& columns, const Weights& boxes, size_t m, double* RESTRICT logs) {
  using Doubles = Pack<double, bytes>;
  constexpr size_t LANES = IN<Doubles, double>;
  if constexpr (LANES > 1)
    if (m < LANES) return log_densities_in<bytes / 2>(columns, boxes, m, logs);
  for (size_t next = 0; next < m; next += LANES) {
    const size_t i = next + LANES > m ? m - LANES : next;
    const Doubles n = load<Doubles>(boxes.n + i);
    const Doubles faded = 1 + (boxes.newest - load<Doubles>(boxes.last + i)) * boxes.per_age;
    Doubles above = n, below = faded * faded, sum = {}, far = {};
    size_t factors = 0;
    for (const Columns::Numeric& x : columns.numeric) {
      const Doubles V = load<Doubles>(x.V + i), W = load<Doubles>(x.W + i);
      const Doubles left = V - x.low, right = x.high - W;
      const Doubles farther = left > right ? left : right;
      far += (farther > 0 ? farther : Doubles{}) * x.per_h;
      below *= W - V + 2 * x.h;
      if (++factors % FACTORS == 0) take_log<bytes>(above, below, sum);
    }
    for (const Columns::Categorical& x : columns.categorical) {
      above *= load<Doubles>(x.counts + i) + x.own;
      below *= n + x.backoff;
      if (++factors % FACTORS == 0) take_log<bytes>(above, below, sum);
    }
    take_log<bytes>(above, below, sum);
    store(Doubles(sum - far), logs + i);
  }
}
CLONES_BY_WIDTH(void, log_densities, (const Columns& columns, const Weights& boxes, size_t m, double* logs),
                (columns, boxes, m, logs))

double sum_of(const double* lanes) {
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
         ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

CLONES double largest(const double* logs, size_t m) {
  double lanes[BLOCK];
  for (size_t l = 0; l < BLOCK; ++l) lanes[l] = NOTHING;
  for (size_t i = 0; i < m; i += BLOCK)
    for (size_t l = 0; l < BLOCK; ++l) lanes[l] = logs[i + l] > lanes[l] ? logs[i + l] : lanes[l];
  return *std::max_element(lanes, lanes + BLOCK);
}

struct Sums {
  double parts, squares;  // squares: of the parts, each by the rows of its box
};

// Lanes are added up in the same order whatever the register holds.
template <size_t bytes>
INLINED Sums exponentials_in(const double* logs, double most, const double* per_n, size_t m,
                             double* RESTRICT parts) {
  using Doubles = Pack<double, bytes>;
  constexpr size_t LANES = IN<Doubles, double>;
  Doubles sums[BLOCK / LANES] = {}, squares[BLOCK / LANES] = {};
  for (size_t i = 0; i < m; i += BLOCK)
    for (size_t k = 0; k < BLOCK / LANES; ++k) {
      const size_t at = i + k * LANES;
      const Doubles part = exp_of<Doubles>(load<Doubles>(logs + at) - most);
      store(part, parts + at);
      sums[k] += part;
      squares[k] += part * part * load<Doubles>(per_n + at);
    }
  double lanes[2 * BLOCK];
  std::memcpy(lanes, sums, sizeof sums);
  std::memcpy(lanes + BLOCK, squares, sizeof squares);
  return {sum_of(lanes), sum_of(lanes + BLOCK)};
}
CLONES_BY_WIDTH(Sums, exponentials,
                (const double* logs, double most, const double* per_n, size_t m, double* parts),
                (logs, most, per_n, m, parts))

CLONES void scale(double factor, size_t m, double* parts) {
  for (size_t i = 0; i < m; ++i) parts[i] *= factor;
}
}  // namespace

double age(double last, const Terms& terms) {
  return (terms.newest - last) / std::max(terms.clock, 1.0);
}

double faded_weight(double n, double last, const Terms& terms) {
  const double faded = 1 + age(last, terms) / terms.decay;
  return n / (faded * faded);
}

double closeness(const Query& x, const BoxGroup& group, size_t slot, const Terms& terms) {
  double away = 0, share = 1;
  for (size_t i = 0; i < x.numbers.size(); ++i) {
    const BoxGroup::Numeric& column = group.numeric[x.numbers[i].j];
    const double below = column.V[slot] - x.numbers[i].low, above = x.numbers[i].high - column.W[slot];
    away += std::max(std::max(below, above), 0.0) / terms.bandwidth[i];
  }
  for (size_t j = 0; j < x.values.size(); ++j) {
    const double own = terms.backoff[j] * terms.share[j];
    share *= (group.count(j, x.values[j], slot) + own) / (group.categorical[j].mode[slot] + own);
  }
  return share * exp_of(-away);
}

void log_terms(const Query& x, const BoxGroup& group, size_t slot, const Terms& terms, double* out) {
  for (size_t i = 0; i < x.numbers.size(); ++i) {
    const auto& [j, low, high, raw_low, raw_high] = x.numbers[i];
    const double V = group.numeric[j].V[slot], W = group.numeric[j].W[slot], h = terms.bandwidth[i];
    out[j] = -std::max(std::max(V - low, high - W), 0.0) / h - log_of(W - V + 2 * h);
  }
  for (size_t j = 0; j < x.values.size(); ++j) {
    const double own = terms.backoff[j] * terms.share[j];
    out[group.numeric.size() + j] =
        log_of((group.count(j, x.values[j], slot) + own) / (group.n[slot] + terms.backoff[j]));
  }
}

void background_terms(const Query& x, const Terms& terms, size_t n_numeric, double* out) {
  for (size_t i = 0; i < x.numbers.size(); ++i)
    out[x.numbers[i].j] = -log_of(1 + 2 * terms.bandwidth[i]);
  for (size_t j = 0; j < x.values.size(); ++j) out[n_numeric + j] = log_of(terms.share[j]);
}

void bind(const Query& x, const ClassStats& stats, const Relevance& relevance,
          const std::vector<double>& values_known, const DensitySettings& settings, double clock,
          Terms& terms) {
  terms.clock = clock;
  terms.decay = relevance.decay();
  double background = 1;
  terms.background = 0;
  size_t factors = 0;
  const auto multiply = [&](double factor) {
    background *= factor;
    if (++factors % FACTORS != 0) return;
    terms.background += log_of(background);
    background = 1;
  };
  terms.bandwidth.clear();
  for (const Query::Number& number : x.numbers) {
    terms.bandwidth.push_back(settings.bandwidth * relevance.numeric(number.j));
    multiply(1 / (1 + 2 * terms.bandwidth.back()));
  }
  terms.backoff.clear();
  terms.share.clear();
  for (size_t j = 0; j < x.values.size(); ++j) {
    terms.backoff.push_back(settings.backoff * relevance.categorical(j));
    terms.share.push_back(stats.share(j, x.values[j], values_known[j]));
    multiply(terms.share.back());
  }
  terms.background += log_of(background);
}

namespace {
// Puts the columns of a row in which it has a value beside the boxes of a group.
void set_columns(const Query& x, const BoxGroup& group, const Terms& terms, Columns& out) {
  out.numeric.clear();
  out.categorical.clear();
  if (out.zeros.size() < group.size()) out.zeros.resize(group.size());
  for (size_t c = 0; c < x.numbers.size(); ++c) {
    const BoxGroup::Numeric& column = group.numeric[x.numbers[c].j];
    out.numeric.push_back({column.V.data(), column.W.data(), x.numbers[c].low, x.numbers[c].high,
                           terms.bandwidth[c], 1 / terms.bandwidth[c]});
  }
  for (size_t j = 0; j < x.values.size(); ++j) {
    const double* counts = group.counts(j, x.values[j]);
    out.categorical.push_back({counts ? counts : out.zeros.data(), terms.backoff[j],
                               terms.backoff[j] * terms.share[j]});
  }
}
}  // namespace

void evaluate(const Query& x, const BoxGroup& group, double background_rows, GroupLikelihood& out) {
  static thread_local Columns columns;
  const size_t m = group.size(), all = in_whole_blocks(m);
  for (auto* array : {&out.logs, &out.parts})
    if (array->size() < all) array->resize(all);
  double* logs = out.logs.data();
  const Terms& terms = out.terms;
  const double per_age = 1 / std::max(terms.clock, 1.0) / terms.decay;
  set_columns(x, group, terms, columns);
  log_densities(columns, {group.n.data(), group.last.data(), group.newest, per_age}, m, logs);
  std::fill(logs + m, logs + all, NOTHING);

  const double apart = background_rows > 0 ? log_of(background_rows) + terms.background : NOTHING;
  const double most = std::max(largest(logs, all), apart);
  auto [sum, squares] = exponentials(logs, most, group.per_n.data(), all, out.parts.data());
  out.background = apart > NOTHING ? exp_of(apart - most) : 0.0;
  sum += out.background;
  scale(1 / sum, all, out.parts.data());
  out.background /= sum;
  out.squares = squares / sum / sum;
  out.log_sum = most + log_of(sum);
}

void add_gradient(const Query& x, const BoxGroup& group, const GroupLikelihood& at, double factor,
                  std::vector<double>& gradient) {
  const Terms& terms = at.terms;
  const size_t n = group.numeric.size(), r = group.categorical.size();
  for (size_t i = 0; i < group.size(); ++i) {
    if (at.parts[i] < LEAST_PART) continue;
    const double q = factor * at.parts[i];
    for (size_t c = 0; c < x.numbers.size(); ++c) {
      const auto& [j, low, high, raw_low, raw_high] = x.numbers[c];
      const double V = group.numeric[j].V[i], W = group.numeric[j].W[i], h = terms.bandwidth[c];
      const double away = std::max(std::max(V - low, high - W), 0.0);
      gradient[j] += q * (away / h - 2 * h / (W - V + 2 * h));
    }
    for (size_t j = 0; j < r; ++j) {
      const double backoff = terms.backoff[j], own = backoff * terms.share[j];
      const double count = group.count(j, x.values[j], i);
      gradient[n + j] += q * (own / (count + own) - backoff / (group.n[i] + backoff));
    }
    const double old = age(group.last[i], terms);
    gradient[n + r] += q * 2 * old / (terms.decay + old);
  }
  const double q = factor * at.background;
  for (size_t c = 0; c < x.numbers.size(); ++c) {
    const double h = terms.bandwidth[c];
    gradient[x.numbers[c].j] -= q * 2 * h / (1 + 2 * h);
  }
}

}  // namespace boxwise::evidence
