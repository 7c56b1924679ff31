// Feasible drives dissipate whatever the form of their friction, and are exported as they are.
#include <gmock/gmock.h>

#include "identify/feasible.hpp"
#include "identify/friction.hpp"
#include "steelyard/feasible/constraints.hpp"
#include "steelyard/identify/export_result.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace feasible_friction_test {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kTree = STEELYARD_SOURCE_DIR;

Study arm(const std::string& keys, const std::string& friction) {
  const std::string text =
      "robot: " + kTree +
      "/robots/two_r.yaml\n"
      "prepare: {filter: {order: 4, cutoff: 20}, columns: filtered, reject: {standstill: 0}}\n"
      "estimate: {method: wls, intervals: {method: classical, bias_check: false}}\nreport: false\n" +
      keys +
      "\nruns:\n  - label: one\n    simulate:\n      rate: 250\n      effort_noise: 0.1\n"
      "      motion: {multi_sine: {harmonics: 14, period: 20, center: [0, 0], reach: 1.5}}\n"
      "      friction: {" +
      friction + "}\n";
  return read_study_text(text, kTree + "/tests/study/made_up.yaml");
}

// Constraints that a point violates, of a robot whose first joint has a sigmoid and whose second has Stribeck friction and load.
class Shapes : public ::testing::Test {
 protected:
  Shapes() : columns_(read_robot(kTree + "/robots/two_r.yaml").robot, kNames) {
    setup_.robot = read_robot(kTree + "/robots/two_r.yaml").robot;
    FrictionModel sigmoid = friction_model(FrictionForm::sigmoid);
    sigmoid.slope = 10;
    FrictionModel loaded = friction_model(FrictionForm::stribeck);
    loaded.load = LoadFriction::directional;
    loaded.driving = 0.1, loaded.driven = 0.9;
    setup_.friction.joints = {{1, 0, 0, 1}, {2, 1, 1, 1}};
    setup_.friction.models = {sigmoid, loaded};
    x_ = VectorXd::Zero(columns_.size());
    x_.head(20) = standard_parameters(setup_.robot);
    set("fh1", 2), set("fs2", 1);
  }

  void set(const std::string& column, double value) { x_[columns_.column(column)] = value; }

  std::vector<std::string> violated() const {
    std::vector<std::string> out;
    for (const Constraint& constraint : make_constraints(setup_, FeasibleSpec(), columns_))
      if (evaluate(constraint, columns_, x_).margin() < 0) out.push_back(constraint.name);
    return out;
  }

  const std::vector<std::string> kNames = {"fv1", "fh1", "fh1.slope",    "fh1.shift",   "fp2",
                                           "fn2", "fs2", "fs2.velocity", "mu2.driving", "mu2.driven"};
  Quantities columns_;
  steelyard::Setup setup_;
  VectorXd x_;
};

TEST_F(Shapes, MayChangeWithinTheReachOfTheirTangents) {
  EXPECT_THAT(violated(), IsEmpty());
  set("fh1.slope", 1.3), set("fh1.shift", -0.19), set("fs2.velocity", -0.6);
  set("mu2.driving", -0.1), set("mu2.driven", 0.09);
  EXPECT_THAT(violated(), IsEmpty());
}

TEST_F(Shapes, HeightsAreNotNegative) {
  for (const char* column : {"fh1", "fs2", "fp2", "fn2"}) {
    const double before = x_[columns_.column(column)];
    set(column, -1e-3);
    EXPECT_THAT(violated(), Contains(std::string(column) + " is not negative"));
    set(column, before);
  }
}

TEST_F(Shapes, StayWithinTheirReach) {
  for (const auto& [column, value] : {std::pair{"fh1.slope", 1.41},
                                      {"fh1.slope", -1.41},
                                      {"fh1.shift", 0.21},
                                      {"fs2.velocity", 0.71},
                                      {"mu2.driving", -0.11},
                                      {"mu2.driven", 0.1}}) {
    set(column, value);
    EXPECT_THAT(violated(), ::testing::ElementsAre(HasSubstr(column))) << value;
    set(column, 0);
  }
}

// Efforts that push where the joint moves: no friction does that, and the feasible drives do not.
TEST(FeasibleFriction, OfForwardMotionAloneIsNotNegative) {
  const Result result = run_study(arm("drives: {friction: asymmetric}\nfeasible: {}",
                                      "coulomb_positive: 2, coulomb_negative: [1, -0.5]"))
                            .result;
  ASSERT_TRUE(result.feasible);
  const auto& fitted = result.drives.at(1).friction->parameters;
  const auto& feasible = result.feasible->drives.at(1).friction->parameters;
  EXPECT_LT(fitted.at("fn"), -0.4);
  EXPECT_GT(feasible.at("fn"), -1e-6);
}

// A bound below the true height moves the whole joint; links and friction are exported from the same point.
TEST(FeasibleFriction, IsExportedWithItsLinks) {
  const Study study =
      arm("drives: {friction: sigmoid}\nfeasible: {constraints: [{name: low, bound: fh1, at_most: 2}]}",
          "viscous: 0.4, offset: 0.2, sigmoid_height: [3, 1.5], sigmoid_slope: [8, 16], sigmoid_shift: "
          "[0.05, -0.03]");
  const Result result = result_from_json(to_json(run_study(study).result), "text");
  const ExportModel model = feasible_model(study_robot(study), result);
  const Friction& exported = model.parameters.drives.at(0).friction;
  EXPECT_NEAR(exported.sigmoid_height, 2, 1e-5);
  const auto& columns = result.feasible->columns;
  EXPECT_EQ(exported.sigmoid_height, columns.at("fh1"));
  EXPECT_EQ(exported.viscous, columns.at("fv1"));
  EXPECT_EQ(exported.offset, columns.at("fo1"));
  const double fitted =
      base_model(study_robot(study), result).parameters.drives.at(0).friction.sigmoid_height;
  EXPECT_NEAR(fitted, 3, 0.1);
}

}  // namespace feasible_friction_test
}  // namespace steelyard
