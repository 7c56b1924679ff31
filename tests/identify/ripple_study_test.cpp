// Ripple: found over the position, given by order, in every use of a model, or refused by name.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "steelyard/core/error.hpp"
#include "steelyard/identify/check.hpp"
#include "steelyard/identify/export_result.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard {
namespace ripple_study_test {

using testing::HasSubstr;

const std::string kTree = STEELYARD_SOURCE_DIR;

std::string ripple_run(const std::string& role, int seed, const std::string& friction,
                       const std::string& effort) {
  const std::string number = std::to_string(seed);
  return "  - label: run " + number + "\n    role: " + role +
         "\n    simulate:\n      rate: 250\n      effort: " + effort +
         "\n      effort_noise: 0.1\n      seed: " + number +
         "\n      motion: {multi_sine: {harmonics: 14, period: 40, center: [0, 0], reach: 1.5, seed: " +
         number + "}}\n      friction: {" + friction + "}\n";
}

// Joint 1 has a ripple of its friction, joint 2 one of its own.
const std::string kRipples =
    "viscous: 0.4, coulomb: 1, dry_ripple: [0.5, 0], ripple: [0, 0.4], ripple_order: [10, 7], ripple_phase: "
    "[0.3, -1]";
const std::string kNone = "viscous: 0.4, coulomb: 1";

Study ripple_study(const std::string& drives, const std::string& friction, const std::string& more = "",
                   const std::string& effort = "torque") {
  return read_study_text("robot: " + kTree + "/robots/two_r.yaml\ndrives: {friction: [viscous, coulomb]" +
                             drives + "}\n" + more + "runs:\n" + ripple_run("fit", 1, friction, effort) +
                             ripple_run("validate", 2, friction, effort) +
                             "prepare: {filter: {order: 4, cutoff: 20}, columns: filtered}\n"
                             "estimate: {method: wls, intervals: {method: classical, bias_check: false}}\n"
                             "validate: {cross: {blocks: 8, by: index}}\nreport: false\n",
                         kTree + "/tests/study/made_up.yaml");
}

// Amplitude of an order's pair in a result; 0 where it has none.
double amplitude(const Result& result, const std::string& stem) {
  double squares = 0;
  for (const BaseValue& value : result.base)
    if (value.name == stem + "sin" || value.name == stem + "cos") squares += value.value * value.value;
  return std::sqrt(squares);
}

std::vector<std::string> ripples(const Result& result) {
  std::vector<std::string> names;
  for (const BaseValue& value : result.base)
    if (value.name.starts_with("ripple")) names.push_back(value.name);
  return names;
}

TEST(RippleStudy, OrdersAreFoundWhereTheyAre) {
  const Result without = run_study(ripple_study("", kRipples)).result;
  const Result with = run_study(ripple_study(", ripple: auto", kRipples)).result;
  EXPECT_THAT(ripples(with), testing::UnorderedElementsAre("ripple1.10.dry_sin", "ripple1.10.dry_cos",
                                                           "ripple2.7.sin", "ripple2.7.cos"));
  EXPECT_NEAR(amplitude(with, "ripple1.10.dry_"), 0.5, 0.02);
  EXPECT_NEAR(amplitude(with, "ripple2.7."), 0.4, 0.02);
  EXPECT_LT(with.cross_validation->residual.prepared, 0.3 * without.cross_validation->residual.prepared);
  EXPECT_LT(with.validation.back().residual.prepared, 0.3 * without.validation.back().residual.prepared);
}

TEST(RippleStudy, NoneIsFoundWhereThereIsNone) {
  EXPECT_TRUE(ripples(run_study(ripple_study(", ripple: auto", kNone)).result).empty());
}

TEST(RippleStudy, OrdersMayBeGivenAndJointsMayDiffer) {
  const Result result =
      run_study(ripple_study(", ripple: [10], joints: {joint2: {ripple: [7]}}", kRipples)).result;
  EXPECT_EQ(ripples(result).size(), 8U);
  EXPECT_NEAR(amplitude(result, "ripple1.10.dry_"), 0.5, 0.02);
  EXPECT_NEAR(amplitude(result, "ripple2.7."), 0.4, 0.02);
  EXPECT_NEAR(amplitude(result, "ripple2.7.dry_"), 0, 0.02);
}

// A model's names are enough to use it again.
TEST(RippleStudy, ModelsPredictAndAreExportedWithTheirOrders) {
  const Study study = ripple_study(", ripple: auto", kRipples);
  const Result found = run_study(study).result;
  const Result model = result_from_json(to_json(found), "result.json");
  const Result again = validate_study(study, model).result;
  EXPECT_NEAR(again.validation.back().residual.prepared, found.validation.back().residual.prepared, 1e-9);
  ExportRequest request;
  request.format = ExportFormat::c;
  request.name = "arm";
  const Robot robot = study_robot(study);
  const ExportOutcome code = export_result(robot, model, request, study.drive_spec);
  const auto source = std::find_if(code.files.begin(), code.files.end(),
                                   [](const ExportedFile& file) { return file.name == "arm.c"; });
  ASSERT_NE(source, code.files.end());
  EXPECT_THAT(source->text, HasSubstr("sin("));
}

std::string refusal(const std::string& drives, const std::string& more,
                    const std::string& effort = "torque") {
  try {
    run_study(ripple_study(drives, kRipples, more, effort));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RippleStudy, WhatCannotBeDoneIsRefused) {
  EXPECT_THAT(refusal(", ripple: sometimes", ""), HasSubstr("ripple"));
  EXPECT_THAT(refusal(", ripple: [-1]", ""), HasSubstr("ripple"));
  EXPECT_THAT(refusal(", ripple: auto", "gains: {}\n", "current"), HasSubstr("gains that are unknown"));
}

}  // namespace ripple_study_test
}  // namespace steelyard
