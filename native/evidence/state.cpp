#include "state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "kernels/kernels.hpp"

namespace boxwise::evidence {

using std::size_t;
using std::uint64_t;

namespace {
constexpr double NOT_SEEN = std::numeric_limits<double>::quiet_NaN();
constexpr size_t MEMBER_FIELDS = 6, CHANGE_FIELDS = 5;

void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(what);
}

template <class T>
const ArrayOf<T>& get(const Arrays& arrays, const char* name, std::vector<size_t> shape) {
  const auto found = arrays.find(name);
  const auto* array = found == arrays.end() ? nullptr : std::get_if<ArrayOf<T>>(&found->second);
  require(array != nullptr && array->shape == shape, "the arrays of the boxes do not fit together");
  return *array;
}

size_t length(const Arrays& arrays, const char* name) {
  const auto found = arrays.find(name);
  require(found != arrays.end(), "an array of the model is missing");
  return std::visit([](const auto& array) { return array.shape.empty() ? 0 : array.shape[0]; },
                    found->second);
}

bool is_whole(double x, double most) { return x >= 0 && x <= most && x == std::floor(x); }
}  // namespace

std::vector<BoxPlace> boxes_in_order(const Learner::State& state) {
  std::vector<std::pair<uint64_t, BoxPlace>> boxes;
  for (size_t m = 0; m < state.members.size(); ++m) {
    const auto& groups = state.members[m].expert.groups;
    for (size_t g = 0; g < groups.size(); ++g)
      for (size_t i = 0; i < groups[g].size(); ++i) boxes.push_back({groups[g].id[i], {m, g, i}});
  }
  std::sort(boxes.begin(), boxes.end(), [](auto& a, auto& b) { return a.first < b.first; });
  std::vector<BoxPlace> places;
  for (const auto& [id, place] : boxes) places.push_back(place);
  return places;
}

Arrays to_arrays(const Learner& learner) {
  const Learner::State& state = learner.state();
  const size_t n = learner.n_numeric(), r = learner.n_categorical(), columns = n + r + 2;
  ArrayOf<double> V, W, weight, times, last, members, relevance, recent_lower, recent_upper, recent,
      changes;
  ArrayOf<uint64_t> id, first{{0}, {}}, place;
  ArrayOf<std::int32_t> label, code, recent_codes;
  const auto order = boxes_in_order(state);
  for (const auto& [m, g, i] : order) {
    const BoxGroup& group = state.members[m].expert.groups[g];
    for (size_t j = 0; j < n; ++j) {
      V.values.push_back(group.numeric[j].raw_low[i]);
      W.values.push_back(group.numeric[j].raw_high[i]);
    }
    for (size_t j = 0; j < r; ++j) {
      const auto& of_values = group.categorical[j].counts;
      for (size_t v = 0; v < of_values.size(); ++v) {
        if (of_values[v].empty() || of_values[v][i] == 0) continue;
        code.values.push_back(static_cast<std::int32_t>(v));
        times.values.push_back(of_values[v][i]);
      }
      first.values.push_back(code.values.size());
    }
    weight.values.push_back(group.n[i]);
    last.values.push_back(group.last[i]);
    id.values.push_back(group.id[i]);
    label.values.push_back(static_cast<std::int32_t>(g) - 1);
    place.values.insert(place.values.end(), {m, i});
  }
  for (const Member& member : state.members) {
    const Expert& e = member.expert;
    members.values.insert(members.values.end(),
                          {static_cast<double>(member.role), member.loss,
                           static_cast<double>(member.since), e.clock, static_cast<double>(e.rows),
                           static_cast<double>(e.relevance.steps())});
    const auto &logs = e.relevance.logs(), &squares = e.relevance.squares();
    relevance.values.insert(relevance.values.end(), logs.begin(), logs.end());
    relevance.values.insert(relevance.values.end(), squares.begin(), squares.end());
  }
  for (const RecentRow& row : state.recent) {
    recent_lower.values.insert(recent_lower.values.end(), row.lower.begin(), row.lower.end());
    recent_upper.values.insert(recent_upper.values.end(), row.upper.begin(), row.upper.end());
    recent_codes.values.insert(recent_codes.values.end(), row.codes.begin(), row.codes.end());
    recent.values.insert(recent.values.end(), {static_cast<double>(row.label), row.weight});
  }
  for (const Change& change : state.changes) {
    changes.values.insert(changes.values.end(),
                          {static_cast<double>(change.row), static_cast<double>(change.event),
                           change.before, change.after, change.boxes});
    changes.values.insert(changes.values.end(), change.moved.begin(), change.moved.end());
  }
  const size_t boxes = order.size(), entries = code.values.size(), rows = state.recent.size();
  V.shape = W.shape = {boxes, n};
  weight.shape = last.shape = {boxes};
  id.shape = label.shape = {boxes};
  place.shape = {boxes, 2};
  first.shape = {boxes * r + 1};
  code.shape = times.shape = {entries};
  members.shape = {state.members.size(), MEMBER_FIELDS};
  relevance.shape = {state.members.size(), 2 * columns};
  recent_lower.shape = recent_upper.shape = {rows, n};
  recent_codes.shape = {rows, r};
  recent.shape = {rows, 2};
  changes.shape = {state.changes.size(), CHANGE_FIELDS + n + r};
  const std::vector<double> adwin = state.adwin.state();
  const size_t tallies = state.tallies.size();
  const additive::Layer::State layer = state.layer.save();
  return {{"V", V}, {"W", W}, {"n", weight}, {"label", label}, {"id", id}, {"first", first},
          {"code", code}, {"times", times}, {"last", last}, {"place", place}, {"members", members},
          {"relevance", relevance}, {"recent_lower", recent_lower}, {"recent_upper", recent_upper},
          {"recent_codes", recent_codes}, {"recent", recent}, {"changes", changes},
          {"adwin", ArrayOf<double>{adwin, {adwin.size()}}},
          {"values_known", ArrayOf<double>{state.values_known, {r}}},
          {"tallies", ArrayOf<double>{state.tallies, {tallies}}},
          {"rows", ArrayOf<uint64_t>{{state.rows, state.labelled}, {2}}},
          {"layer", ArrayOf<uint64_t>{layer.shape, {layer.shape.size()}}},
          {"layer_slots", ArrayOf<std::int32_t>{layer.slots, {layer.slots.size() / 2, 2}}},
          {"layer_rows", ArrayOf<double>{layer.rows, {layer.rows.size()}}},
          {"layer_weights", ArrayOf<double>{layer.weights, {layer.weights.size()}}},
          {"layer_covariances", ArrayOf<double>{layer.covariances, {layer.covariances.size()}}},
          {"layer_losses", ArrayOf<double>{layer.losses, {layer.losses.size()}}}};
}

namespace {
// Reads the arrays into a state, piece by piece.
class Reader {
 public:
  Reader(const Arrays& arrays, const Learner& learner, size_t n_classes, uint64_t next_id)
      : arrays_(arrays), learner_(learner), n_(learner.n_numeric()), r_(learner.n_categorical()),
        n_classes_(n_classes) {
    require(n_classes <= static_cast<size_t>(std::numeric_limits<std::int32_t>::max()) - 1,
            "there are more classes than can be numbered");
    state_.next_id = next_id;
  }

  Learner::State read() {
    const auto& rows = get<uint64_t>(arrays_, "rows", {2}).values;
    require(rows[1] <= rows[0] && rows[0] <= (uint64_t{1} << 53),
            "there are more rows with a label than rows, or more than can be counted");
    state_.rows = rows[0];
    state_.labelled = rows[1];
    read_members();
    read_boxes();
    read_recent();
    read_changes();
    read_rest();
    read_layer();
    return std::move(state_);
  }

 private:
  void read_members() {
    const size_t count = length(arrays_, "members"), columns = n_ + r_ + 2;
    const auto& fields = get<double>(arrays_, "members", {count, MEMBER_FIELDS}).values;
    const auto& logs = get<double>(arrays_, "relevance", {count, 2 * columns}).values;
    require(count >= 1 && count <= 16, "a model has between 1 and 16 sets of boxes");
    for (size_t m = 0; m < count; ++m) {
      const double* field = &fields[m * MEMBER_FIELDS];
      require(is_whole(field[0], 2) && (field[0] == 0) == (m == 0), "a set of boxes has no role");
      require(field[1] >= 0 && field[1] <= 1e6, "a loss is not possible");
      for (int f : {2, 4, 5}) require(is_whole(field[f], 0x1p53), "a count of rows is not whole");
      require(field[3] >= 0 && field[3] <= 0x1p53, "a clock is not possible");
      Expert expert(n_, r_, learner_.settings().sizes, DensitySettings{});
      std::vector<double> values(&logs[m * 2 * columns], &logs[m * 2 * columns] + columns);
      std::vector<double> squares(&logs[m * 2 * columns] + columns, &logs[m * 2 * columns] + 2 * columns);
      for (size_t j = 0; j < columns; ++j)
        require(std::abs(values[j]) <= 5 && squares[j] >= 0 && std::isfinite(squares[j]),
                "the relevance of a column is not possible");
      expert.relevance.restore(std::move(values), std::move(squares), static_cast<uint64_t>(field[5]));
      expert.clock = field[3];
      expert.rows = static_cast<uint64_t>(field[4]);
      state_.members.push_back({std::move(expert), static_cast<Role>(field[0]), field[1],
                                static_cast<uint64_t>(field[2])});
      require(state_.members.back().since <= state_.labelled, "a set of boxes is from the future");
    }
  }

  void read_boxes() {
    const size_t boxes = length(arrays_, "n"), entries = length(arrays_, "code");
    const auto& id = get<uint64_t>(arrays_, "id", {boxes}).values;
    const auto& label = get<std::int32_t>(arrays_, "label", {boxes}).values;
    const auto& place = get<uint64_t>(arrays_, "place", {boxes, 2}).values;
    const auto& first = get<uint64_t>(arrays_, "first", {boxes * r_ + 1}).values;
    require(first[0] == 0 && first.back() == entries, "the arrays of the boxes do not fit together");
    for (auto& member : state_.members)
      member.expert.tick(static_cast<std::int32_t>(n_classes_) - 1, 0);
    // Boxes go where they were, so that sums are added up in the same order.
    std::vector<size_t> order(boxes);
    for (size_t i = 0; i < boxes; ++i) {
      require(id[i] < state_.next_id && (i == 0 || id[i - 1] < id[i]),
              "the boxes are not in order of creation");
      require(label[i] >= -1 && label[i] < static_cast<std::int64_t>(n_classes_),
              "a box has an unknown class");
      require(place[2 * i] < state_.members.size(), "a box is in no set");
      order[i] = i;
    }
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return place[2 * a + 1] < place[2 * b + 1]; });
    for (size_t i : order) {
      Expert& expert = state_.members[place[2 * i]].expert;
      const auto g = static_cast<size_t>(label[i] + 1);
      require(expert.groups[g].size() == place[2 * i + 1], "a box has no place in its set");
      read_box(i, first, id[i], g, expert);
    }
    const size_t most = learner_.settings().max_boxes;
    require(most == 0 || boxes <= most, "there are more boxes than max_boxes");
  }

  void read_box(size_t i, const std::vector<uint64_t>& first, uint64_t id, size_t g, Expert& expert) {
    const size_t boxes = length(arrays_, "n"), entries = length(arrays_, "code");
    const auto& V = get<double>(arrays_, "V", {boxes, n_}).values;
    const auto& W = get<double>(arrays_, "W", {boxes, n_}).values;
    const auto& weight = get<double>(arrays_, "n", {boxes}).values;
    const auto& last = get<double>(arrays_, "last", {boxes}).values;
    const auto& code = get<std::int32_t>(arrays_, "code", {entries}).values;
    const auto& times = get<double>(arrays_, "times", {entries}).values;
    require(weight[i] > 0 && weight[i] <= 0x1p53, "a box holds no rows");
    require(last[i] >= 0 && last[i] <= expert.clock, "a box has taken a row that was not learned yet");
    ExpertBox box{weight[i], last[i], id, {}, {}, {}};
    for (size_t j = 0; j < n_; ++j) {
      const double v = V[i * n_ + j], w = W[i * n_ + j];
      const bool unset = std::isnan(v);
      require(unset == std::isnan(w) && (unset || (v >= -LARGEST && v <= w && w <= LARGEST)),
              "a box has bounds that are no interval");
      box.low.push_back(v);
      box.high.push_back(w);
    }
    box.counts.resize(r_);
    for (size_t j = 0; j < r_; ++j) {
      const uint64_t begin = first[i * r_ + j], end = first[i * r_ + j + 1];
      require(begin <= end && end <= entries, "a counted set has no place");
      double total = 0;
      for (uint64_t s = begin; s < end; ++s) {
        require(code[s] >= 0 && code[s] <= MOST_VALUES && times[s] > 0 &&
                    (s == begin || code[s] > code[s - 1]),
                "a counted set is not in order");
        box.counts[j].push_back({code[s], times[s]});
        total += times[s];
      }
      require(std::abs(total - weight[i]) <= 1e-9 * weight[i],
              "the counts of a box do not add up to its rows");
    }
    expert.put(box, g, learner_.scales());
  }

  void read_recent() {
    const size_t rows = length(arrays_, "recent");
    const auto& lower = get<double>(arrays_, "recent_lower", {rows, n_}).values;
    const auto& upper = get<double>(arrays_, "recent_upper", {rows, n_}).values;
    const auto& codes = get<std::int32_t>(arrays_, "recent_codes", {rows, r_}).values;
    const auto& rest = get<double>(arrays_, "recent", {rows, 2}).values;
    require(rows <= 1000, "there are too many recent rows");
    for (size_t i = 0; i < rows; ++i) {
      require(is_whole(rest[2 * i] + 1, static_cast<double>(n_classes_)) && rest[2 * i + 1] > 0 &&
                  rest[2 * i + 1] <= 1,
              "a recent row has no class or weight");
      RecentRow row{{lower.data() + i * n_, lower.data() + (i + 1) * n_},
                    {upper.data() + i * n_, upper.data() + (i + 1) * n_},
                    {codes.data() + i * r_, codes.data() + (i + 1) * r_},
                    static_cast<std::int32_t>(rest[2 * i]), rest[2 * i + 1]};
      for (size_t j = 0; j < n_; ++j)
        require(std::isnan(row.lower[j]) == std::isnan(row.upper[j]) &&
                    (std::isnan(row.lower[j]) || (row.lower[j] >= -LARGEST && row.lower[j] <= row.upper[j] &&
                                                  row.upper[j] <= LARGEST)),
                "a recent row has no interval");
      for (Code code : row.codes) require(code >= 0, "a recent row has a category without a code");
      state_.recent.push_back(std::move(row));
    }
  }

  void read_changes() {
    const size_t count = length(arrays_, "changes"), width = CHANGE_FIELDS + n_ + r_;
    const auto& all = get<double>(arrays_, "changes", {count, width}).values;
    for (size_t c = 0; c < count; ++c) {
      const double* field = &all[c * width];
      for (size_t f = 0; f < width; ++f) require(std::isfinite(field[f]), "a change has no numbers");
      require(is_whole(field[0], 0x1p53) && is_whole(field[1], 3), "a change is not possible");
      state_.note({static_cast<uint64_t>(field[0]), static_cast<Event>(field[1]), field[2], field[3],
                   field[4], {field + CHANGE_FIELDS, field + width}});
    }
  }

  void read_rest() {
    const size_t numbers = length(arrays_, "adwin"), tallies = length(arrays_, "tallies");
    const auto& adwin = get<double>(arrays_, "adwin", {numbers}).values;
    const double* at = adwin.data();
    state_.adwin = drift::Adwin::from_state(at, adwin.data() + numbers);
    require(at == adwin.data() + numbers, "the change detector is damaged");
    state_.values_known = get<double>(arrays_, "values_known", {r_}).values;
    for (size_t j = 0; j < r_; ++j) {
      require(is_whole(state_.values_known[j], MOST_VALUES + 1.0), "a number of values is not whole");
      for (const Member& member : state_.members)
        for (const BoxGroup& group : member.expert.groups)
          require(static_cast<double>(group.categorical[j].counts.size()) <= state_.values_known[j],
                  "a box holds a value that is not known");
    }
    state_.tallies = get<double>(arrays_, "tallies", {tallies}).values;
    require(tallies % (3 * learner_.settings().priors.size()) == 0 &&
                tallies <= 3 * learner_.settings().priors.size() * n_classes_,
            "the tallies are not those of the classes");
    for (double tally : state_.tallies) require(tally >= 0 && std::isfinite(tally), "a tally is below 0");
  }

  void read_layer() {
    const auto array = [&]<class T>(const char* name, std::vector<T>& values) {
      values = get<T>(arrays_, name, {length(arrays_, name)}).values;
    };
    additive::Layer::State layer;
    array("layer", layer.shape);
    layer.slots = get<std::int32_t>(arrays_, "layer_slots", {length(arrays_, "layer_slots"), 2}).values;
    array("layer_rows", layer.rows);
    array("layer_weights", layer.weights);
    array("layer_covariances", layer.covariances);
    array("layer_losses", layer.losses);
    state_.layer = additive::Layer(n_, r_);
    if (learner_.settings().additive) state_.layer.restore(layer, n_classes_);
  }

  const Arrays& arrays_;
  const Learner& learner_;
  size_t n_, r_, n_classes_;
  Learner::State state_;
};
}  // namespace

Learner::State to_state(const Arrays& arrays, const Learner& learner, size_t n_classes,
                        uint64_t next_id) {
  return Reader(arrays, learner, n_classes, next_id).read();
}

}  // namespace boxwise::evidence
