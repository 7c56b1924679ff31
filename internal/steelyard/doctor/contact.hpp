// Did the robot touch something for a while? A push that begins and ends, sin² over a window, in the efforts of all joints, each
// with its own size, on top of what each joint's own columns explain:
//
//   gain = −½ Σ_j ln( 1 − explained_j / left_j )      explained_j of what joint j's columns leave over the run, left_j
//
// over windows of 5 to 25 % of a run. A contact is clear when its gain is above `gain` and above `stands_out` times the largest one
// of a window that does not overlap with it, itself taken out: friction and wrong geometry leave residuals everywhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/doctor/trial.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct ContactOptions {
  double gain = 0.4;
  double stands_out = 4;
};

struct Contact {
  std::size_t run = 0;
  double from = 0, to = 0;  // [s] from the run's beginning
  double gain = 0;
  double next = 0;   // the largest gain of another window
  int joint = 0;     // that feels it most
  double share = 0;  // its size there, over the joint's rms effort
  double size = 0;   // [N m, N]
};

// The best window of every run that is long enough.
std::vector<Contact> examine_contacts(const Trial& trial);

bool is_clear(const Contact& contact, const ContactOptions& options = {});
Finding contact_finding(const Contact& contact, const Robot& robot);

}  // namespace steelyard
