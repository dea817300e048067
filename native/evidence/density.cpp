#include "density.hpp"

#include <algorithm>

#include "../clones.hpp"
#include "vector_math.hpp"

namespace boxwise::evidence {

using std::size_t;

namespace {
constexpr size_t BLOCK = 8;             // boxes; sums are added up in so many lanes
constexpr size_t FACTORS = 16;          // multiplied before their logarithm is taken
constexpr double NOTHING = -1e300;      // a logarithm no larger than any other
constexpr double LEAST_PART = 1e-3;     // of the likelihood of a class: boxes below give no gradient

size_t padded(size_t m) { return (m + BLOCK - 1) / BLOCK * BLOCK; }

// Working memory of `evaluate`, an entry per box.
struct Products {
  Aligned<double> numerator, denominator, logs;
};

CLONES void begin(const double* n, const double* last, double newest, double per_age, size_t m,
                  double* RESTRICT numerator, double* RESTRICT denominator, double* RESTRICT logs) {
  for (size_t i = 0; i < m; ++i) {
    const double faded = 1 + (newest - last[i]) * per_age;
    numerator[i] = n[i];
    denominator[i] = faded * faded;
    logs[i] = 0;
  }
}

CLONES void numeric(const double* V, const double* W, double low, double high, double h,
                    double per_h, size_t m, double* RESTRICT denominator, double* RESTRICT logs) {
  for (size_t i = 0; i < m; ++i) {
    const double below = V[i] - low, above = high - W[i];
    const double farther = below > above ? below : above;
    logs[i] -= (farther > 0 ? farther : 0.0) * per_h;
    denominator[i] *= W[i] - V[i] + 2 * h;
  }
}

CLONES void categorical(const double* counts, const double* n, double backoff, double own, size_t m,
                        double* RESTRICT numerator, double* RESTRICT denominator) {
  for (size_t i = 0; i < m; ++i) {
    numerator[i] *= counts[i] + own;
    denominator[i] *= n[i] + backoff;
  }
}

CLONES void categorical_unseen(const double* n, double backoff, double own, size_t m,
                               double* RESTRICT numerator, double* RESTRICT denominator) {
  for (size_t i = 0; i < m; ++i) {
    numerator[i] *= own;
    denominator[i] *= n[i] + backoff;
  }
}

CLONES void take_logs(size_t m, double* RESTRICT numerator, double* RESTRICT denominator,
                      double* RESTRICT logs) {
  for (size_t i = 0; i < m; ++i) {
    logs[i] += log_of(numerator[i] / denominator[i]);
    numerator[i] = denominator[i] = 1;
  }
}

CLONES double largest(const double* logs, size_t m) {
  double lanes[BLOCK];
  for (size_t l = 0; l < BLOCK; ++l) lanes[l] = NOTHING;
  for (size_t i = 0; i < m; i += BLOCK)
    for (size_t l = 0; l < BLOCK; ++l) lanes[l] = logs[i + l] > lanes[l] ? logs[i + l] : lanes[l];
  return *std::max_element(lanes, lanes + BLOCK);
}

CLONES double exponentials(const double* logs, double most, size_t m, double* RESTRICT parts) {
  double lanes[BLOCK] = {};
  for (size_t i = 0; i < m; i += BLOCK)
    for (size_t l = 0; l < BLOCK; ++l) {
      parts[i + l] = exp_of(logs[i + l] - most);
      lanes[l] += parts[i + l];
    }
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
         ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

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

double newest_row(const BoxGroup& group) {
  double newest = 0;
  for (double last : group.last) newest = last > newest ? last : newest;
  return newest;
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

void evaluate(const Query& x, const BoxGroup& group, double background_rows, GroupLikelihood& out) {
  static thread_local Products work;
  const size_t m = group.size(), all = padded(m);
  for (auto* array : {&work.numerator, &work.denominator, &out.logs, &out.parts})
    if (array->size() < all) array->resize(all);
  double *numerator = work.numerator.data(), *denominator = work.denominator.data(),
         *logs = out.logs.data();
  const Terms& terms = out.terms;
  begin(group.n.data(), group.last.data(), terms.newest, 1 / std::max(terms.clock, 1.0) / terms.decay,
        m, numerator, denominator, logs);
  size_t factors = 1;
  const auto multiplied = [&] {
    if (++factors % FACTORS == 0) take_logs(m, numerator, denominator, logs);
  };
  for (size_t i = 0; i < x.numbers.size(); ++i) {
    const Query::Number& number = x.numbers[i];
    const BoxGroup::Numeric& column = group.numeric[number.j];
    const double h = terms.bandwidth[i];
    numeric(column.V.data(), column.W.data(), number.low, number.high, h, 1 / h, m, denominator, logs);
    multiplied();
  }
  for (size_t j = 0; j < x.values.size(); ++j) {
    const double backoff = terms.backoff[j], own = backoff * terms.share[j];
    if (const double* counts = group.counts(j, x.values[j]))
      categorical(counts, group.n.data(), backoff, own, m, numerator, denominator);
    else
      categorical_unseen(group.n.data(), backoff, own, m, numerator, denominator);
    multiplied();
  }
  take_logs(m, numerator, denominator, logs);
  std::fill(logs + m, logs + all, NOTHING);

  const double apart = background_rows > 0 ? log_of(background_rows) + terms.background : NOTHING;
  const double most = std::max(largest(logs, all), apart);
  double sum = exponentials(logs, most, all, out.parts.data());
  out.background = apart > NOTHING ? exp_of(apart - most) : 0.0;
  sum += out.background;
  scale(1 / sum, all, out.parts.data());
  out.background /= sum;
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
