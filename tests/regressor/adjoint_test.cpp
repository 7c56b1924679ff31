// Gradients of weighted regressor entries against central differences.
#include "steelyard/regressor/adjoint.hpp"

#include "regressor_cases.hpp"

namespace steelyard {
namespace {

constexpr double kWidth = 0.3;

struct Point {
  VectorXd q, qd, qdd;
};

// Σ weights · tile, with softened signs.
double weighted(const Plan& plan, const RegressorAdjoint& adjoint, const VectorXd& weights, const Point& x) {
  MatrixXd tile(8, plan.stored_columns);
  const Samples samples{x.q.data(), x.qd.data(), x.qdd.data(), 1, 1};
  evaluate(plan, samples, tile.data(), 8);
  adjoint.soften_signs(samples, tile.data(), 8);
  return tile.row(0).dot(weights.transpose());
}

void compare_with_differences(const Robot& robot, std::uint64_t seed) {
  const Plan plan = make_plan(robot);
  const RegressorAdjoint adjoint(robot, plan, VectorXd::Constant(robot.size(), kWidth));
  oracle::Random random(seed);
  const oracle::State state = oracle::random_state(random, plan.joints);
  Point x{state.q, state.qd, state.qdd};
  const VectorXd weights = random.joint_vector(plan.stored_columns, 1);
  const Index n = plan.joints;
  VectorXd gradient(3 * n);
  adjoint.gradient({x.q.data(), x.qd.data(), x.qdd.data(), 1, 1}, weights.data(), 1,
                   {gradient.data(), gradient.data() + n, gradient.data() + 2 * n, 1});
  const double size = gradient.cwiseAbs().maxCoeff() + 1;
  VectorXd* parts[3] = {&x.q, &x.qd, &x.qdd};
  for (int part = 0; part < 3; ++part)
    for (Index j = 0; j < n; ++j) {
      // Five points: the error is h⁴ of the fifth derivative, and rounding ε/h.
      constexpr double h = 1e-3;
      const double value = (*parts[part])[j];
      const auto at = [&](double shift) {
        (*parts[part])[j] = value + shift;
        const double f = weighted(plan, adjoint, weights, x);
        (*parts[part])[j] = value;
        return f;
      };
      const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      EXPECT_NEAR(gradient[part * n + j], slope, 1e-9 * size)
          << robot.name << " part " << part << " joint " << j;
    }
}

TEST(RegressorAdjoint, IsTheDerivativeOnRobotsOfAllKinds) {
  std::uint64_t seed = 1;
  for (Robot& robot : robots_of_all_kinds()) {
    for (Joint& joint : robot.joints) joint.drive = {true, true, true, true};
    compare_with_differences(robot, seed++);
  }
}

TEST(RegressorAdjoint, FollowsMimicJointsAndCoupledWrists) {
  oracle::RandomRobotOptions options;
  options.joints = 6;
  Robot robot = oracle::random_robot(77, options);
  for (Joint& joint : robot.joints) joint.drive = {true, true, true, true};
  robot.mimics.push_back({3, 1, -0.7, 0.2});
  robot.mimics.push_back({5, 1, 1.3, 0});
  compare_with_differences(robot, 5);
  Robot wrist = oracle::random_robot(78, options);
  for (Joint& joint : wrist.joints) joint.drive = {true, true, true, true};
  wrist.pairs.push_back({4, 5});
  compare_with_differences(wrist, 6);
}

TEST(RegressorAdjoint, TreatsEverySampleOnItsOwn) {
  const Robot robot = oracle::random_robot(3);
  const Plan plan = make_plan(robot);
  const RegressorAdjoint adjoint(robot, plan);
  const Index n = plan.joints, count = 5;
  oracle::Random random(9);
  const VectorXd q = random.joint_vector(static_cast<int>(n * count), 2), qd = q.reverse(), qdd = 2 * q;
  const VectorXd weights = random.joint_vector(static_cast<int>(plan.stored_columns * count), 1);
  VectorXd all(3 * n * count), one(3 * n);
  adjoint.gradient({q.data(), qd.data(), qdd.data(), count, count}, weights.data(), count,
                   {all.data(), all.data() + n * count, all.data() + 2 * n * count, count});
  for (Index s = 0; s < count; ++s) {
    adjoint.gradient({q.data() + s, qd.data() + s, qdd.data() + s, count, 1}, weights.data() + s, count,
                     {one.data(), one.data() + n, one.data() + 2 * n, 1});
    for (Index k = 0; k < 3 * n; ++k) EXPECT_EQ(one[k], all[k * count + s]);
  }
}

}  // namespace
}  // namespace steelyard
