// What is known beforehand, and what follows from g and M: relations, rules, tilt, payload, the whole model.
#include <gmock/gmock.h>

#include <Eigen/Geometry>
#include <cmath>

#include "reverse/cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/reverse/model.hpp"
#include "steelyard/reverse/payload.hpp"
#include "steelyard/reverse/tilt.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

// Bodies with J7xz = J7yz = 0 (eq. 27): M76 is then zero everywhere.
VectorXd bodies_with_zeros(const Robot& robot, std::uint64_t seed) {
  VectorXd bodies = random_bodies(robot, seed);
  bodies[66] = bodies[68] = 0;
  return bodies;
}

TEST(ReverseKnown, ZerosAndRelationsAreTheSameKnowledge) {
  const Robot robot = named("lwr4");
  const VectorXd bodies = bodies_with_zeros(robot, 3);
  const ReverseTable table = table_of(robot, source_of(robot, bodies), 100, 1);
  ReverseOptions zeros, relations;
  zeros.zero = {"Jxz7", "Jyz7"};
  relations.relations = {{{{"Jxz7", 2}}, 0}, {{{"Jyz7", 1}, {"Jxz7", 1}}, 0}};
  const ReverseFit by_zeros = fit_table(robot, table, zeros);
  const ReverseFit by_relations = fit_table(robot, table, relations);
  EXPECT_EQ(by_zeros.estimate.rank, 41);
  EXPECT_EQ(by_relations.estimate.rank, 41);
  EXPECT_EQ(by_relations.relations, 2);
  EXPECT_LT(largest_error(by_relations.training), 1e-10);
  const std::vector<std::string> leads = by_relations.leads();
  for (std::size_t k = 0; k < leads.size(); ++k)
    if (leads[k] == "Jxz7" || leads[k] == "Jyz7") {
      EXPECT_EQ(by_relations.values[static_cast<Index>(k)], 0);
      EXPECT_EQ(by_relations.sigma[static_cast<Index>(k)], 0);
    }
}

TEST(ReverseKnown, RelationsCarryNumbersIntoWhatTheTableDoesNotShow) {
  const Robot robot = named("lwr4");
  const VectorXd bodies = random_bodies(robot, 4);
  ReverseTable table = table_of(robot, source_of(robot, bodies), 100, 1);
  table.gravity.resize(table.size(), 0);
  // M alone shows c3x m3 + J3xy/d1 only; that J3xy is known separates nothing more, but fixes the sum.
  ReverseOptions options;
  const auto names = standard_parameter_names(robot);
  const auto value = [&](const std::string& name) {
    return bodies[std::find(names.begin(), names.end(), name) - names.begin()];
  };
  options.relations = {{{{"Jzz7", 1}, {"mx7", -3}}, value("Jzz7") - 3 * value("mx7")}};
  const ReverseFit fit = fit_table(robot, table, options);
  EXPECT_EQ(fit.estimate.rank, 38);
  EXPECT_LT(largest_error(fit.training), 1e-10);
  const VectorXd truth = fit.base.K * bodies;
  for (Index k = 0; k < truth.size(); ++k) EXPECT_NEAR(fit.values[k], truth[k], 1e-9);
  // A mass alone is nothing that the base sees.
  options.relations = {{{{"m1", 1}}, 5}};
  EXPECT_EQ(fit_table(robot, table, options).relations, 0);
}

TEST(ReverseKnown, RelationsThatContradictAreRefused) {
  const Robot robot = named("lwr4");
  const ReverseTable table = table_of(robot, source_of(robot, random_bodies(robot, 4)), 20, 1);
  ReverseOptions options;
  options.relations = {{{{"Jxz7", 1}}, 0}, {{{"Jxz7", 2}}, 1}};
  EXPECT_THROW(fit_table(robot, table, options), InputError);
  options.relations = {{{{"Jxz9", 1}}, 0}};
  EXPECT_THROW(fit_table(robot, table, options), InputError);
}

TEST(ReverseKnown, RowsAreLeftOutByRule) {
  const Robot robot = named("panda");
  const ReverseSource source = source_of(robot, random_bodies(robot, 9));
  ReverseTable table = table_of(robot, source, 80, 1);
  for (Index k = 0; k < table.size(); ++k)
    if (table.q(k, 1) > 0.5) table.gravity.row(k).setConstant(77);  // wrong there, and known to be
  std::vector<std::string> names;
  for (int j = 1; j <= 7; ++j) names.push_back("q" + std::to_string(j));
  ReverseOptions options;
  options.left_out = {LeaveOut{{"g"}, Expression::parse("q2 > 0.5", names), false}};
  const ReverseFit fit = fit_table(robot, table, options);
  EXPECT_LT(largest_error(table_errors(robot, fit.leads(), fit.values, table_of(robot, source, 20, 2))),
            1e-9);
  options.left_out = {LeaveOut{{"g8"}, {}, true}};
  EXPECT_THROW(fit_table(robot, table, options), InputError);
}

TEST(ReverseKnown, DeviationsByElementAreObeyed) {
  const Robot robot = named("panda");
  const VectorXd bodies = random_bodies(robot, 10);
  ReverseTable table = table_of(robot, source_of(robot, bodies), 60, 1);
  Random random(1, "noise");
  for (Index k = 0; k < table.size(); ++k) {
    table.inertia(k, 0) += 5 * random.normal();  // M11 is bad
    for (Index c = 0; c < 7; ++c) table.gravity(k, c) += 1e-3 * random.normal();
  }
  const auto error = [&](const ReverseOptions& options) {
    const ReverseFit fit = fit_table(robot, table, options);
    VectorXd difference = fit.values - fit.base.K * bodies;
    // J1zz, J2xx and J2xy stand in M11 alone, whatever its weight.
    const std::vector<std::string> leads = fit.leads();
    for (std::size_t k = 0; k < leads.size(); ++k)
      if (leads[k] == "Jzz1" || leads[k] == "Jxx2" || leads[k] == "Jxy2")
        difference[static_cast<Index>(k)] = 0;
    return difference.norm();
  };
  ReverseOptions given, found;
  given.deviations = {{"M", 1e-3}, {"g", 1e-3}, {"M11", 5}};
  found.estimate.weighting = Weighting::by_row_iterated;
  const double plain = error({});
  EXPECT_LT(error(given), plain / 20);
  EXPECT_LT(error(found), plain / 20);
}

TEST(ReverseTilt, IsFoundFromGravityAlone) {
  for (const char* name : {"lwr4", "panda"}) {
    const Robot robot = named(name);
    Robot tilted = robot;
    const Vector3 turn(0.02, -0.035, 0);
    tilted.gravity =
        Eigen::AngleAxisd(turn.norm(), Eigen::Vector3d(turn / turn.norm())) * Eigen::Vector3d(robot.gravity);
    const ReverseTable table = table_of(robot, source_of(tilted, random_bodies(robot, 5)), 100, 1);
    EXPECT_GT(table.gravity.col(0).norm(), 1e-2) << name;  // g1 ≠ 0
    const Tilt tilt = estimate_tilt(robot, table);
    EXPECT_TRUE(tilt.converged) << name;
    // Exact entries of about ten: rounding over a lever of about one.
    EXPECT_LT((tilt.rotation - turn).norm(), 1e-9) << name;
    EXPECT_LT((tilt.gravity - tilted.gravity).norm(), 1e-8) << name;
    EXPECT_GT(tilt.residual_level, 1e3 * tilt.residual) << name;
    Robot found = robot;
    found.gravity = tilt.gravity;
    EXPECT_LT(largest_error(fit_table(found, table).training), 1e-7) << name;
  }
}

TEST(ReverseTilt, NoiseGivesTheDeviationItClaims) {
  const Robot robot = named("lwr4");
  const ReverseSource source = source_of(robot, random_bodies(robot, 6));
  double squares = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    ReverseTable table = table_of(robot, source, 30, seed);
    Random random(seed, "noise");
    for (double& entry : table.gravity.reshaped()) entry += 0.05 * random.normal();
    const Tilt tilt = estimate_tilt(robot, table);
    squares += std::pow(tilt.angle / tilt.sigma, 2) / 2;  // a level base, two angles
  }
  // Mean of 60 squared scores: 1 ± 0.18; sigma is the larger of two, so it lies below.
  EXPECT_GT(squares / 30, 0.35);
  EXPECT_LT(squares / 30, 1.5);
}

TEST(ReverseModelTest, CoriolisTermsFollowFromTheMatrix) {
  for (const char* name : {"lwr4", "panda", "two_r"}) {
    const Robot robot = named(name);
    const VectorXd bodies = random_bodies(robot, 7);
    const ReverseFit fit = fit_table(robot, table_of(robot, source_of(robot, bodies), 60, 1));
    const ReverseModel model(robot, fit);
    const Tree tree = compile(robot);
    EXPECT_LT(skew_symmetry_error(model, robot), 1e-8) << name;
    Random random(3, "states");
    for (int k = 0; k < 20; ++k) {
      VectorXd q(robot.dof()), qd(robot.dof()), qdd(robot.dof());
      for (Index j = 0; j < q.size(); ++j)
        q[j] = random.normal(), qd[j] = random.normal(), qdd[j] = random.normal();
      const VectorXd expected = newton_euler(tree, bodies, q, qd, qdd).tau;
      EXPECT_LT((model.torque(q, qd, qdd) - expected).norm(), 1e-10 * (1 + expected.norm())) << name;
    }
  }
}

TEST(ReverseModelTest, GravityAloneIsNoModel) {
  const Robot robot = named("lwr4");
  ReverseOptions options;
  options.rows = RowSet::gravity;
  const ReverseFit fit =
      fit_table(robot, table_of(robot, source_of(robot, random_bodies(robot, 7)), 60, 1), options);
  EXPECT_THROW(ReverseModel(robot, fit), InputError);
}

TEST(ReversePayload, ATipIsWeighedTwice) {
  const Robot robot = named("lwr4");
  const VectorXd bodies = random_bodies(robot, 8);
  VectorXd loaded = bodies;
  // A symmetric steel tip of 250 g, 8 cm along the axis.
  loaded.segment(60, 10) += (VectorXd(10) << 0.25, 0, 0, 0.02, 0.0018, 0, 0, 0.0018, 0, 0.0001).finished();
  ReverseOptions options;
  options.rows = RowSet::gravity;
  const ReverseFit without = fit_table(robot, table_of(robot, source_of(robot, bodies), 200, 1), options);
  const ReverseFit with = fit_table(robot, table_of(robot, source_of(robot, loaded), 200, 2), options);
  const PayloadChange change = payload_change(robot, without, with);
  EXPECT_EQ(change.link, robot.joints.back().link);
  ASSERT_EQ(change.masses.size(), 2U);  // eqs. 31 and 32
  for (const MassFrom& mass : change.masses) EXPECT_NEAR(mass.mass, 0.25, 1e-9) << mass.lead;
  EXPECT_NEAR(change.parameters[0], 0.25, 1e-9);
  EXPECT_NEAR(change.parameters[3], 0.02, 1e-9);
  EXPECT_TRUE(change.seen[3]);
  EXPECT_FALSE(change.seen[4]);  // gravity shows no inertia
  const ReverseFit both = fit_table(robot, table_of(robot, source_of(robot, bodies), 60, 1));
  EXPECT_THROW(payload_change(robot, without, both), InputError);
  const PayloadChange whole =
      payload_change(robot, both, fit_table(robot, table_of(robot, source_of(robot, loaded), 60, 2)));
  EXPECT_NEAR(whole.parameters[9], 0.0001, 1e-9);  // Jzz7 turns alone
  EXPECT_GE(whole.masses.size(), 2U);
}

}  // namespace
}  // namespace steelyard
