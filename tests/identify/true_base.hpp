// The base parameters that a study's first simulated run was made with.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "steelyard/identify/run.hpp"
#include "steelyard/regressor/base.hpp"

namespace steelyard {

inline VectorXd true_base(const Study& study, const Robot& robot, const BaseParameters& base) {
  VectorXd truth = VectorXd::Zero(static_cast<Index>(base.columns.size()));
  truth.head(10 * robot.size()) = standard_parameters(robot);
  for (int j = 0; j < robot.size(); ++j) {
    const Friction& friction = study.runs[0].simulation->drives[static_cast<std::size_t>(j)].friction;
    for (const auto& [stem, value] :
         {std::pair{"fv", friction.viscous}, {"fc", friction.coulomb}, {"fo", friction.offset}}) {
      const auto column = std::find(base.columns.begin(), base.columns.end(), stem + std::to_string(j + 1));
      truth[column - base.columns.begin()] = value;
    }
  }
  return base.K * truth;
}

}  // namespace steelyard
