// MJCF through MuJoCo's own reader.
#include "steelyard/export/formats.hpp"

#include <gtest/gtest.h>

#include "export/random_model.hpp"
#include "oracle/engine.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

ExportModel mjcf_model(std::uint64_t seed, bool branches) {
  oracle::RandomRobotOptions robot_options;
  robot_options.branches = branches;
  oracle::Random random(seed);
  ExportModel model = oracle::random_model(oracle::random_robot(seed, robot_options), random);
  model.robot.name = "<\"a & b\">";
  for (Drive& drive : model.parameters.drives) {
    drive.rotor_inertia = random.uniform(0.01, 1);
    drive.friction.viscous = random.uniform(0.01, 1);
  }
  return model;
}

// The engine's joints stand in the order in which its reader met them.
VectorXd effort_of(oracle::Engine& engine, const Robot& robot, const ExportState& state) {
  const auto names = engine.joint_names();
  const auto n = static_cast<Index>(names.size());
  VectorXd q(n), qd(n), qdd(n), tau(n);
  std::vector<Index> ours;
  for (const std::string& name : names) ours.push_back(robot.index_of(name));
  for (Index k = 0; k < n; ++k) {
    const Index j = ours[static_cast<std::size_t>(k)];
    q[k] = state.q[j], qd[k] = state.qd[j], qdd[k] = state.qdd[j];
  }
  const VectorXd answer = engine.ask(q, qd, qdd).tau;
  for (Index k = 0; k < n; ++k) tau[ours[static_cast<std::size_t>(k)]] = answer[k];
  return tau;
}

TEST(MjcfExport, GivesMujocoTheSameEffortsWithRotorsAndDamping) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const ExportModel model = mjcf_model(seed, seed % 2 == 0);
    const auto engine = oracle::make_mujoco_from_mjcf(to_mjcf(model).text);
    for (const ExportState& state : export_states(model.robot, 5)) {
      const VectorXd wanted = model_effort(model, state.q, state.qd, state.qdd);
      EXPECT_LT((effort_of(*engine, model.robot, state) - wanted).norm(), 1e-12 * wanted.norm()) << seed;
    }
  }
}

// What gears take of their load is missing there, and no more than is said.
TEST(MjcfExport, LosesTheLoadFrictionThatItNames) {
  ExportModel model = mjcf_model(5, false);
  for (Drive& drive : model.parameters.drives)
    drive.friction.load_driving = 0.2, drive.friction.load_driven = 0.1;
  const ExportedText text = to_mjcf(model);
  const auto engine = oracle::make_mujoco_from_mjcf(text.text);
  VectorXd largest = VectorXd::Zero(model.robot.dof()), said = largest;
  ExportModel unloaded = model;
  for (Drive& drive : unloaded.parameters.drives)
    drive.friction.load_driving = drive.friction.load_driven = 0;
  for (const ExportState& state : export_states(model.robot, 200)) {
    const VectorXd found = effort_of(*engine, model.robot, state),
                   kept = model_effort(unloaded, state.q, state.qd, state.qdd);
    EXPECT_LT((found - kept).norm(), 1e-12 * kept.norm());
    largest = largest.cwiseMax((found - model_effort(model, state.q, state.qd, state.qdd)).cwiseAbs());
  }
  for (const NotCarried& item : text.not_carried) {
    EXPECT_EQ(item.what, "load friction");
    said[model.robot.index_of(item.joint)] = item.effort;
  }
  for (Index j = 0; j < said.size(); ++j) EXPECT_NEAR(said[j], largest[j], 1e-9 * largest[j]) << j;
}

TEST(MjcfExport, SaysWhatMjcfHasNoWordFor) {
  ExportModel model = mjcf_model(3, false);
  EXPECT_TRUE(to_mjcf(model).not_carried.empty());
  model.parameters.drives[2].friction.sigmoid_height = 0.7;
  const auto missing = to_mjcf(model).not_carried;
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].joint, model.robot.joints[2].name);
  EXPECT_EQ(missing[0].what, "sigmoid friction");
  EXPECT_GT(missing[0].effort, 0);
}

TEST(MjcfExport, RefusesBodiesThatCannotExist) {
  ExportModel model = mjcf_model(3, false);
  model.parameters.standard.segment<10>(10).setZero();
  EXPECT_THROW(to_mjcf(model), InputError);
  model = mjcf_model(3, false);
  model.parameters.standard[9] *= 100;
  EXPECT_THROW(to_mjcf(model), InputError);
}

}  // namespace
}  // namespace steelyard
