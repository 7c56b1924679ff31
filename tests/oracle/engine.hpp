// The same robot asked of other people's programs: KDL, MuJoCo, DART.
//
// Each engine is built either from a Robot, joint by joint through the engine's own interface, or from a URDF
// text by the engine's own reader. Vectors are in the order of joint_names().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "steelyard/robot/robot.hpp"

namespace steelyard::oracle {

struct Answer {
  VectorXd tau;       // inverse dynamics, gravity included
  VectorXd coriolis;  // S q̇
  VectorXd gravity;
  MatrixXd mass_matrix;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::vector<std::string> joint_names() const = 0;
  virtual Answer ask(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) = 0;
};

std::unique_ptr<Engine> make_kdl(const Robot& robot);
std::unique_ptr<Engine> make_mujoco(const Robot& robot);
std::unique_ptr<Engine> make_dart(const Robot& robot);

// `urdf` as bare_urdf or possible_urdf gives it (bare_urdf.hpp).
std::unique_ptr<Engine> make_mujoco_from_urdf(const std::string& urdf);
std::unique_ptr<Engine> make_dart_from_urdf(const std::string& urdf);

// With armature and damping; limits and dry friction are left out.
std::unique_ptr<Engine> make_mujoco_from_mjcf(const std::string& mjcf);

}  // namespace steelyard::oracle
