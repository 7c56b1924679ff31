// Interface of an engine's module (folder worlds/, one file per engine).
//
// A module is a library of its own that is opened when it is requested: the program neither links an engine
// nor needs one. It shares no code with the program, so everything crosses as plain numbers. Joints are in
// the robot's order; positions, velocities and efforts are arrays with one number per joint; poses are those
// of link frames in the robot's base frame. No contacts, no limits, no friction: rigid bodies under gravity.
//
//   inverse    the effort of a state and its acceleration
//   drive      one step in which the joints take given velocities, and the effort that took
// Engines that hold bodies together by constraints have no inverse dynamics: they are driven by their motors.
//
// Functions throw std::exception for what the engine refuses.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct WorldFrame {
  Matrix3 rotation = Matrix3::Identity();
  Vector3 position = Vector3::Zero();

  WorldFrame operator*(const WorldFrame& next) const {
    return {rotation * next.rotation, rotation * next.position + position};
  }
  WorldFrame inverse() const { return {rotation.transpose(), -(rotation.transpose() * position)}; }
};

// Link with its own joint, see robot/robot.hpp: pose in the parent's frame = before · motion(axis, q) ·
// after.
struct WorldBody {
  const char* joint = nullptr;
  const char* link = nullptr;
  int parent = -1;
  bool prismatic = false;
  WorldFrame before, after;
  Vector3 axis = Vector3::UnitZ();
  double mass = 0;
  Matrix3 inertia = Matrix3::Zero();  // about the centre of mass, link axes
  WorldFrame com;                     // principal axes at the centre of mass, in the link frame
  Vector3 moments = Vector3::Zero();  // about these axes
};

struct WorldRobot {
  const WorldBody* bodies = nullptr;
  int count = 0;
  Vector3 gravity = Vector3::Zero();  // in the base frame
  const char* mjcf = nullptr;         // the same robot as text
};

// A robot as a file describes it. Efforts of inverse() then include the file's armature and damping;
// links have no names here, so there is no pose().
struct WorldText {
  const char* format = nullptr;  // "mjcf", "urdf", "sdf"
  const char* path = nullptr;    // of a file with this text
  const char* text = nullptr;
  const char* const* joints = nullptr;  // by name, in the order of all arrays
  int count = 0;
  Vector3 gravity = Vector3::Zero();  // of the world
};

class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;

  virtual void set_state(const double* q, const double* qd) = 0;
  virtual void state(double* q, double* qd) const = 0;
  virtual void step(const double* effort, double seconds) = 0;
  virtual bool inverse(const double* q, const double* qd, const double* qdd, double* effort) = 0;
  virtual void drive(const double* velocity, double seconds, double* effort) = 0;
  // The effort that the dry friction of a file takes in this state; false: the engine has none.
  virtual bool dry_friction(const double*, const double*, const double*, double*) { return false; }
  virtual WorldFrame pose(int link) = 0;

 protected:
  // drive() of engines with inverse dynamics and a semi-implicit step: v⁺ = v + h q̈ is the wanted velocity.
  void drive_by_inverse(int count, const double* velocity, double seconds, double* effort) {
    std::vector<double> q(static_cast<std::size_t>(count)), qd(q), qdd(q);
    state(q.data(), qd.data());
    for (std::size_t i = 0; i < q.size(); ++i) qdd[i] = (velocity[i] - qd[i]) / seconds;
    inverse(q.data(), qd.data(), qdd.data(), effort);
    set_state(q.data(), qd.data());
    step(effort, seconds);
  }
};

// The functions of a module, by C name; not every engine reads files.
#define STEELYARD_ENGINE_MODULE extern "C" __attribute__((visibility("default")))
using MakeWorld = World*(const WorldRobot& robot);
inline constexpr const char* kMakeWorld = "steelyard_make_world";
using LoadWorld = World*(const WorldText& text);
inline constexpr const char* kLoadWorld = "steelyard_load_world";
using WorldVersion = const char*();  // of the engine
inline constexpr const char* kWorldVersion = "steelyard_world_version";

}  // namespace steelyard
