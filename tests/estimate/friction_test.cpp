// The forms' columns: against the simulator's friction, and against finite differences.
#include "steelyard/estimate/friction.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "estimate/friction_cases.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

using namespace friction_tests;

FrictionModel model(FrictionForm form) {
  FrictionModel out = friction_model(form);
  out.slope = 7.3;
  out.shift = -0.04;
  out.velocity = 0.21;
  return out;
}

const double kVelocities[] = {-2.1, -0.3, -0.05, -1e-4, 0, 1e-5, 0.02, 0.11, 0.9, 3.3};

TEST(FrictionShape, IsTheSimulatorsFriction) {
  const Friction bell = stribeck(0, 1, 0.21), step = sigmoid(1, 7.3, -0.04);
  for (const double qd : kVelocities) {
    EXPECT_NEAR(friction_shape(model(FrictionForm::stribeck), qd).value, friction_effort(bell, qd), 1e-15);
    EXPECT_NEAR(friction_shape(model(FrictionForm::sigmoid), qd).value, friction_effort(step, qd), 1e-15);
  }
}

TEST(FrictionShape, HasTheDerivativesOfFiniteDifferences) {
  // Central differences err by h² / 6 times a third derivative of order one: 2e-11 for 1e-5, and rounding.
  const double h = 1e-5;
  const auto difference = [&](FrictionModel at, double qd, auto change) {
    FrictionModel up = at, down = at;
    change(up, h), change(down, -h);
    return (friction_shape(up, qd).value - friction_shape(down, qd).value) / (2 * h);
  };
  for (const double qd : kVelocities) {
    SCOPED_TRACE(qd);
    const ShapeValue s = friction_shape(model(FrictionForm::sigmoid), qd);
    const auto slope = [](FrictionModel& m, double by) { m.slope *= std::exp(by); };
    const auto shift = [](FrictionModel& m, double by) { m.shift += by; };
    const auto velocity = [](FrictionModel& m, double by) { m.velocity *= std::exp(by); };
    EXPECT_NEAR(s.by_first, difference(model(FrictionForm::sigmoid), qd, slope), 1e-9);
    EXPECT_NEAR(s.by_second, difference(model(FrictionForm::sigmoid), qd, shift), 1e-8);  // slope³ in it
    const ShapeValue b = friction_shape(model(FrictionForm::stribeck), qd);
    EXPECT_NEAR(b.by_first, difference(model(FrictionForm::stribeck), qd, velocity), 1e-9);
  }
}

TEST(FrictionColumns, HaveNamesRowsAndTangents) {
  const std::vector<FrictionJoint> joints = {{1, 0, 0, 2}, {2, 1, 1, 2}, {3, 2, 2, 2}, {4, 3, 3, 2}};
  const std::vector<FrictionModel> models = {model(FrictionForm::linear), model(FrictionForm::asymmetric),
                                             model(FrictionForm::sigmoid), model(FrictionForm::stribeck)};
  std::vector<std::string> names, plain;
  for (const ExtraColumns& extra : friction_columns(joints, models, true)) {
    for (const ExtraColumn& column : extra.columns) {
      names.push_back(column.name);
      EXPECT_EQ(column.row + 1, column.name[2] - '0') << column.name;
      if (!is_tangent(column.name)) plain.push_back(column.name);
    }
  }
  EXPECT_THAT(names,
              testing::ElementsAre("fp2", "fn2", "fh3", "fh3.slope", "fh3.shift", "fs4", "fs4.velocity"));
  std::vector<std::string> without;
  for (const ExtraColumns& extra : friction_columns(joints, models, false))
    for (const ExtraColumn& column : extra.columns) without.push_back(column.name);
  EXPECT_EQ(without, plain);
}

TEST(FrictionColumns, OfNonsenseAreRefused) {
  FrictionModel flat = model(FrictionForm::sigmoid);
  flat.slope = 0;
  EXPECT_THROW(flat.validate(), InputError);
  FrictionModel narrow = model(FrictionForm::stribeck);
  narrow.velocity = -1;
  EXPECT_THROW(friction_columns({{1, 0, 0, 2}}, {narrow}, true), InputError);
}

}  // namespace
}  // namespace steelyard
