// SPDX-License-Identifier: Apache-2.0
//
// Sine, cosine and the angle of a direction, with the same bits on every machine: the C library's
// change their last bits with the processor's features. Range reduction in double-double (W. J.
// Cody and W. Waite, "Software Manual for the Elementary Functions", 1980), then the Taylor
// polynomials.

#pragma once

namespace clearance {

struct SinCos {
  double sin = 0;
  double cos = 1;
};

// Absolute error of each below 2u. Requires: |angle_rad| <= 1e5.
SinCos ComputeSinCos(double angle_rad);

// The angle in [0, pi] whose cosine and sine have the ratio of `cos` and `sin`, radians; absolute
// error below 4u. Requires: sin >= 0, not both 0.
double AngleOf(double sin, double cos);

}  // namespace clearance
