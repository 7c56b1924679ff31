// The study's section `excite`: which motion is wanted, within which limits (docs/excite.md).
#pragma once

#include <string>
#include <vector>

#include "steelyard/excite/motion.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct LimitOverride {
  std::string joint;  // name; empty: all joints
  Limits limits;      // infinite: as the robot file says
};

struct CapsuleSpec {
  std::string link;  // name of the link; "base"
  Capsule capsule;
};

struct ExciteSpec {
  ExciteOptions options;     // limits, capsules' links, prior, noise and information are filled in later
  double output_rate = 100;  // [Hz] of the files
  std::vector<LimitOverride> limits;
  std::vector<CapsuleSpec> capsules;
  double skeleton_radius = 0;            // [m]; > 0: a capsule along every link
  std::vector<double> friction_viscous;  // prior, for efforts: none, one for all, or one per joint
  std::vector<double> friction_coulomb;
  std::vector<std::string> folds;  // fold files of earlier runs
  std::vector<std::string> folds_as_written;
  std::vector<double> payloads;  // [kg] known loads at the tool that `next` tries, for the gains of drives
  Index configurations = 12;     // poses that `next` weighs against motions
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
