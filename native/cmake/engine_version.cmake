# Writes a header with a digest of the engine's sources:
#   cmake -DSOURCES=a.cpp|b.hpp -DOUTPUT=engine_version.hpp -P engine_version.cmake
string(REPLACE "|" ";" sources "${SOURCES}")
set(digests "")
foreach(source IN LISTS sources)
  get_filename_component(name "${source}" NAME)
  file(SHA256 "${source}" digest)
  list(APPEND digests "${name} ${digest}")
endforeach()
list(SORT digests)  # wherever the sources lie
string(SHA256 all "${digests}")
string(SUBSTRING "${all}" 0 16 short)
file(WRITE "${OUTPUT}" "#define BOXWISE_ENGINE_VERSION \"${short}\"\n")
