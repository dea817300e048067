#include "bindings/cells.hpp"

#include <cstddef>

namespace nb = nanobind;

namespace boxwise::cells {

using std::size_t;

namespace {
// Null if there is none, or no longer.
nb::object entry(nb::list column, size_t i) {
#if defined(Py_GIL_DISABLED)
  PyObject* found = PyList_GetItemRef(column.ptr(), static_cast<Py_ssize_t>(i));
  if (found == nullptr) PyErr_Clear();
  return nb::steal(found);
#else
  const auto place = static_cast<Py_ssize_t>(i);
  return nb::borrow(i < column.size() ? PyList_GetItem(column.ptr(), place) : nullptr);
#endif
}

// Calls read(value, place) for the values of a list until it returns false; says whether it never did.
// Code of a value may change the list meanwhile: then it is not read to the end.
template <class Read>
bool for_each(nb::list column, size_t count, Read read) {
  for (size_t i = 0; i < count; ++i)
    if (const nb::object value = entry(column, i); !value.is_valid() || !read(value, i)) return false;
  return true;
}
}  // namespace

std::optional<std::vector<double>> read_numbers(nb::list column) {
  std::vector<double> numbers(column.size());
  const auto read = [&](const nb::object& value, size_t i) {
    return to_number(value.ptr(), numbers[i]);
  };
  if (!for_each(column, numbers.size(), read)) return std::nullopt;
  return numbers;
}

std::optional<std::vector<Code>> read_codes(nb::list column, nb::dict codes, bool unknown) {
  std::vector<Code> out(column.size());
  const auto read = [&](const nb::object& value, size_t i) {
    const nb::object code = look_up(codes, value);
    if (!code.is_valid() && !(unknown && is_plain(value.ptr()))) return false;
    out[i] = code.is_valid() ? static_cast<Code>(PyLong_AsLong(code.ptr())) : -1;
    return true;
  };
  if (!for_each(column, out.size(), read)) return std::nullopt;
  return out;
}

}  // namespace boxwise::cells
