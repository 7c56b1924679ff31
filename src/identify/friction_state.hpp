// The friction of a study's joints: which forms, which shapes.
#pragma once

#include <string>
#include <vector>

#include "steelyard/estimate/friction_fit.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct StudyFriction {
  std::vector<FrictionJoint> joints;  // that have or ask for a form of their own
  std::vector<FrictionModel> models;  // one each; empty until they are fitted
  std::vector<std::string> reasons;   // why a form was taken; may be empty
  std::vector<FrictionStatus> statuses;
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
