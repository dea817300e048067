// The module `_native`: arrays in, arrays out, the GIL released in between.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/bindings.hpp"
#include "bindings/gil.hpp"
#include "bindings/version.hpp"

namespace nb = nanobind;

NB_MODULE(_native, m) {
  // A thread that still holds a model when the interpreter ends is no leak worth a page of warnings.
  nb::set_leak_warnings(false);
  boxwise::outlive_python();
  m.attr("engine_version") = boxwise::engine_version();
  boxwise::bind_engines(m);
  boxwise::bind_eiol(m);
  boxwise::bind_evidence(m);
  boxwise::bind_contraction(m);
  boxwise::bind_agglomerative(m);
  boxwise::bind_readers(m);
  boxwise::bind_trials(m);
}
