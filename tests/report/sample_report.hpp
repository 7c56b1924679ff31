// A made-up identification of a seven-joint arm, large enough to look like a real one. All numbers follow
// from formulas; nothing is measured.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "steelyard/report/report.hpp"

namespace steelyard {

inline constexpr double kSpikeTime =
    6.5;  // [s] a peak in the first run's third joint, twice as high as all else
inline constexpr int kSpikeJoint = 2;

// Numbers between −1 and 1 that look irregular and are the same everywhere.
inline double wobble(int i) {
  return std::remainder(i * 0.6180339887498949 + (i % 7) * 0.137, 1.0) * 2;
}

inline std::string joint_name(int j) {
  return "panda_joint" + std::to_string(j + 1);
}

inline ResidualSummary sample_residuals(double scale) {
  ResidualSummary residual{0.0095 * scale, 0.0112 * scale, 0.0282 * scale, {}};
  for (int j = 0; j < 7; ++j) {
    const double share = scale * (0.006 + 0.003 * j + 0.002 * wobble(3 * j));
    residual.per_joint.push_back({joint_name(j), 12 * share, share, 2.4 * share});
  }
  return residual;
}

inline std::vector<BaseValue> sample_base() {
  const char* kinds[] = {"Jzz", "Jxx", "Jxy", "Jxz", "Jyz", "mx", "my"};
  std::vector<BaseValue> base;
  for (int i = 0; i < 43; ++i) {
    const std::string name = kinds[i % 7] + std::to_string(i / 7 + 1);
    const double value = std::pow(10.0, 1.5 * wobble(i) - 1) * (wobble(2 * i) < 0 ? -1 : 1);
    const double sigma = std::abs(value) * std::pow(10.0, 1.3 * wobble(5 * i + 1) - 1.4);
    base.push_back(
        {name,
         name + " + 0.0998·m" + std::to_string(i / 7 + 2) + " − 0.316·mz" + std::to_string(i / 7 + 2),
         {{name, 1}},
         value,
         sigma,
         0.8 * sigma,
         sigma / std::abs(value),
         std::pair{value - 1.96 * sigma, value + 1.96 * sigma},
         "bootstrap",
         "determined"});
  }
  for (int i = 0; i < 21; ++i) {
    const std::string name = std::string(i % 3 == 0   ? "fv"
                                         : i % 3 == 1 ? "fc"
                                                      : "fo") +
                             std::to_string(i / 3 + 1);
    const double value = i % 3 == 2 ? 0.1 * wobble(i) : 0.3 + 0.2 * wobble(i);
    base.push_back({name,
                    name,
                    {{name, 1}},
                    value,
                    0.004,
                    0.003,
                    0.004 / std::abs(value),
                    std::pair{value - 0.008, value + 0.008},
                    "bootstrap",
                    "determined"});
  }
  base[40].status = "dependent";
  base[40].sigma = base[40].relative_sigma = std::nullopt;
  base[40].interval = std::nullopt;
  return base;
}

// Each joint a little worse than the one before.
inline MotionForecast sample_forecast(double factor) {
  MotionForecast forecast{0.03 * factor, 0.02 * factor, 0.06 * factor, {}};
  for (int j = 0; j < 7; ++j)
    forecast.per_joint.push_back(
        {joint_name(j), 0.1 * factor, 0.02 * factor * (j + 1), 0.04 * factor * (j + 1)});
  return forecast;
}

// Round bodies of 12 cm; the first is chosen, the second inferred, the others are measured.
inline std::vector<LinkValues> sample_links() {
  std::vector<LinkValues> links;
  for (int j = 0; j < 7; ++j) {
    LinkValues& link = links.emplace_back();
    link.name = "panda_link" + std::to_string(j + 1);
    link.mass = 3;
    link.com = {0, 0, 0.05};
    link.inertia_com << 0.0173, 0, 0, 0.0173, 0, 0.0173;
    link.inertia_origin << 0.0248, 0, 0, 0.0248, 0, 0.0173;
    link.margin = 0.1;
    link.origin = j == 0   ? LinkOrigin{0.1, 0.1, 0.8}
                  : j == 1 ? LinkOrigin{0.2, 0.6, 0.2}
                           : LinkOrigin{0.7, 0.1, 0.2};
  }
  return links;
}

inline Result sample_result() {
  Result result;
  result.robot_name = "Franka Emika Panda";
  result.robot_hash = "9c1f04c7be55d1a2";
  result.dof = 7;
  result.samples = 20544;
  result.rows = 14252;
  result.passes = 2;
  result.verdict = {VerdictLevel::usable,
                    {"Fresh run 'figure eight' is predicted to 1.42 % of its effort.",
                     "One column is not determined by this motion: mx6 is known only together with others."}};
  result.findings = {
      {"rank-deficient", "mx6", Severity::warning,
       "Only known together with my6; smallest singular value 3·10⁻¹⁴.",
       "Move joints 6 and 7 together and alone, or leave the column out.", false},
      {"irregular-stamps", "excitation", Severity::note, "Steps between 0.7 and 3.1 ms, median 1.0 ms.",
       "Log with a fixed step if you can; the run was resampled on a uniform grid.", false},
      {"velocity-scale", "panda_joint7", Severity::error,
       "Velocity is 0.97 times the derivative of the position.",
       "Check the unit of the velocity, or leave it out.", true}};
  result.condition = 1893.4;
  result.condition_scaled = 86.21;
  result.residual = sample_residuals(1);
  result.preparation.rate = 1000;
  result.preparation.cutoff = 5.0;
  result.preparation.decimation = 10;
  result.preparation.kept_share = 0.912;
  result.cross_validation = {10, "phase", sample_residuals(1.2)};
  result.base = sample_base();
  for (int j = 0; j < 7; ++j) {
    result.drives.push_back({joint_name(j),
                             {{"fv", 0.3 + 0.2 * wobble(3 * j)},
                              {"fc", 0.3 + 0.2 * wobble(3 * j + 1)},
                              {"fo", 0.1 * wobble(3 * j + 2)}},
                             "determined"});
  }
  for (const bool fresh : {false, true}) {
    RunValidation& run = result.validation.emplace_back();
    run.run = fresh ? "figure eight" : "excitation";
    run.fresh = fresh;
    run.residual = sample_residuals(fresh ? 1.5 : 1);
    if (fresh) run.forecast = sample_forecast(0.8);
  }
  result.forecast = ForecastSummary{10, sample_forecast(1), {}, {}, {}};
  result.links = sample_links();
  result.provenance = {{{"study.yaml", std::string(64, '3')},
                        {"../../robots/panda.yaml", std::string(64, 'b')},
                        {"${STEELYARD_DATA}/panda/excitation.csv", std::string(64, '7')}},
                       R"({"robot":"../../robots/panda.yaml","prepare":{"filter":{"order":4,"cutoff":5}}})",
                       1,
                       "0.1.0",
                       "avx2"};
  EngineCheck engine;
  engine.engine = "ode";
  engine.run = "figure eight";
  engine.drive_step = 1e-4;
  engine.joints = {{"panda_joint1", 0.01, 0.12, 2.3, 0.013}, {"panda_joint2", -0.02, 0.16, 30, 0.004}};
  engine.heavier = 1.2;
  engine.followed = PoseError{0.0037, 0.011, 0.007, 0.019};
  engine.followed_heavier = PoseError{0.154, 0.56, 0.276, 0.99};
  result.engines = {engine};
  return result;
}

// Twenty seconds in 1000 stretches; the band is as wide as the noise.
inline EffortCurve sample_curve(const std::string& run, int j, double phase, bool spike) {
  EffortCurve curve{run, joint_name(j), "N·m", {}, {}, {}, {}, {}, {}, {}};
  const double size = 40.0 / (1 + j);
  for (int i = 0; i < 1000; ++i) {
    const double t = 0.02 * i;
    const double speed = std::cos(0.9 * t * (1 + 0.13 * j) + phase);
    double effort = size * (0.6 * std::sin(0.63 * t + j + phase) + 0.3 * std::sin(1.7 * t + 2 * j)) +
                    0.05 * size * std::tanh(20 * speed);
    const double error = size * (0.012 * std::sin(7 * t + j) + 0.012 * wobble(i * (j + 3)));
    const double noise = size * 0.006 * (1.2 + wobble(i + 11 * j));
    if (spike && std::abs(t - kSpikeTime) < 1e-9) effort = 2.5 * size;
    curve.time.push_back(t);
    curve.measured_min.push_back(effort + error - noise);
    curve.measured_max.push_back(effort + error + noise);
    curve.predicted_min.push_back(effort - 0.1 * noise);
    curve.predicted_max.push_back(effort + 0.1 * noise);
    curve.residual_min.push_back(error - noise);
    curve.residual_max.push_back(error + noise);
  }
  // Effort falls by 1/f², a line at 50 Hz; the residual is flat with the same line.
  for (int k = 0; k < 72; ++k) {
    const double f = 0.5 * std::pow(10.0, k / 24.0);
    const double mains = k == 48 ? 100 : 1;
    for (Spectrum* spectrum : {&curve.effort_spectrum, &curve.residual_spectrum})
      spectrum->frequency.push_back(f);
    curve.effort_spectrum.density.push_back(size * size / (f * f) + 1e-4 * mains);
    curve.residual_spectrum.density.push_back(1e-4 * mains);
  }
  for (int k = 1; k <= 20; ++k) curve.correlation.push_back(0.6 * std::pow(0.5, k) + 0.02 * wobble(k + j));
  curve.correlation_samples = 2000;
  return curve;
}

inline std::vector<EffortCurve> sample_curves() {
  std::vector<EffortCurve> curves;
  for (int j = 0; j < 7; ++j) curves.push_back(sample_curve("excitation", j, 0, j == kSpikeJoint));
  for (int j = 0; j < 7; ++j) curves.push_back(sample_curve("figure eight", j, 1.3, false));
  return curves;
}

// An arm of seven joints, by the published DH table of the Panda, and the motions of the two runs.
inline Scene sample_scene() {
  Scene scene;
  Robot& robot = scene.robot.emplace();
  robot.name = "Franka Emika Panda";
  const double quarter = std::acos(0.0);
  const double alpha[] = {0, -quarter, quarter, quarter, -quarter, quarter, quarter};
  const double a[] = {0, 0, 0, 0.0825, -0.0825, 0, 0.088};
  const double d[] = {0.333, 0, 0.316, 0, 0.384, 0, 0};
  for (int j = 0; j < 7; ++j) {
    Joint& joint = robot.joints.emplace_back();
    joint.name = joint_name(j);
    joint.link = "panda_link" + std::to_string(j + 1);
    joint.parent = j - 1;
    joint.before = {{Motion::turn_x, alpha[j], ""}, {Motion::move_x, a[j], ""}, {Motion::move_z, d[j], ""}};
  }
  robot.tool = {{Motion::move_z, 0.107, ""}};
  for (const char* run : {"excitation", "figure eight"}) {
    RunMotion& motion = scene.motions.emplace_back();
    motion.run = run;
    motion.position.resize(7);
    for (int k = 0; k < 500; ++k) {
      motion.time.push_back(0.04 * k);
      for (std::size_t j = 0; j < 7; ++j)
        motion.position[j].push_back((j == 3   ? -1.8
                                      : j == 5 ? 1.6
                                               : 0) +
                                     0.6 * std::sin(0.03 * k * (1 + 0.2 * static_cast<double>(j))));
    }
  }
  return scene;
}

// Thirty joints in twenty runs.
struct LargeSample {
  Result result = sample_result();
  std::vector<EffortCurve> curves;
  Scene scene = sample_scene();
};
inline LargeSample large_sample() {
  constexpr int kJoints = 30, kRuns = 20;
  LargeSample large;
  large.result.validation.clear();
  large.result.base.clear();
  large.result.drives.clear();
  large.result.dof = kJoints;
  std::vector<JointResidual>& joints = large.result.residual.per_joint;
  joints.clear();
  Robot& robot = *large.scene.robot;
  const Joint link = robot.joints[2];
  robot.joints.clear();
  for (int j = 0; j < kJoints; ++j) {
    joints.push_back(
        {"joint " + std::to_string(j + 1), 0.123456789012345, 0.0123456789012345, 0.0234567890123456});
    robot.joints.push_back(link);
    robot.joints.back().name = joints.back().name;
    robot.joints.back().link = "link " + std::to_string(j + 1);
    robot.joints.back().parent = j - 1;
    for (int k = 0; k < 10; ++k) {
      large.result.base.push_back(sample_base()[static_cast<std::size_t>(k)]);
      large.result.base.back().name += "@" + std::to_string(j);
    }
  }
  const RunMotion motion = large.scene.motions[0];
  large.scene.motions.clear();
  for (int r = 0; r < kRuns; ++r) {
    const std::string run = "run " + std::to_string(r + 1);
    RunValidation& validation = large.result.validation.emplace_back();
    validation.run = run;
    validation.fresh = r > 0;
    validation.residual = large.result.residual;
    validation.feasible = large.result.residual;
    for (MotionForecast* forecast :
         {&validation.forecast.emplace(), &validation.feasible_forecast.emplace()}) {
      *forecast = {0.0234567890123456, 0.0123456789012345, 0.0345678901234567, {}};
      for (const JointResidual& joint : joints)
        forecast->per_joint.push_back(
            {joint.name, 0.123456789012345, 0.0123456789012345, 0.0234567890123456});
    }
    for (const JointResidual& joint : joints)
      validation.whiteness.push_back({joint.name, 0.123456789012345, 0.912345678901234});
    RunMotion& own = large.scene.motions.emplace_back(motion);
    own.run = run;
    for (int k = 0; k < 3; ++k)  // 2000 samples, as long as a scene has
      for (int s = 0; s < 500; ++s) own.time.push_back(own.time.back() + 0.04);
    own.position.assign(kJoints, std::vector<double>(own.time.size()));
    for (std::size_t j = 0; j < kJoints; ++j)
      for (std::size_t s = 0; s < own.time.size(); ++s)
        own.position[j][s] = wobble(static_cast<int>(s + 7 * j)) * 0.3;
    for (int j = 0; j < kJoints; ++j) {
      large.curves.push_back(sample_curve(run, j % 7, r, r == 0 && j == kSpikeJoint));
      large.curves.back().joint = joints[static_cast<std::size_t>(j)].name;
    }
  }
  return large;
}

// Puts `text` wherever a user can type.
inline void type_everywhere(const std::string& text, Result& result, std::vector<EffortCurve>& curves,
                            ReportOptions& options) {
  result.robot_name = result.robot_hash = text;
  result.verdict.reasons.assign(2, text);
  result.findings = {{text, text, Severity::warning, text, text, false}};
  result.residual.per_joint[0].name = text;
  result.cross_validation->by = text;
  result.base[0].name = result.base[0].expression = result.base[0].method = result.base[0].status = text;
  result.drives[0] = {text, {{text, 1.0}}, text};
  result.validation[0].run = text;
  result.unavailable = {text};
  result.provenance.inputs[0] = {text, text};
  result.provenance.version = result.provenance.isa = text;
  for (std::size_t j = 0; j < 7; ++j) curves[j].run = text;
  curves[0].joint = curves[0].unit = text;
  options.command = text;
}

}  // namespace steelyard
