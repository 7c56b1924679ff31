// The seven public logs as studies with `feasible: {}`, prepared as in the league table (scripts/league).
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "oracle/data_folder.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard::seven_logs {

inline const char* const kRobots[] = {"panda", "ur10", "tx40", "lwr4", "gen3", "kr300", "tiago"};

// The maker's weight [kg]; the file says where each is from.
inline double weight_of(const std::string& robot) {
  std::ifstream file(std::string(STEELYARD_SOURCE_DIR) + "/tests/data/weights.csv");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(robot + ",", 0) == 0) return std::stod(line.substr(robot.size() + 1));
  return 0;
}

// DH, masses and inertias as the source of the log gives them.
inline std::string kr300_text(const std::string& data) {
  std::ifstream file(data + "/kuka_kr300/model_cad.csv");
  std::string text = "name: kr300\nconvention: standard_dh\nbase: {rpy: [pi, 0, 0]}\njoints:\n", line;
  std::vector<std::string> names;
  const auto cells = [](const std::string& row) {
    std::vector<std::string> out;
    std::istringstream stream(row);
    for (std::string cell; std::getline(stream, cell, ',');) out.push_back(cell);
    return out;
  };
  std::getline(file, line);
  names = cells(line);
  for (int k = 1; std::getline(file, line); ++k) {
    std::map<std::string, std::string> row;
    const std::vector<std::string> values = cells(line);
    for (std::size_t c = 0; c < names.size(); ++c) row[names[c]] = values[c];
    text += fmt::format(
        "  - {{name: axis{0}, a: {1}, alpha: {2}, d: {3}, theta: {4}, link: {{name: link{0}, mass: {5}, "
        "com: [{6}, {7}, {8}], inertia: {{xx: {9}, xy: {10}, xz: {11}, yy: {12}, yz: {13}, zz: {14}}}}}}}\n",
        k, row["dh_a_m"], row["dh_alpha_rad"], row["dh_d_m"], row["theta_offset_rad"], row["mass_kg"],
        row["com_x_m"], row["com_y_m"], row["com_z_m"], row["Icom_xx"], row["Icom_xy"], row["Icom_xz"],
        row["Icom_yy"], row["Icom_yz"], row["Icom_zz"]);
  }
  return text;
}

struct Recipe {
  std::string robot, drives = "{friction: [viscous, coulomb, offset]}", more, prepare;
  std::vector<std::string> logs;
  std::string columns =
      "{time: t_s, position: \"q{j}_rad\", velocity: \"dq{j}_radps\", torque: \"tau{j}_Nm\"}";
  std::string run_keys;
};

inline std::string at_cutoff(double cutoff) {
  return fmt::format("{{filter: {{order: 4, cutoff: {}}}, columns: filtered, decimate: auto}}", cutoff);
}

inline Recipe kr300(const std::string& data, const std::string& folder) {
  const std::string path = folder + "/kr300.yaml";
  std::ofstream(path) << kr300_text(data);
  Recipe out;
  out.robot = path;
  out.drives = "{friction: [viscous, coulomb, offset], rotor_inertia: true}";
  out.more =
      "columns: [{name: counterbalance, joint: axis2, expression: \"0.16*sin(q2 + 95*pi/180)/sqrt(0.68 - "
      "0.32*cos(q2 + 95*pi/180))*1.01*296.8*328*0.159/(0.00096 - (sqrt(0.68 - 0.32*cos(q2 + 95*pi/180)) - "
      "0.6)*pi*(0.055^2 - 0.03^2)/4)*1e-4\"}]\n";
  out.prepare = at_cutoff(10);
  out.logs = {data + "/kuka_kr300/kr300_250Hz.csv"};
  out.columns =
      "{time: t_s, position: \"q_mot{j}_deg\", velocity: \"dq_mot{j}_degps\", torque: \"tau_mot{j}_Nm\"}";
  out.run_keys =
      "    units: {position: deg, velocity: deg/s}\n    offset: {position: [0, -pi/2, pi/2, 0, 0, 0]}\n"
      "    scale: {torque: [1798/7, 1872/7, 757/3, 221, 5032/21, 206793/1340]}\n";
  return out;
}

inline Recipe tiago(const std::string& data, const std::string& folder) {
  const std::string path = folder + "/tiago.yaml";
  std::ofstream(path) << "from: " << data
                      << "/tiago_figaroh/tiago_48_schunk.urdf\nmoving: [torso_lift_joint, "
                      << "arm_1_joint, arm_2_joint, arm_3_joint, arm_4_joint, arm_5_joint, arm_6_joint, "
                      << "arm_7_joint]\n";
  Recipe out;
  out.robot = path;
  const auto names = [](const std::string& pattern) {
    std::string text;
    for (const char* joint : {"torso", "arm1", "arm2", "arm3", "arm4", "arm5", "arm6", "arm7"}) {
      std::string name = pattern;
      name.replace(name.find('*'), 1, joint);
      text += (text.empty() ? "" : ", ") + name;
    }
    return "[" + text + "]";
  };
  out.prepare = at_cutoff(2);
  out.logs = {data + "/tiago_figaroh/tiago_dynamic.csv"};
  out.columns = "{time: t_s, position: " + names("q_*_rad_or_m") +
                ", velocity: " + names("dq_*_radps_or_mps") + ", torque: " + names("effort_*_raw") + "}";
  out.run_keys = "    scale: {torque: [1, 13.6, 13.6, -8.7, -8.7, -20.5968, -20.5968, -20.5968]}\n";
  return out;
}

inline Recipe recipe_of(const std::string& robot, const std::string& data, const std::string& folder) {
  const std::string robots = std::string(STEELYARD_SOURCE_DIR) + "/robots/";
  Recipe out;
  if (robot == "kr300") return kr300(data, folder);
  if (robot == "tiago") return tiago(data, folder);
  if (robot == "panda") {
    out.robot = robots + "panda.yaml";
    out.prepare = at_cutoff(5);
    out.logs = {data + "/franka_panda_gaz2019/panda_excitation_traj1.csv"};
  } else if (robot == "ur10") {
    out.robot = robots + "ur10.yaml";
    out.prepare = at_cutoff(8);
    out.logs = {data + "/ur10_unisa/ur10_exciting_125Hz.csv"};
  } else if (robot == "tx40") {
    out.robot = robots + "tx40.yaml";
    out.drives = "{}";
    out.prepare =
        "{filter: {order: 4, cutoff: 100, position_cutoff: 100}, columns: filtered, decimate: 100, "
        "reject: {velocity_below: [0.0501, 0.0501, 0.0750, 0.0716, 0.0559, 0.1222]}}";
    out.logs = {data + "/staubli_tx40/tx40_excitation_5kHz.csv"};
    out.columns = "{time: t_s, motor_position: \"qm{j}_rad\", motor_torque: \"taum{j}_Nm\"}";
  } else if (robot == "lwr4") {
    out.robot = data + "/kuka_lwr4_flobaroid/kuka_lwr4.urdf";
    out.prepare = at_cutoff(8);
    for (const char* run : {"1", "2", "3"})
      out.logs.push_back(data + "/kuka_lwr4_flobaroid/lwr4_hw" + run + "_200Hz.csv");
  } else {
    out.robot = data + "/kinova_gen3/gen3.urdf";
    out.prepare = at_cutoff(8);
    for (const char* run : {"1", "2"})
      out.logs.push_back(data + "/kinova_gen3/gen3_opti_traj_testing" + run + "_1kHz.csv");
    out.columns =
        "{time: t_s, position: \"q{j}_rad\", velocity: \"dq{j}_radps\", torque: \"tau_sensor{j}_Nm\"}";
  }
  return out;
}

// All logs of a robot are fitted; `first`: the first alone.
inline Study study_of(const std::string& robot, bool first = false) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("steelyard-seven-{}", ::getpid());
  std::filesystem::create_directories(folder);
  Recipe recipe = recipe_of(robot, oracle::data_folder()->string(), folder.string());
  if (first) recipe.logs.resize(1);
  std::string text =
      fmt::format("robot: {}\nseed: 1\ndrives: {}\n{}runs:\n", recipe.robot, recipe.drives, recipe.more);
  for (const std::string& log : recipe.logs)
    text += fmt::format("  - file: {}\n    columns: {}\n{}", log, recipe.columns, recipe.run_keys);
  text += fmt::format(
      "prepare: {}\nestimate: {{method: wls, intervals: {{bias_check: false}}}}\nfeasible: {{}}\n",
      recipe.prepare);
  Study study = read_study_text(text, (folder / "study.yaml").string());
  study.report = false;
  return study;
}

}  // namespace steelyard::seven_logs
