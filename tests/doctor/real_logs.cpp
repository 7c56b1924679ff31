#include "real_logs.hpp"

#include <stdexcept>

#include "oracle/data_folder.hpp"
#include "steelyard/log/run_file.hpp"
#include "steelyard/log/source.hpp"
#include "steelyard/log/transmission.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard::testing {
namespace {

const std::string kSource = STEELYARD_SOURCE_DIR;

struct Recipe {
  std::string robot, file;
  std::vector<ChannelColumns> channels;
};

ChannelColumns columns(const std::string& channel, const std::string& pattern, const std::string& unit = "") {
  ChannelColumns result;
  result.channel = channel;
  result.columns = {pattern};
  if (!unit.empty()) result.units = {unit};
  return result;
}

std::vector<ChannelColumns> usual() {
  return {columns("position", "q{j}_rad"), columns("velocity", "dq{j}_radps"),
          columns("torque", "tau{j}_Nm")};
}

Recipe recipe(const std::string& name, const std::string& data) {
  if (name == "panda")
    return {kSource + "/robots/panda.yaml", data + "/franka_panda_gaz2019/panda_excitation_traj1.csv",
            usual()};
  if (name == "ur10")
    return {kSource + "/robots/ur10.yaml", data + "/ur10_unisa/ur10_exciting_125Hz.csv", usual()};
  if (name == "tx40")
    return {kSource + "/robots/tx40.yaml",
            data + "/staubli_tx40/tx40_excitation_5kHz.csv",
            {columns("motor_position", "qm{j}_rad"), columns("motor_torque", "taum{j}_Nm")}};
  if (name.rfind("lwr", 0) == 0)
    return {data + "/kuka_lwr4_flobaroid/kuka_lwr4.urdf",
            data + "/kuka_lwr4_flobaroid/lwr4_hw" + name.substr(3) + "_200Hz.csv", usual()};
  if (name.rfind("kinova", 0) == 0) {
    const char* files[] = {"RunTrajectory1", "opti_traj_testing1", "opti_traj_testing2"};
    std::vector<ChannelColumns> channels = usual();
    channels[2].columns = {"tau_sensor{j}_Nm"};
    return {data + "/kinova_gen3/gen3.urdf",
            data + "/kinova_gen3/gen3_" + files[name.back() - '1'] + "_1kHz.csv", channels};
  }
  if (name == "kr300") {
    Recipe kr300{kSource + "/tests/doctor/kr300.yaml",
                 data + "/kuka_kr300/kr300_250Hz.csv",
                 {columns("position", "q_mot{j}_deg", "deg"), columns("velocity", "dq_mot{j}_degps", "deg/s"),
                  columns("torque", "tau_mot{j}_Nm")}};
    constexpr double kQuarter = 1.5707963267948966;
    kr300.channels[0].offset = {0, -kQuarter, kQuarter, 0, 0, 0};
    kr300.channels[2].scale = {1798.0 / 7, 1872.0 / 7, 757.0 / 3, 221, 5032.0 / 21, 206793.0 / 1340};
    return kr300;
  }
  if (name == "tiago") {
    Recipe tiago{kSource + "/tests/doctor/tiago.yaml",
                 data + "/tiago_figaroh/tiago_dynamic.csv",
                 {columns("position", "q_{name}_rad_or_m"), columns("velocity", "dq_{name}_radps_or_mps"),
                  columns("torque", "effort_{name}_raw")}};
    tiago.channels[2].scale = {1, 13.6, 13.6, -8.7, -8.7, -20.5968, -20.5968, -20.5968};
    return tiago;
  }
  throw std::invalid_argument("no real log called " + name);
}

}  // namespace

RealLog real_log(const std::string& name) {
  const Recipe made = recipe(name, oracle::data_folder()->string());
  RealLog log;
  log.name = name;
  log.robot = read_robot(made.robot).robot;
  const std::vector<LogJoint> joints = log_joints(log.robot);
  for (const LogJoint& joint : joints) log.joints.push_back(joint.name);
  RunFile file;
  file.path = made.file;
  file.label.label = name;
  file.channels = made.channels;
  log.run = read_run(file, joints);
  if (log.run.samples.find("motor_position") >= 0) to_joint_side(log.robot.transmission, log.run.samples);
  log.run.samples.pack();
  return log;
}

}  // namespace steelyard::testing
