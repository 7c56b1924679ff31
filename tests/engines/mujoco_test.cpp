// A model that only MuJoCo reads is weighed from outside: its bodies and rotors come out of g(q) and M(q).
#include "steelyard/engines/mujoco.hpp"

#include <gmock/gmock.h>

#include "steelyard/core/error.hpp"
#include "steelyard/excite/configurations.hpp"
#include "steelyard/reverse/fit.hpp"
#include "steelyard/reverse/source.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace mujoco_test {

using ::testing::HasSubstr;

const std::string kData = std::string(STEELYARD_SOURCE_DIR) + "/tests/data/";
const std::string kModel = kData + "arm4.xml";

struct Body {
  double mass;
  Vector3 com;
  Vector3 moments;
  double armature;
};

// What arm4.xml says, copied by hand.
const Body kBodies[] = {{3.1, {0.01, -0.02, -0.11}, {0.031, 0.027, 0.012}, 0.41},
                        {2.3, {0.12, 0.01, 0.03}, {0.006, 0.019, 0.018}, 0.33},
                        {1.4, {0.02, -0.07, 0.01}, {0.009, 0.003, 0.008}, 0.12},
                        {0.6, {0.015, 0.005, 0.04}, {0.0012, 0.0011, 0.0007}, 0.05}};

double truth_of(const std::string& name) {
  const std::size_t digit = name.find_first_of("1234");
  const Body& body = kBodies[name[digit] - '1'];
  const std::string stem = name.substr(0, digit);
  const Vector3 c = body.com;
  // About the frame's origin: I + m (cᵀc 1 − c cᵀ).
  const Matrix3 J = Matrix3(body.moments.asDiagonal()) +
                    body.mass * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose());
  if (stem == "Ia") return body.armature;
  if (stem == "m") return body.mass;
  if (stem[0] == 'm') return body.mass * c[stem[1] - 'x'];
  return J(stem[1] - 'x', stem[2] - 'x');
}

void expect_weighed(const ReverseSource& source) {
  const Robot robot = read_robot(kData + "arm4.yaml").robot;
  ReverseOptions options;
  options.rotor_inertia = true;
  const ReverseTable table = ask(source, random_configurations(robot, 40, {}), "arm4");
  const ReverseFit fit = fit_table(robot, table, options);
  ASSERT_EQ(fit.estimate.status, EstimateStatus::solved);
  int rotors = 0;
  for (Index k = 0; k < fit.values.size(); ++k) {
    double truth = 0;
    for (const BaseTerm& term : fit.base.base[static_cast<std::size_t>(k)].terms) {
      truth += term.coefficient * truth_of(term.parameter);
      rotors += term.parameter.rfind("Ia", 0) == 0;
    }
    EXPECT_NEAR(fit.values[k], truth, 1e-8) << fit.base.base[static_cast<std::size_t>(k)].lead;
  }
  EXPECT_EQ(rotors, 4);  // each is part of what was found
}

TEST(MujocoSource, AModelIsWeighedThroughAProgramThatWeKnowNothingOf) {
  expect_weighed(program_source({MUJOCO_PROGRAM, kModel}));
}

TEST(MujocoSource, TheBuiltInAdapterGivesTheSame) {
  ASSERT_TRUE(has_mujoco());
  expect_weighed(child_source([] { return mujoco_source(kModel); }, "mujoco"));
}

TEST(MujocoSource, JointsAreTakenByName) {
  const ReverseSource all = mujoco_source(kModel);
  const ReverseSource turned = mujoco_source(kModel, {"elbow", "waist"});
  const ReverseAnswer a = all((VectorXd(4) << 0.3, 0, -0.7, 0).finished());
  const ReverseAnswer b = turned((VectorXd(2) << -0.7, 0.3).finished());
  EXPECT_EQ(a.gravity[2], b.gravity[0]);
  EXPECT_EQ(a.inertia(2, 0), b.inertia(0, 1));
  EXPECT_THROW(mujoco_source(kModel, {"knee"}), InputError);
}

TEST(MujocoSource, AModelThatMujocoRefusesIsRefused) {
  const ReverseSource source = child_source([] { return mujoco_source(kData + "arm4.yaml"); }, "mujoco");
  try {
    source(VectorXd::Zero(4));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("MuJoCo rejects the model"));
  }
}

}  // namespace mujoco_test
}  // namespace steelyard
