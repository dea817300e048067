#include "bindings/version.hpp"

#include "engine_version.hpp"  // written by the build

namespace boxwise {

const char* engine_version() { return BOXWISE_ENGINE_VERSION; }

}  // namespace boxwise
