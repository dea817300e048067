// Python values as numbers and as codes of categories. Only plain values are read; whatever is out of
// the ordinary is the caller's to handle by the general way.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "bindings/gil.hpp"
#include "store/group.hpp"
#include "kernels/kernels.hpp"

namespace boxwise::cells {

// An entry of a dict, or null; a key without a hash has none. Looking up may run code of the key,
// which may change the dict: what is found is held.
inline nanobind::object look_up(nanobind::handle dict, nanobind::handle key) {
  PyObject* found = call_python([&] { return PyDict_GetItemWithError(dict.ptr(), key.ptr()); });
  if (found == nullptr && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nanobind::python_error();
    PyErr_Clear();
  }
  return nanobind::borrow(found);
}

inline bool is_missing(PyObject* value) {
  if (PyUnicode_CheckExact(value)) return false;
  return value == Py_None || (PyFloat_Check(value) && std::isnan(PyFloat_AsDouble(value)));
}

// Whether a category that no dict has is certain to be a new one.
inline bool is_plain(PyObject* value) {
  return PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) ||
         value == Py_None;
}

// False if it is not a plain number, or beyond what the engine takes.
inline bool to_number(PyObject* value, double& number) {
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

// A column; nothing if one of its values is not plain.
std::optional<std::vector<double>> read_numbers(nanobind::list column);
// A value without a code gets -1 if `unknown` may be, else it is not plain.
std::optional<std::vector<Code>> read_codes(nanobind::list column, nanobind::dict codes,
                                            bool unknown);

}  // namespace boxwise::cells
