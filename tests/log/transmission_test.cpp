#include "steelyard/log/transmission.hpp"

#include <gtest/gtest.h>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/log/source.hpp"

namespace steelyard {
namespace {

// A run on the joint side and the same run as the motors see it.
struct TwoSides {
  Transmission transmission;
  MatrixXd q, qd, tau;  // [sample, joint]
  Run motors;
};

TwoSides random_sides(std::uint64_t seed, Index joints, Index samples) {
  Random random(seed, "transmission");
  TwoSides sides;
  const auto fill = [&](Index rows, Index columns) {
    MatrixXd m(rows, columns);
    for (double& value : m.reshaped()) value = random.normal();
    return m;
  };
  // Gear ratios on the diagonal and one coupling: as wrists are built.
  sides.transmission.matrix = MatrixXd::Zero(joints, joints);
  for (Index j = 0; j < joints; ++j)
    sides.transmission.matrix(j, j) = random.uniform(20, 50) * (j % 2 ? -1 : 1);
  sides.transmission.matrix(joints - 1, joints - 2) = 32;
  sides.transmission.zero = fill(joints, 1);
  sides.q = fill(samples, joints);
  sides.qd = fill(samples, joints);
  const MatrixXd motor_torque = fill(samples, joints);
  const MatrixXd& n = sides.transmission.matrix;
  sides.tau = motor_torque * n;  // rows: τᵀ = τ_mᵀ N
  sides.motors.samples = SampleBlock({"motor_position", "motor_velocity", "motor_torque"}, joints, samples);
  const MatrixXd motor_q = (sides.q.rowwise() - sides.transmission.zero.transpose()) * n.transpose();
  const MatrixXd motor_qd = sides.qd * n.transpose();
  for (Index s = 0; s < samples; ++s) {
    sides.motors.samples.time()[s] = static_cast<double>(s);
    for (Index j = 0; j < joints; ++j) {
      sides.motors.samples.row(0, j)[s] = motor_q(s, j);
      sides.motors.samples.row(1, j)[s] = motor_qd(s, j);
      sides.motors.samples.row(2, j)[s] = motor_torque(s, j);
    }
  }
  return sides;
}

TEST(Transmission, BringsMotorChannelsBackToTheJoints) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    TwoSides sides = random_sides(seed, 6, 50);
    SampleBlock block = sides.motors.samples;
    to_joint_side(sides.transmission, block);
    EXPECT_EQ(block.channels(), (std::vector<std::string>{"position", "velocity", "torque"}));
    for (Index j = 0; j < 6; ++j) {
      for (Index s = 0; s < 50; ++s) {
        // A few products of numbers around 100: 1e-13 absolute after division by the ratio, 1e-12 for
        // torques.
        EXPECT_NEAR(block.row(0, j)[s], sides.q(s, j), 1e-13);
        EXPECT_NEAR(block.row(1, j)[s], sides.qd(s, j), 1e-13);
        EXPECT_NEAR(block.row(2, j)[s], sides.tau(s, j), 1e-12);
      }
    }
  }
}

TEST(Transmission, PowerIsTheSameOnBothSides) {
  TwoSides sides = random_sides(7, 6, 20);
  SampleBlock block = sides.motors.samples;
  to_joint_side(sides.transmission, block);
  for (Index s = 0; s < 20; ++s) {
    double motor = 0, joint = 0;
    for (Index j = 0; j < 6; ++j) {
      motor += sides.motors.samples.row(1, j)[s] * sides.motors.samples.row(2, j)[s];
      joint += block.row(1, j)[s] * block.row(2, j)[s];
    }
    EXPECT_NEAR(motor, joint, 1e-11);
  }
}

TEST(Transmission, StreamsTheSameBytesInBlocksOfAnySize) {
  TwoSides sides = random_sides(3, 5, 1000);
  SampleBlock whole = sides.motors.samples;
  to_joint_side(sides.transmission, whole);
  const auto source = on_joint_side(view_run(sides.motors), sides.transmission);
  EXPECT_EQ(source->channels()[0], "position");
  for (const Index size : {1, 3, 17, 1000}) {
    source->rewind();
    SampleBlock all(source->channels(), 5), block;
    for (source->read(size, block); block.size() > 0; source->read(size, block))
      all.append(block, 0, block.size());
    all.pack();
    ASSERT_EQ(all.size(), 1000);
    EXPECT_EQ(std::vector<double>(all.data(), all.data() + 15000),
              std::vector<double>(whole.data(), whole.data() + 15000));
  }
}

TEST(Transmission, LeavesOtherChannelsAlone) {
  SampleBlock block({"position", "motor_position", "motor_temperature", "current"}, 2, 3);
  const SampleBlock before = block;
  to_joint_side({}, block);
  EXPECT_EQ(block.channels(), before.channels());
}

TEST(Transmission, RefusesMissingWrongAndSingularMatrices) {
  SampleBlock block({"motor_position"}, 2, 3);
  EXPECT_THROW(to_joint_side({}, block), InputError);
  EXPECT_THROW(to_joint_side({MatrixXd::Identity(3, 3), VectorXd::Zero(3)}, block), InputError);
  EXPECT_THROW(to_joint_side({MatrixXd::Ones(2, 2), VectorXd::Zero(2)}, block), InputError);
}

}  // namespace
}  // namespace steelyard
