#include "steelyard/engines/engine.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#include "engines/child_world.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/engines/body_check.hpp"
#include "steelyard/engines/mjcf_text.hpp"
#include "steelyard/engines/module.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

WorldFrame to_frame(const Pose& pose) {
  return {pose.rotation, pose.position};
}

WorldBody to_world(const Joint& joint, const Inertia& inertia) {
  require_body(inertia, joint.link);
  if (!(inertia.mass() > 0))
    throw InputError({fmt::format("link '{}' has no mass", joint.link),
                      {},
                      "positive masses: physics engines cannot move massless bodies",
                      "use feasible parameters: add `feasible:` to the study"});
  WorldBody body;
  body.joint = joint.name.c_str();
  body.link = joint.link.c_str();
  body.parent = joint.parent;
  body.prismatic = joint.kind == JointKind::prismatic;
  body.before = to_frame(to_pose(joint.before));
  body.after = to_frame(to_pose(joint.after));
  body.axis = joint.axis;
  body.mass = inertia.mass();
  body.inertia = inertia.inertia_com();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal{Eigen::Matrix3d(body.inertia)};
  body.com = {principal.eigenvectors(), inertia.com()};
  if (body.com.rotation.determinant() < 0) body.com.rotation.col(0) *= -1;
  body.moments = principal.eigenvalues();
  return body;
}

// The robot as its own base frame sees it.
Robot from_its_base(Robot robot) {
  robot.gravity = to_pose(robot.base).rotation.transpose() * robot.gravity;
  robot.base.clear();
  return robot;
}

}  // namespace

const char* to_string(EngineKind kind) {
  switch (kind) {
    case EngineKind::mujoco:
      return "mujoco";
    case EngineKind::dart:
      return "dart";
    case EngineKind::bullet:
      return "bullet";
    case EngineKind::ode:
      return "ode";
  }
  throw InternalError("an engine that does not exist");
}

EngineKind engine_kind(const std::string& name) {
  for (const EngineKind kind : kEngines)
    if (name == to_string(kind)) return kind;
  throw InputError({fmt::format("there is no engine '{}'", name), {}, "mujoco, dart, bullet or ode", {}});
}

struct Engine::Parts {
  EngineKind kind;
  Robot robot;
  std::unique_ptr<World> world;

  Index size() const { return robot.size(); }

  // What an engine throws is its rejection of these numbers.
  template <typename Call>
  auto call(Call work) const {
    try {
      return work(*world);
    } catch (const MachineError&) {
      throw;
    } catch (const std::exception& error) {
      throw InputError({fmt::format("{}: {}", to_string(kind), error.what()), {}, {}, {}});
    }
  }
  const double* checked(const VectorXd& values) const {
    require(values.size() == size(), "an engine needs one number a joint");
    return values.data();
  }
};

Engine::Engine(EngineKind kind, const Robot& robot, const VectorXd& standard)
    : parts_(new Parts{kind, from_its_base(robot), nullptr}) {
  const Robot& own = parts_->robot;
  require(standard.size() == 10 * own.size(), "an engine needs ten parameters a link");
  MakeWorld& make = *open_module(kind).make;
  std::vector<WorldBody> bodies;
  for (std::size_t i = 0; i < own.joints.size(); ++i)
    bodies.push_back(to_world(
        own.joints[i], Inertia::from_standard(Vector10(standard.segment<10>(10 * static_cast<Index>(i))))));
  TrueParameters parameters;
  parameters.standard = standard;
  const std::string mjcf = mjcf_text(own, parameters);
  const WorldRobot description{bodies.data(), own.size(), own.gravity, mjcf.c_str()};
  try {
    parts_->world = child_world([&] { return make(description); }, own.size(), to_string(kind));
  } catch (const MachineError&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError({fmt::format("{} rejects the robot: {}", to_string(kind), error.what()), {}, {}, {}});
  }
}

Engine::Engine(EngineKind kind, const EngineFile& file) : parts_(new Parts{kind, {}, nullptr}) {
  LoadWorld* load = open_module(kind).load;
  require(load != nullptr, "an engine that reads files");
  std::vector<const char*> joints;
  for (const std::string& joint : file.joints) joints.push_back(joint.c_str());
  parts_->robot.joints.resize(joints.size());
  const WorldText text{file.format.c_str(),
                       file.path.c_str(),
                       file.text.c_str(),
                       joints.data(),
                       static_cast<int>(joints.size()),
                       file.gravity};
  try {
    parts_->world = child_world([&] { return load(text); }, text.count, to_string(kind));
  } catch (const MachineError&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError(
        {fmt::format("{} cannot read it: {}", to_string(kind), error.what()), {file.path, 0, 0, {}}, {}, {}});
  }
}

Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

EngineKind Engine::kind() const {
  return parts_->kind;
}

bool Engine::has_inverse() const {
  return parts_->kind != EngineKind::ode;
}

VectorXd Engine::inverse(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) {
  VectorXd effort(parts_->size());
  const bool done = parts_->call([&](World& world) {
    return world.inverse(parts_->checked(q), parts_->checked(qd), parts_->checked(qdd), effort.data());
  });
  require(done, "an engine without inverse dynamics");
  return effort;
}

VectorXd Engine::dry_friction(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) {
  VectorXd effort(parts_->size());
  const bool done = parts_->call([&](World& world) {
    return world.dry_friction(parts_->checked(q), parts_->checked(qd), parts_->checked(qdd), effort.data());
  });
  return done ? effort : VectorXd();
}

void Engine::set_state(const VectorXd& q, const VectorXd& qd) {
  parts_->call([&](World& world) { world.set_state(parts_->checked(q), parts_->checked(qd)); });
}

EngineState Engine::state() const {
  EngineState state{VectorXd(parts_->size()), VectorXd(parts_->size())};
  parts_->call([&](World& world) { world.state(state.q.data(), state.qd.data()); });
  return state;
}

void Engine::step(const VectorXd& effort, double seconds) {
  parts_->call([&](World& world) { world.step(parts_->checked(effort), seconds); });
}

VectorXd Engine::drive(const VectorXd& velocity, double seconds) {
  VectorXd effort(parts_->size());
  parts_->call([&](World& world) { world.drive(parts_->checked(velocity), seconds, effort.data()); });
  return effort;
}

Pose Engine::tool_pose() {
  const Robot& robot = parts_->robot;
  const int link = robot.tool_link < 0 ? robot.size() - 1 : robot.tool_link;
  const WorldFrame frame = parts_->call([&](World& world) { return world.pose(link); });
  return Pose{frame.rotation, frame.position} * to_pose(robot.tool);
}

}  // namespace steelyard
