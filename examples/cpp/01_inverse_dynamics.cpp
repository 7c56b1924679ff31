// Reads a robot, computes joint torques by Newton-Euler and by the regressor, and shows that they agree.
//   01_inverse_dynamics robots/panda.yaml
#include <cstdio>
#include <exception>

#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/robot/read.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s ROBOT.yaml|ROBOT.urdf\n", argv[0]);
    return 2;
  }
  try {
    const steelyard::Robot robot = steelyard::read_robot(argv[1]).robot;
    const steelyard::Tree tree = steelyard::compile(robot);
    const Eigen::VectorXd parameters = steelyard::standard_parameters(robot);
    const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(robot.size(), -1.0, 1.0);
    const Eigen::VectorXd qd = Eigen::VectorXd::LinSpaced(robot.size(), 0.5, -0.5);
    const Eigen::VectorXd qdd = Eigen::VectorXd::LinSpaced(robot.size(), 2.0, 1.0);

    const Eigen::VectorXd tau = steelyard::newton_euler(tree, parameters, q, qd, qdd).tau;
    steelyard::PlanOptions options;
    options.drives = false;
    const Eigen::VectorXd tau_regressor =
        steelyard::regressor(steelyard::make_plan(robot, options), q, qd, qdd) * parameters;

    std::printf("%-12s %14s %14s\n", "joint", "Newton-Euler", "Y pi");
    for (int i = 0; i < robot.size(); ++i)
      std::printf("%-12s %14.9f %14.9f\n", robot.joints[i].name.c_str(), tau[i], tau_regressor[i]);
    const double difference = (tau - tau_regressor).cwiseAbs().maxCoeff();
    std::printf("largest difference %.1e N m\n", difference);
    return difference < 1e-10 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
