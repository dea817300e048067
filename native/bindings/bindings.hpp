// The parts of the module `_native`, each bound by a file of its own. Bases go before what derives
// from them.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/gil.hpp"

namespace boxwise {

void bind_engines(nanobind::module_& m);
void bind_eiol(nanobind::module_& m);
void bind_evidence(nanobind::module_& m);
void bind_contraction(nanobind::module_& m);
void bind_agglomerative(nanobind::module_& m);
void bind_readers(nanobind::module_& m);
void bind_trials(nanobind::module_& m);

// Throws KeyboardInterrupt if Ctrl-C was pressed while the engine, without the GIL, is at work.
inline void look_after_signals() {
  GilHeld held;
  if (call_python(PyErr_CheckSignals) != 0) throw nanobind::python_error();
}

}  // namespace boxwise
