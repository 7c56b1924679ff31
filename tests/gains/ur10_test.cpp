// Another arm: no coupling, irregular stamps, friction that the model does not have.
#include <gmock/gmock.h>

#include <cmath>

#include "steelyard/core/random.hpp"
#include "steelyard/gains/payload.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/simulate/simulate.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard {
namespace {

constexpr double kWeighed = 5, kSecond = 2;  // [kg]

VectorXd drive_gains() {
  VectorXd gains(6);
  gains << 13.2, 13.6, 9.3, 12.5, 12.4, 12.6;
  return gains;
}

Inertia body_of(double mass) {
  return Inertia::from_mass_com_inertia(mass, Vector3(0.03, -0.02, 0.08),
                                        symmetric_matrix(0.002, 0, 0, 0.002, 0, 0.0015) * mass);
}

// The model has viscous and Coulomb friction and an offset; the truth is a Stribeck curve and an asymmetry.
class Arm {
 public:
  Arm() : robot_(read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/ur10.yaml").robot) {
    // Masses and centres of the size that such an arm has; the maker's file has none.
    const double mass[] = {7.8, 12.9, 3.9, 2, 2, 0.4}, along[] = {0, 0.3, 0.28, 0, 0, 0};
    for (std::size_t j = 0; j < 6; ++j) {
      Joint& joint = robot_.joints[j];
      joint.drive.viscous = joint.drive.coulomb = joint.drive.offset = joint.drive.rotor_inertia = true;
      joint.inertia = Inertia::from_mass_com_inertia(
          mass[j], Vector3(along[j], 0.01, 0.02),
          symmetric_matrix(0.004, 0, 0, 0.003 + along[j] * along[j] / 3, 0, 0.003 + along[j] * along[j] / 3) *
              mass[j]);
    }
    BaseOptions options;
    options.expressions = false;
    base_ = base_parameters(robot_, options);
    rows_ = current_rows(robot_, base_);
    truth_ = true_parameters(robot_);
    for (std::size_t j = 0; j < 6; ++j) {
      const double size = j < 3 ? 10 : 2;
      Drive& drive = truth_.drives[j];
      drive.gain = drive_gains()[static_cast<Index>(j)];
      drive.rotor_inertia = 0.1 * size;
      drive.friction.viscous = size;
      drive.friction.coulomb = 0.6 * size;
      drive.friction.stribeck = 0.3 * size;
      drive.friction.stribeck_velocity = 0.1;
      drive.friction.coulomb_positive = 0.1 * size;
    }
  }

  GainRun run(double load, const std::string& name, std::uint64_t seed) const {
    RandomMotion motion;
    motion.harmonics = 5;
    motion.period = 20;
    motion.duration = 60;
    motion.center.resize(6);
    motion.center << 0, -1.57, 1.2, -1, 1, 0;
    motion.reach.resize(6);
    motion.reach << 1.5, 0.9, 1.2, 1.5, 1.5, 2;
    motion.velocity = VectorXd::Constant(1, 2.5);
    SimulateOptions options;
    options.label.label = name.empty() ? "unloaded" : name;
    options.label.payload = name;
    options.rate = 125;
    options.jitter = 1.5e-3;
    options.effort = EffortChannel::current;
    options.velocity = VelocityChannel::none;
    options.check_limits = false;
    options.position_noise = VectorXd::Constant(1, 2e-5);
    options.relative_effort_noise = VectorXd::Constant(1, 0.05);
    options.seed = 100 + seed;
    if (load > 0) options.payload = body_of(load);
    const steelyard::Run samples =
        simulate(robot_, truth_, Trajectory(random_multi_sine(motion, seed)), options);
    PrepareOptions prepare;
    prepare.filter.cutoff = prepare.column_filter.cutoff = 4;
    PreparedRun prepared(view_run(samples), samples.label, prepare);
    PassOptions pass;
    pass.slot_samples = 256;
    const FoldPass folds = fold_currents(prepared, rows_, pass);
    const RunErrors errors = run_errors(prepared, rows_);
    return gain_run(rows_, folds, samples.label, static_cast<Index>(1000 * seed), &errors);
  }

  const CurrentRows& rows() const { return rows_; }

 private:
  Robot robot_;
  BaseParameters base_;
  CurrentRows rows_;
  TrueParameters truth_;
};

const Arm& arm() {
  static const Arm arm;
  return arm;
}

GainProblem second_load() {
  static const std::vector<GainRun> runs = {arm().run(0, "", 1), arm().run(kSecond, "second", 3)};
  return gain_problem(arm().rows(), {unknown_load("second")}, runs);
}

GainOptions with_replicates() {
  GainOptions options;
  options.bootstrap.replicates = 200;
  return options;
}

TEST(Ur10Loads, ASecondLoadIsFoundWithGainsFromAWeighedOne) {
  const GainProblem weighed = gain_problem(arm().rows(), {weighed_load("weighed", kWeighed, 0.005)},
                                           {second_load().runs[0], arm().run(kWeighed, "weighed", 2)});
  for (const GainMethod method : {GainMethod::tls, GainMethod::prediction_error}) {
    const GainFit gains = fit_gains(weighed, method, with_replicates());
    const LoadEstimate load = identify_loads(second_load(), gains.gain_values(),
                                             gains.covariance.topLeftCorner(6, 6), with_replicates())
                                  .loads[0];
    EXPECT_NEAR(load.values[0], kSecond, 0.03 * kSecond) << to_string(method);
  }
}

TEST(Ur10Loads, GivenGainsThatAreOffDominateTheDeviationAndTheIntervalHoldsTheTruth) {
  const MatrixXd covariance = (0.1 * drive_gains()).cwiseAbs2().asDiagonal();
  int held = 0;
  constexpr int kDraws = 3;
  for (int draw = 0; draw < kDraws; ++draw) {
    Random random(static_cast<std::uint64_t>(draw), "given gains");
    VectorXd gains = drive_gains();
    for (double& gain : gains) gain *= random.uniform(0.9, 1.1);
    const LoadEstimate load = identify_loads(second_load(), gains, covariance, with_replicates()).loads[0];
    EXPECT_TRUE(load.gains_dominate);
    EXPECT_GT(load.sigma_gains[0], 2 * load.sigma_noise[0]);
    held += load.lower[0] <= kSecond && kSecond <= load.upper[0];
  }
  // ± 10 % uniform has a standard deviation of 5.8 %, the interval assumes 10 %: it holds all of them.
  EXPECT_EQ(held, kDraws);
}

}  // namespace
}  // namespace steelyard
