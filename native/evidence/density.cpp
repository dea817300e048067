#include "density.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/packs.hpp"
#include "kernels/vector_math.hpp"

namespace boxwise::evidence {

using kernels::exp_of;
using kernels::IN;
using kernels::load;
using kernels::log_of;
using kernels::Pack;
using kernels::split_exponents;
using kernels::store;
using std::size_t;

namespace {
constexpr size_t FACTORS = 15;          // columns, multiplied before the exponent is split off
constexpr double NOTHING = -1e300;      // a logarithm no larger than any other
constexpr double LEAST_PART = 1e-3;     // of the likelihood of a class: boxes below give no gradient

// Calls multiply(column) for each of some columns, and split() after every so many.
template <class Columns, class Multiply, class Split>
INLINED void for_factors(const Columns& columns, size_t& factors, Multiply multiply, Split split) {
  for (const auto& column : columns) {
    multiply(column);
    if (++factors % FACTORS == 0) split();
  }
}

// The numeric columns of the boxes of a class and, by column, the bandwidth twice; the backoffs.
struct Normalisers {
  struct Sides {
    const double *V, *W;  // by box
    double margin;
  };
  std::vector<Sides> sides;
  std::vector<double> backoffs;
  const double* n;  // by box
};

// mantissas * exp(logs) = product of W - V + 2 h and of n + a. Boxes are taken a pack at a time, the last
// of them once more if they do not fill one.
template <size_t bytes>
INLINED void norms_in(const Normalisers& of, size_t m, double* RESTRICT mantissas,
                          double* RESTRICT logs) {
  using Doubles = Pack<double, bytes>;
  constexpr size_t LANES = IN<Doubles, double>;
  if constexpr (LANES > 1)
    if (m < LANES) return norms_in<bytes / 2>(of, m, mantissas, logs);
  for (size_t next = 0; next < m; next += LANES) {
    const size_t i = next + LANES > m ? m - LANES : next;
    Doubles product = Doubles{} + 1, log = {};
    size_t factors = 0;
    const auto split = [&] { split_exponents<bytes>(product, log); };
    for_factors(of.sides, factors, [&](const Normalisers::Sides& x) {
      product *= load<Doubles>(x.W + i) - load<Doubles>(x.V + i) + x.margin;
    }, split);
    const Doubles n = load<Doubles>(of.n + i);
    for_factors(of.backoffs, factors, [&](double backoff) { product *= n + backoff; }, split);
    split();
    store(product, mantissas + i);
    store(log, logs + i);
  }
}
CLONES_BY_WIDTH(void, norms,
                (const Normalisers& of, size_t m, double* mantissas, double* logs),
                (of, m, mantissas, logs))

// The columns of a row beside the boxes of a class.
struct Columns {
  struct Numeric {
    const double *V, *W;  // by box
    double low, high, per_h;
  };
  struct Categorical {
    const double* counts;  // by box
    double own;
  };
  std::vector<Numeric> numeric;
  std::vector<Normalisers::Sides> missing;  // numeric columns in which the row has no value
  double log_first = 0;  // the logarithm of the sides of columns in which no box has a value
  std::vector<Categorical> categorical;
  std::vector<double> zeros;  // counts of a value that no box has
};

// What a density begins with: the weights of the boxes and their normalisers.
struct Weights {
  const double *n, *last, *norm, *log_norm;
  double newest, per_age;
};

// Weighted densities, as mantissas and logarithms. Returns the largest logarithm.
template <size_t bytes>
INLINED double densities_in(const Columns& columns, const Weights& boxes, size_t m,
                            double* RESTRICT mantissas, double* RESTRICT logs) {
  using Doubles = Pack<double, bytes>;
  constexpr size_t LANES = IN<Doubles, double>;
  if constexpr (LANES > 1)
    if (m < LANES) return densities_in<bytes / 2>(columns, boxes, m, mantissas, logs);
  Doubles most = Doubles{} + NOTHING;
  for (size_t next = 0; next < m; next += LANES) {
    const size_t i = next + LANES > m ? m - LANES : next;
    Doubles far = {};
    for (const Columns::Numeric& x : columns.numeric) {
      const Doubles left = load<Doubles>(x.V + i) - x.low, right = x.high - load<Doubles>(x.W + i);
      const Doubles farther = left > right ? left : right;
      far += (farther > 0 ? farther : Doubles{}) * x.per_h;
    }
    Doubles product = load<Doubles>(boxes.n + i), log = -columns.log_first - load<Doubles>(boxes.log_norm + i) - far;
    size_t factors = 0;
    const auto split = [&] { split_exponents<bytes>(product, log); };
    for_factors(columns.missing, factors, [&](const Normalisers::Sides& x) {
      product *= load<Doubles>(x.W + i) - load<Doubles>(x.V + i) + x.margin;
    }, split);
    for_factors(columns.categorical, factors, [&](const Columns::Categorical& x) {
      product *= load<Doubles>(x.counts + i) + x.own;
    }, split);
    const Doubles faded = 1 + (boxes.newest - load<Doubles>(boxes.last + i)) * boxes.per_age;
    product /= load<Doubles>(boxes.norm + i) * (faded * faded);
    split();
    store(product, mantissas + i);
    store(log, logs + i);
    most = log > most ? log : most;
  }
  double lanes[LANES];
  std::memcpy(lanes, &most, sizeof most);
  return *std::max_element(lanes, lanes + LANES);
}
CLONES_BY_WIDTH(double, densities,
                (const Columns& columns, const Weights& boxes, size_t m, double* mantissas, double* logs),
                (columns, boxes, m, mantissas, logs))

double sum_of(const double* lanes) {
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
         ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

struct Sums {
  double parts, squares;  // squares: of the parts, each by the rows of its box
};

// Lanes are added up in the same order whatever the register holds.
template <size_t bytes>
INLINED Sums exponentials_in(const double* mantissas, const double* logs, double most,
                             const double* per_n, size_t m, double* RESTRICT parts) {
  using Doubles = Pack<double, bytes>;
  constexpr size_t LANES = IN<Doubles, double>;
  Doubles sums[SUM_LANES / LANES] = {}, squares[SUM_LANES / LANES] = {};
  for (size_t i = 0; i < m; i += SUM_LANES)
    for (size_t k = 0; k < SUM_LANES / LANES; ++k) {
      const size_t at = i + k * LANES;
      const Doubles part =
          load<Doubles>(mantissas + at) * exp_of<Doubles>(load<Doubles>(logs + at) - most);
      store(part, parts + at);
      sums[k] += part;
      squares[k] += part * part * load<Doubles>(per_n + at);
    }
  double lanes[2 * SUM_LANES];
  std::memcpy(lanes, sums, sizeof sums);
  std::memcpy(lanes + SUM_LANES, squares, sizeof squares);
  return {sum_of(lanes), sum_of(lanes + SUM_LANES)};
}
CLONES_BY_WIDTH(Sums, exponentials,
                (const double* mantissas, const double* logs, double most, const double* per_n, size_t m,
                 double* parts),
                (mantissas, logs, most, per_n, m, parts))

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
  terms.missing.clear();
  auto number = x.numbers.begin();
  for (size_t j = 0; j < relevance.n_numeric(); ++j) {
    const double bandwidth = settings.bandwidth * relevance.numeric(j);
    if (number == x.numbers.end() || number->j != j) {
      terms.missing.push_back(bandwidth);
      continue;
    }
    ++number;
    terms.bandwidth.push_back(bandwidth);
    multiply(1 / (1 + 2 * bandwidth));
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

void normalise(const Relevance& relevance, const DensitySettings& settings, size_t begin, size_t end,
               BoxGroup& group) {
  for (BoxGroup::Numeric& column : group.numeric) {
    const bool in_norm = column.boxes > 0;
    if (std::exchange(column.in_norm, in_norm) != in_norm) begin = 0, end = group.size();
  }
  static thread_local Normalisers of;
  of.sides.clear();
  of.backoffs.clear();
  for (size_t j = 0; j < group.numeric.size(); ++j) {
    const BoxGroup::Numeric& column = group.numeric[j];
    if (column.in_norm)
      of.sides.push_back({column.V.data() + begin, column.W.data() + begin,
                          2 * (settings.bandwidth * relevance.numeric(j))});
  }
  for (size_t j = 0; j < group.categorical.size(); ++j)
    of.backoffs.push_back(settings.backoff * relevance.categorical(j));
  of.n = group.n.data() + begin;
  norms(of, end - begin, group.norm.data() + begin, group.log_norm.data() + begin);
}

namespace {
// Puts the columns of a row beside the boxes of a group.
void set_columns(const Query& x, const BoxGroup& group, const Terms& terms, Columns& out) {
  out.numeric.clear();
  out.missing.clear();
  out.categorical.clear();
  if (out.zeros.size() < group.size()) out.zeros.resize(group.size());
  out.log_first = 0;
  for (size_t j = 0, c = 0; j < group.numeric.size(); ++j) {
    const BoxGroup::Numeric& column = group.numeric[j];
    const double *V = column.V.data(), *W = column.W.data();
    if (c == x.numbers.size() || x.numbers[c].j != j) {
      if (column.in_norm) out.missing.push_back({V, W, 2 * terms.missing[j - c]});
      continue;
    }
    const double h = terms.bandwidth[c];
    out.numeric.push_back({V, W, x.numbers[c].low, x.numbers[c].high, 1 / h});
    if (!column.in_norm) out.log_first += log_of(1 + 2 * h);
    ++c;
  }
  for (size_t j = 0; j < x.values.size(); ++j) {
    const double* counts = group.counts(j, x.values[j]);
    out.categorical.push_back({counts ? counts : out.zeros.data(), terms.backoff[j] * terms.share[j]});
  }
}
}  // namespace

void evaluate(const Query& x, const BoxGroup& group, double background_rows, GroupLikelihood& out) {
  static thread_local Columns columns;
  const size_t m = group.size(), all = padded(m);
  for (auto* array : {&out.mantissas, &out.logs, &out.parts})
    if (array->size() < all) array->resize(all);
  double *mantissas = out.mantissas.data(), *logs = out.logs.data();
  const Terms& terms = out.terms;
  const double per_age = 1 / std::max(terms.clock, 1.0) / terms.decay;
  set_columns(x, group, terms, columns);
  const double largest = densities(columns,
                                   {group.n.data(), group.last.data(), group.norm.data(),
                                    group.log_norm.data(), group.newest, per_age},
                                   m, mantissas, logs);
  std::fill(mantissas + m, mantissas + all, 1.0);
  std::fill(logs + m, logs + all, NOTHING);

  const double apart = background_rows > 0 ? log_of(background_rows) + terms.background : NOTHING;
  const double most = std::max(largest, apart);
  auto [sum, squares] = exponentials(mantissas, logs, most, group.per_n.data(), all, out.parts.data());
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
  static thread_local std::vector<std::pair<size_t, double>> heavy;  // boxes, and their part of it
  heavy.clear();
  for (size_t i = 0; i < group.size(); ++i)
    if (at.parts[i] >= LEAST_PART) heavy.emplace_back(i, factor * at.parts[i]);
  const auto add = [&](size_t column, auto derivative) {
    double sum = gradient[column];
    for (const auto& [i, q] : heavy) sum += q * derivative(i);
    gradient[column] = sum;
  };
  for (size_t c = 0; c < x.numbers.size(); ++c) {
    const auto& number = x.numbers[c];
    const double *V = group.numeric[number.j].V.data(), *W = group.numeric[number.j].W.data();
    const double h = terms.bandwidth[c];
    add(number.j, [&, low = number.low, high = number.high](size_t i) {
      const double away = std::max(std::max(V[i] - low, high - W[i]), 0.0);
      return away / h - 2 * h / (W[i] - V[i] + 2 * h);
    });
  }
  for (size_t j = 0; j < r; ++j) {
    const double backoff = terms.backoff[j], own = backoff * terms.share[j];
    const double* counts = group.counts(j, x.values[j]);
    add(n + j, [&](size_t i) {
      return own / ((counts ? counts[i] : 0.0) + own) - backoff / (group.n[i] + backoff);
    });
  }
  for (const auto& [i, q] : heavy) {
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
