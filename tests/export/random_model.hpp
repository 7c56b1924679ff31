// Models with inertias and drives at random.
#pragma once

#include "oracle/random_robot.hpp"
#include "steelyard/export/model.hpp"

namespace steelyard::oracle {

// Every link a body that can exist; drives without friction or rotors.
inline ExportModel random_model(const Robot& robot, Random& random) {
  ExportModel model{robot, {}};
  model.parameters.standard.resize(10 * robot.size());
  for (int j = 0; j < robot.size(); ++j)
    model.parameters.standard.segment<10>(10 * j) = random_inertia(random).to_standard();
  model.parameters.drives.resize(robot.joints.size());
  return model;
}

}  // namespace steelyard::oracle
