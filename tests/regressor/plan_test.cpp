// Rows, columns and places of plans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "regressor/regressor_cases.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

Robot three_joints() {
  oracle::RandomRobotOptions options;
  options.joints = 3;
  options.prismatic_share = 0;
  return oracle::random_robot(31, options);
}

class RegressorPlan : public PerIsa {};
INSTANTIATE_TEST_SUITE_P(Isa, RegressorPlan, testing::ValuesIn(available_levels()), isa_name);

TEST_P(RegressorPlan, DriveColumnsHoldTheJointsOwnMotion) {
  Robot robot = three_joints();
  declare_all_drives(robot);
  const Plan plan = make_plan(robot);
  ASSERT_EQ(plan.columns.size(), 42u);
  const Eigen::Vector3d q(0.1, 0.2, 0.3), qd(-0.5, 0.0, 0.7), qdd(4, 5, -6);
  const MatrixXd Y = regressor(plan, q, qd, qdd).rightCols(12);
  MatrixXd expected = MatrixXd::Zero(3, 12);
  expected.block<1, 4>(0, 0) << 4, -0.5, -1, 1;  // Ia1 fv1 fc1 fo1
  expected.block<1, 4>(1, 4) << 5, 0, 0, 1;      // sign(0) = 0
  expected.block<1, 4>(2, 8) << -6, 0.7, 1, 1;
  EXPECT_EQ(Y, expected);
  EXPECT_EQ(plan.columns[30], "Ia1");
  EXPECT_EQ(plan.columns[41], "fo3");
}

TEST_P(RegressorPlan, CoupledColumnsActOnBothRows) {
  Robot robot = three_joints();
  robot.pairs = {{1, 2}};
  const Plan plan = make_plan(robot);
  ASSERT_EQ(std::vector<std::string>(plan.columns.end() - 3, plan.columns.end()),
            (std::vector<std::string>{"Iam3", "fvm3", "fcm3"}));
  const Eigen::Vector3d q(0.1, 0.2, 0.3), qd(1, -0.5, 0.3), qdd(4, 5, -6);
  const MatrixXd Y = regressor(plan, q, qd, qdd).rightCols(3);
  Eigen::Matrix3d expected;
  expected << 0, 0, 0, -6, 0.3, -1, 5, -0.5, -1;
  EXPECT_EQ(Y, expected);
}

TEST_P(RegressorPlan, InertiaRowsHaveRotorInertiaOnTheDiagonalOnly) {
  Robot robot = three_joints();
  declare_all_drives(robot);
  PlanOptions options;
  options.kind = RowKind::inertia;
  const Plan plan = make_plan(robot, options);
  ASSERT_EQ(plan.columns.size(), 33u);
  const MatrixXd Y = regressor(plan, Eigen::Vector3d(0.1, 0.2, 0.3), {}, {});
  for (std::size_t r = 0; r < plan.rows.size(); ++r) {
    for (int i = 0; i < 3; ++i) {
      const bool own = plan.rows[r].i == i && plan.rows[r].j == i;
      EXPECT_EQ(Y(static_cast<Index>(r), 30 + i), own ? 1.0 : 0.0);
    }
  }
}

TEST_P(RegressorPlan, GravityRowsStoreFourColumnsALink) {
  Robot robot = three_joints();
  declare_all_drives(robot);
  PlanOptions options;
  options.kind = RowKind::gravity;
  const Plan plan = make_plan(robot, options);
  EXPECT_EQ(plan.columns.size(), 30u);
  EXPECT_EQ(plan.stored_columns, 4 * (3 + 2 + 1));
  EXPECT_THAT(plan.rows[2].columns, testing::ElementsAre(20, 21, 22, 23));
}

TEST_P(RegressorPlan, WantedColumnsAreTheSameBytesAsInTheFullPlan) {
  for (const RowKind kind : {RowKind::torque, RowKind::gravity, RowKind::inertia}) {
    for (const Robot& plain : robots_of_all_kinds()) {
      Robot robot = plain;
      declare_all_drives(robot);
      SCOPED_TRACE(robot.name);
      PlanOptions all, some;
      all.kind = some.kind = kind;
      some.wanted = {"mx1", "Jzz1", "fc1", "Ia1"};
      if (robot.size() > 4) some.wanted.insert(some.wanted.end(), {"m4", "Jxy4", "my4", "Jyz2", "fv5"});
      const Plan full = make_plan(robot, all), part = make_plan(robot, some);
      const Batch batch = random_batch(8, robot.size(), 11);
      const MatrixXd Y = tile_of(full, batch), W = tile_of(part, batch);
      ASSERT_EQ(full.rows.size(), part.rows.size());
      int compared = 0;
      for (std::size_t r = 0; r < part.rows.size(); ++r) {
        const Row &row = part.rows[r], &whole = full.rows[r];
        for (std::size_t k = 0; k < row.columns.size(); ++k, ++compared) {
          std::size_t at = 0;
          while (full.columns[static_cast<std::size_t>(whole.columns[at])] !=
                 part.columns[static_cast<std::size_t>(row.columns[k])])
            ++at;
          ASSERT_TRUE(same_bytes(W.col(row.offset + static_cast<Index>(k)),
                                 Y.col(whole.offset + static_cast<Index>(at))));
        }
      }
      EXPECT_EQ(compared, part.stored_columns);
      EXPECT_GT(compared, 0);
    }
  }
}

TEST(Plan, AnUnknownWantedColumnIsAnErrorWithTheNearestName) {
  PlanOptions options;
  options.wanted = {"Jxx2", "Jxz33"};
  try {
    make_plan(three_joints(), options);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("Jxz33"));
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean 'Jxz3'"));
  }
}

TEST(Plan, ADriveColumnTheRobotDoesNotDeclareIsUnknown) {
  PlanOptions options;
  options.wanted = {"fv1"};
  EXPECT_THROW(make_plan(three_joints(), options), InputError);
}

TEST(Plan, TwoPairsWithOnePartnerAreRefused) {
  Robot robot = three_joints();
  robot.pairs = {{0, 2}, {1, 2}};
  EXPECT_THROW(make_plan(robot), InputError);
}

TEST(Plan, TileStridesAreOddNumbersOfCacheLines) {
  for (Index count = 1; count < 200; ++count) {
    EXPECT_GE(tile_stride(count), count);
    EXPECT_EQ(tile_stride(count) % 16, 8);
  }
}

TEST(IsaDeathTest, AnUnknownInstructionSetInTheEnvironmentIsRefused) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto ask = [] {
    setenv("STEELYARD_ISA", "mmx", 1);
    try {
      isa_level();
    } catch (const InputError& error) {
      fprintf(stderr, "%s", error.what());
      std::_Exit(3);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(ask(), testing::ExitedWithCode(3), "'mmx'");
}

TEST(IsaDeathTest, TheEnvironmentChoosesTheInstructionSet) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto ask = [] {
    setenv("STEELYARD_ISA", "baseline", 1);
    std::_Exit(isa_level() == IsaLevel::baseline ? 3 : 0);
  };
  EXPECT_EXIT(ask(), testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace steelyard
