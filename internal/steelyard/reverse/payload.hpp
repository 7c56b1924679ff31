// The load mounted between two tables of the same robot.
//
//   Δπ_b = K_t p,   K_t the columns of K that belong to the ten parameters of the tool's link
//
// p are the ten parameters of what was added, in that link's frame: it moves with the link, so that its
// parameters add to the link's. Least squares in the standard deviations of both fits; what the base does not
// distinguish (a load's Jxx from its Jyy, often) has `seen` = false. Base parameters that hold the link's
// mass and nothing else of it give the mass one by one (eqs. 31 and 32 of the published procedure).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/reverse/fit.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct MassFrom {
  std::string lead;
  double coefficient = 0;  // of the mass in the base parameter: d1, d2², …
  double mass = 0;
  double sigma = 0;
};

struct PayloadChange {
  std::string link;
  Vector10 parameters = Vector10::Zero();  // m, mx, my, mz, Jxx, …; those not seen are zero
  Vector10 sigma = Vector10::Zero();       // infinite where not seen
  std::array<bool, 10> seen{};
  std::vector<MassFrom> masses;
  double unexplained = 0;  // RMS of Δπ_b − K_t p in σ: about 1 when only the load has changed
};

// Both fits of one robot with equal bases, otherwise InputError. `link` −1: the tool's.
PayloadChange payload_change(const Robot& robot, const ReverseFit& without, const ReverseFit& with,
                             int link = -1);

}  // namespace steelyard
