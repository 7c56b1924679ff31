#include "steelyard/excite/motion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "excite/problem.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

std::vector<double> as_list(const Eigen::Ref<const Eigen::VectorXd>& v) {
  return {v.data(), v.data() + v.size()};
}

std::string joined(const VectorXd& v) {
  return fmt::format("[{}]", fmt::join(as_list(v), ", "));
}

std::string matrix_text(const MatrixXd& m) {
  std::string text = "[";
  for (Index r = 0; r < m.rows(); ++r) text += (r == 0 ? "" : ",\n      ") + joined(m.row(r).transpose());
  return text + "]";
}

struct Sampled {
  VectorXd time;
  GridMotion motion;
  MatrixXd effort;  // empty: not known
};

std::string csv_text(const Robot& robot, const Sampled& s) {
  const std::vector<int> joints = coordinates(robot).joints;
  std::string text = "t_s";
  const auto head = [&](const char* name, const char* turning, const char* sliding) {
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const bool turns = robot.joints[static_cast<std::size_t>(joints[j])].kind == JointKind::revolute;
      text += fmt::format(",{}{}_{}", name, j + 1, turns ? turning : sliding);
    }
  };
  head("q", "rad", "m");
  head("dq", "radps", "mps");
  head("ddq", "radps2", "mps2");
  if (s.effort.size() > 0) head("tau", "Nm", "N");
  text += "\n";
  for (Index k = 0; k < s.time.size(); ++k) {
    text += fmt::format("{}", s.time[k]);
    for (const MatrixXd* m : {&s.motion.q, &s.motion.qd, &s.motion.qdd, &s.effort})
      for (Index j = 0; j < m->cols(); ++j) text += fmt::format(",{}", (*m)(k, j));
    text += "\n";
  }
  return text;
}

// `quote` is empty in YAML.
std::string trajectory_text(const Robot& robot, const Sampled& s, bool yaml) {
  const char* quote = yaml ? "" : "\"";
  std::vector<std::string> names;
  for (const int j : coordinates(robot).joints)
    names.push_back(fmt::format("\"{}\"", robot.joints[static_cast<std::size_t>(j)].name));
  const auto key = [&](const char* name) { return fmt::format("{0}{1}{0}: ", quote, name); };
  std::string text = yaml ? "" : "{";
  text += key("header") + fmt::format("{{{}\"\"}}", key("frame_id")) + (yaml ? "\n" : ",\n ");
  text += key("joint_names") + fmt::format("[{}]", fmt::join(names, ", ")) + (yaml ? "\n" : ",\n ");
  text += key("points") + (yaml ? "\n" : "[\n");
  for (Index k = 0; k < s.time.size(); ++k) {
    const double whole = std::floor(s.time[k]);
    const long nano = std::lround(1e9 * (s.time[k] - whole));
    const long carry = nano >= 1000000000 ? 1 : 0;
    text += yaml ? "  - {" : "  {";
    text += key("positions") + joined(s.motion.q.row(k).transpose()) + ", ";
    text += key("velocities") + joined(s.motion.qd.row(k).transpose()) + ", ";
    text += key("accelerations") + joined(s.motion.qdd.row(k).transpose()) + ", ";
    text += key("effort") + (s.effort.size() > 0 ? joined(s.effort.row(k).transpose()) : "[]") + ", ";
    text +=
        key("time_from_start") + fmt::format("{{{}{}, {}{}}}}}", key("sec"), static_cast<long>(whole) + carry,
                                             key("nanosec"), nano - carry * 1000000000);
    text += k + 1 < s.time.size() && !yaml ? ",\n" : "\n";
  }
  return text + (yaml ? "" : "]}\n");
}

std::string study_text(const DesignedMotion& motion) {
  if (const auto* rest = std::get_if<RestToRest>(&motion)) {
    const FourierSeries& f = rest->series;
    std::string text = fmt::format("motion:\n  fourier:\n    omega: {}\n    duration: {}\n    lead: {}\n",
                                   f.omega, f.duration, rest->lead);
    text +=
        "    a: " + matrix_text(f.a) + "\n    b: " + matrix_text(f.b) + "\n    q0: " + joined(f.q0) + "\n";
    if (rest->start.size() > 0) text += "    start: " + joined(rest->start) + "\n";
    if (rest->finish.size() > 0) text += "    finish: " + joined(rest->finish) + "\n";
    return text;
  }
  const auto& moves = std::get<PointToPoint>(motion);
  MatrixXd points(static_cast<Index>(moves.points.size()), moves.points.front().size());
  for (Index k = 0; k < points.rows(); ++k)
    points.row(k) = moves.points[static_cast<std::size_t>(k)].transpose();
  std::string text =
      "motion:\n  points:\n    points: " + matrix_text(points) + "\n    time: " + joined(moves.time) + "\n";
  if (moves.dwell.size() > 0) text += "    dwell: " + joined(moves.dwell) + "\n";
  return text;
}

}  // namespace

MotionFiles motion_files(const Robot& robot, const BaseParameters& base, const DesignedMotion& motion,
                         const ExciteOptions& options, double rate) {
  const DesignProblem problem(robot, base, options);
  const Trajectory trajectory = to_trajectory(motion);
  Sampled s;
  const Index steps = static_cast<Index>(std::floor(trajectory.duration() * rate + 1e-9));
  s.time = VectorXd::LinSpaced(steps + 1, 0, static_cast<double>(steps)) / rate;
  s.motion = sample_motion(trajectory, s.time);
  if (problem.limits_effort()) s.effort = problem.efforts(s.motion);
  return {csv_text(robot, s), trajectory_text(robot, s, false), trajectory_text(robot, s, true),
          study_text(motion)};
}

}  // namespace steelyard
