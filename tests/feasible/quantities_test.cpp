// Names and what they stand for, against the robot's own value types and difference quotients.
#include "steelyard/feasible/quantities.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/random_robot.hpp"

namespace steelyard {
namespace {

Robot some_robot(int joints = 3) {
  oracle::RandomRobotOptions options;
  options.joints = joints;
  return oracle::random_robot(5, options);
}

VectorXd some_parameters(const Robot& robot, Index further, std::uint64_t seed = 3) {
  oracle::Random random(seed);
  VectorXd x(Index{10} * robot.size() + further);
  for (int i = 0; i < robot.size(); ++i)
    x.segment<10>(Index{10} * i) = oracle::random_inertia(random).to_standard();
  for (Index k = 0; k < further; ++k) x[Index{10} * robot.size() + k] = random.uniform(-1, 1);
  return x;
}

TEST(Quantities, StandTheStandardColumnsFirst) {
  const Quantities quantities(some_robot(), {"fv1", "Jxx2", "Ia3"});
  ASSERT_EQ(quantities.size(), 32);
  EXPECT_EQ(quantities.columns()[0], "m1");
  EXPECT_EQ(quantities.columns()[29], "Jzz3");
  EXPECT_EQ(quantities.columns()[30], "fv1");
  EXPECT_EQ(quantities.columns()[31], "Ia3");
  EXPECT_EQ(quantities.column("Jxx2"), 14);
  EXPECT_EQ(quantities.column("cx2"), -1);
}

TEST(Quantities, KnowBothOrdersOfLetters) {
  const Quantities quantities(some_robot());
  EXPECT_EQ(quantities.find("c3x").name, "cx3");
  EXPECT_EQ(quantities.find("I2yz").name, "Iyz2");
  EXPECT_EQ(quantities.find("J2yz").name, "Jyz2");
  EXPECT_EQ(quantities.find("J2yz").column, quantities.column("Jyz2"));
}

TEST(Quantities, SuggestTheNearestName) {
  const Quantities quantities(some_robot());
  try {
    quantities.find("Ixz3q", "slim");
    FAIL() << "an unknown name was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'slim'"));
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean 'Ixz3'?"));
  }
  EXPECT_THROW(quantities.find("c4x"), InputError);
  EXPECT_THROW(Quantities(some_robot(), {"fv1", "fv1"}), InputError);
}

TEST(Quantities, AgreeWithTheInertiaType) {
  const Robot robot = some_robot();
  const Quantities quantities(robot, {"fv1"});
  const VectorXd x = some_parameters(robot, 1);
  for (int link = 0; link < 3; ++link) {
    const Inertia inertia = Inertia::from_standard(x.segment<10>(Index{10} * link));
    const std::string number = std::to_string(link + 1);
    const char* axes = "xyz";
    for (int a = 0; a < 3; ++a) {
      EXPECT_NEAR(quantities.value(quantities.find(std::string("c") + axes[a] + number), x), inertia.com()[a],
                  1e-15);
      for (int b = a; b < 3; ++b) {
        const std::string name = std::string("I") + axes[a] + axes[b] + number;
        EXPECT_NEAR(quantities.value(quantities.find(name), x), inertia.inertia_com()(a, b), 1e-14);
      }
    }
  }
}

TEST(Quantities, HaveTheGradientsOfTheirValues) {
  const Robot robot = some_robot();
  const Quantities quantities(robot, {"fv1"});
  const VectorXd x = some_parameters(robot, 1);
  for (const std::string& name : quantities.names()) {
    const Quantity quantity = quantities.find(name);
    const VectorXd gradient = quantities.gradient(quantity, x);
    for (Index k = 0; k < x.size(); ++k) {
      VectorXd up = x, down = x;
      up[k] += 1e-5, down[k] -= 1e-5;
      const double slope = (quantities.value(quantity, up) - quantities.value(quantity, down)) / 2e-5;
      EXPECT_NEAR(gradient[k], slope, 1e-7 * (1 + std::abs(slope)))
          << name << " by " << quantities.columns()[static_cast<std::size_t>(k)];
    }
  }
}

TEST(Quantities, AllAtOnceAreThoseOneByOne) {
  const Robot robot = some_robot();
  const Quantities quantities(robot, {"fv1"});
  const VectorXd x = some_parameters(robot, 1);
  const VectorXd values = quantities.values(x);
  ASSERT_EQ(values.size(), static_cast<Index>(quantities.names().size()));
  VectorXd weights(values.size()), sum = VectorXd::Zero(x.size());
  for (Index k = 0; k < values.size(); ++k) {
    const Quantity quantity = quantities.find(quantities.names()[static_cast<std::size_t>(k)]);
    EXPECT_EQ(values[k], quantities.value(quantity, x));
    weights[k] = 1.0 / static_cast<double>(k + 1);
    sum += weights[k] * quantities.gradient(quantity, x);
  }
  EXPECT_LE((quantities.pull_back(x, weights) - sum).norm(), 1e-13 * sum.norm());
}

TEST(Barycentric, ParametersGoThereAndBack) {
  const Robot robot = some_robot(4);
  const Quantities quantities(robot, {"fv1", "fc2"});
  const VectorXd x = some_parameters(robot, 2);
  const VectorXd p = to_barycentric(quantities, x);
  EXPECT_LE((from_barycentric(quantities, p) - x).cwiseAbs().maxCoeff(), 1e-14);
  const Inertia body = Inertia::from_standard(x.segment<10>(20));
  EXPECT_LE((p.segment<3>(21) - body.com()).norm(), 1e-15);
  EXPECT_EQ(p[40], x[40]);
}

TEST(Barycentric, JacobianIsThatOfTheMap) {
  const Robot robot = some_robot(1);
  const Quantities quantities(robot, {"fv1"});
  const VectorXd p = to_barycentric(quantities, some_parameters(robot, 1));
  const Matrix10 jacobian = barycentric_jacobian(p.head<10>());
  for (Index k = 0; k < 10; ++k) {
    VectorXd up = p, down = p;
    up[k] += 1e-5, down[k] -= 1e-5;
    const VectorXd slope = (from_barycentric(quantities, up) - from_barycentric(quantities, down)) / 2e-5;
    // The map is a polynomial of third degree: the quotient is off by h² times its third derivative.
    EXPECT_LE((slope.head<10>() - jacobian.col(k)).cwiseAbs().maxCoeff(), 1e-9);
  }
  VectorXd by_x = VectorXd::LinSpaced(11, -1, 2);
  const VectorXd by_p = gradient_by_barycentric(quantities, p, by_x);
  EXPECT_LE((by_p.head<10>() - jacobian.transpose() * by_x.head<10>()).norm(), 1e-14);
  EXPECT_EQ(by_p[10], by_x[10]);
}

}  // namespace
}  // namespace steelyard
