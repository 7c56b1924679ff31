// Robots with their logs, and other ways to write the same.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "oracle/random_robot.hpp"
#include "steelyard/export/formats.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/log/source.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace metamorphic_test {
namespace {

struct Log {
  std::string label;
  RunRole role = RunRole::fit;
  VectorXd time;
  MatrixXd q, tau;  // samples × joints
};

struct Case {
  std::string name;
  Study settings;  // without robot and runs
  Robot robot;
  std::vector<Log> logs;
};

Study study_of(const Case& written) {
  Study study = written.settings;
  study.robot = written.robot;
  for (const Log& log : written.logs) {
    study.runs.push_back(run_from_arrays(log.label, log.time, log.q, log.tau));
    study.runs.back().file.label.role = log.role;
  }
  return study;
}

Study settings(double cutoff) {
  Study study;
  study.drives.viscous = study.drives.coulomb = study.drives.offset = true;
  study.prepare.filter = study.prepare.column_filter = {4, cutoff};
  study.prepare.column_filter.cutoff = cutoff;
  study.prepare.filter.cutoff = 2 * cutoff;
  study.estimate.weighting = Weighting::by_row;
  study.intervals.bias_check = false;
  study.cross = CrossOptions{};
  return study;
}

// Motion and efforts of a robot that the model does not explain completely: sines that belong to no column, all below
// the cut-off, so that any rate of samples has the same rows.
constexpr double kRate = 200, kCutoff = 8;

Log simulated(const Robot& robot, const std::string& label, RunRole role, std::uint64_t seed, double rate,
              bool with_dry_friction) {
  RandomMotion motion;
  motion.period = 10;
  motion.harmonics = 5;
  motion.center = VectorXd::Zero(robot.dof());
  motion.reach = VectorXd::Constant(1, 0.9);
  SimulateOptions options;
  options.rate = rate;
  options.velocity = VelocityChannel::none;
  options.check_limits = false;
  TrueParameters truth = true_parameters(robot);
  truth.drives.resize(static_cast<std::size_t>(robot.size()));
  for (Drive& drive : truth.drives) {
    drive.friction.viscous = 0.5;
    drive.friction.coulomb = with_dry_friction ? 0.4 : 0;
    drive.friction.offset = 0.1;
  }
  const Run run = simulate(robot, truth, random_multi_sine(motion, seed), options);
  Log log{label, role, {}, {}, {}};
  const Index samples = run.samples.size(), joints = robot.dof();
  log.time = Eigen::Map<const Eigen::VectorXd>(run.samples.time(), samples);
  log.q = Eigen::Map<const Eigen::MatrixXd>(run.samples.row(run.samples.find(channel::kPosition)), samples,
                                            joints);
  log.tau =
      Eigen::Map<const Eigen::MatrixXd>(run.samples.row(run.samples.find(channel::kTorque)), samples, joints);
  oracle::Random random(seed + 17);
  for (Index j = 0; j < joints; ++j) {
    const double size = 0.02 * std::sqrt(log.tau.col(j).squaredNorm() / static_cast<double>(samples));
    for (int k = 0; k < 12; ++k) {
      const double omega = 2 * M_PI * random.uniform(0.3, 5), phase = random.uniform(0, 6);
      log.tau.col(j).array() += size * (omega * log.time.array() + phase).sin();
    }
  }
  return log;
}

Case random_case(std::uint64_t seed, oracle::RandomRobotOptions options, double rate = kRate,
                 bool dry = true) {
  options.prismatic_share = 0.2;
  Case out;
  out.name = fmt::format("random robot {}", seed);
  out.robot = oracle::random_robot(seed, options);
  out.settings = settings(kCutoff);
  out.logs = {simulated(out.robot, "one", RunRole::fit, seed, rate, dry),
              simulated(out.robot, "two", RunRole::validate, seed + 1, rate, dry)};
  return out;
}

std::vector<Case> random_cases() {
  return {random_case(3, {.joints = 4, .geometry = oracle::Geometry::any}),
          random_case(8, {.joints = 5, .branches = true, .geometry = oracle::Geometry::urdf}),
          random_case(5, {.joints = 3, .geometry = oracle::Geometry::standard_dh})};
}

// A study of this repository with its logs read.
Case real_case(const std::string& path) {
  const Study study = read_study(STEELYARD_SOURCE_DIR "/examples/" + path);
  Case out{path, settings(study.prepare.column_filter.cutoff), study_robot(study), {}};
  out.settings.drives = study.drives;
  for (const StudyRun& run : study.runs) {
    const Run read = read_run(run.file, log_joints(out.robot));
    const Index samples = read.samples.size(), joints = out.robot.dof();
    out.logs.push_back({run.file.label.label, run.file.label.role,
                        Eigen::Map<const Eigen::VectorXd>(read.samples.time(), samples),
                        Eigen::Map<const Eigen::MatrixXd>(
                            read.samples.row(read.samples.find(channel::kPosition)), samples, joints),
                        Eigen::Map<const Eigen::MatrixXd>(
                            read.samples.row(read.samples.find(channel::kTorque)), samples, joints)});
  }
  return out;
}

Case renamed(Case written) {
  int number = 0;
  for (Joint& joint : written.robot.joints) {
    joint.name = fmt::format("axis/{} of {}", number, 17 - number);
    joint.link = fmt::format("body {}", 17 - number++);
  }
  return written;
}

Case with_turned_base(Case written) {
  const Steps turn = {{Motion::turn_x, 0.7, ""}, {Motion::turn_z, -1.9, ""}, {Motion::move_y, 2, ""}};
  const Steps base = written.robot.base;
  written.robot.base = turn;
  written.robot.base.insert(written.robot.base.end(), base.begin(), base.end());
  written.robot.gravity = to_pose(turn).rotation * written.robot.gravity;
  return written;
}

Case with_turned_axis(Case written, int j) {
  Joint& joint = written.robot.joints[static_cast<std::size_t>(j)];
  joint.axis = -joint.axis;
  std::swap(joint.limits.lower, joint.limits.upper);
  joint.limits.lower = -joint.limits.lower;
  joint.limits.upper = -joint.limits.upper;
  for (Log& log : written.logs) {
    log.q.col(j) = -log.q.col(j);
    log.tau.col(j) = -log.tau.col(j);
  }
  return written;
}

Case later(Case written, double seconds) {
  for (Log& log : written.logs) log.time.array() += seconds;
  return written;
}

// Children in another order; parents stay before them.
Case reordered(const Case& written, const std::vector<int>& order) {
  Case out = written;
  std::vector<int> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    place[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Joint& joint = written.robot.joints[static_cast<std::size_t>(order[k])];
    out.robot.joints[k] = joint;
    if (joint.parent >= 0) out.robot.joints[k].parent = place[static_cast<std::size_t>(joint.parent)];
    for (std::size_t l = 0; l < written.logs.size(); ++l) {
      out.logs[l].q.col(static_cast<Index>(k)) = written.logs[l].q.col(order[k]);
      out.logs[l].tau.col(static_cast<Index>(k)) = written.logs[l].tau.col(order[k]);
    }
  }
  if (written.robot.tool_link >= 0)
    out.robot.tool_link = place[static_cast<std::size_t>(written.robot.tool_link)];
  return out;
}

// The first log as two runs.
Case cut(Case written) {
  const Log whole = written.logs[0];
  const Index half = whole.time.size() / 2;
  Log first = whole, second = whole;
  first.time = whole.time.head(half), first.q = whole.q.topRows(half), first.tau = whole.tau.topRows(half);
  second.time = whole.time.tail(whole.time.size() - half),
  second.q = whole.q.bottomRows(whole.q.rows() - half);
  second.tau = whole.tau.bottomRows(whole.tau.rows() - half);
  second.label += ", second half";
  written.logs[0] = first;
  written.logs.insert(written.logs.begin() + 1, second);
  return written;
}

// As our own file has it: every link's frame at its joint.
Case as_file(Case written) {
  const RobotFileText file = to_robot_yaml({written.robot, true_parameters(written.robot)});
  Robot robot = read_robot_yaml(file.text, "robot.yaml").robot;
  written.robot = robot;
  return written;
}

// As a URDF has it; `fixed`: the joint with a fixed one before it.
std::string origin_text(const Pose& pose) {
  const Matrix3& R = pose.rotation;
  const double pitch = std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0)));
  return fmt::format("<origin xyz='{:.17g} {:.17g} {:.17g}' rpy='{:.17g} {:.17g} {:.17g}'/>",
                     pose.position[0], pose.position[1], pose.position[2], std::atan2(R(2, 1), R(2, 2)),
                     pitch, std::atan2(R(1, 0), R(0, 0)));
}

std::string urdf_of(const Robot& robot, int fixed = -1) {
  std::string text = "<robot name='r'><link name='base'/>\n";
  for (int j = 0; j < robot.size(); ++j) {
    const Joint& joint = robot.joints[static_cast<std::size_t>(j)];
    Pose origin = to_pose(joint.before);
    std::string parent = "base";
    if (joint.parent >= 0) {
      const Joint& own = robot.joints[static_cast<std::size_t>(joint.parent)];
      parent = own.link;
      origin = to_pose(own.after) * origin;
    }
    if (j == fixed) {
      const Pose first =
          to_pose({{Motion::move_x, 0.3, ""}, {Motion::turn_y, 1.1, ""}, {Motion::move_z, -0.2, ""}});
      text += fmt::format(
          "<link name='flange'/><joint name='weld' type='fixed'><parent link='{}'/><child "
          "link='flange'/>{}</joint>\n",
          parent, origin_text(first));
      parent = "flange";
      origin = first.inverse() * origin;
    }
    text += fmt::format(
        "<link name='{}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
        "iyz='0'/></inertial>"
        "</link><joint name='{}' type='{}'><parent link='{}'/><child link='{}'/>{}<axis xyz='{:.17g} {:.17g} "
        "{:.17g}'/>"
        "<limit lower='-9' upper='9' velocity='99' effort='9999'/></joint>\n",
        joint.link, joint.name, joint.kind == JointKind::prismatic ? "prismatic" : "revolute", parent,
        joint.link, origin_text(origin), joint.axis[0], joint.axis[1], joint.axis[2]);
  }
  return text + "</robot>\n";
}

// Its reader sorts the joints of trees in an order of its own.
Case as_urdf(const Case& written, int fixed = -1) {
  Case out = written;
  out.robot = read_robot_urdf(urdf_of(written.robot, fixed), "robot.urdf").robot;
  out.robot.gravity = written.robot.gravity;
  out.robot.base = written.robot.base;
  for (int j = 0; j < written.robot.size(); ++j) {
    const int place = out.robot.index_of(written.robot.joints[static_cast<std::size_t>(j)].name);
    for (std::size_t l = 0; l < written.logs.size(); ++l) {
      out.logs[l].q.col(place) = written.logs[l].q.col(j);
      out.logs[l].tau.col(place) = written.logs[l].tau.col(j);
    }
  }
  return out;
}

std::vector<int> places_of(const Robot& robot, const Robot& other) {
  std::vector<int> places;
  for (const Joint& joint : robot.joints) places.push_back(other.index_of(joint.name));
  return places;
}

// A text file in the units of its logger, and the columns of a study that read it.
StudyRun in_units(const Log& log, const Robot& robot, const std::string& path) {
  constexpr double kCounts = 2 * M_PI / 65536;
  std::ofstream file(path);
  const Index n = log.q.cols();
  file << "ms";
  for (Index j = 1; j <= n; ++j) file << fmt::format(",q{}", j);
  for (Index j = 1; j <= n; ++j) file << fmt::format(",tau{}", j);
  for (Index i = 0; i < log.time.size(); ++i) {
    file << fmt::format("\n{:.17g}", 1e3 * log.time[i]);
    for (Index j = 0; j < n; ++j) {
      const bool slides = robot.joints[static_cast<std::size_t>(j)].kind == JointKind::prismatic;
      file << fmt::format(",{:.17g}", log.q(i, j) * (slides ? 1e3 : j == 0 ? 1 / kCounts : 180 / M_PI));
    }
    for (Index j = 0; j < n; ++j) file << fmt::format(",{:.17g}", 1e3 * log.tau(i, j));
  }
  file << "\n";
  std::string units, scales, efforts;
  for (Index j = 0; j < n; ++j) {
    const bool slides = robot.joints[static_cast<std::size_t>(j)].kind == JointKind::prismatic;
    const char* comma = j > 0 ? ", " : "";
    units += comma + std::string(slides ? "mm" : j == 0 ? "rad" : "deg");
    scales += comma + std::string(j == 0 && !slides ? "2*pi/65536" : "1");
    efforts += comma + std::string(slides ? "mN" : "mN*m");
  }
  Study study = read_study_text(fmt::format("robot: robot.yaml\nruns:\n  - file: {}\n    label: {}\n    "
                                            "columns: {{time: ms, position: 'q{{j}}', "
                                            "torque: 'tau{{j}}'}}\n    units: {{time: ms, position: [{}], "
                                            "torque: [{}]}}\n    scale: {{position: "
                                            "[{}]}}\n",
                                            path, log.label, units, efforts, scales),
                                "study.yaml");
  study.runs[0].file.label.role = log.role;
  return study.runs[0];
}

}  // namespace
}  // namespace metamorphic_test
}  // namespace steelyard
