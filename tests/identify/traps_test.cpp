// Mistakes that other identification tools have shipped, each as a test that would show it here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <Eigen/QR>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "feasible/simulated_robot.hpp"
#include "gains/tx40_case.hpp"
#include "identify/true_base.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/feasible/convex.hpp"
#include "steelyard/identify/check.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace traps_test {

const std::string kSource = STEELYARD_SOURCE_DIR;

// A two-joint robot of the repository on a motion of two seconds.
std::string study_text(const std::string& robot, const std::string& more, const std::string& simulate) {
  return "robot: " + robot + R"(
drives: {friction: [viscous, coulomb, offset]}
runs:
  - label: excitation
    simulate: {motion: {multi_sine: {harmonics: 4, period: 4, reach: [1, 1], center: [0.3, -0.2], velocity: 2,
               acceleration: 8, seed: 7}}, rate: 1000,
               friction: {viscous: [0.3, 0.2], coulomb: [0.4, 0.1], offset: [0.05, -0.02]}, )" +
         simulate + "}\n" + more;
}

Study two_joints(const std::string& more, const std::string& simulate = "velocity: none") {
  return read_study_text(study_text(kSource + "/robots/two_r.yaml", more, simulate), "study.yaml");
}

// Root mean square of a joint's effort in a run, noise included.
double effort_rms(const Study& study, std::size_t run, int joint) {
  const SampleBlock samples = read_all(*open_study_run(study.runs[run], study_robot(study)));
  const double* tau = samples.row(samples.find("torque"), joint);
  double sum = 0;
  for (Index s = 0; s < samples.size(); ++s) sum += tau[s] * tau[s];
  return std::sqrt(sum / static_cast<double>(samples.size()));
}

double drive(const Result& result, int joint, const std::string& name) {
  return result.drives.at(static_cast<std::size_t>(joint)).values.at(name);
}

// An inertia tensor may be positive definite and still be of no body: diag(1, 1, 5) breaks the triangle
// inequality, which the second moments (here −2 about z…) show and its eigenvalues do not.
TEST(Trap, RotationalInertiaIsNotTakenForTheSecondMoment) {
  oracle::RandomRobotOptions shape;
  shape.joints = 1;
  Robot robot = oracle::random_robot(3, shape);
  robot.joints[0].inertia.reset();
  const Quantities quantities(robot);
  Objective objective;
  objective.columns = quantities.columns();
  objective.R = MatrixXd::Identity(10, 10);
  objective.z.resize(10);
  objective.z << 1, 0, 0, 0, 1, 0, 0, 1, 0, 5;
  const ConvexSolution found =
      solve_convex(objective, physical_constraints(robot, quantities, {1e-9, true, true, false}), robot);
  ASSERT_TRUE(found.usable());
  const double jxx = found.x[4], jyy = found.x[7], jzz = found.x[9];
  EXPECT_GE(jxx + jyy, jzz);
  // The nearest body: 1 + d, 1 + d, 5 − d with 2 + 2d = 5 − d.
  EXPECT_NEAR(jxx, 2, 1e-3);
  EXPECT_NEAR(jzz, 4, 1e-3);
  EXPECT_NEAR(found.value, 3, 1e-2);
}

// Positions only: if the last joint's acceleration stayed at zero, the inertia of the last link would be
// lost.
TEST(Trap, TheLastJointsAccelerationIsNotLeftAtZero) {
  const Study study = two_joints("prepare: {filter: {order: 4, cutoff: 20}, columns: filtered}\n");
  const Result result = run_study(study).result;
  const Robot robot = study_robot(study);
  const BaseParameters base = base_parameters(robot);
  const VectorXd truth = true_base(study, robot, base);
  bool seen = false;
  for (std::size_t b = 0; b < result.base.size(); ++b) {
    // The filter rounds the corners of Coulomb friction: three digits of the largest value.
    EXPECT_NEAR(result.base[b].value, truth[static_cast<Index>(b)], 1e-3 * truth.cwiseAbs().maxCoeff())
        << result.base[b].name;
    seen = seen || result.base[b].name == "Jzz2";
  }
  EXPECT_TRUE(seen);
}

constexpr const char* kWelded = R"(<robot name="welded">
  <link name="base"><inertial><mass value="50"/><inertia ixx="9" iyy="9" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="one"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="plate"><inertial><mass value="20"/><inertia ixx="2" iyy="2" izz="2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="two"><inertial><mass value="300"/><inertia ixx="30" iyy="30" izz="30" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"><inertial><mass value="4000"/><inertia ixx="4" iyy="4" izz="4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="a" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 1 0"/></joint>
  <joint name="weld" type="fixed"><parent link="one"/><child link="plate"/></joint>
  <joint name="b" type="revolute"><parent link="plate"/><child link="two"/><axis xyz="0 1 0"/></joint>
  <joint name="end" type="fixed"><parent link="two"/><child link="tip"/></joint>
</robot>
)";

// Masses of different powers of ten: a body that is taken for its neighbour shows in the digits.
TEST(Trap, InertiasBelongToTheirOwnBodyWithFixedJointsBetween) {
  const Robot robot = read_robot_urdf(kWelded, "welded.urdf").robot;
  ASSERT_EQ(robot.size(), 2);
  EXPECT_NEAR(robot.joints[0].inertia->mass(), 21, 1e-12);
  EXPECT_NEAR(robot.joints[1].inertia->mass(), 4300, 1e-9);
  const VectorXd p = standard_parameters(robot);
  EXPECT_NEAR(p[4], 2.1, 1e-12);
  EXPECT_NEAR(p[14], 34, 1e-12);
}

TEST(Trap, FrictionColumnsBelongToTheirOwnJoint) {
  Robot robot = read_robot_urdf(kWelded, "welded.urdf").robot;
  for (Joint& joint : robot.joints) joint.drive = {true, true, true, false};
  const Plan plan = make_plan(robot);
  const VectorXd q = VectorXd::Constant(2, 0.4), qd = (VectorXd(2) << 0.5, -2).finished();
  const MatrixXd Y = regressor(plan, q, qd, q);
  for (std::size_t c = 0; c < plan.columns.size(); ++c) {
    const std::string& name = plan.columns[c];
    if (!name.starts_with("f")) continue;
    const Index own = name.back() - '1';
    const double expected = name.starts_with("fv")   ? qd[own]
                            : name.starts_with("fc") ? (qd[own] > 0 ? 1 : -1)
                                                     : 1;
    EXPECT_EQ(Y(own, static_cast<Index>(c)), expected) << name;
    EXPECT_EQ(Y(1 - own, static_cast<Index>(c)), 0) << name;
  }
}

// Two moving joints of a seven-joint robot, one a hundred times noisier: rows are weighted by their own
// joint.
TEST(Trap, WeightedLeastSquaresOfAFewMovingJointsTakesTheirOwnRows) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("steelyard-trap-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string robot_path = folder / "two_of_seven.yaml";
  std::ofstream(robot_path) << "from: " << kSource
                            << "/robots/panda.yaml\nmoving: [panda_joint3, panda_joint5]\n";
  const Study study = read_study_text(
      study_text(robot_path,
                 "prepare: {filter: {order: 4, cutoff: 20}, columns: filtered}\nestimate: {method: wls}\n",
                 "velocity: none, effort_noise: [2, 0.02]"),
      "study.yaml");
  const Result result = run_study(study).result;
  const Robot robot = study_robot(study);
  ASSERT_EQ(robot.size(), 2);
  const BaseParameters base = base_parameters(robot);
  const VectorXd truth = true_base(study, robot, base);
  // The quiet joint decides what both see: 0.02 N m over some 4000 samples against values of about 1.
  for (std::size_t b = 0; b < result.base.size(); ++b) {
    const BaseValue& value = result.base[b];
    EXPECT_NEAR(value.value, truth[static_cast<Index>(b)], 6 * *value.sigma + 1e-4) << value.name;
  }
  // Rounded corners of Coulomb friction add about a tenth to the quiet joint.
  EXPECT_NEAR(*result.residual.per_joint[0].raw * effort_rms(study, 0, 0), 2, 0.1);
  EXPECT_NEAR(*result.residual.per_joint[1].raw * effort_rms(study, 0, 1), 0.02, 0.004);
  std::filesystem::remove_all(folder);
}

// A log whose stamps say half the rate it was taken at: velocities are twice the derivative of positions.
TEST(Trap, AWrongSamplingRateIsNamed) {
  const Study good = two_joints("", "velocity: exact");
  const Robot robot = study_robot(good);
  const SampleBlock samples = read_all(*open_study_run(good.runs[0], robot));
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("steelyard-trap-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  for (const double factor : {1.0, 2.0}) {
    {
      std::ofstream log(folder / "log.csv");
      log.precision(17);
      log << "t,q1,q2,dq1,dq2,tau1,tau2\n";
      for (Index s = 0; s < samples.size(); ++s) {
        log << factor * samples.time()[s];
        for (const char* channel : {"position", "velocity", "torque"})
          for (int j = 0; j < 2; ++j) log << "," << samples.row(samples.find(channel), j)[s];
        log << "\n";
      }
    }
    const Study study =
        read_study_text("robot: " + kSource +
                            "/robots/two_r.yaml\ndrives: {friction: [viscous, coulomb, offset]}\n"
                            "runs: [{file: log.csv, columns: {time: t, position: 'q{j}', velocity: "
                            "'dq{j}', torque: 'tau{j}'}}]\n",
                        folder / "study.yaml");
    const StudyCheck check = check_study(study);
    const bool named = std::any_of(check.findings.begin(), check.findings.end(),
                                   [](const Finding& finding) { return finding.code == "time-scale"; });
    EXPECT_EQ(named, factor != 1) << factor;
    EXPECT_EQ(check.is_trustworthy(), factor == 1) << factor;
  }
  std::filesystem::remove_all(folder);
}

// The validation's number is of measured efforts, sample by sample: white noise of the fresh run stays in it.
TEST(Trap, ValidationDoesNotCompareRowsWithThemselves) {
  const std::string more = R"(  - label: fresh
    role: validate
    simulate: {motion: {multi_sine: {harmonics: 3, period: 3, reach: [1, 1], center: [0, 0], velocity: 2,
               acceleration: 8, seed: 3}}, rate: 1000,
               friction: {viscous: [0.3, 0.2], coulomb: [0.4, 0.1], offset: [0.05, -0.02]}, velocity: none,
               effort_noise: [0.5, 3]}
prepare: {filter: {order: 4, cutoff: 20}, columns: filtered}
)";
  const Study study = two_joints(more);
  const Result result = run_study(study).result;
  const auto fresh = std::find_if(result.validation.begin(), result.validation.end(),
                                  [](const RunValidation& run) { return run.run == "fresh"; });
  ASSERT_NE(fresh, result.validation.end());
  EXPECT_TRUE(fresh->fresh);
  const auto& joints = fresh->residual.per_joint;
  EXPECT_NEAR(*joints[0].raw * effort_rms(study, 1, 0), 0.5, 0.03);
  EXPECT_NEAR(*joints[1].raw * effort_rms(study, 1, 1), 3, 0.15);
}

// What motion does not show is chosen, not kept at a guess: any guess gives the same fit, as good as least
// squares when the noise is small; keeping the unseen at a wrong guess costs.
TEST(Trap, UnseenParametersAreFreeInTheFeasibleFitWhateverTheGuess) {
  const feasible_test::Simulated robot = feasible_test::simulate(11, 3, 1e-3);
  const auto bodies = feasible_test::bodies(robot.quantities, robot.robot);
  const double smallest =
      (robot.objective.R * robot.objective.R.completeOrthogonalDecomposition().solve(robot.objective.z) -
       robot.objective.z)
          .squaredNorm();
  std::vector<double> values;
  for (const double factor : {0.2, 1.0, 5.0}) {
    ConvexOptions options;
    options.reference = factor * robot.truth;
    const ConvexSolution found = solve_convex(robot.objective, bodies, robot.robot, options);
    ASSERT_EQ(found.status, ConvexStatus::solved) << factor;
    values.push_back(found.value);
    EXPECT_NEAR(found.value, smallest, 0.1 * smallest) << factor;
  }
  EXPECT_NEAR(values[0], values[1], 1e-5 * values[1]);
  EXPECT_NEAR(values[2], values[1], 1e-5 * values[1]);
  std::vector<Constraint> frozen = bodies;
  frozen.push_back({"first guess", Bound{"m1", 5 * robot.truth[0], 5 * robot.truth[0]}, {}});
  frozen.push_back({"second guess", Bound{"m3", 5 * robot.truth[20], 5 * robot.truth[20]}, {}});
  frozen.push_back({"third guess", Bound{"Jxx3", 5 * robot.truth[24], 5 * robot.truth[24]}, {}});
  frozen.push_back({"fourth guess", Bound{"Jyy3", 5 * robot.truth[27], 5 * robot.truth[27]}, {}});
  const ConvexSolution held = solve_convex(robot.objective, frozen, robot.robot);
  EXPECT_TRUE(held.status == ConvexStatus::infeasible || held.value > 2 * values[1]);
}

// Gains of total least squares under noise: right signs (motor 4 turns against its joint) and sizes, with no
// gain forced above a constant.
TEST(Trap, TotalLeastSquaresGivesGainsOfTheRightSignAndSize) {
  const tx40::Bench bench;
  const std::vector<GainRun> runs = bench.runs(7);
  GainOptions options;
  options.spread = false;
  const VectorXd gains = fit_gains(bench.problem(runs, false), GainMethod::tls, options).gain_values();
  const VectorXd truth = tx40::true_gains();
  ASSERT_EQ(gains.size(), truth.size());
  for (Index j = 0; j < gains.size(); ++j) {
    EXPECT_GT(gains[j] / truth[j], 0.8) << j;
    EXPECT_LT(gains[j] / truth[j], 1.25) << j;
  }
}

// Friction starts at its bound 0 in the feasible fit, and 0 is the truth of one joint: neither stalls.
TEST(Trap, FrictionThatStartsOnItsBoundIsFound) {
  const std::string text =
      study_text(kSource + "/robots/two_r.yaml",
                 "prepare: {filter: {order: 4, cutoff: 20}, columns: filtered}\nfeasible: {method: auto}\n",
                 "velocity: none, effort_noise: 0.01");
  Study study = read_study_text(text, "study.yaml");
  study.runs[0].simulation->drives[1].friction.viscous = 0;
  study.runs[0].simulation->drives[1].friction.coulomb = 0;
  const Result result = run_study(study).result;
  ASSERT_TRUE(result.feasible);
  EXPECT_NEAR(drive(result, 0, "fv"), 0.3, 0.01);
  EXPECT_NEAR(drive(result, 0, "fc"), 0.4, 0.01);
  EXPECT_NEAR(drive(result, 1, "fv"), 0, 0.005);
  EXPECT_NEAR(drive(result, 1, "fc"), 0, 0.005);
  EXPECT_LT(result.feasible->residual->prepared, 1.01 * result.residual.prepared + 1e-6);
}

// A massless frame between two joints, as many URDFs have: read, folded, fitted, made feasible.
TEST(Trap, ZeroMassVirtualLinksDoNotBreakTheFeasibleFit) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("steelyard-trap-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string robot = folder / "virtual.urdf";
  std::ofstream(robot) << R"(<robot name="virtual">
  <link name="base"/>
  <link name="frame"><inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="arm"><inertial><origin xyz="0.1 0 0.2"/><mass value="3"/><inertia ixx="0.1" iyy="0.12" izz="0.08" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="a" type="revolute"><parent link="base"/><child link="frame"/><axis xyz="0 0 1"/></joint>
  <joint name="b" type="revolute"><parent link="frame"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>
)";
  const Result result =
      run_study(read_study_text(study_text(robot,
                                           "prepare: {filter: {order: 4, cutoff: 20}, columns: "
                                           "filtered}\nfeasible: {method: auto}\n",
                                           "velocity: none, effort_noise: 0.01"),
                                "study.yaml"))
          .result;
  ASSERT_TRUE(result.feasible);
  EXPECT_LT(result.feasible->residual->prepared, 1.05 * result.residual.prepared + 1e-6);
  for (const LinkValues& link : result.links) EXPECT_TRUE(std::isfinite(link.mass)) << link.name;
  std::filesystem::remove_all(folder);
}

// Row r of Y is joint r of one sample; a tile has samples contiguous: sample s, row r, own column k is
// tile[(rows[r].offset + k) * stride + s].
TEST(Trap, RowsOfTheRegressorAreInTheDocumentedOrder) {
  oracle::RandomRobotOptions shape;
  shape.joints = 4;
  const Robot robot = oracle::random_robot(5, shape);
  const Plan plan = make_plan(robot, {RowKind::torque, false, {}});
  const Tree tree = compile(robot);
  const VectorXd parameters = standard_parameters(robot);
  constexpr Index kSamples = 3;
  MatrixXd q(kSamples, 4), qd(kSamples, 4), qdd(kSamples, 4);  // joint by joint, samples contiguous
  oracle::Random random(9);
  for (MatrixXd* channel : {&q, &qd, &qdd})
    for (Index k = 0; k < channel->size(); ++k) channel->data()[k] = random.uniform(-1, 1);
  const Index stride = tile_stride(kSamples);
  std::vector<double> tile(static_cast<std::size_t>(stride * plan.stored_columns));
  evaluate(plan, {q.data(), qd.data(), qdd.data(), kSamples, kSamples}, tile.data(), stride);
  for (Index s = 0; s < kSamples; ++s) {
    const VectorXd tau = newton_euler(tree, parameters, q.row(s), qd.row(s), qdd.row(s)).tau;
    for (std::size_t r = 0; r < plan.rows.size(); ++r) {
      ASSERT_EQ(plan.rows[r].i, static_cast<int>(r));
      double sum = 0;
      for (std::size_t k = 0; k < plan.rows[r].columns.size(); ++k)
        sum += tile[static_cast<std::size_t>((plan.rows[r].offset + static_cast<Index>(k)) * stride + s)] *
               parameters[plan.rows[r].columns[k]];
      EXPECT_NEAR(sum, tau[static_cast<Index>(r)], 1e-12 * (1 + tau.norm()))
          << "sample " << s << ", joint " << r;
    }
  }
}

}  // namespace traps_test
}  // namespace steelyard
