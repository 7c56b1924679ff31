// A robot in an external physics engine: rigid bodies under gravity, nothing else.
//
// Friction, rotors, contacts and limits are not in the engine; comparisons add them by their own formulas.
// All joints of the tree are coordinates (mimic joints too), poses are in the robot's base frame.
//
//   engine   efforts                      step of integration               package
//   mujoco   mj_inverse                   Runge-Kutta, fourth order         libmujoco-dev
//   dart     computeInverseDynamics       semi-implicit Euler               libdart-dev
//   bullet   by its forward dynamics      semi-implicit Euler               libbullet-dev (double precision)
//   ode      of driven joints             semi-implicit Euler, constraints  libode-dev
//
// Every engine is a module (libsteelyard_engine_<name>.so), built when its headers are there and opened when
// it is requested: in the folder $STEELYARD_ENGINES, or beside the program in `engines`, `../lib/steelyard`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class EngineKind { mujoco, dart, bullet, ode };
inline constexpr EngineKind kEngines[] = {EngineKind::mujoco, EngineKind::dart, EngineKind::bullet,
                                          EngineKind::ode};

const char* to_string(EngineKind kind);
EngineKind engine_kind(const std::string& name);  // throws InputError that lists the engines

bool has_engine(EngineKind kind);

// A robot in a file that mujoco (mjcf, urdf) or dart (urdf, sdf) reads by itself. Without meshes.
struct EngineFile {
  std::string format;
  std::string path;  // of a file that holds the text
  std::string text;
  std::vector<std::string> joints;  // all that move, in the order of q
  Vector3 gravity = Vector3(0, 0, -9.81);
};

struct EngineState {
  VectorXd q, qd;
};

class Engine {
 public:
  // `standard`: ten parameters per link. Throws MachineError when the engine is not installed (with the
  // package), InputError for links without mass.
  Engine(EngineKind kind, const Robot& robot, const VectorXd& standard);
  // Efforts of inverse() then hold armature and damping of the file; there is no tool. Throws InputError when
  // the engine does not read it.
  Engine(EngineKind kind, const EngineFile& file);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  EngineKind kind() const;
  bool has_inverse() const;  // not ode
  VectorXd inverse(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd);
  // The engine's dry friction of its file: a constraint that inverse() leaves out. MuJoCo's
  // is soft and part of its inverse dynamics; DART's acts in a step (1 ms, under the efforts that a friction
  // by the sign of the velocity would need). Empty: the engine has none.
  VectorXd dry_friction(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd);

  void set_state(const VectorXd& q, const VectorXd& qd);
  EngineState state() const;
  void step(const VectorXd& effort, double seconds);
  // One step in which motors without limits give the joints these velocities: the effort it took. ODE has such
  // motors; the others take the effort by their inverse dynamics and a step of semi-implicit Euler.
  VectorXd drive(const VectorXd& velocity, double seconds);

  Pose tool_pose();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace steelyard
