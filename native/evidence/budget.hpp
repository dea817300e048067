// The budget of boxes: which of them makes room for a new one.
#pragma once

#include <cstddef>

#include "expert.hpp"

namespace boxwise::evidence {

// Removes the box with the least weight, faded with age, of a class that can spare one: every class
// keeps half of an even share of the boxes, however rare it is. Returns whether there was one.
bool evict(Expert& expert, bool unlabelled_only = false);
// Keeps so many boxes: of each class half of an even share, the heaviest, and of the others the
// heaviest of all.
void reduce(Expert& expert, std::size_t boxes);

// Unites boxes of a class that are alike, the heaviest first, while there are more than `most`, and
// gives up the lightest beyond that (0: no limit), fairly to rare classes.
void merge_alike(Expert& expert, const std::vector<double>& values_known, std::size_t most);

}  // namespace boxwise::evidence
