// Links one would believe: pulled towards reference bodies as far as nothing is lost. Public data, found through
// STEELYARD_DATA.
#include <gmock/gmock.h>

#include "oracle/data_folder.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace believable_links_test {
namespace {

const std::string kSource = STEELYARD_SOURCE_DIR;

// m = 2, m·c = 0.6, J = 0.215 about the axis; the robot's file says nothing of its size.
Robot pendulum(bool with_inertia) {
  Robot robot = read_robot_yaml(
                    "name: pendulum\nconvention: modified_dh\ngravity: [0, -9.81, 0]\n"
                    "joints: [{a: 0, alpha: 0, d: 0, theta: 0}]\n",
                    "pendulum.yaml")
                    .robot;
  if (with_inertia)
    robot.joints[0].inertia = Inertia::from_mass_com_inertia(
        2, Vector3(0.3, 0, 0), Matrix3(Vector3(0.002, 0.035, 0.035).asDiagonal()));
  return robot;
}

Study pendulum_study() {
  RandomMotion motion;
  motion.center = VectorXd::Zero(1);
  motion.reach = VectorXd::Constant(1, 2.5);
  SimulateOptions options;
  options.rate = 200;
  options.effort_noise = VectorXd::Constant(1, 0.02);
  const Robot truth = pendulum(true);
  Study study;
  study.robot = pendulum(false);
  study.drives.viscous = true;
  study.prepare.filter = study.prepare.column_filter = {4, 10};
  study.runs = {run_from_samples(
      "swing", simulate(truth, true_parameters(truth), random_multi_sine(motion, 4), options))};
  study.feasible.emplace();
  return study;
}

TEST(BelievableLinks, OfAPendulumWithoutLength) {
  Study study = pendulum_study();
  const Result free = run_study(study).result;
  ASSERT_TRUE(free.feasible && free.feasible->residual);
  EXPECT_LE(free.feasible->residual->prepared, 1.05 * free.residual.prepared);
  EXPECT_GT(free.links[0].mass, 1);
  EXPECT_LT(free.links[0].mass, 4);
  ConstraintSpec mass;
  mass.kind = ConstraintKind::total_mass;
  mass.name = "weighed";
  mass.lower = 1.9;
  mass.upper = 2.1;
  study.feasible->constraints = {mass};
  const Result weighed = run_study(study).result;
  EXPECT_LE(weighed.feasible->residual->prepared, 1.05 * weighed.residual.prepared);
  EXPECT_NEAR(weighed.links[0].mass, 2, 0.02);
}

// A pan-tilt head: two axes that meet, no length in the robot's file. The camera hangs beside the tilt axis.
Robot pan_tilt(bool with_inertia) {
  Robot robot = read_robot_yaml(
                    "name: pan-tilt\nconvention: modified_dh\n"
                    "joints: [{a: 0, alpha: 0, d: 0, theta: 0}, {a: 0, alpha: pi/2, d: 0, theta: 0}]\n",
                    "pan-tilt.yaml")
                    .robot;
  if (!with_inertia) return robot;
  robot.joints[0].inertia = Inertia::from_mass_com_inertia(
      0.8, Vector3(0.01, 0, -0.02), Matrix3(Vector3(0.0012, 0.0011, 0.0015).asDiagonal()));
  robot.joints[1].inertia = Inertia::from_mass_com_inertia(
      1.4, Vector3(0.07, 0.02, 0.015), Matrix3(Vector3(0.0018, 0.0031, 0.0027).asDiagonal()));
  return robot;
}

TEST(BelievableLinks, OfAPanTiltHeadWithoutLengths) {
  RandomMotion motion;
  motion.center = VectorXd::Zero(2);
  motion.reach = VectorXd::Constant(2, 1.2);
  SimulateOptions options;
  options.rate = 200;
  options.effort_noise = VectorXd::Constant(2, 0.003);
  const Robot truth = pan_tilt(true);
  Study study;
  study.robot = pan_tilt(false);
  study.drives.viscous = true;
  study.prepare.filter = study.prepare.column_filter = {4, 10};
  study.runs = {run_from_samples(
      "look around", simulate(truth, true_parameters(truth), random_multi_sine(motion, 5), options))};
  study.feasible.emplace();
  const Result result = run_study(study).result;
  ASSERT_TRUE(result.feasible && result.feasible->residual);
  EXPECT_LE(result.feasible->residual->prepared, 1.05 * result.residual.prepared);
  // Its first moment is seen, its mass is not: a factor of 2.5, as for other robots without inertias.
  EXPECT_GT(result.links[1].mass, 1.4 / 2.5);
  EXPECT_LT(result.links[1].mass, 1.4 * 2.5);
  EXPECT_LT(result.links[1].origin->measured, 1);
  EXPECT_GT(result.links[1].origin->measured, result.links[0].origin->measured);
}

double largest_change(const Result& a, const Result& b) {
  return (link_parameters(a.links) - link_parameters(b.links)).cwiseAbs().maxCoeff();
}

Study panda() {
  ::setenv("STEELYARD_DATA", oracle::data_folder()->c_str(), 1);
  return read_study(kSource + "/examples/panda-identify/study.yaml");
}

TEST(BelievableLinks, OfThePandaAreNearItsFileAndFitAsWell) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  Study study = panda();
  study.cross.reset();
  study.intervals.bias_check = false;
  study.standstill.keep = true;  // the figure below is that of all rows
  const Result result = run_study(study).result;
  EXPECT_NEAR(result.links[0].mass, 4.970684, 0.3 * 4.970684);  // which no row shows
  EXPECT_LE(result.feasible->residual->prepared, 1.005 * 0.008302733);
  EXPECT_EQ(result.feasible->pull->by, "left-out");
  // Bounds that the links meet change nothing: of one link, then of the mass and the centre of every link.
  const auto bound = [](const std::string& quantity, double lower, double upper) {
    ConstraintSpec spec;
    spec.name = "bound of " + quantity;
    spec.text = quantity;
    spec.lower = lower;
    spec.upper = upper;
    return spec;
  };
  study.feasible->constraints = {bound("m1", 4, kInfinity)};
  EXPECT_LE(largest_change(result, run_study(study).result), 1e-6);
  study.feasible->constraints.clear();
  for (std::size_t k = 0; k < result.links.size(); ++k) {
    const LinkValues& link = result.links[k];
    const std::string number = std::to_string(k + 1);
    study.feasible->constraints.push_back(bound("m" + number, 0.9 * link.mass, 1.1 * link.mass));
    const char* axes[] = {"cx", "cy", "cz"};
    for (int axis = 0; axis < 3; ++axis)
      study.feasible->constraints.push_back(
          bound(axes[axis] + number, link.com[axis] - 0.02, link.com[axis] + 0.02));
  }
  EXPECT_LE(largest_change(result, run_study(study).result), 1e-6);
}

// Weights from 1e-8 to 1e-1 gave 4.88, 4.48, 4.82, 5.40, 6.08, 6.34 % on run 3.
TEST(BelievableLinks, OfTheLwrHoldOnFreshMotions) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  ::setenv("STEELYARD_DATA", oracle::data_folder()->c_str(), 1);
  Study study = read_study(kSource + "/examples/lwr4-real/study.yaml");
  study.feasible->pull = {};
  ASSERT_EQ(study.runs.size(), 3u);
  const auto links_on_the_fresh_motion = [&](std::vector<RunRole> roles) {
    for (std::size_t r = 0; r < 3; ++r) study.runs[r].file.label.role = roles[r];
    const Result result = run_study(study).result;
    double worst = 0;
    for (const RunValidation& run : result.validation)
      if (run.fresh) worst = std::max(worst, run.feasible->prepared);
    double mass = 0;
    for (const LinkValues& link : result.links) {
      mass += link.mass;
      EXPECT_GT(link.mass, 0.05) << link.name;
    }
    EXPECT_NEAR(mass, 14.4, 0.3 * 14.4);  // of the maker's file
    return worst;
  };
  const RunRole fit = RunRole::fit, fresh = RunRole::validate;
  EXPECT_LE(links_on_the_fresh_motion({fit, fit, fresh}), 0.046);
  EXPECT_LE(links_on_the_fresh_motion({fresh, fresh, fit}), 0.032);
}

}  // namespace
}  // namespace believable_links_test
}  // namespace steelyard
