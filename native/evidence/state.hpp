// The state of a learner as named arrays, for model files; nothing that comes back is trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "learner.hpp"

namespace boxwise::evidence {

template <class T>
struct ArrayOf {
  std::vector<T> values;
  std::vector<std::size_t> shape;
};
using Array = std::variant<ArrayOf<double>, ArrayOf<std::uint64_t>, ArrayOf<std::int32_t>>;
using Arrays = std::map<std::string, Array>;

// The boxes of all experts in order of creation, as member, group and slot.
struct BoxPlace {
  std::size_t member, group, slot;
};
std::vector<BoxPlace> boxes_in_order(const Learner::State& state);

Arrays to_arrays(const Learner& learner);
// Throws std::invalid_argument if the arrays are not those of a learner with such columns.
Learner::State to_state(const Arrays& arrays, const Learner& learner, std::size_t n_classes,
                        std::uint64_t next_id);

}  // namespace boxwise::evidence
