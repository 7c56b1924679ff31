// From arrays to a model, without study file or log: 03_from_arrays ROBOT
#include <cstdio>
#include <exception>

#include "recording.hpp"
#include "steelyard/steelyard.hpp"

int main(int argc, char** argv) try {
  if (argc != 2) return std::fprintf(stderr, "usage: %s ROBOT.yaml|ROBOT.urdf\n", argv[0]), 2;
  const steelyard::Robot robot = steelyard::read_robot(argv[1]).robot;
  const Recording monday = record(robot, 1), tuesday = record(robot, 2);

  steelyard::Study study;
  study.robot = robot;
  study.drives.viscous = study.drives.coulomb = true;            // friction to be identified with the links
  study.prepare.filter = study.prepare.column_filter = {4, 10};  // order, cut-off [Hz]
  study.estimate.weighting = steelyard::Weighting::by_row;
  study.runs.push_back(steelyard::run_from_arrays("monday", monday.time, monday.q, monday.tau));
  study.runs.push_back(steelyard::run_from_arrays("tuesday", tuesday.time, tuesday.q, tuesday.tau));
  study.runs.back().file.label.role = steelyard::RunRole::validate;  // predicted, not fitted
  const steelyard::Result result = steelyard::run_study(study).result;

  for (const steelyard::BaseValue& value : result.base)
    std::printf("%-6s %9.4f +- %.4f   %s\n", value.name.c_str(), value.value, value.sigma.value_or(0),
                value.expression.c_str());
  const double unexplained = result.validation.back().residual.prepared;
  std::printf("tuesday: %.2f %% of the torque is unexplained; the model is %s\n", 100 * unexplained,
              to_string(result.verdict.level));
  return unexplained < 0.05 ? 0 : 1;
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 2;
}
