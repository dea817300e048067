// The precision in which memberships are compared: whole units of 1e-12.
//
// Two memberships that are equal on paper may differ in their last bits (0.84 and 0.8400000000000001 are both
// 21/25). Every membership is therefore rounded to the nearest unit, as reference/hyperbox.py does, so that
// equality stays exact and transitive, and the order of candidates a total one.
#pragma once

namespace boxwise {

constexpr double UNITS_PER_ONE = 1e12;

// For numbers from 0 to 2^51 units. Adding 2^52 leaves no room for a fraction: the processor rounds it away,
// halves to the even unit.
inline double in_units(double b) {
  constexpr double NO_FRACTION = 0x1p52;
  return ((b * UNITS_PER_ONE + NO_FRACTION) - NO_FRACTION) / UNITS_PER_ONE;
}

}  // namespace boxwise
