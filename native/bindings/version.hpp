// The engine's own version: a digest of its sources, which changes with them, not with the release.
#pragma once

namespace boxwise {

const char* engine_version();

}  // namespace boxwise
