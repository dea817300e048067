// Python values as numbers and as codes of categories. Only plain values are read; whatever is out of
// the ordinary is the caller's to handle by the general way.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <vector>

#include "group.hpp"

namespace boxwise::cells {

// An entry of a dict, or null; a key without a hash has none. Looking up may run code of the key,
// which may change the dict: what is found is held.
nanobind::object look_up(nanobind::handle dict, nanobind::handle key);

bool is_missing(PyObject* value);
// Whether a category that no dict has is certain to be a new one.
bool is_plain(PyObject* value);
// False if it is not a plain number, or beyond what the engine takes.
bool to_number(PyObject* value, double& number);

// A column; nothing if one of its values is not plain.
std::optional<std::vector<double>> read_numbers(nanobind::list column);
// A value without a code gets -1 if `unknown` may be, else it is not plain.
std::optional<std::vector<Code>> read_codes(nanobind::list column, nanobind::dict codes,
                                            bool unknown);

}  // namespace boxwise::cells
