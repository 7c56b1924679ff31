// Base parameters of random robots and of every URDF at hand: ranks against a long-double SVD, expressions
// against other geometries.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <ctime>
#include <filesystem>

#include "oracle/data_folder.hpp"
#include "oracle/random_robot.hpp"
#include "oracle/sanitized.hpp"
#include "regressor/base/geometry.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/expression.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

// Rank of the torque regressor built without the kernels: a column is Newton-Euler's torque for a unit
// parameter. Entries carry rounding errors of 1e-16, the SVD none to speak of, so that anything above 1e-12
// is real.
int long_double_rank(const Robot& robot, std::uint64_t seed) {
  const int n = robot.size();
  const int columns = 10 * n;
  const int samples = 24;  // the first joint's row alone must fill ten columns, twice over
  const Tree tree = compile(robot);
  oracle::Random random(seed);
  LongMatrix rows(samples * n, columns);
  for (int s = 0; s < samples; ++s) {
    const oracle::State state = oracle::random_state(random, n);
    for (int k = 0; k < columns; ++k)
      rows.col(k).segment(s * n, n) =
          newton_euler(tree, VectorXd::Unit(columns, k), state.q, state.qd, state.qdd)
              .tau.cast<long double>();
  }
  const long double largest = rows.cwiseAbs().maxCoeff();
  for (int k = 0; k < columns; ++k) {
    const long double norm = rows.col(k).norm();
    if (norm > 1e-12L * largest)
      rows.col(k) /= norm;
    else
      rows.col(k).setZero();
  }
  const LongMatrix R =
      Eigen::HouseholderQR<LongMatrix>(rows).matrixQR().topRows(columns).triangularView<Eigen::Upper>();
  const auto singular = Eigen::JacobiSVD<LongMatrix>(R).singularValues();
  return static_cast<int>((singular.array() > 1e-12L * singular[0]).count());
}

// Every entry with a formula, evaluated from its printed text, against the regrouping of the robot with other
// lengths and angles.
double largest_formula_error(const Robot& robot, const BaseOptions& options, int& exact) {
  const BaseParameters base = base_parameters(robot, options);
  const base::Geometry geometry = base::read_geometry(robot);
  double error = 0;
  for (std::uint64_t index = 0; index < 2; ++index) {
    const base::SymbolValues values = base::random_values(geometry, 4711, index);
    std::vector<std::string> names;
    std::vector<double> numbers;
    for (const auto& [name, value] : values) {
      names.push_back(name);
      numbers.push_back(value);
    }
    BaseOptions plain = options;
    plain.expressions = false;
    const Robot other_robot = base::with_values(geometry.snapped_robot, values);
    const BaseParameters other = base_parameters(other_robot, plain);
    for (const BaseParameter& parameter : base.base) {
      if (!parameter.exact) continue;
      ++exact;
      const auto row = std::find_if(other.lead.begin(), other.lead.end(),
                                    [&](int k) { return other.columns[k] == parameter.lead; });
      EXPECT_NE(row, other.lead.end()) << parameter.lead << " does not lead in\n"
                                       << oracle::to_string(other_robot);
      if (row == other.lead.end()) continue;
      VectorXd expected = other.K.row(row - other.lead.begin());
      std::vector<BaseTerm> terms = parameter.terms;
      terms.insert(terms.end(), parameter.vanishing.begin(), parameter.vanishing.end());
      for (const BaseTerm& term : terms) {
        const auto column = std::find(other.columns.begin(), other.columns.end(), term.parameter);
        expected[column - other.columns.begin()] -= Expression::parse(term.symbolic, names).evaluate(numbers);
      }
      error = std::max(error, expected.cwiseAbs().maxCoeff());
    }
  }
  return error;
}

Robot random_case(std::uint64_t seed) {
  oracle::RandomRobotOptions options;
  options.joints = 2 + static_cast<int>(seed % 6);
  options.branches = seed % 3 == 0;
  options.prismatic_share = seed % 2 == 0 ? 0.25 : 0;
  options.geometry = seed % 5 == 0  ? oracle::Geometry::urdf
                     : seed % 5 < 3 ? oracle::Geometry::modified_dh
                                    : oracle::Geometry::standard_dh;
  options.turned_base = seed % 4 == 0;
  return oracle::random_robot(seed, options);
}

// 200 robots in four blocks, so that two cores have something to share. Sanitizers make a robot about ten
// times as dear and look for mistakes that show on any of them: they get a few.
class TwoHundredRandomRobots : public testing::TestWithParam<int> {
 protected:
  const std::uint64_t kBlock = oracle::is_sanitized() ? 2 : 50;
  std::uint64_t first() const { return kBlock * static_cast<std::uint64_t>(GetParam()) + 1; }
  std::uint64_t last() const { return first() + kBlock - 1; }
};
INSTANTIATE_TEST_SUITE_P(Block, TwoHundredRandomRobots, testing::Range(0, 4));

TEST_P(TwoHundredRandomRobots, HaveTheRankOfALongDoubleSvd) {
  for (std::uint64_t seed = first(); seed <= last(); ++seed) {
    const Robot robot = random_case(seed);
    BaseOptions options;
    options.expressions = false;
    const BaseParameters base = base_parameters(robot, options);
    ASSERT_FALSE(base.ambiguous) << "seed " << seed << " gap " << base.gap << "\n"
                                 << oracle::to_string(robot);
    ASSERT_EQ(base.rank, long_double_rank(robot, seed)) << "seed " << seed << "\n"
                                                        << oracle::to_string(robot);
  }
}

TEST_P(TwoHundredRandomRobots, HaveExpressionsThatHoldAtOtherGeometries) {
  int exact = 0;
  for (std::uint64_t seed = first(); seed <= last(); ++seed) {
    const Robot robot = random_case(seed);
    // Lengths reach 1.5 m, coefficients a few m²; the regrouping's own condition is up to 1e5.
    EXPECT_LT(largest_formula_error(robot, {}, exact), 1e-10) << "seed " << seed << "\n"
                                                              << oracle::to_string(robot);
  }
  // There is something to verify: on average five base parameters with a formula each, at two geometries. Two
  // robots are no average.
  EXPECT_GT(exact, oracle::is_sanitized() ? 0 : static_cast<int>(kBlock) * 2 * 5);
}

TEST(BaseParameters, TimesLeadColumnsIsTheWholeRegressorOnFreshSamples) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Robot robot = random_case(seed);
    const BaseParameters base = base_parameters(robot);
    const Plan plan = make_plan(robot);
    oracle::Random random(seed + 1000);
    const oracle::State state = oracle::random_state(random, robot.size());
    const MatrixXd Y = regressor(plan, state.q, state.qd, state.qdd);
    MatrixXd leads(Y.rows(), base.rank);
    for (int l = 0; l < base.rank; ++l) leads.col(l) = Y.col(base.lead[l]);
    EXPECT_LT((leads * base.K - Y).cwiseAbs().maxCoeff(), 1e-10 * Y.cwiseAbs().maxCoeff()) << "seed " << seed;
  }
}

// A joint that follows another one, with joints behind it that do not. M and g determine the torque, so both
// have the same base parameters.
TEST(BaseParameters, OfTreesWithMimicJointsAreThoseOfTheirCoordinates) {
  for (const double ratio : {-0.5, 1.0, -1.0, 0.7}) {
    const Robot robot =
        read_robot_yaml(
            "name: jaws\nconvention: frames\njoints:\n"
            "  - {name: turn, axis: [0, 0, 1], link: trunk}\n"
            "  - {name: jaw, parent: trunk, xyz: [0.2, 0.1, 0], axis: [0, 1, 0], link: jaw}\n"
            "  - {name: tip, parent: jaw, xyz: [0.1, 0, 0], axis: [0, 1, 0], link: tip, "
            "mimic: {joint: jaw, ratio: " +
                std::to_string(ratio) +
                "}}\n"
                "  - {name: other, parent: trunk, xyz: [0.2, -0.2, 0], axis: [0, 1, 0], link: "
                "other}\n",
            "jaws.yaml")
            .robot;
    BaseOptions options;
    options.expressions = false;
    const BaseParameters torque = base_parameters(robot, options);
    options.rows = RowSet::gravity_inertia;
    const BaseParameters both = base_parameters(robot, options);
    EXPECT_EQ(torque.rank, ratio == -1 ? 16 : 21) << ratio;  // the tip does not turn against the trunk
    EXPECT_EQ(both.rank, torque.rank) << ratio;
    PlanOptions inertia;
    inertia.kind = RowKind::inertia;
    const Plan plan = make_plan(robot, inertia);
    oracle::Random random(7);
    const oracle::State state = oracle::random_state(random, 3);
    const MatrixXd Y = regressor(plan, state.q, state.qd, state.qdd);
    MatrixXd leads(Y.rows(), both.rank);
    for (int l = 0; l < both.rank; ++l) leads.col(l) = Y.col(both.lead[static_cast<std::size_t>(l)]);
    EXPECT_LT((leads * both.K - Y).cwiseAbs().maxCoeff(), 1e-10 * Y.cwiseAbs().maxCoeff()) << ratio;
  }
}

TEST(BaseParameters, EveryUrdfAtHandHasVerifiedExpressions) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*data)) {
    if (entry.path().extension() != ".urdf") continue;
    ++files;
    const Robot robot = read_robot(entry.path().string()).robot;
    int exact = 0;
    EXPECT_LT(largest_formula_error(robot, {}, exact), 1e-10) << entry.path();
    EXPECT_GT(exact, 0) << entry.path();
    if (robot.mimics.empty()) {
      BaseOptions options;
      options.expressions = false;
      EXPECT_EQ(base_parameters(robot, options).rank, long_double_rank(robot, 1)) << entry.path();
    }
  }
  EXPECT_GE(files, 4);
}

TEST(BaseParameters, AnAngleALittleOffIsTakenForARightAngleInExpressionsOnlyAndReported) {
  Robot robot = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/panda.yaml").robot;
  for (Joint& joint : robot.joints)
    for (Step& step : joint.before)
      if (step.name == "alpha4") step.value = 1.5708;
  const BaseParameters base = base_parameters(robot);
  ASSERT_EQ(base.snapped.size(), 1u);
  EXPECT_EQ(base.snapped[0].name, "alpha4");
  EXPECT_EQ(base.snapped[0].quarter_turns, 1);
  for (const BaseParameter& parameter : base.base)
    if (parameter.lead == "Jxx3") {
      EXPECT_EQ(parameter.expression, "J3xx - J3yy + J4yy - a4^2 m4");
    }
}

TEST(BaseParameters, ARankWithoutAGapIsRefusedWithBothCandidates) {
  // Twelve arms side by side on nearly upright axes, tilted by 0.03, 0.03², … rad, their frames 30 m off the
  // axis: m·c acts like an inertia but for gravity's share, which fades into rounding noise without a clear
  // end.
  Robot robot;
  robot.name = "fading";
  double tilt = 1;
  for (int j = 0; j < 12; ++j) {
    Joint joint;
    joint.name = "joint" + std::to_string(j + 1);
    joint.link = "link" + std::to_string(j + 1);
    joint.before = {{Motion::turn_x, tilt *= 3e-2, ""}};
    joint.after = {{Motion::move_x, 30, ""}};
    robot.joints.push_back(joint);
  }
  const BaseParameters base = base_parameters(robot);
  EXPECT_TRUE(base.ambiguous) << "rank " << base.rank << " gap " << base.gap;
  EXPECT_LT(base.gap, 1e3);
  EXPECT_NE(base.rank, base.other_rank);
  EXPECT_GT(base.other_rank, 0);
  EXPECT_TRUE(base.base.empty());
}

TEST(BaseParameters, ParametersKnownToBeZeroMustExist) {
  const Robot robot = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/lwr4.yaml").robot;
  BaseOptions options;
  options.zero = {"Jxz8"};
  try {
    base_parameters(robot, options);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("Jxz8"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("did you mean"), std::string::npos);
  }
}

// Processor time; the whole of it, expressions included.
TEST(BaseParameters, TakeUnderASecondForSevenJointsAndUnderAMinuteForThirty) {
  const auto seconds = [](const Robot& robot) {
    const std::clock_t begin = std::clock();
    const BaseParameters base = base_parameters(robot);
    EXPECT_FALSE(base.ambiguous);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  EXPECT_LT(seconds(read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/panda.yaml").robot), 1);
  oracle::RandomRobotOptions options;
  options.joints = 30;
  options.prismatic_share = 0;
  options.geometry = oracle::Geometry::modified_dh;
  options.turned_base = false;
  Robot robot = oracle::random_robot(3, options);
  for (Joint& joint : robot.joints)  // right angles, as arms have them: many formulas to find
    for (Step& step : joint.before)
      if (is_turn(step.motion)) step.value = std::round(step.value / (M_PI / 2)) * (M_PI / 2);
  EXPECT_LT(seconds(robot), 60);
}

TEST(Identifiability, OfThePandaIsToldInOneLineEach) {
  const Robot robot = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/panda.yaml").robot;
  const BaseParameters base = base_parameters(robot);
  int alone = 0, combined = 0, unseen = 0;
  for (const Identifiability& item : identifiability(robot, base)) {
    EXPECT_FALSE(item.why.empty()) << item.parameter;
    alone += item.kind == Identifiability::Kind::alone;
    combined += item.kind == Identifiability::Kind::combined;
    unseen += item.kind == Identifiability::Kind::unseen;
  }
  EXPECT_EQ(alone + combined + unseen, 70);
  EXPECT_EQ(unseen, static_cast<int>(base.unseen.size()));
  // From Table III: J2xy, J2xz, J2yz, J3xz, J3yz, J4xz, J4yz, J5xy, J5xz, J5yz, J6xz, J6yz, J7xy, J7xz, J7yz,
  // J7zz and the first moments c2x, c5x, c7x, c7y stand alone.
  EXPECT_EQ(alone, 20);
}

}  // namespace
}  // namespace steelyard
