// Prints the base parameters of a robot: what its joint torques can show of its masses and inertias.
//   02_base_parameters robots/panda.yaml
#include <cstdio>
#include <exception>

#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/read.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s ROBOT.yaml|ROBOT.urdf\n", argv[0]);
    return 2;
  }
  try {
    const steelyard::Robot robot = steelyard::read_robot(argv[1]).robot;
    const steelyard::BaseParameters base = steelyard::base_parameters(robot);
    for (const steelyard::BaseParameter& parameter : base.base)
      std::printf("%-6s %s\n", parameter.lead.c_str(), parameter.expression.c_str());
    std::printf("%d of %zu columns\n", base.rank, base.columns.size());
    return base.ambiguous ? 3 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
