#include "row_reader.hpp"

#include <cmath>
#include <limits>

#include "kernels.hpp"

namespace nb = nanobind;

namespace boxwise {

using std::size_t;

namespace {
constexpr size_t ODD = std::numeric_limits<size_t>::max();  // instead of a number of cells

// A borrowed entry of a dict, or null; a key without a hash has none.
PyObject* look_up(PyObject* dict, PyObject* key) {
  PyObject* found = PyDict_GetItemWithError(dict, key);
  if (found == nullptr) PyErr_Clear();
  return found;
}

bool is_missing(PyObject* value) {
  if (PyUnicode_CheckExact(value)) return false;
  return value == Py_None || (PyFloat_Check(value) && std::isnan(PyFloat_AsDouble(value)));
}

// Whether a category that no dict has is certain to be a new one.
bool is_plain(PyObject* value) {
  return PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) ||
         value == Py_None;
}

bool to_number(PyObject* value, double& number) {
  if (value == Py_None) {
    number = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  if (PyFloat_CheckExact(value) || PyFloat_Check(value)) {
    number = PyFloat_AsDouble(value);
  } else if (PyLong_CheckExact(value)) {
    number = PyLong_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred()) {  // an integer beyond all floats
      PyErr_Clear();
      return false;
    }
  } else {
    return false;
  }
  return !(std::abs(number) > LARGEST);
}
}  // namespace

// One row as the engine takes it.
struct RowReader::Cells {
  std::vector<double> numbers;
  std::vector<Code> codes;
  Rows rows() const { return {1, numbers.data(), numbers.data(), codes.data()}; }
};

RowReader::Cells& RowReader::cells() {
  static thread_local Cells kept;
  return kept;
}

RowReader::RowReader(nb::list continuous, nb::list categorical, nb::list codes, nb::list values,
                     nb::dict labels)
    : labels_(labels) {
  if (codes.size() != categorical.size() || values.size() != categorical.size())
    throw std::invalid_argument("one dict and one list per categorical column are needed");
  for (nb::handle key : continuous) continuous_.push_back(nb::borrow(key));
  for (size_t j = 0; j < categorical.size(); ++j)
    categorical_.push_back({categorical[j], nb::cast<nb::dict>(codes[j]),
                            nb::cast<nb::list>(values[j])});
  for (const auto& key : continuous_) known_[key] = nb::none();
  for (const auto& column : categorical_) known_[column.key] = nb::none();
}

// Returns how many of the columns the row has, or ODD.
size_t RowReader::read_numbers(PyObject* row, Cells& cells) const {
  cells.numbers.resize(continuous_.size());
  size_t found = 0;
  for (size_t j = 0; j < continuous_.size(); ++j) {
    PyObject* value = look_up(row, continuous_[j].ptr());
    found += value != nullptr;
    if (!to_number(value != nullptr ? value : Py_None, cells.numbers[j])) return ODD;
  }
  return found;
}

// With `learn`, a value that needs a new code gets -1 if it may have one.
size_t RowReader::read_codes(PyObject* row, bool learn, Cells& cells) const {
  cells.codes.resize(categorical_.size());
  size_t found = 0;
  for (size_t j = 0; j < categorical_.size(); ++j) {
    PyObject* value = look_up(row, categorical_[j].key.ptr());
    found += value != nullptr;
    if (value == nullptr || is_missing(value)) value = Py_None;
    PyObject* code = look_up(categorical_[j].codes.ptr(), value);
    if (code == nullptr && !(learn ? PyUnicode_CheckExact(value) : is_plain(value))) return ODD;
    cells.codes[j] = code != nullptr ? static_cast<Code>(PyLong_AsLong(code)) : -1;
  }
  return found;
}

// Whether the row has a value in a column that is not known.
bool RowReader::has_other_values(PyObject* row) const {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(row, &at, &key, &value))
    if (!is_missing(value) && look_up(known_.ptr(), key) == nullptr) return true;
  return false;
}

bool RowReader::learn(Engine& engine, nb::dict row, nb::handle label) {
  Cells& x = cells();
  PyObject* code = look_up(labels_.ptr(), label.ptr());
  if (code == nullptr) return false;
  const size_t numbers = read_numbers(row.ptr(), x);
  const size_t categories = numbers == ODD ? ODD : read_codes(row.ptr(), true, x);
  if (categories == ODD) return false;
  if (numbers + categories != row.size() && has_other_values(row.ptr())) return false;
  for (size_t j = 0; j < x.codes.size(); ++j) {
    if (x.codes[j] >= 0) continue;
    Categorical& column = categorical_[j];
    const nb::handle value = look_up(row.ptr(), column.key.ptr());
    x.codes[j] = static_cast<Code>(column.values.size());
    column.values.append(value);  // before the code, for a thread that finds the code
    column.codes[value] = x.codes[j];
  }
  const auto known = static_cast<std::int32_t>(PyLong_AsLong(code));
  engine.learn(x.rows(), &known);
  return true;
}

bool RowReader::read(PyObject* row, Cells& x) const {
  return read_numbers(row, x) != ODD && read_codes(row, false, x) != ODD;
}

std::optional<std::int32_t> RowReader::predict(const Engine& engine, nb::dict row) const {
  Cells& x = cells();
  if (!read(row.ptr(), x)) return std::nullopt;
  std::int32_t label = -1;
  engine.predict(x.rows(), &label);
  return label;
}

std::optional<std::vector<double>> RowReader::probabilities(const Engine& engine,
                                                            nb::dict row) const {
  Cells& x = cells();
  if (!read(row.ptr(), x)) return std::nullopt;
  return engine.probabilities(x.rows(), engine.n_classes());
}

}  // namespace boxwise
