// MuJoCo: the robot as MJCF text. Inverse dynamics are mj_inverse; steps are Runge-Kutta of fourth order.
#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engines/world.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

void say_nothing(const char*) {}  // MuJoCo prints warnings and writes them to a file of the current folder

void end_by_exception(const char* message) {
  throw std::runtime_error(message);
}

void take_messages() {
  mju_user_warning = say_nothing;
  mju_user_error = end_by_exception;
}

struct DeleteMujoco {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};

std::unique_ptr<mjModel, DeleteMujoco> load_mjcf(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();  // spares a temporary file; too large for the stack
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "robot.xml", static_cast<int>(text.size()));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "robot.xml")], text.data(), text.size());
  char error[1000] = "";
  std::unique_ptr<mjModel, DeleteMujoco> model(mj_loadXML("robot.xml", files.get(), error, sizeof error));
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(error);
  return model;
}

class MujocoWorld : public World {
 public:
  explicit MujocoWorld(const WorldRobot& robot) : model_(load_mjcf(robot.mjcf)) {
    model_->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_PASSIVE;
    model_->opt.integrator = mjINT_RK4;
    data_.reset(mj_makeData(model_.get()));
    for (int i = 0; i < robot.count; ++i) {
      // One coordinate a joint: positions and velocities have the same places.
      joints_.push_back(model_->jnt_dofadr[number_of(mjOBJ_JOINT, robot.bodies[i].joint)]);
      links_.push_back(number_of(mjOBJ_BODY, robot.bodies[i].link));
    }
  }

  explicit MujocoWorld(const WorldText& text) : model_(load_mjcf(text.text)) {
    model_->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_LIMIT;
    for (int i = 0; i < 3; ++i) model_->opt.gravity[i] = text.gravity[i];
    data_.reset(mj_makeData(model_.get()));
    if (model_->nv != text.count) throw std::runtime_error("MuJoCo has a different number of joints");
    for (int i = 0; i < text.count; ++i)
      joints_.push_back(model_->jnt_dofadr[number_of(mjOBJ_JOINT, text.joints[i])]);
  }

  void set_state(const double* q, const double* qd) override {
    put(q, data_->qpos);
    put(qd, data_->qvel);
  }

  void state(double* q, double* qd) const override {
    take(data_->qpos, q);
    take(data_->qvel, qd);
  }

  void step(const double* effort, double seconds) override {
    model_->opt.timestep = seconds;
    put(effort, data_->qfrc_applied);
    mj_step(model_.get(), data_.get());
  }

  bool inverse(const double* q, const double* qd, const double* qdd, double* effort) override {
    set_state(q, qd);
    put(qdd, data_->qacc);
    mj_inverse(model_.get(), data_.get());
    take(data_->qfrc_inverse, effort);
    return true;
  }

  // Of the constraints only frictionloss.
  bool dry_friction(const double* q, const double* qd, const double* qdd, double* effort) override {
    const int flags = model_->opt.disableflags;
    model_->opt.disableflags = (flags & ~mjDSBL_CONSTRAINT) | mjDSBL_EQUALITY;
    std::vector<double> all(joints_.size());
    inverse(q, qd, qdd, all.data());
    take(data_->qfrc_constraint, effort);
    for (std::size_t i = 0; i < joints_.size(); ++i) effort[i] = -effort[i];
    model_->opt.disableflags = flags;
    return true;
  }

  void drive(const double* velocity, double seconds, double* effort) override {
    model_->opt.integrator = mjINT_EULER;
    drive_by_inverse(static_cast<int>(joints_.size()), velocity, seconds, effort);
    model_->opt.integrator = mjINT_RK4;
  }

  WorldFrame pose(int link) override {
    mj_kinematics(model_.get(), data_.get());
    const auto body = static_cast<std::size_t>(links_.at(static_cast<std::size_t>(link)));
    WorldFrame frame;
    frame.rotation = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data_->xmat + 9 * body);
    frame.position = Eigen::Map<const Eigen::Vector3d>(data_->xpos + 3 * body);
    return frame;
  }

 private:
  int number_of(int kind, const char* name) const {
    const int number = mj_name2id(model_.get(), kind, name);
    if (number < 0) throw std::runtime_error(std::string("MuJoCo does not find '") + name + "'");
    return number;
  }
  void put(const double* from, mjtNum* to) const {
    for (std::size_t i = 0; i < joints_.size(); ++i) to[joints_[i]] = from[i];
  }
  void take(const mjtNum* from, double* to) const {
    for (std::size_t i = 0; i < joints_.size(); ++i) to[i] = from[joints_[i]];
  }

  std::unique_ptr<mjModel, DeleteMujoco> model_;
  std::unique_ptr<mjData, DeleteMujoco> data_;
  std::vector<int> joints_, links_;
};

}  // namespace
}  // namespace steelyard

STEELYARD_ENGINE_MODULE steelyard::World* steelyard_make_world(const steelyard::WorldRobot& robot) {
  steelyard::take_messages();
  return new steelyard::MujocoWorld(robot);
}

STEELYARD_ENGINE_MODULE steelyard::World* steelyard_load_world(const steelyard::WorldText& text) {
  steelyard::take_messages();
  return new steelyard::MujocoWorld(text);
}

STEELYARD_ENGINE_MODULE const char* steelyard_world_version() {
  return mj_versionString();
}
