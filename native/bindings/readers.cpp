// Binds the readers of Python values: columns of cells, and rows that are dicts.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings/bindings.hpp"
#include "bindings/cells.hpp"
#include "bindings/numpy_arrays.hpp"
#include "bindings/row_reader.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace boxwise {

void bind_readers(nb::module_& m) {
  m.def(
      "read_numbers",
      [](nb::list column) -> std::optional<nb::object> {
        return to_column(cells::read_numbers(column));
      },
      "column"_a);
  m.def(
      "read_codes",
      [](nb::list column, nb::dict codes, bool unknown) -> std::optional<nb::object> {
        return to_column(cells::read_codes(column, codes, unknown));
      },
      "column"_a, "codes"_a, "unknown"_a);
  nb::class_<RowReader>(m, "RowReader")
      .def(nb::init<nb::object, nb::dict, nb::tuple, nb::tuple, nb::object>(), "engine"_a, "keys"_a,
           "numeric"_a, "vocabularies"_a, "labels"_a)
      .def("learn", &RowReader::learn, "row"_a.none(), "label"_a.none())
      .def("predict", &RowReader::predict, "row"_a.none())
      .def("probabilities", &RowReader::probabilities, "row"_a.none());
}

}  // namespace boxwise
