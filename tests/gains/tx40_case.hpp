// A simulated TX-40 with the published values of the drive-gain paper (mass known, total least squares: "case
// 4"), its two loads, and noise: the bench that the gains tests and bench/gains_bench.cpp share.
//
// Base parameters are set through their leads, everything that is not in the published table is zero. The
// body of the 4.59 kg load is the published CAD model, that of the 1.686 kg load is made up.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "steelyard/core/random.hpp"
#include "steelyard/gains/fit.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/simulate/simulate.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::tx40 {

inline constexpr double kHeavy = 4.59, kLight = 1.686;  // [kg]

inline VectorXd true_gains() {
  VectorXd gains(6);
  gains << 33.9, 32.4, 24.2, -9.21, 16.3, 6.79;
  return gains;
}

inline VectorXd manufacturer_gains() {
  VectorXd gains(6);
  gains << 32.96, 32.96, 25.65, -11.52, 18.48, 7.68;
  return gains;
}

inline std::map<std::string, double> true_base() {
  return {{"Jzz1", 1.28},   {"Jxx2", -0.501}, {"Jxz2", -0.158}, {"Jzz2", 1.05},  {"mx2", 2.11},
          {"Jxx3", 0.105},  {"Jzz3", 0.127},  {"mx3", 0.0414},  {"my3", -0.571}, {"Jxy4", -0.00561},
          {"mx4", -0.015},  {"my5", -0.0237}, {"Ia3", 0.0831},  {"Ia4", 0.0271}, {"Ia5", 0.049},
          {"Ia6", 0.00969}, {"fv1", 7.01},    {"fv2", 4.45},    {"fv3", 1.57},   {"fv4", 0.727},
          {"fv5", 1.41},    {"fv6", 0.502},   {"fc1", 5.46},    {"fc2", 7.72},   {"fc3", 6.28},
          {"fc4", 1.92},    {"fc5", 3.15},    {"fo1", 0.301},   {"fo6", 0.0933}, {"Iam6", 0.0104},
          {"fvm6", 0.475},  {"fcm6", 1.77}};
}

inline Inertia heavy_body() {
  Vector10 p;
  p << kHeavy, -0.29, -0.29, 0.41, 0.064, -0.018, 0.026, 0.064, 0.026, 0.044;
  return Inertia::from_standard(p);
}

inline Inertia light_body() {
  return Inertia::from_mass_com_inertia(kLight, Vector3(-0.02, 0.03, 0.07),
                                        symmetric_matrix(0.004, 0, 0, 0.003, 0, 0.002));
}

inline TrueParameters truth(const Robot& robot) {
  const std::map<std::string, double> base = true_base();
  const auto value = [&](const std::string& name) {
    const auto found = base.find(name);
    return found == base.end() ? 0.0 : found->second;
  };
  TrueParameters truth;
  const std::vector<std::string> names = standard_parameter_names(robot);
  truth.standard.resize(static_cast<Index>(names.size()));
  for (std::size_t k = 0; k < names.size(); ++k) truth.standard[static_cast<Index>(k)] = value(names[k]);
  truth.drives.resize(6);
  for (std::size_t j = 0; j < 6; ++j) {
    const std::string number = std::to_string(j + 1);
    Drive& drive = truth.drives[j];
    drive.gain = true_gains()[static_cast<Index>(j)];
    drive.rotor_inertia = value("Ia" + number);
    drive.friction.viscous = value("fv" + number);
    drive.friction.coulomb = value("fc" + number);
    drive.friction.offset = value("fo" + number);
  }
  truth.pairs = {{value("Iam6"), value("fvm6"), value("fcm6")}};
  return truth;
}

// Moves between random points, with dwells.
inline Trajectory point_motion(std::uint64_t seed) {
  Random random(seed, "points");
  VectorXd center(6), reach(6);
  center << 0, -1.57, 1.57, 0, 0, 0;
  reach << 1.5, 1.0, 1.0, 1.8, 1.5, 2.2;
  PointToPoint moves;
  for (int p = 0; p < 16; ++p) {
    VectorXd q(6);
    for (Index j = 0; j < 6; ++j) q[j] = center[j] + reach[j] * random.uniform(-1, 1);
    moves.points.push_back(q);
  }
  moves.velocity = VectorXd::Constant(1, 3);
  moves.acceleration = VectorXd::Constant(1, 12);
  moves.dwell = VectorXd::Constant(1, 0.2);
  return moves;
}

struct Setting {
  double current_noise = 0.1;                                 // share of the joint's rms current
  double encoder_noise = 1e-4;                                // [rad]
  double rate = 200;                                          // [Hz]
  double duration = 24;                                       // [s]
  double cutoff = 5;                                          // [Hz] of positions and columns
  double reach1 = 1.5;                                        // [rad] of joint 1
  bool ignore_coupling = false;                               // in the model
  std::function<Trajectory(std::uint64_t seed)> motion = {};  // none: multi-sines
  VectorXd standstill = {};                                   // as of PrepareOptions
};

inline Trajectory motion(std::uint64_t seed, const Setting& setting) {
  if (setting.motion) return setting.motion(seed);
  RandomMotion motion;
  motion.harmonics = 6;
  motion.period = 12;
  motion.duration = setting.duration;
  motion.center.resize(6);
  motion.center << 0, -1.57, 1.57, 0, 0, 0;
  motion.reach.resize(6);
  motion.reach << setting.reach1, 1.2, 1.3, 2, 1.6, 2.5;
  motion.velocity.resize(6);
  motion.velocity << 5, 5, 7.5, 7, 5.5, 12;
  return random_multi_sine(motion, seed);
}

class Bench {
 public:
  explicit Bench(const Setting& setting = {})
      : setting_(setting),
        robot_(read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/tx40.yaml").robot),
        truth_(truth(robot_)),
        base_(base_parameters(robot_, quiet())) {
    CurrentRowOptions options;
    options.ignore_coupling = setting.ignore_coupling;
    rows_ = current_rows(robot_, base_, options);
  }

  const Robot& robot() const { return robot_; }
  const CurrentRows& rows() const { return rows_; }
  const BaseParameters& base() const { return base_; }
  const TrueParameters& parameters() const { return truth_; }

  Run simulate(const std::string& load, std::uint64_t motion_seed, std::uint64_t noise_seed) const {
    SimulateOptions options;
    options.label.label = load.empty() ? "unloaded" : load;
    options.label.payload = load;
    options.rate = setting_.rate;
    options.effort = EffortChannel::current;
    options.velocity = VelocityChannel::none;
    options.check_limits = false;
    options.position_noise = VectorXd::Constant(1, setting_.encoder_noise);
    options.relative_effort_noise = VectorXd::Constant(1, setting_.current_noise);
    options.seed = noise_seed;
    if (load == "heavy") options.payload = heavy_body();
    if (load == "light") options.payload = light_body();
    return steelyard::simulate(robot_, truth_, motion(motion_seed, setting_), options);
  }

  PrepareOptions preparation() const {
    PrepareOptions options;
    options.filter.cutoff = setting_.cutoff;
    options.column_filter.cutoff = setting_.cutoff;
    options.standstill = setting_.standstill;
    return options;
  }

  GainRun fold(const Run& run, Index first_block) const {
    PreparedRun prepared(view_run(run), run.label, preparation());
    PassOptions pass;
    pass.slot_samples = 128;
    const FoldPass folds = fold_currents(prepared, rows_, pass);
    const RunErrors errors = run_errors(prepared, rows_);
    return gain_run(rows_, folds, run.label, first_block, &errors);
  }

  // An unloaded run, and one with the heavy load; noise by the draw.
  std::vector<GainRun> runs(std::uint64_t draw) const {
    return {fold(simulate("", 1, 2 * draw + 1), 0), fold(simulate("heavy", 2, 2 * draw + 2), 1000)};
  }

  GainProblem problem(std::vector<GainRun> runs, bool ten_known) const {
    const Load load = ten_known ? known_load("heavy", heavy_body()) : weighed_load("heavy", kHeavy);
    return gain_problem(rows_, {load}, std::move(runs));
  }

 private:
  static BaseOptions quiet() {
    BaseOptions options;
    options.expressions = false;
    return options;
  }

  Setting setting_;
  Robot robot_;
  TrueParameters truth_;
  BaseParameters base_;
  CurrentRows rows_;
};

// (g − g*) / g*, per joint.
inline VectorXd gain_errors(const VectorXd& gains) {
  return (gains - true_gains()).cwiseQuotient(true_gains());
}

}  // namespace steelyard::tx40
