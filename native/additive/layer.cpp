#include "layer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/vector_math.hpp"

namespace boxwise::additive {

using kernels::exp_of;
using kernels::log_of;
using std::size_t;

namespace {
constexpr double DRIFTS[RATES] = {1e-5, 3e-3};
constexpr double DISCOUNT = 0.995, LEARNING_RATE = 0.5;  // of the losses; of the weights of experts
constexpr double FIRST_LOSS = 5;  // of a filter: the boxes alone count most at first
constexpr double MOST_LOSS = 9;   // of an expert that was sure, and wrong
constexpr double LEAST_CURVATURE = 1e-4;
constexpr double LEAST_ERROR = 0.03;  // rows that were predicted better teach nothing
// Numbers in the covariances of one rate, beyond which each column has a block of its own.
constexpr size_t MOST_COUPLED = 32'768;

// Turns logits into probabilities, of the classes that are possible.
void to_probabilities(const double* logits, const std::vector<bool>& possible, double* p) {
  double most = -1e300, sum = 0;
  for (size_t k = 0; k < possible.size(); ++k)
    if (possible[k]) most = std::max(most, logits[k]);
  for (size_t k = 0; k < possible.size(); ++k) sum += p[k] = possible[k] ? exp_of(logits[k] - most) : 0.0;
  for (size_t k = 0; k < possible.size(); ++k) p[k] /= sum;
}
}  // namespace

Layer::Layer(size_t n_numeric, size_t n_categorical)
    : layout_(n_numeric, n_categorical), losses_(EXPERTS, FIRST_LOSS) {
  losses_[0] = 0;
}

void Layer::set_row(Judgement& at) const {
  const auto add = [&](size_t index, double x) { at.row.push_back({index, layout_.place(index), x}); };
  at.row.clear();
  add(Layout::BIAS, 1.0);
  add(Layout::BOXES, 0.0);
  for (const Active& input : at.inputs)
    if (const auto index = layout_.find(input.slot); index >= 0) add(static_cast<size_t>(index), input.x);
}

void Layer::weigh_experts(std::vector<double>& weights) const {
  const double least = *std::min_element(losses_.begin(), losses_.end());
  double all = 0;
  for (size_t e = 0; e < EXPERTS; ++e) all += weights[e] = exp_of(LEARNING_RATE * (least - losses_[e]));
  for (double& weight : weights) weight /= all;
}

// `trust` is 0 without support, where the boxes decide alone, and near 1 with many rows.
void Layer::judge(const std::vector<double>& by_boxes, double trust, Judgement& at) const {
  const size_t K = by_boxes.size();
  at.p = by_boxes;
  at.boxes.resize(K);
  at.possible.resize(K);
  for (size_t k = 0; k < K; ++k) at.possible[k] = by_boxes[k] > 0;
  double sum = 0, count = 0;
  for (size_t k = 0; k < K; ++k) {
    at.boxes[k] = at.possible[k] ? log_of(by_boxes[k]) : 0.0;
    sum += at.boxes[k];
    count += at.possible[k];
  }
  for (size_t k = 0; k < K; ++k)
    if (at.possible[k]) at.boxes[k] -= sum / count;
  at.weights.assign(EXPERTS, 0.0);
  at.weights[0] = 1;
  at.row.clear();
  if (K != n_classes_ || !has_learned()) return;
  set_row(at);
  at.logits.resize(EXPERTS * K);
  std::copy(at.boxes.begin(), at.boxes.end(), at.logits.begin());
  for (size_t e = 1; e < EXPERTS; ++e) {
    double* logits = &at.logits[e * K];
    for (size_t f = 0; f < n_filters(); ++f) {
      const size_t k = K == 2 ? 1 : f;
      at.row[Layout::BOXES].x = at.boxes[k];
      logits[k] = filters_[e - 1][f].logit(at.row);
    }
    if (K == 2) logits[0] = -logits[1];
  }
  weigh_experts(at.weights);
  at.weights[0] = 1;
  for (size_t e = 1; e < EXPERTS; ++e) at.weights[0] -= at.weights[e] *= trust;
  std::vector<double>& mixed = at.p;
  for (size_t k = 0; k < K; ++k) {
    mixed[k] = 0;
    for (size_t e = 0; e < EXPERTS; ++e) mixed[k] += at.weights[e] * at.logits[e * K + k];
  }
  to_probabilities(mixed.data(), at.possible, mixed.data());
}

void Layer::learn(size_t label, double weight, size_t n_classes, Judgement& at) {
  const bool is_known = n_classes == n_classes_ && at.boxes.size() == n_classes_ && has_learned();
  if (!is_known) return grow(n_classes);
  layout_.meet(at.inputs);
  keep_bounded();
  set_row(at);
  rows_.resize(layout_.size());
  for (const RowInput& input : at.row)
    rows_[input.index] += input.index == Layout::BOXES ? weight : weight * input.x;
  const size_t K = n_classes_;
  static thread_local std::vector<double> p;
  p.resize(K);
  for (size_t e = 0; e < EXPERTS; ++e) {
    to_probabilities(&at.logits[e * K], at.possible, p.data());
    losses_[e] = losses_[e] * DISCOUNT - std::max(log_of(std::max(p[label], 1e-300)), -MOST_LOSS);
    for (size_t f = 0; e > 0 && f < n_filters(); ++f) {
      const size_t k = K == 2 ? 1 : f;
      Filter& filter = filters_[e - 1][f];
      const double error = (k == label) - p[k];
      if (std::abs(error) < LEAST_ERROR) continue;
      // Of two classes the logits are s and -s, whose difference grows twice as fast as s.
      const double slope = K == 2 ? 2 : 1;
      const double curvature = std::max(p[k] * (1 - p[k]), LEAST_CURVATURE);
      at.row[Layout::BOXES].x = at.boxes[k];
      filter.update(at.row, weight * slope * error, weight * slope * slope * curvature);
      project(filter, k);
    }
  }
}

// Takes in new classes. Their filters are new; the first of two classes gets one of its own.
void Layer::grow(size_t n_classes) {
  if (n_classes <= n_classes_) return;
  for (size_t e = 0; e < RATES; ++e) {
    auto& filters = filters_[e];
    if (n_classes_ == 2) filters.insert(filters.begin(), filters[0].mirrored(layout_));
    filters.resize(filters_for(n_classes), Filter(DRIFTS[e]));
    for (Filter& filter : filters) filter.grow(layout_);
  }
  n_classes_ = n_classes;
  rows_.resize(layout_.size());
  keep_bounded();
  project_all();
}

void Layer::constrain(std::vector<Constraint> constraints) {
  constraints_ = std::move(constraints);
  project_all();
}

// With two classes, only the second has a filter.
void Layer::project_all() {
  for (auto& filters : filters_)
    for (size_t f = 0; f < filters.size(); ++f) project(filters[f], n_classes_ == 2 ? 1 : f);
}

// A class without a row yet constrains nothing.
void Layer::project(Filter& filter, size_t label) const {
  for (const Constraint& one : constraints_) {
    if (one.label < 0 || static_cast<size_t>(one.label) >= n_classes_) continue;
    filter.project(layout_, one.column, static_cast<size_t>(one.label) == label ? one.sign : -one.sign);
  }
}

// Takes in inputs that have been met, as blocks by column once there are too many for one block.
void Layer::keep_bounded() {
  if (!layout_.is_decoupled() && n_filters() * layout_.size() * layout_.size() > MOST_COUPLED) {
    const Layout before = layout_;
    layout_.decouple();
    for (auto& filters : filters_)
      for (Filter& filter : filters) filter.decouple(before, layout_);
  }
  for (auto& filters : filters_)
    for (Filter& filter : filters) filter.grow(layout_);
}

std::vector<double> Layer::parts(const Judgement& at) const {
  const size_t K = at.boxes.size(), columns = slots().columns(), width = columns + 2;
  std::vector<double> all(K * width);
  for (size_t k = 0; k < K; ++k)
    all[k * width + columns + 1] = at.possible[k] ? at.weights[0] * at.boxes[k] : -INFINITY;
  for (size_t e = 0; e < RATES; ++e)
    for (size_t f = 0; f < filters_[e].size(); ++f) {
      const size_t k = K == 2 ? 1 : f;
      for (const RowInput& input : at.row) {
        size_t part = columns + input.index;  // the constant, the boxes
        if (input.index >= 2) part = slots().column(layout_.met()[input.index - 2]);
        const double value = input.index == Layout::BOXES ? at.boxes[k] : input.x;
        const double term = at.weights[e + 1] * value * filters_[e][f].weight(input.place);
        all[k * width + part] += term;
        if (K == 2) all[part] -= term;
      }
    }
  return all;
}

Layer::Contribution Layer::contribution(const std::vector<Active>& inputs, size_t n_classes) const {
  Contribution all{std::vector<double>(n_classes), std::vector<double>(n_classes)};
  if (n_classes != n_classes_ || !has_learned()) return all;
  std::vector<double> weights(EXPERTS);
  weigh_experts(weights);
  for (size_t f = 0; f < n_filters(); ++f) {
    const size_t k = n_classes == 2 ? 1 : f;
    for (const Active& input : inputs) {
      const auto index = layout_.find(input.slot);
      for (size_t e = 0; e < RATES && index >= 0; ++e) {
        const Layout::Place place = layout_.place(static_cast<size_t>(index));
        const double term = input.x * filters_[e][f].weight(place);
        all.mixed[k] += weights[e + 1] * term;
        if (e == RATES - 1) all.lately[k] += term;
      }
    }
  }
  if (n_classes == 2) {
    all.mixed[0] = -all.mixed[1];
    all.lately[0] = -all.lately[1];
  }
  return all;
}

double Layer::rows(size_t slot) const {
  const auto index = layout_.find(slot);
  return index < 0 ? 0.0 : rows_[static_cast<size_t>(index)];
}

size_t Layer::bytes() const {
  size_t total = 0;
  for (const auto& filters : filters_)
    for (const Filter& filter : filters) total += filter.bytes();
  return total;
}

Layer::State Layer::save() const {
  State state;
  state.shape = {n_classes_, layout_.is_decoupled()};
  for (size_t slot : layout_.met()) {
    const size_t column = slots().column(slot);
    state.slots.push_back(static_cast<std::int32_t>(column));
    state.slots.push_back(static_cast<std::int32_t>(slot - slots().first(column)));
  }
  state.rows = rows_;
  state.losses = losses_;
  for (const auto& filters : filters_)
    for (const Filter& filter : filters) filter.save(layout_, state.weights, state.covariances);
  return state;
}

void Layer::restore(const State& state, size_t n_classes) {
  const auto require = [](bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
  };
  require(state.shape.size() == 2 && state.shape[0] <= n_classes && state.shape[1] <= 1,
          "the additive layer has another form than expected");
  std::vector<size_t> met;
  for (size_t i = 0; i + 1 < state.slots.size(); i += 2) {
    const auto column = static_cast<size_t>(state.slots[i]), place = static_cast<size_t>(state.slots[i + 1]);
    require(column < slots().columns() && place < Slots::CATEGORICAL &&
                slots().first(column) + place < slots().first(column + 1),
            "an input of the additive layer is not possible");
    met.push_back(slots().first(column) + place);
  }
  layout_.restore(met, state.shape[1] == 1);
  n_classes_ = static_cast<size_t>(state.shape[0]);
  const size_t filters = RATES * n_filters(), inputs = layout_.size();
  require(n_classes_ > 0 || met.empty(), "an additive layer without classes has inputs");
  require(layout_.is_decoupled() || n_filters() * inputs * inputs <= MOST_COUPLED,
          "the additive layer has too many inputs for one block");
  size_t triangle = 0;
  for (size_t b = 0; b < layout_.n_blocks(); ++b)
    triangle += layout_.block_size(b) * (layout_.block_size(b) + 1) / 2;
  require(state.rows.size() == (n_classes_ > 0 ? inputs : 0) && state.losses.size() == EXPERTS &&
              state.weights.size() == filters * inputs && state.covariances.size() == filters * triangle,
          "the arrays of the additive layer do not fit together");
  for (double rows : state.rows)
    require(std::abs(rows) <= 0x1p53, "a count of rows of the additive layer is not possible");
  for (double loss : state.losses)
    require(loss >= 0 && loss <= 1e6, "a loss of the additive layer is not possible");
  rows_ = state.rows;
  losses_ = state.losses;
  const double *weights = state.weights.data(), *covariances = state.covariances.data();
  for (size_t e = 0; e < RATES; ++e) {
    filters_[e].assign(n_filters(), Filter(DRIFTS[e]));
    for (Filter& filter : filters_[e]) filter.restore(layout_, weights, covariances);
  }
}

}  // namespace boxwise::additive
