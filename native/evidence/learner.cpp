#include "learner.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "budget.hpp"
#include "kernels/vector_math.hpp"

namespace boxwise::evidence {

using kernels::exp_of;
using kernels::log_of;
using std::size_t;

namespace {
constexpr double DISCOUNT = 0.97;    // of the losses of experts, row by row
constexpr double MOST_LOSS = 5;      // of an expert that was sure, and wrong
constexpr double TOLERANCE = 1e-9;   // of losses and probabilities that are compared
constexpr size_t RECENT = 60;        // rows that a challenger starts from
constexpr std::uint64_t TRIAL = 50;  // rows before an expert may replace the current one
constexpr std::uint64_t GIVE_UP = 1500;
constexpr std::uint64_t FIRST_ALARM = 300;  // rows of the current expert before an alarm counts
constexpr double RETURN_MARGIN = 0.25;      // by which the mean loss of a retired expert must be lower
constexpr double CHALLENGER_SHARE = 0.2, RETIRED_SHARE = 0.05;  // of the budget
constexpr size_t MOST_RETIRED = 2, MOST_RETIRED_BOXES = 50, LEAST_BUDGET = 20;
constexpr double TALLY_DISCOUNT = 0.999;
// Rows, spread evenly over the classes, that are added to those that speak for a row.
constexpr double PRIOR_ROWS = 0.1;
constexpr double MEAN = 1 / (1 - DISCOUNT);  // rows that a discounted sum stands for

double loss_of(const std::vector<double>& p, std::int32_t label) {
  const auto k = static_cast<size_t>(label);
  return std::min(-log_of(std::max(k < p.size() ? p[k] : 0.0, 1e-300)), MOST_LOSS);
}
}  // namespace

size_t most_probable(const std::vector<double>& p) {
  const double least = *std::max_element(p.begin(), p.end()) - TOLERANCE;
  return static_cast<size_t>(std::find_if(p.begin(), p.end(), [&](double q) { return q > least; }) -
                             p.begin());
}

Learner::Learner(size_t n_numeric, size_t n_categorical, Settings settings, std::vector<Range> ranges)
    : n_(n_numeric), r_(n_categorical), settings_(std::move(settings)), scales_(std::move(ranges)) {
  state_.values_known.resize(r_);
  state_.layer = additive::Layer(n_, r_);
  state_.members.push_back({Expert(n_, r_, settings_.sizes, density_)});
  constrain();
}

void Learner::configure(Settings settings) {
  if (settings.priors != settings_.priors) state_.tallies.clear();
  settings_ = std::move(settings);
  if (!settings_.additive) state_.layer = additive::Layer(n_, r_);
  constrain();
  for (Member& member : state_.members) member.expert.sizes = settings_.sizes;
  if (!settings_.adapt) {
    state_.recent.clear();
    state_.adwin = drift::Adwin();
  }
  const bool alone = settings_.max_boxes != 0 && settings_.max_boxes < LEAST_BUDGET;
  if (!settings_.adapt || alone) {  // there is nobody beside the current expert
    if (Member* challenger = find(Role::CHALLENGER)) drop(*challenger);
    state_.members.erase(state_.members.begin() + 1, state_.members.end());
  }
  if (settings_.max_boxes == 0) return;
  // Only the current expert, which learns before all others, may be over its quota: a box that another
  // gave up between its evaluation and its turn to learn would be evaluated, but gone.
  for (Member& member : state_.members)
    while (member.role != Role::CURRENT &&
           static_cast<double>(member.expert.n_boxes()) > quota(member.role))
      evict(member.expert);
  while (n_boxes() > settings_.max_boxes) evict(state_.members.front().expert);
}

bool Learner::can_predict() const {
  return std::any_of(state_.members.begin(), state_.members.end(),
                     [](const Member& member) { return member.expert.can_predict(); });
}

size_t Learner::n_boxes() const {
  size_t boxes = 0;
  for (const Member& member : state_.members) boxes += member.expert.n_boxes();
  return boxes;
}

void Learner::evaluate(Outcome& out) const {
  out.members.resize(state_.members.size());
  for (size_t m = 0; m < out.members.size(); ++m)
    state_.members[m].expert.evaluate(out.query, state_.values_known, out.members[m]);
}

// Exponentially weighted experts (Hedge), with discounted losses.
void Learner::mix(Outcome& out) const {
  double least = 1e300, sum = 0;
  for (const Member& member : state_.members)
    if (member.expert.can_predict()) least = std::min(least, member.loss);
  out.weights.assign(state_.members.size(), 0.0);
  for (size_t m = 0; m < out.weights.size(); ++m) {
    if (!state_.members[m].expert.can_predict()) continue;
    out.weights[m] = exp_of(least - state_.members[m].loss);
    sum += out.weights[m];
  }
  out.mixed.assign(n_classes_, 0.0);
  for (size_t m = 0; m < out.weights.size(); ++m) {
    out.weights[m] /= sum;
    const std::vector<double>& p = out.members[m].p;
    for (size_t k = 0; k < p.size(); ++k) out.mixed[k] += out.weights[m] * p[k];
  }
}

// Probabilities are shrunk towards uniform according to the support: those by the boxes, and what the
// layer adds to them.
void Learner::decide(Outcome& out) const {
  mix(out);
  out.support = support(out);
  const auto without_boxes = std::count(out.mixed.begin(), out.mixed.end(), 0.0);
  const double even =
      PRIOR_ROWS / static_cast<double>(static_cast<std::ptrdiff_t>(n_classes_) - without_boxes);
  out.by_boxes.assign(n_classes_, 0.0);
  for (size_t k = 0; k < n_classes_; ++k)
    if (out.mixed[k] > 0)
      out.by_boxes[k] = (out.support * out.mixed[k] + even) / (out.support + PRIOR_ROWS);
  out.p = out.by_boxes;
  if (!settings_.additive) return;
  state_.layer.slots().read(out.query, scales_, state_.values_known, out.layer.inputs);
  state_.layer.judge(out.by_boxes, out.support / (out.support + PRIOR_ROWS), out.layer);
  out.p = out.layer.p;
}

// Takes the sizes of the classes, to some exponent, out of the probabilities.
void Learner::balance(double exponent, std::vector<double>& p) const {
  if (exponent == 0) return;
  const Expert& current = state_.members.front().expert;
  double sum = 0;
  for (size_t k = 0; k < p.size(); ++k) {
    const double rows = k + 1 < current.stats.size() ? current.stats[k + 1].n() : 0.0;
    p[k] *= exp_of(-exponent * log_of(std::max(rows, 1.0)));
    sum += p[k];
  }
  for (double& share : p) share /= sum;
}

double Learner::prior() const {
  const auto& priors = settings_.priors;
  if (priors.size() == 1 || state_.tallies.empty()) return priors[0];
  size_t best = 0;
  double best_accuracy = -1;
  for (size_t e = 0; e < priors.size(); ++e) {
    double right = 0, classes = 0;
    for (size_t k = 0; k * priors.size() * 3 < state_.tallies.size(); ++k) {
      const double* tally = &state_.tallies[(k * priors.size() + e) * 3];
      const double rows = std::max(tally[0], tally[1]);
      if (rows > 0) right += tally[2] / rows;
      classes += rows > 0;
    }
    const double accuracy = classes > 0 ? right / classes : 0.0;
    if (accuracy <= best_accuracy + TOLERANCE) continue;
    best = e;
    best_accuracy = accuracy;
  }
  return priors[best];
}

void Learner::predict(const double* lower, const double* upper, const Code* codes, Outcome& out) const {
  scales_.read(lower, upper, codes, r_, out.query);
  evaluate(out);
  decide(out);
  balance(prior(), out.p);
}

// The effective sample size (Kish) of the rows behind a decision, times the share of the decision that
// boxes carry and not the background of their classes. A row of a box of n counts 1 / n of the box.
double Learner::support(const Outcome& of) const {
  double carried = 0, squares = 0;
  for (size_t m = 0; m < of.members.size(); ++m) {
    for (size_t k = 0; k < of.members[m].p.size(); ++k) {
      const double share = of.weights[m] * of.members[m].p[k];
      if (share == 0) continue;
      const GroupLikelihood& group = of.members[m].groups[k + 1];
      carried += share * (1 - group.background);
      squares += share * share * group.squares;
    }
  }
  return squares > 0 ? carried * carried / squares * carried : 0.0;
}

std::vector<double> Learner::parts(const Outcome& of) const {
  if (settings_.additive) return state_.layer.parts(of.layer);
  const size_t width = n_ + r_ + 2;
  std::vector<double> all(of.by_boxes.size() * width);
  for (size_t k = 0; k < of.by_boxes.size(); ++k)
    all[(k + 1) * width - 1] = of.by_boxes[k] > 0 ? log_of(of.by_boxes[k]) : -INFINITY;
  return all;
}

bool Learner::meet(const double* lower, const double* upper) {
  static thread_local std::vector<size_t> changed;
  changed.clear();
  for (size_t j = 0; j < n_; ++j)
    if (!std::isnan(lower[j]) && scales_.meet(j, lower[j], upper[j])) changed.push_back(j);
  if (changed.empty()) return false;
  for (Member& member : state_.members) member.expert.rescale(changed, scales_);
  return true;
}

void Learner::learn(const double* lower, const double* upper, const Code* codes, std::int32_t label,
                    double weight, Outcome& at, bool evaluated) {
  if (meet(lower, upper)) evaluated = false;
  if (!evaluated) {
    scales_.read(lower, upper, codes, r_, at.query);
    evaluate(at);
  }
  bool alarm = false;
  if (label != UNLABELLED && can_predict()) {
    const bool decided = settings_.additive || settings_.priors.size() > 1;
    if (decided && !evaluated) decide(at);
    if (settings_.priors.size() > 1) tally(settings_.additive ? at.layer.p : at.by_boxes, label);
    alarm = score(at, label);
  } else {
    at.layer.boxes.clear();  // no boxes, no judgement to learn from
  }
  n_classes_ = std::max(n_classes_, static_cast<size_t>(label + 1));
  if (settings_.additive && label != UNLABELLED)
    state_.layer.learn(static_cast<size_t>(label), weight, n_classes_, at.layer);
  for (size_t j = 0; j < r_; ++j)
    state_.values_known[j] = std::max(state_.values_known[j], at.query.values[j] + 1.0);
  for (size_t m = 0; m < state_.members.size(); ++m)
    if (state_.members[m].role != Role::RETIRED)
      insert(state_.members[m], at.members[m], at.query, label, weight);
  ++state_.rows;
  if (label == UNLABELLED) return;
  ++state_.labelled;
  if (!settings_.adapt) return;
  remember(lower, upper, codes, label, weight);
  follow_change(alarm);
}

void Learner::tally(const std::vector<double>& p, std::int32_t label) {
  const size_t priors = settings_.priors.size(), own = static_cast<size_t>(label);
  state_.tallies.resize(std::max(state_.tallies.size(), std::max(n_classes_, own + 1) * priors * 3));
  for (double& number : state_.tallies) number *= TALLY_DISCOUNT;
  static thread_local std::vector<double> balanced;
  for (size_t e = 0; e < priors; ++e) {
    balanced = p;
    balance(settings_.priors[e], balanced);
    const size_t won = most_probable(balanced);
    state_.tallies[(own * priors + e) * 3] += 1;
    state_.tallies[(won * priors + e) * 3 + 1] += 1;
    state_.tallies[(own * priors + e) * 3 + 2] += own == won;
  }
}

// Counts the losses of all experts; returns whether the errors of the current one have risen.
bool Learner::score(const Outcome& at, std::int32_t label) {
  for (size_t m = 0; m < state_.members.size(); ++m)
    state_.members[m].loss = state_.members[m].loss * DISCOUNT + loss_of(at.members[m].p, label);
  if (!state_.members.front().expert.can_predict()) return false;
  const bool wrong = most_probable(at.members.front().p) != static_cast<size_t>(label);
  return settings_.adapt && state_.adwin.update(wrong) &&
         state_.adwin.newer() > state_.adwin.older();
}

void Learner::insert(Member& member, const Evaluation& at, const Query& x, std::int32_t label,
                     double weight) {
  Expert& expert = member.expert;
  if (label != UNLABELLED) expert.step(x, label, at);
  expert.tick(label, weight);
  if (const auto place = expert.find(x, label, at)) return expert.take(*place, x, label, weight);
  if (!make_room(member, label)) return;
  expert.create(x, label, weight, state_.next_id++);
}

size_t Learner::retired_boxes() const {
  const double budget = static_cast<double>(settings_.max_boxes);
  return settings_.max_boxes == 0
             ? MOST_RETIRED_BOXES
             : std::min(static_cast<size_t>(RETIRED_SHARE * budget), MOST_RETIRED_BOXES);
}

double Learner::quota(Role role) const {
  double challengers = 0, retired = 0;
  for (const Member& member : state_.members) {
    challengers += member.role == Role::CHALLENGER;
    retired += member.role == Role::RETIRED;
  }
  const double budget = static_cast<double>(settings_.max_boxes);
  const double of_challenger = std::floor(CHALLENGER_SHARE * budget);
  const double of_retired = static_cast<double>(retired_boxes());
  if (role == Role::CHALLENGER) return of_challenger;
  if (role == Role::RETIRED) return of_retired;
  return budget - challengers * of_challenger - retired * of_retired;
}

// A row without a label never pushes out a box with a class.
bool Learner::make_room(Member& member, std::int32_t label) {
  if (settings_.max_boxes == 0) return true;
  Member* from = nullptr;  // the one that gives a box: the expert itself, or the one most over its quota
  if (static_cast<double>(member.expert.n_boxes()) >= quota(member.role)) {
    from = &member;
  } else if (n_boxes() >= settings_.max_boxes) {
    double most = 0;
    for (Member& other : state_.members) {
      const double excess = static_cast<double>(other.expert.n_boxes()) - quota(other.role);
      if (from != nullptr && excess <= most) continue;
      from = &other;
      most = excess;
    }
  }
  return from == nullptr || evict(from->expert, label == UNLABELLED);
}

void Learner::remember(const double* lower, const double* upper, const Code* codes,
                       std::int32_t label, double weight) {
  auto& recent = state_.recent;
  if (recent.size() < RECENT) {
    recent.emplace_back();
  } else {
    recent.push_back(std::move(recent.front()));
    recent.pop_front();
  }
  RecentRow& row = recent.back();
  row.lower.assign(lower, lower + n_);
  row.upper.assign(upper, upper + n_);
  row.codes.assign(codes, codes + r_);
  row.label = label;
  row.weight = weight;
}

void Learner::State::note(Change change) {
  if (changes.size() == MOST_CHANGES) changes.pop_front();
  changes.push_back(std::move(change));
}

Member* Learner::find(Role role) {
  for (Member& member : state_.members)
    if (member.role == role) return &member;
  return nullptr;
}

void Learner::follow_change(bool alarm) {
  if (find(Role::CHALLENGER) != nullptr)
    compare_challenger();
  else
    compare_retired();
  const bool settled = state_.labelled - state_.members.front().since > FIRST_ALARM;
  const bool room = settings_.max_boxes == 0 || settings_.max_boxes >= LEAST_BUDGET;
  if (alarm && settled && room && find(Role::CHALLENGER) == nullptr) start_challenger();
}

void Learner::start_challenger() {
  state_.note({state_.rows, Event::ALARM, state_.adwin.older(), state_.adwin.newer(), 0,
                            std::vector<double>(n_ + r_)});
  state_.members.push_back({Expert(n_, r_, settings_.sizes, density_), Role::CHALLENGER});
  state_.members.back().since = state_.labelled;
  // Until it has seen some rows it is taken for a coin.
  state_.members.back().loss = MEAN * log_of(static_cast<double>(std::max<size_t>(n_classes_, 2)));
  Query x;
  Evaluation at;
  for (const RecentRow& row : state_.recent) {
    Member& challenger = state_.members.back();
    scales_.read(row.lower.data(), row.upper.data(), row.codes.data(), r_, x);
    challenger.expert.evaluate(x, state_.values_known, at);
    if (row.label != UNLABELLED && challenger.expert.can_predict())
      challenger.loss = challenger.loss * DISCOUNT + loss_of(at.p, row.label);
    insert(challenger, at, x, row.label, row.weight);
  }
}

void Learner::compare_challenger() {
  Member& challenger = *find(Role::CHALLENGER);
  const std::uint64_t age = state_.labelled - challenger.since;
  if (age >= TRIAL && challenger.loss < state_.members.front().loss - TOLERANCE) {
    replace_current(static_cast<size_t>(&challenger - state_.members.data()), Event::REPLACED);
  } else if (age > GIVE_UP) {
    drop(challenger);
  }
}

void Learner::drop(Member& challenger) {
  state_.note({state_.rows, Event::DROPPED, state_.members.front().loss / MEAN,
                            challenger.loss / MEAN,
                            static_cast<double>(challenger.expert.n_boxes()),
                            std::vector<double>(n_ + r_)});
  state_.members.erase(state_.members.begin() + (&challenger - state_.members.data()));
}

void Learner::compare_retired() {
  for (size_t m = 1; m < state_.members.size(); ++m) {
    const Member& retired = state_.members[m];
    if (state_.labelled - retired.since < TRIAL) continue;
    if (retired.loss >= state_.members.front().loss - RETURN_MARGIN * MEAN - TOLERANCE) continue;
    return replace_current(m, Event::RETURNED);
  }
}

// The member at some place becomes the current one, which retires with its heaviest boxes.
void Learner::replace_current(size_t place, Event event) {
  Member& current = state_.members.front();
  Member& next = state_.members[place];
  Change change{state_.rows, event, current.loss / MEAN, next.loss / MEAN, 0, {}};
  for (size_t j = 0; j < n_ + r_; ++j)
    change.moved.push_back(next.expert.relevance.logs()[j] - current.expert.relevance.logs()[j]);
  std::swap(current.expert, next.expert);
  std::swap(current.loss, next.loss);
  const size_t before = next.expert.n_boxes();
  reduce(next.expert, retired_boxes());
  change.boxes = static_cast<double>(before - next.expert.n_boxes());
  current.since = next.since = state_.labelled;
  next.role = Role::RETIRED;
  state_.adwin = drift::Adwin();
  state_.note(std::move(change));
  // The longest retired goes, and one that would have no box left.
  const auto retired = [&] {
    return static_cast<size_t>(std::count_if(state_.members.begin(), state_.members.end(),
                                             [](auto& m) { return m.role == Role::RETIRED; }));
  };
  if (retired_boxes() == 0)
    state_.members.erase(state_.members.begin() + static_cast<std::ptrdiff_t>(place));
  while (retired() > MOST_RETIRED) {
    auto oldest = state_.members.end();
    for (auto m = state_.members.begin(); m != state_.members.end(); ++m)
      if (m->role == Role::RETIRED && (oldest == state_.members.end() || m->since < oldest->since))
        oldest = m;
    state_.members.erase(oldest);
  }
}

void Learner::remove(std::uint64_t id) {
  for (Member& member : state_.members)
    for (size_t g = 0; g < member.expert.groups.size(); ++g)
      for (size_t i = 0; i < member.expert.groups[g].size(); ++i)
        if (member.expert.groups[g].id[i] == id) return member.expert.remove({g, i});
  throw std::invalid_argument("there is no box " + std::to_string(id));
}

void Learner::merge_alike(size_t most) {
  evidence::merge_alike(state_.members.front().expert, state_.values_known, most);
}

void Learner::restore(State state, size_t n_classes) {
  state_ = std::move(state);
  n_classes_ = n_classes;
  constrain();
}

}  // namespace boxwise::evidence
