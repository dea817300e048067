#include "contraction/cutting_engine.hpp"

#include <cmath>

#include "kernels/membership.hpp"

namespace boxwise {

using std::size_t;

namespace {
constexpr double FAR = 1000;  // distances of so many ranges are compared as they are
}  // namespace

bool CuttingEngine::covers(const Group& g, Slot slot, const Sample& x) const {
  for (const Probe& p : x.probes)
    if (!(g.V[p.j][slot] <= p.xl && p.xu <= g.W[p.j][slot])) return false;
  return true;
}

void CuttingEngine::offer(std::optional<Candidate>& best, size_t group, Slot slot,
                          double degree) const {
  const std::uint64_t id = groups_[group].id[slot];
  if (!best || degree > best->degree || (degree == best->degree && id < best->id))
    best = Candidate{degree, id, {group, slot}};
}

Engine::Place CuttingEngine::take_and_find(Place place, const Sample& x) {
  take(place, x, true);
  if (place.group > 0 || x.label < 0) return place;
  const size_t group = static_cast<size_t>(x.label) + 1;
  return {group, static_cast<Slot>(groups_[group].size() - 1)};
}

Bounds CuttingEngine::bounds(Place place) const {
  const Group& g = groups_[place.group];
  Bounds b;
  b.V.resize(n_);
  b.W.resize(n_);
  for (size_t j = 0; j < n_; ++j) {
    b.V[j] = g.V[j][place.slot];
    b.W[j] = g.W[j][place.slot];
  }
  return b;
}

void CuttingEngine::set_bounds(Place place, const Bounds& b) {
  Group& g = groups_[place.group];
  for (size_t j = 0; j < n_; ++j) {
    g.V[j][place.slot] = b.V[j];
    g.W[j][place.slot] = b.W[j];
  }
}

void CuttingEngine::measure_epsilon() {
  epsilon_.resize(n_);
  for (size_t j = 0; j < n_; ++j) epsilon_[j] = EPSILON * width(j);
}

double CuttingEngine::from_centre(const Group& g, Slot slot, const Sample& x) const {
  double total = 0;
  for (const Probe& p : x.probes) {
    const double v = g.V[p.j][slot], w = g.W[p.j][slot], whole = width(p.j);
    if (v <= w && whole > 0) total += std::abs((p.xl + p.xu) / 2 - (v + w) / 2) / whole;
  }
  return total < FAR ? in_units(total) : total;
}

}  // namespace boxwise
