// Identifies links that bodies can have and writes them into the robot's own URDF: 07_feasible_urdf ROBOT.urdf OUT.urdf
#include <cstdio>
#include <exception>
#include <fstream>

#include "recording.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/identify/export_result.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/robot/read.hpp"

int main(int argc, char** argv) try {
  if (argc != 3) return std::fprintf(stderr, "usage: %s ROBOT.urdf OUT.urdf\n", argv[0]), 2;
  steelyard::Study study;
  study.robot = steelyard::read_robot(argv[1]).robot;
  study.drives.viscous = study.drives.coulomb = true;
  study.prepare.filter = study.prepare.column_filter = {4, 10};
  study.estimate.weighting = steelyard::Weighting::by_row;
  study.feasible.emplace();  // what no motion shows stays as the URDF has it
  const Recording log = record(*study.robot, 1);
  study.runs.push_back(steelyard::run_from_arrays("excitation", log.time, log.q, log.tau));
  const steelyard::Result result = steelyard::run_study(study).result;
  for (const steelyard::LinkValues& link : result.links)
    std::printf("%-10s %7.3f kg, centre of mass %6.3f %6.3f %6.3f m\n", link.name.c_str(), link.mass,
                link.com[0], link.com[1], link.com[2]);

  const steelyard::ExportRequest request{steelyard::ExportFormat::urdf, "identified.urdf", argv[1]};
  const steelyard::ExportOutcome written =
      steelyard::export_result(steelyard::study_robot(study), result, request, study.drive_spec);
  std::ofstream(argv[2]) << written.files.front().text;

  // The file as a simulator would read it, against the robot that was recorded.
  const steelyard::Robot identified = steelyard::read_robot_urdf(written.files.front().text, argv[2]).robot;
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(identified.size(), -1, 1);
  const auto torque = [&](const steelyard::Robot& robot) {
    return steelyard::newton_euler(steelyard::compile(robot), steelyard::standard_parameters(robot), q, q,
                                   3 * q)
        .tau;
  };
  const double error = (torque(identified) - torque(*study.robot)).norm() / torque(*study.robot).norm();
  std::printf("torques of %s differ by %.2f %% from those of the true robot\n", argv[2], 100 * error);
  return error < 0.03 ? 0 : 1;
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 2;
}
