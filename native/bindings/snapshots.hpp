// Conversions between the snapshot of an engine's boxes and the arrays of a model file.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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

// The arrays and numbers of a snapshot, by name, as they come back from a model file: each once, in its
// type and dimensions, and no others.
class StateReader {
 public:
  explicit StateReader(const nb::kwargs& state) : state_(state) {}

  template <class T, int Dims>
  StateReader& read(const char* name, std::vector<T>& out) {
    const auto array = take<In<T, Dims>>(name);
    out.assign(array.data(), array.data() + array.size());
    return *this;
  }
  template <class T>
  StateReader& read(const char* name, T& out) {
    out = take<T>(name);
    return *this;
  }
  // Everything that all engines of the family keep.
  void read(Snapshot& all) {
    read<double, 2>("V", all.V).read<double, 2>("W", all.W);
    read<std::uint32_t, 1>("n", all.n).read<std::int32_t, 1>("label", all.label);
    read<std::uint64_t, 1>("id", all.id).read<std::uint64_t, 1>("first", all.first);
    read<Code, 1>("code", all.code).read<std::uint32_t, 1>("times", all.times);
    read("n_classes", all.n_classes).read("next_id", all.next_id);
  }
  void finish() const {
    if (taken_ != state_.size()) throw std::invalid_argument("the state has an array too many");
  }

 private:
  template <class T>
  T take(const char* name) {
    T value{};
    if (!state_.contains(name) || !nb::try_cast(state_[name], value))
      throw std::invalid_argument(std::string(name) + " is missing or has another form than expected");
    ++taken_;
    return value;
  }
  const nb::kwargs& state_;
  std::size_t taken_ = 0;
};

}  // namespace boxwise
