// `reverse:` of a study: from tables or sources of g(q) and M(q) to a model.
//
//   open_tables → tilt → fits (gravity, inertia, both) → findings → torques of a log → feasible parameters
//   → errors on other sets, torques of the study's runs, payload
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "identify/summarize.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/reverse/examine.hpp"
#include "steelyard/reverse/payload.hpp"
#include "steelyard/reverse/tilt.hpp"
#include "steelyard/study/sections.hpp"

namespace steelyard::inline STEELYARD_ABI {

// All sets of configurations of a study.
struct ReverseTables {
  ReverseTable training;
  std::vector<ReverseTable> validation;
  std::optional<ReverseTable> loaded;
};
ReverseTables open_tables(const Study& study, const Robot& robot);

// Results of a study's tables.
struct ReverseState {
  ReverseTables tables;
  ReverseOptions options;
  std::optional<Tilt> tilt;
  std::optional<KinematicsCheck> kinematics;
  std::optional<GravityScale> gravity_scale;
  std::vector<ReverseFit> parts;  // gravity and inertia alone, when there are both
  ReverseFit fit;
  std::optional<ReverseFit> loaded;
  std::optional<PayloadChange> payload;
  std::vector<Finding> findings;
};

// Base parameters of torques with what the study knows of its tables.
BaseParameters base_of_torques(const ReverseOptions& options, const Robot& robot);

// Torques without friction as a third source: the coefficients of g and M, with their covariance, are a prior of
// the fit to the runs, whose columns are the set-up's. The fit of the tables alone becomes one of the parts.
void fit_torques(const Setup& setup, Runs& runs, const Folded& folded, ReverseState& reverse);

// Coefficients of the study's reference beside ours, and their errors on the training table.
struct ReferenceComparison {
  ReverseReference reference;
  std::optional<std::vector<ComponentError>> errors;  // none when it lacks a coefficient
};
ReferenceComparison compare_with_reference(const ReferenceSpec& spec, const ReverseState& reverse,
                                           const Robot& robot);

// Everything but the torques of runs.
Result summarize_reverse(const ReverseState& reverse, const Setup& setup,
                         const std::optional<FeasibleModel>& feasible);

// Mean-square and largest torque errors of the runs that were predicted.
void summarize_torques(const Setup& setup, const Folded& folded, const Estimate& estimate,
                       const Predicted& predicted, Result& result);

StudyOutcome run_reverse(const Study& study, const StudyOptions& options);

}  // namespace steelyard
