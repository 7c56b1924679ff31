// Tables with another meaning than assumed are reported, with the right one.
#include "steelyard/reverse/examine.hpp"

#include <gmock/gmock.h>

#include <Eigen/Geometry>
#include <numbers>

#include "reverse/cases.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

struct ReportedFinding {
  std::string code, joint, evidence;
};

ReportedFinding reported(const Robot& robot, const ReverseTable& table, const ReverseOptions& options = {}) {
  const std::vector<Finding> findings = examine(robot, table, fit_table(robot, table, options), options);
  if (findings.empty()) return {};
  return {findings[0].code, findings[0].joint, findings[0].evidence};
}

ReverseTable good_table(const Robot& robot, std::uint64_t seed = 11) {
  return table_of(robot, source_of(robot, random_bodies(robot, seed)), 80, 1);
}

TEST(ReverseExamine, AGoodTableGivesNoFinding) {
  for (const char* name : {"lwr4", "panda"})
    EXPECT_EQ(reported(named(name), good_table(named(name))).code, "");
}

TEST(ReverseExamine, DegreesAreTold) {
  const Robot robot = named("panda");
  ReverseTable table = good_table(robot);
  table.q *= 180 / std::numbers::pi;
  EXPECT_EQ(reported(robot, table).code, "position-unit");
  EXPECT_THAT(reported(robot, table).evidence, HasSubstr("degrees"));
}

TEST(ReverseExamine, ExchangedJointsAreTold) {
  const Robot robot = named("lwr4");
  const ReverseTable good = good_table(robot);
  ReverseTable positions = good;
  positions.q.col(3).swap(positions.q.col(4));
  EXPECT_EQ(reported(robot, positions).code, "position-order");
  EXPECT_THAT(reported(robot, positions).evidence, HasSubstr("joints 4 and 5 swapped in the positions"));
  // Everything in reverse order, as some controllers count from the tool.
  ReverseTable reversed = good;
  const Index n = good.joints();
  for (Index i = 0; i < n; ++i) {
    reversed.q.col(i) = good.q.col(n - 1 - i);
    reversed.gravity.col(i) = good.gravity.col(n - 1 - i);
    for (Index j = 0; j <= i; ++j)
      reversed.inertia.col(triangle_index(i, j)) = good.inertia.col(triangle_index(n - 1 - j, n - 1 - i));
  }
  EXPECT_EQ(reported(robot, reversed).code, "joint-order");
  EXPECT_THAT(reported(robot, reversed).evidence, HasSubstr("reverse order"));
}

TEST(ReverseExamine, ATriangleReadTheOtherWayIsTold) {
  const Robot robot = named("panda");
  const ReverseTable good = good_table(robot);
  ReverseTable table = good;
  Index next = 0;
  for (Index j = 0; j < 7; ++j)
    for (Index i = j; i < 7; ++i) table.inertia.col(next++) = good.inertia.col(triangle_index(i, j));
  EXPECT_EQ(reported(robot, table).code, "triangle-order");
}

TEST(ReverseExamine, RotorsInTheMatrixAreTold) {
  const Robot robot = named("panda");
  const ReverseTable table =
      table_of(robot, source_of(robot, random_bodies(robot, 8), VectorXd::LinSpaced(7, 0.5, 0.1)), 60, 1);
  EXPECT_EQ(reported(robot, table).code, "rotor-inertia-in-matrix");
}

TEST(ReverseExamine, NonsenseIsNotExplained) {
  const Robot robot = named("panda");
  ReverseTable table = good_table(robot);
  Random random(1, "nonsense");
  for (double& entry : table.gravity.reshaped()) entry = 10 * random.normal();
  EXPECT_EQ(reported(robot, table).code, "table-not-explained");
}

TEST(ReverseExamine, TooFewConfigurationsAreToldWithTheNumberThatWouldDo) {
  const Robot robot = named("lwr4");
  const ReverseTable table = part_of(good_table(robot), 0, 1);
  const ReportedFinding words = reported(robot, table);
  EXPECT_EQ(words.code, "too-few-configurations");
  EXPECT_THAT(words.evidence, HasSubstr("1 configurations identify"));
  EXPECT_THAT(words.evidence, HasSubstr("of 43 base parameters; 3 well chosen"));
}

TEST(ReverseExamine, GravityOfOtherBodiesIsToldWithTheFactor) {
  const Robot robot = named("panda");
  const ReverseTable good = good_table(robot);
  EXPECT_TRUE(examine(*compare_gravity(robot, good)).empty());
  ReverseTable table = good;
  table.gravity *= 9.80665 / 9.81;
  const GravityScale standard = *compare_gravity(robot, table);
  EXPECT_NEAR(standard.scale, 9.80665 / 9.81, 1e-7);
  ASSERT_EQ(examine(standard).size(), 1U);
  EXPECT_EQ(examine(standard)[0].code, "gravity-inertia-differ");
  EXPECT_THAT(examine(standard)[0].evidence, HasSubstr("gravity times 0.999659"));
  table.gravity = -good.gravity;
  EXPECT_NEAR(compare_gravity(robot, table)->scale, -1, 1e-7);
  // Bodies that have nothing to do with each other: no factor helps.
  table.gravity = good_table(robot, 12).gravity;
  EXPECT_THAT(examine(*compare_gravity(robot, table))[0].evidence,
              ::testing::Not(HasSubstr("with gravity times")));
}

MatrixXd jacobians(const Robot& robot, const MatrixXd& q, bool tool_axes, const Vector3& offset) {
  const Tree tree = compile(robot);
  MatrixXd rows(q.rows(), 6 * q.cols());
  for (Index k = 0; k < q.rows(); ++k) {
    const VectorXd here = q.row(k).transpose();
    Eigen::MatrixXd J = tool_jacobian(tree, here);
    const Eigen::Matrix3d R = tool_pose(tree, here).rotation;
    for (Index j = 0; j < J.cols(); ++j) {
      const Eigen::Vector3d omega = J.col(j).tail<3>();
      J.col(j).head<3>() += omega.cross(R * Eigen::Vector3d(offset));
      if (!tool_axes) continue;
      J.col(j).head<3>() = (R.transpose() * J.col(j).head<3>()).eval();
      J.col(j).tail<3>() = (R.transpose() * omega).eval();
    }
    for (Index i = 0; i < 6; ++i) rows.block(k, i * q.cols(), 1, q.cols()) = J.row(i);
  }
  return rows;
}

TEST(ReverseKinematics, AJacobianOfAnotherPointOfTheToolFits) {
  const Robot robot = named("panda");
  ReverseTable table;
  table.q = random_configurations(robot, 20, {});
  for (const bool tool_axes : {false, true}) {
    table.jacobian = jacobians(robot, table.q, tool_axes, Vector3(0.01, -0.02, 0.1));
    const KinematicsCheck check = check_kinematics(robot, table);
    EXPECT_EQ(check.tool_axes, tool_axes);
    EXPECT_LT(check.angular + check.linear, 1e-12);
    EXPECT_LT((check.offset - Vector3(0.01, -0.02, 0.1)).norm(), 1e-12);
    EXPECT_TRUE(examine(robot, check).empty());
  }
}

TEST(ReverseKinematics, AnotherRobotsJacobianDoesNot) {
  const Robot robot = named("panda");
  ReverseTable table;
  table.q = random_configurations(robot, 20, {});
  table.jacobian = jacobians(named("lwr4"), table.q, false, Vector3::Zero());
  const KinematicsCheck check = check_kinematics(robot, table);
  ASSERT_EQ(examine(robot, check).size(), 1U);
  EXPECT_EQ(examine(robot, check)[0].code, "kinematics");
  table.jacobian.resize(20, 0);
  EXPECT_THROW(check_kinematics(robot, table), InputError);
}

}  // namespace
}  // namespace steelyard
