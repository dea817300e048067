// Binds EvidenceEngine to Python.
#pragma once

#include <nanobind/nanobind.h>

namespace boxwise::evidence {

void bind_engine(nanobind::module_& m);

}  // namespace boxwise::evidence
