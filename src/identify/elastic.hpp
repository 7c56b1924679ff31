// Step 4 of a study of joints with springs: the equations of motors, springs and links in place of the rigid rows.
//
// The base parameters of the study's robot are combinations of what these equations give: of the links, and of the
// motors' inertia and friction. Their values and covariance go into the fit; predictions, residuals and feasible
// links are then those of the right links, on rows that know no springs.
#pragma once

#include <optional>
#include <vector>

#include "identify/intervals.hpp"
#include "steelyard/elastic/elastic.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct ElasticJoints {
  ElasticModel model;
  ElasticFit fit;
  ElasticSummary summary;
  int passes = 0;
};
// None without `elastic:` in the study.
std::optional<ElasticJoints> identify_elastic_joints(const Setup& setup);

// Puts base parameters and drives into the fit of the rows; their intervals.
Uncertainty with_springs(const Setup& setup, const ElasticJoints& elastic, Fit& fit);

}  // namespace steelyard
