#include "bindings/row_reader.hpp"

#include <stdexcept>
#include <unordered_map>

#include "bindings/cells.hpp"

namespace nb = nanobind;

namespace boxwise {

using cells::is_missing;
using cells::is_plain;
using cells::look_up;
using cells::to_number;
using std::size_t;

// One row as the engine takes it.
struct RowReader::Cells {
  std::vector<double> numbers;
  std::vector<Code> codes;
  Rows rows() const { return {1, numbers.data(), numbers.data(), codes.data()}; }
};

namespace {
nb::object other_values() { return nb::module_::import_("boxwise.schema").attr("OTHER_VALUES"); }
}  // namespace

RowReader::Cells& RowReader::cells() {
  static thread_local Cells kept;
  return kept;
}

RowReader::RowReader(nb::object engine, nb::dict keys, nb::tuple numeric,
                     nb::tuple vocabularies, nb::object labels)
    : keeper_(engine),
      engine_(nb::cast<LearningEngine&>(engine)),
      label_codes_(nb::cast<nb::dict>(labels.attr("codes"))),
      known_(keys),
      labels_(nb::cast<nb::list>(labels.attr("values"))) {
  const size_t n = numeric.size(), r = vocabularies.size();
  if (keys.size() != n + r || engine_.n_numeric() != n || engine_.n_categorical() != r)
    throw std::invalid_argument("the columns are not those of the engine");
  numeric_.reserve(n);
  categorical_.reserve(r);
  for (size_t next = 0; auto [key, name] : keys) {
    const size_t column = next++, number = numeric_.size();
    if (number < n && nb::cast<size_t>(numeric[number]) == column) {
      numeric_.push_back(nb::borrow(key));
      continue;
    }
    if (categorical_.size() == r) throw std::invalid_argument("the columns are not in order");
    const nb::handle vocabulary = vocabularies[categorical_.size()];
    const nb::object limit = vocabulary.attr("limit");
    categorical_.push_back({nb::borrow(key), nb::cast<nb::dict>(vocabulary.attr("codes")),
                            nb::cast<nb::list>(vocabulary.attr("values")),
                            limit.is_none() ? SIZE_MAX : nb::cast<size_t>(limit)});
  }
}

// Most streams have the same keys in the same order in every row, floats, whole numbers and texts
// that are known or, to predict, are not. Then no key is looked up and nothing has to be held;
// false if the row is otherwise.
bool RowReader::read_usual([[maybe_unused]] PyObject* row, [[maybe_unused]] bool to_learn,
                           [[maybe_unused]] Cells& x) const {
#if defined(Py_GIL_DISABLED)
  return false;
#else
  const size_t n = numeric_.size(), columns = n + categorical_.size();
  if (usual_.size() != columns || static_cast<size_t>(PyDict_Size(row)) != columns) return false;
  x.numbers.resize(n);
  x.codes.resize(columns - n);
  PyObject *key, *value;
  Py_ssize_t at = 0;
  for (const auto& [wanted, column] : usual_) {
    if (!PyDict_Next(row, &at, &key, &value) || key != wanted) return false;
    if (column < n) {
      const bool plain = PyFloat_CheckExact(value) || PyLong_CheckExact(value) || value == Py_None;
      if (!plain || !to_number(value, x.numbers[column])) return false;
      continue;
    }
    const Categorical& categorical = categorical_[column - n];
    Code& code = x.codes[column - n];
    if (value == categorical.latest.ptr()) {
      code = categorical.latest_code;
      continue;
    }
    if (!PyUnicode_CheckExact(value)) return false;
    nb::object held = nb::borrow(value);  // what it is compared with may be anything
    const nb::object found = look_up(categorical.codes, held);
    code = found.is_valid()         ? static_cast<Code>(PyLong_AsLong(found.ptr()))
           : categorical.is_full() ? static_cast<Code>(categorical.limit)
                                   : -1;
    if (found.is_valid()) {
      categorical.latest = std::move(held);
      categorical.latest_code = code;
    } else if (to_learn && code < 0) {
      return false;
    }
  }
  return true;
#endif
}

// The values of a row, column by column, null where it has none; and how many it has.
size_t RowReader::fetch(nb::handle row, std::vector<nb::object>& values) const {
  const size_t n = numeric_.size(), columns = n + categorical_.size();
  values.resize(columns);
  size_t found = 0;
  for (size_t j = 0; j < columns; ++j) {
    values[j] = look_up(row, j < n ? numeric_[j] : categorical_[j - n].key);
    found += values[j].is_valid();
  }
  return found;
}

// Remember in which order a row has the columns. The keys live as long as this.
void RowReader::note_order(nb::handle row) {
  const size_t n = numeric_.size(), columns = n + categorical_.size();
  const auto key_of = [&](size_t column) {
    return (column < n ? numeric_[column] : categorical_[column - n].key).ptr();
  };
  usual_.reserve(columns);
  size_t number = 0, category = n;  // the next ones, if the row has them in order, as most rows do
  std::unordered_map<PyObject*, size_t> places;  // if it has not
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(row.ptr(), &at, &key, &value);) {
    if (number < n && key == key_of(number)) {
      usual_.emplace_back(key, number++);
      continue;
    }
    if (category < columns && key == key_of(category)) {
      usual_.emplace_back(key, category++);
      continue;
    }
    if (places.empty())
      for (size_t column = 0; column < columns; ++column) places.emplace(key_of(column), column);
    const auto known = places.find(key);
    if (known == places.end()) return usual_.clear();  // equal, but not the same
    usual_.emplace_back(*known);
  }
}

bool RowReader::read_numbers(const std::vector<nb::object>& values, Cells& cells) const {
  cells.numbers.resize(numeric_.size());
  for (size_t j = 0; j < numeric_.size(); ++j)
    if (!to_number(values[j].is_valid() ? values[j].ptr() : Py_None, cells.numbers[j])) return false;
  return true;
}

// A value without a code gets -1; to learn, only a text may lack one, and is put on the list.
bool RowReader::read_codes(const std::vector<nb::object>& values, std::vector<nb::object>* fresh,
                           Cells& cells) const {
  cells.codes.resize(categorical_.size());
  for (size_t j = 0; j < categorical_.size(); ++j) {
    nb::handle value = values[numeric_.size() + j];
    if (!value.is_valid() || is_missing(value.ptr())) value = Py_None;
    const nb::object code = look_up(categorical_[j].codes, value);
    if (!code.is_valid() && categorical_[j].is_full() && is_plain(value.ptr())) {
      cells.codes[j] = static_cast<Code>(categorical_[j].limit);
      continue;
    }
    if (!code.is_valid()) {
      if (!(fresh ? PyUnicode_CheckExact(value.ptr()) : is_plain(value.ptr()))) return false;
      if (fresh && value.equal(other_values())) return false;  // which the general way refuses
      if (fresh) fresh->push_back(nb::borrow(value));
    }
    cells.codes[j] = code.is_valid() ? static_cast<Code>(PyLong_AsLong(code.ptr())) : -1;
  }
  return true;
}

// Whether the row has a value in a column that is not known.
bool RowReader::has_other_values(nb::dict row) const {
  for (auto [key, value] : nb::steal<nb::dict>(PyDict_Copy(row.ptr())))
    if (!is_missing(value.ptr()) && !look_up(known_, key).is_valid()) return true;
  return false;
}

bool RowReader::learn(nb::handle given, nb::handle label) {
  if (!PyDict_CheckExact(given.ptr())) return false;
  Cells& x = cells();
  const nb::object code = look_up(label_codes_, label);
  if (!code.is_valid()) return false;
  const auto known = static_cast<std::int32_t>(PyLong_AsLong(code.ptr()));
  if (read_usual(given.ptr(), true, x)) {
    engine_.learn(x.rows(), &known);
    return true;
  }
  const auto row = nb::borrow<nb::dict>(given);
  std::vector<nb::object> values, fresh;
  const size_t found = fetch(row, values);
  if (!read_numbers(values, x) || !read_codes(values, &fresh, x)) return false;
  if (found != row.size() && has_other_values(row)) return false;
  if (usual_.empty() && found == values.size() && found == row.size() && tries_ > 0) {
    --tries_;
    note_order(row);
  }
  auto value = fresh.begin();
  for (size_t j = 0; j < x.codes.size(); ++j) {
    if (x.codes[j] >= 0) continue;
    Categorical& column = categorical_[j];
    x.codes[j] = static_cast<Code>(column.values.size());
    const nb::object name = column.values.size() == column.limit ? other_values() : *value;
    ++value;
    column.values.append(name);  // before the code, for a thread that finds the code
    column.codes[name] = x.codes[j];
  }
  engine_.learn(x.rows(), &known);
  return true;
}

bool RowReader::read(nb::handle row, Cells& x) const {
  if (!PyDict_CheckExact(row.ptr())) return false;
  if (read_usual(row.ptr(), false, x)) return true;
  std::vector<nb::object> values;
  fetch(row, values);
  return read_numbers(values, x) && read_codes(values, nullptr, x);
}

nb::object RowReader::predict(nb::handle row) const {
  Cells& x = cells();
  if (labels_.size() == 0 || !read(row, x)) return nb::none();
  std::int32_t label = -1;
  engine_.predict(x.rows(), &label);
  return labels_[static_cast<size_t>(label)];
}

nb::object RowReader::probabilities(nb::handle row) const {
  Cells& x = cells();
  if (!read(row, x)) return nb::none();
  const std::vector<double> shares = engine_.probabilities(x.rows(), engine_.n_classes());
  nb::dict by_label;
  for (size_t k = 0; k < shares.size(); ++k) by_label[labels_[k]] = shares[k];
  return by_label;
}

}  // namespace boxwise
