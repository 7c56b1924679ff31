// Tables of g(q) and M(q): what made them is found again, the published counts and condition numbers come
// out.
#include "steelyard/reverse/fit.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "reverse/cases.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

TEST(ReverseFit, ExactTablesGiveBackTheModelOnOtherConfigurations) {
  for (const char* name : {"lwr4", "panda", "ur10", "two_r"}) {
    const Robot robot = named(name);
    const ReverseSource source = source_of(robot, random_bodies(robot, 3));
    const ReverseFit fit = fit_table(robot, table_of(robot, source, 100, 1));
    EXPECT_EQ(fit.estimate.status, EstimateStatus::solved) << name;
    const auto errors =
        table_errors(robot, fit.estimate.columns, fit.estimate.values, table_of(robot, source, 200, 2));
    // Entries of about ten: 1e-10 is the accuracy that is asked for, far above rounding.
    EXPECT_LT(largest_error(errors), 1e-10) << name;
  }
}

TEST(ReverseFit, BaseValuesAreThoseOfTheBodies) {
  const Robot robot = named("panda");
  const VectorXd bodies = random_bodies(robot, 4);
  const ReverseFit fit = fit_table(robot, table_of(robot, source_of(robot, bodies), 60, 1));
  ASSERT_EQ(fit.estimate.columns.size(), 43U);
  for (std::size_t k = 0; k < fit.base.base.size(); ++k) {
    double expected = 0;
    for (Index c = 0; c < fit.base.K.cols(); ++c)
      expected += fit.base.K(static_cast<Index>(k), c) * bodies[c];
    EXPECT_NEAR(fit.values[static_cast<Index>(k)], expected, 1e-10) << fit.base.base[k].lead;
  }
}

TEST(ReverseFit, TheLwrHasItsPublishedCountsAndCondition) {
  const Robot robot = named("lwr4");
  const ReverseTable table = table_of(robot, source_of(robot, random_bodies(robot, 5)), 1000, 1);
  const auto count = [&](RowSet rows, std::vector<std::string> zero) {
    ReverseOptions options;
    options.rows = rows;
    options.zero = std::move(zero);
    return fit_table(robot, table, options).estimate.rank;
  };
  EXPECT_EQ(count(RowSet::gravity, {}), 12);
  EXPECT_EQ(count(RowSet::inertia, {}), 39);
  EXPECT_EQ(count(RowSet::inertia, {"Jxz7", "Jyz7"}), 37);
  EXPECT_EQ(count(RowSet::gravity_inertia, {}), 43);
  EXPECT_EQ(count(RowSet::gravity_inertia, {"Jxz7", "Jyz7"}), 41);
  ReverseOptions gravity;
  gravity.rows = RowSet::gravity;
  EXPECT_NEAR(fit_table(robot, table, gravity).estimate.condition, 2.05, 0.1);
}

TEST(ReverseFit, ThePandaHasItsPublishedCondition) {
  const Robot robot = named("panda");
  const ReverseTable table = table_of(robot, source_of(robot, random_bodies(robot, 6)), 1000, 1);
  const double condition = fit_table(robot, table).estimate.condition;
  EXPECT_GT(condition, 46);  // published 48.9; 47.4 to 49.3 by the draw of configurations
  EXPECT_LT(condition, 50);
}

TEST(ReverseFit, SixDigitsGiveTheErrorsOfSixDigits) {
  const Robot robot = named("lwr4");
  const ReverseSource exact = source_of(robot, random_bodies(robot, 7));
  const ReverseSource rounded = [&](const VectorXd& q) {
    const auto six = [](double x) { return std::stod(fmt::format("{:.6g}", x)); };
    ReverseAnswer answer = exact(q);
    answer.gravity = answer.gravity.unaryExpr(six);
    answer.inertia = answer.inertia.unaryExpr(six);
    return answer;
  };
  const ReverseFit fit = fit_table(robot, table_of(robot, rounded, 1000, 1));
  const auto errors =
      table_errors(robot, fit.estimate.columns, fit.estimate.values, table_of(robot, exact, 200, 2));
  for (const ComponentError& error : errors)
    // Half a unit of the sixth digit of entries up to about ten: what is left is below the rounding itself.
    EXPECT_LT(error.largest, 5e-5) << error.name;
}

TEST(ReverseFit, RotorInertiasInTheMatrixAreToldFromLinks) {
  const Robot robot = named("panda");
  const VectorXd bodies = random_bodies(robot, 8);
  const VectorXd rotors = VectorXd::LinSpaced(7, 0.5, 0.1);
  const ReverseTable table = table_of(robot, source_of(robot, bodies, rotors), 60, 1);
  EXPECT_GT(largest_error(fit_table(robot, table).training), 1e-3);  // links alone cannot explain them
  ReverseOptions options;
  options.rotor_inertia = true;
  const ReverseFit fit = fit_table(robot, table, options);
  EXPECT_LT(largest_error(fit.training), 1e-10);
  for (Index j = 2; j < 7; ++j) {  // those of joints 1 and 2 are in the base parameters of their links
    const Index found = fit.estimate.find("Ia" + std::to_string(j + 1));
    if (found < 0) continue;
    EXPECT_NEAR(fit.estimate.values[found], rotors[j], 1e-9);
  }
}

TEST(ReverseFit, MissingEntriesAndComponentsLeftOutDoNotMatter) {
  const Robot robot = named("panda");
  const ReverseSource source = source_of(robot, random_bodies(robot, 9));
  ReverseTable table = table_of(robot, source, 80, 1);
  Random random(1, "holes");
  for (Index k = 0; k < table.size(); ++k)
    for (Index c = 0; c < table.inertia.cols(); ++c)
      if (random.uniform() < 0.3) table.inertia(k, c) = std::nan("");
  table.gravity.col(3).setConstant(1e3);  // nonsense, but left out; joints before it show the same links
  ReverseOptions options;
  options.left_out = {LeaveOut{{"g4"}, {}, true}};
  const ReverseFit fit = fit_table(robot, table, options);
  EXPECT_LT(largest_error(table_errors(robot, fit.estimate.columns, fit.estimate.values,
                                       table_of(robot, source, 20, 2))),
            1e-9);
}

TEST(ReverseFit, ThePandasCoefficientsHaveTheDeviationsTheyClaim) {
  const Robot robot = named("panda");
  const VectorXd bodies = standard_parameters(robot);
  const ReverseTable exact = table_of(robot, source_of(robot, bodies), 12, 1);
  ReverseOptions options;
  options.expressions = false;
  options.estimate.conditions = false;
  options.deviations = {{"g", 0.02}, {"M", 0.005}};
  double squares = 0, worst = 0;
  constexpr int kSeeds = 200;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    ReverseTable table = exact;
    Random random(seed, "noise");
    for (double& entry : table.gravity.reshaped()) entry += 0.02 * random.normal();
    for (double& entry : table.inertia.reshaped()) entry += 0.005 * random.normal();
    const ReverseFit fit = fit_table(robot, table, options);
    const VectorXd truth = fit.base.K * bodies;
    ASSERT_EQ(truth.size(), 43);
    const VectorXd z = (fit.values - truth).cwiseQuotient(fit.sigma);
    squares += z.squaredNorm() / 43;
    worst = std::max(worst, z.cwiseAbs().maxCoeff());
  }
  const double score = std::sqrt(squares / kSeeds);
  EXPECT_GT(score, 0.9) << worst;
  EXPECT_LT(score, 1.1) << worst;
  EXPECT_LT(worst, 5.5);  // of 8600 normal scores
}

TEST(ReverseFit, AWrongRobotIsRefusedWithNumbers) {
  const Robot robot = named("panda");
  ReverseTable table;
  table.name = "six.csv";
  table.q = MatrixXd::Zero(3, 6);
  table.gravity = MatrixXd::Zero(3, 6);
  try {
    fit_table(robot, table);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("six.csv has 6 joints, the robot 7"));
  }
}

}  // namespace
}  // namespace steelyard
