#include "tuning/bundle.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "store/scan.hpp"

namespace boxwise {

using std::size_t;

namespace {
constexpr size_t ROWS_PER_PULSE = 64;  // learned between two calls of pulse
}  // namespace

Bundle::Bundle(size_t n_numeric, size_t n_categorical, const EntropySettings& common,
               std::vector<Range> ranges, std::vector<Member> members)
    : EntropyEngine(n_numeric, n_categorical, loosest(common, members), std::move(ranges)),
      members_(std::move(members)) {
  std::stable_sort(members_.begin(), members_.end(),
                   [](const Member& a, const Member& b) { return a.alpha < b.alpha; });
  list_settings();
}

// A fork: the boxes as they are, for some of the members.
Bundle::Bundle(const Bundle& parent, std::vector<Member> members)
    : Bundle(parent.n_, parent.r_, parent.settings_, parent.ranges_, std::move(members)) {
  groups_ = parent.groups_;
  next_id_ = parent.next_id_;
  next_ = parent.next_;
  refresh_all_thresholds();
}

EntropySettings Bundle::loosest(const EntropySettings& common, const std::vector<Member>& members) {
  EntropySettings settings = common;
  settings.alpha = members[0].alpha;
  settings.theta = settings.delta = 0;
  for (const Member& member : members) {
    settings.theta = std::max(settings.theta, member.theta);
    settings.delta = std::max(settings.delta, member.delta);
  }
  return settings;
}

void Bundle::list_settings() {
  const auto in_order = [](std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  };
  const auto position = [](const std::vector<double>& values, double value) {
    return static_cast<size_t>(std::lower_bound(values.begin(), values.end(), value) -
                               values.begin());
  };
  thetas_.clear();
  deltas_.clear();
  for (const Member& member : members_) {
    thetas_.push_back(member.theta);
    deltas_.push_back(member.delta);
  }
  in_order(thetas_);
  in_order(deltas_);
  tests_.clear();
  for (double delta : deltas_) tests_.emplace_back(delta, settings_.mean, r_);
  choices_.clear();
  for (const Member& member : members_)
    choices_.push_back({position(thetas_, member.theta), position(deltas_, member.delta), NEW});
}

void Bundle::learn_together(const Rows& rows, const std::int32_t* labels, const Push& push,
                            const std::function<void()>& pulse) {
  if (next_ == 0) {
    Engine::check(rows);
    check_labels(rows, labels);
  }
  Sample x;
  while (next_ < rows.count) {
    if (next_ % ROWS_PER_PULSE == 0) pulse();
    read_to_learn(rows, next_, labels[next_], x);
    ++next_;
    if (members_.size() == 1)
      learn_one(x);
    else
      decide(x, push);
  }
}

void Bundle::decide(const Sample& x, const Push& push) {
  look_up(x);
  if (container_) return take(container_->place, x, false);
  if (candidates_.empty()) return create(x);
  list_options(x);
  choose(x);
  // The members that choose as the first one does stay here; the others leave, choice by choice.
  const size_t mine = choices_[0].option;
  if (std::all_of(choices_.begin(), choices_.end(),
                  [&](const Choice& choice) { return choice.option == mine; }))
    return follow(mine, x);
  std::vector<std::pair<size_t, std::vector<Member>>> leaving;
  std::vector<Member> staying;
  for (size_t m = 0; m < members_.size(); ++m) {
    const size_t option = choices_[m].option;
    if (option == mine) {
      staying.push_back(members_[m]);
      continue;
    }
    auto at = std::find_if(leaving.begin(), leaving.end(),
                           [&](const auto& group) { return group.first == option; });
    if (at == leaving.end()) at = leaving.insert(at, {option, {}});
    at->second.push_back(members_[m]);
  }
  for (auto& [option, members] : leaving) {
    std::unique_ptr<Bundle> fork(new Bundle(*this, std::move(members)));
    fork->options_ = options_;
    fork->follow(option, x);
    push(std::move(fork));
  }
  follow(mine, x);
  members_ = std::move(staying);
  list_settings();
  EntropySettings rest = loosest(settings_, members_);
  if (rest.theta != settings_.theta || rest.delta != settings_.delta) configure(std::move(rest));
}

void Bundle::list_options(const Sample& x) {
  options_.clear();
  for (Candidate& candidate : candidates_) {
    if (!candidate.weighed && !weigh_values(candidate, x)) continue;
    const Group& g = groups_[candidate.place.group];
    const Slot slot = candidate.place.slot;
    const size_t delta = least_delta(g, slot, x);
    if (delta == deltas_.size()) continue;
    options_.push_back({candidate.place, candidate.id, candidate.b_num, candidate.b_cat,
                        least_theta(g, slot, x), delta, Option::UNKNOWN});
  }
}

// The loosest theta lets every candidate pass: that much has been tested.
size_t Bundle::least_theta(const Group& g, Slot slot, const Sample& x) const {
  size_t least = 0;
  for (const Probe& p : x.probes) {
    const double side = std::max(g.W[p.j][slot], p.xu) - std::min(g.V[p.j][slot], p.xl);
    while (side > thetas_[least] * width(p.j)) ++least;
  }
  return least;
}

size_t Bundle::least_delta(const Group& g, Slot slot, const Sample& x) {
  if (r_ == 0) return 0;
  const std::uint32_t n = g.n[slot];
  std::uint32_t low = n;
  double sum_of_g = 0;
  for (size_t j = 0; j < r_; ++j) {
    const std::uint32_t count = g.D[j].count(slot, x.codes[j]);
    low = std::min(low, count);
    if (settings_.mean) sum_of_g += EntropyTest::g(count);
  }
  size_t least = 0;
  while (least < tests_.size() &&
         !(settings_.mean ? tests_[least].passes(n, sum_of_g) : low >= tests_[least].min_count(n)))
    ++least;
  return least;
}

// Each member takes the option of highest membership that its theta and delta allow and that
// overlaps no other class; the oldest of equals.
void Bundle::choose(const Sample& x) {
  for (size_t first = 0, m = 0; first < members_.size(); first = m) {
    const auto [alpha, beta] = weights(members_[first].alpha);
    order_.clear();
    for (size_t o = 0; o < options_.size(); ++o)
      order_.emplace_back(in_units(alpha * options_[o].b_num + beta * options_[o].b_cat), o);
    std::sort(order_.begin(), order_.end(), [&](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : options_[a.second].id < options_[b.second].id;
    });
    for (m = first; m < members_.size() && members_[m].alpha == members_[first].alpha; ++m) {
      Choice& choice = choices_[m];
      choice.option = NEW;
      for (const auto& [degree, o] : order_) {
        if (options_[o].theta > choice.theta || options_[o].delta > choice.delta) continue;
        if (overlaps(options_[o], x)) continue;
        choice.option = o;
        break;
      }
    }
  }
}

bool Bundle::overlaps(Option& option, const Sample& x) {
  if (option.overlap == Option::UNKNOWN)
    option.overlap = overlaps_any(option.place, x) ? Option::BLOCKED : Option::FREE;
  return option.overlap == Option::BLOCKED;
}

void Bundle::follow(size_t option, const Sample& x) {
  if (option == NEW)
    create(x);
  else
    take(options_[option].place, x, true);
}

std::vector<double> Bundle::alphas() const {
  std::vector<double> alphas;
  for (const Member& member : members_)
    if (alphas.empty() || alphas.back() != member.alpha) alphas.push_back(member.alpha);
  return alphas;
}

void Bundle::predict_together(const Rows& rows, const std::vector<double>& alphas,
                              const std::vector<std::int32_t*>& labels,
                              const std::vector<std::vector<double>*>& probabilities) const {
  Engine::check(rows);
  if (!can_predict()) throw std::invalid_argument("no row with a label has been learned yet; learn some first");
  std::vector<Weights> weights;
  for (double alpha : alphas) weights.push_back(this->weights(alpha));
  std::vector<ClassScores> all_scores(alphas.size());
  std::vector<double> shares(groups_.size() - 1);
  Sample x;
  for (size_t row = 0; row < rows.count; ++row) {
    read(rows, row, x);
    score_together(x, weights, all_scores);
    for (size_t a = 0; a < alphas.size(); ++a) {
      labels[a][row] = static_cast<std::int32_t>(winner(all_scores[a]));
      if (probabilities[a] == nullptr) continue;
      to_probabilities(all_scores[a], shares.data());
      probabilities[a]->insert(probabilities[a]->end(), shares.begin(), shares.end());
    }
  }
}

// Distances and shares are the same for all; only how they are mixed differs.
void Bundle::score_together(const Sample& x, const std::vector<Weights>& weights,
                            std::vector<ClassScores>& all_scores) const {
  const size_t classes = groups_.size() - 1;
  for (ClassScores& scores : all_scores) {
    scores.best.assign(classes, -1.0);
    scores.distance.assign(classes, 0.0);
    scores.weight.assign(classes, 0);
  }
  alignas(64) double dist[BLOCK], share[BLOCK], degree[BLOCK];
  for (size_t k = 0; k < classes; ++k) {
    const Group& g = groups_[k + 1];
    for (size_t begin = 0; begin < g.size(); begin += BLOCK) {
      const size_t m = std::min(BLOCK, g.size() - begin);
      measure(g, x, begin, m, dist, share);
      for (size_t a = 0; a < weights.size(); ++a) {
        kernels::mix(dist, share, weights[a].alpha, weights[a].beta, degree, m);
        const double highest = kernels::largest(degree, m);
        double& best = all_scores[a].best[k];
        if (highest < best) continue;
        if (highest > best) all_scores[a].weight[k] = 0;
        best = highest;
        all_scores[a].weight[k] += kernels::samples(degree, highest, g.n.data() + begin, m);
      }
    }
  }
}

}  // namespace boxwise
