// Conversions between the snapshot of an engine's boxes and the arrays of a model file.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "bindings/numpy_arrays.hpp"
#include "engine/engine.hpp"

namespace boxwise {

namespace nb = nanobind;

inline nb::dict to_dict(Snapshot&& all) {
  const std::size_t boxes = all.n.size(), n = all.ranges.size();
  const std::size_t sets = all.first.size(), entries = all.code.size();
  nb::dict result;
  result["V"] = to_numpy(std::move(all.V), {boxes, n});
  result["W"] = to_numpy(std::move(all.W), {boxes, n});
  result["n"] = to_numpy(std::move(all.n), {boxes});
  result["label"] = to_numpy(std::move(all.label), {boxes});
  result["id"] = to_numpy(std::move(all.id), {boxes});
  result["first"] = to_numpy(std::move(all.first), {sets});
  result["code"] = to_numpy(std::move(all.code), {entries});
  result["times"] = to_numpy(std::move(all.times), {entries});
  add_ranges(all.ranges, result);
  result["n_classes"] = all.n_classes;
  result["next_id"] = all.next_id;
  return result;
}

template <class S = Snapshot>
S to_snapshot(const In<double, 2>& V, const In<double, 2>& W,
                     const In<std::uint32_t, 1>& n, const In<std::int32_t, 1>& label,
                     const In<std::uint64_t, 1>& id, const In<std::uint64_t, 1>& first,
                     const In<Code, 1>& code, const In<std::uint32_t, 1>& times,
                     std::size_t n_classes, std::uint64_t next_id) {
  S all;
  all.V.assign(V.data(), V.data() + V.size());
  all.W.assign(W.data(), W.data() + W.size());
  all.n = to_vector(n);
  all.label = to_vector(label);
  all.id = to_vector(id);
  all.first = to_vector(first);
  all.code = to_vector(code);
  all.times = to_vector(times);
  all.n_classes = n_classes;
  all.next_id = next_id;
  return all;
}

}  // namespace boxwise
