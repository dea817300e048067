#include "row_reader.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "kernels.hpp"

namespace nb = nanobind;

namespace boxwise {

using std::size_t;

namespace {
constexpr size_t ODD = std::numeric_limits<size_t>::max();  // instead of a number of cells

// An entry of a dict, or null; a key without a hash has none. Looking up may run code of the key,
// which may change the dict: what is found is held.
nb::object look_up(nb::handle dict, nb::handle key) {
  PyObject* found = PyDict_GetItemWithError(dict.ptr(), key.ptr());
  if (found == nullptr && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
  }
  return nb::borrow(found);
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
  if (PyFloat_Check(value)) {
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

RowReader::RowReader(nb::object engine, nb::list continuous, nb::list categorical, nb::list codes,
                     nb::list values, nb::dict labels)
    : keeper_(engine), engine_(nb::cast<Engine&>(engine)), labels_(labels) {
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
size_t RowReader::read_numbers(nb::handle row, Cells& cells) const {
  cells.numbers.resize(continuous_.size());
  size_t found = 0;
  for (size_t j = 0; j < continuous_.size(); ++j) {
    const nb::object value = look_up(row, continuous_[j]);
    found += value.is_valid();
    if (!to_number(value.is_valid() ? value.ptr() : Py_None, cells.numbers[j])) return ODD;
  }
  return found;
}

// A value without a code gets -1; to learn, only a text may lack one, and is put on the list.
size_t RowReader::read_codes(nb::handle row, std::vector<nb::object>* fresh, Cells& cells) const {
  cells.codes.resize(categorical_.size());
  size_t found = 0;
  for (size_t j = 0; j < categorical_.size(); ++j) {
    nb::object value = look_up(row, categorical_[j].key);
    found += value.is_valid();
    if (!value.is_valid() || is_missing(value.ptr())) value = nb::none();
    const nb::object code = look_up(categorical_[j].codes, value);
    if (!code.is_valid()) {
      if (!(fresh ? PyUnicode_CheckExact(value.ptr()) : is_plain(value.ptr()))) return ODD;
      if (fresh) fresh->push_back(value);
    }
    cells.codes[j] = code.is_valid() ? static_cast<Code>(PyLong_AsLong(code.ptr())) : -1;
  }
  return found;
}

// Whether the row has a value in a column that is not known.
bool RowReader::has_other_values(nb::dict row) const {
  for (auto [key, value] : nb::steal<nb::dict>(PyDict_Copy(row.ptr())))
    if (!is_missing(value.ptr()) && !look_up(known_, key).is_valid()) return true;
  return false;
}

bool RowReader::learn(nb::dict row, nb::handle label) {
  Cells& x = cells();
  const nb::object code = look_up(labels_, label);
  if (!code.is_valid()) return false;
  const size_t numbers = read_numbers(row, x);
  std::vector<nb::object> fresh;
  const size_t categories = numbers == ODD ? ODD : read_codes(row, &fresh, x);
  if (categories == ODD) return false;
  if (numbers + categories != row.size() && has_other_values(row)) return false;
  auto value = fresh.begin();
  for (size_t j = 0; j < x.codes.size(); ++j) {
    if (x.codes[j] >= 0) continue;
    Categorical& column = categorical_[j];
    x.codes[j] = static_cast<Code>(column.values.size());
    column.values.append(*value);  // before the code, for a thread that finds the code
    column.codes[*value++] = x.codes[j];
  }
  const auto known = static_cast<std::int32_t>(PyLong_AsLong(code.ptr()));
  engine_.learn(x.rows(), &known);
  return true;
}

bool RowReader::read(nb::handle row, Cells& x) const {
  return read_numbers(row, x) != ODD && read_codes(row, nullptr, x) != ODD;
}

std::optional<std::int32_t> RowReader::predict(nb::dict row) const {
  Cells& x = cells();
  if (!read(row, x)) return std::nullopt;
  std::int32_t label = -1;
  engine_.predict(x.rows(), &label);
  return label;
}

std::optional<std::vector<double>> RowReader::probabilities(nb::dict row) const {
  Cells& x = cells();
  if (!read(row, x)) return std::nullopt;
  return engine_.probabilities(x.rows(), engine_.n_classes());
}

}  // namespace boxwise
