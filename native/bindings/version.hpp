// The engine's own version: a digest of its sources, which changes with them whatever the release is called.
#pragma once

namespace boxwise {

const char* engine_version();

}  // namespace boxwise
