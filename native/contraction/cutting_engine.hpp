// The base of Onln-GFMM and its relatives: a box that has grown is cut apart from those of other classes,
// and of classes that tie the one with the nearest centre wins.
#pragma once

#include <optional>

#include "contraction/contraction.hpp"
#include "engine/engine.hpp"

namespace boxwise {

class CuttingEngine : public Engine {
 protected:
  using Engine::Engine;

  bool covers(const Group& g, Slot slot, const Sample& x) const;  // in all numeric features
  // Keep the better candidate: of higher degree, the older one of equals.
  void offer(std::optional<Candidate>& best, std::size_t group, Slot slot, double degree) const;
  // Take the sample; returns where the box is then: a label makes an unlabelled box one of its
  // class.
  Place take_and_find(Place place, const Sample& x);
  Bounds bounds(Place place) const;
  void set_bounds(Place place, const Bounds& bounds);
  void measure_epsilon();
  // The Manhattan distance of the centres, the ranges taken as 1.
  double from_centre(const Group& g, Slot slot, const Sample& x) const;

  // Working memory of learn, kept between samples.
  std::optional<Candidate> container_, best_;
  Bounds grown_;
  std::vector<double> epsilon_;  // what is left between two boxes, by feature
};

}  // namespace boxwise
