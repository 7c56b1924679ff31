// MuJoCo: the robot as MJCF text, or a URDF through MuJoCo's own reader. Contacts, constraints and passive
// forces are switched off, but for the damping of an MJCF text. MuJoCo keeps inertias diagonal; its own
// diagonalisation (of `fullinertia` and of URDF) stops at 1e-12 off the diagonal in a squared measure, which
// costs up to 1e-6 of M. The MJCF text is therefore written with principal axes and moments of our own.
#include <mujoco/mujoco.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cstring>
#include <iomanip>
#include <sstream>
#include <stdexcept>

#include "oracle/engine.hpp"

namespace steelyard::oracle {
namespace {

template <class Vector>
std::string digits(const Vector& v) {
  std::ostringstream out;
  out << std::setprecision(17);
  for (Index i = 0; i < v.size(); ++i) out << (i > 0 ? " " : "") << v[i];
  return out.str();
}

std::string quaternion_digits(const Eigen::Matrix3d& R) {
  const Eigen::Quaterniond turn(R);
  return digits(Eigen::Vector4d(turn.w(), turn.x(), turn.y(), turn.z()));
}

void write_body(const Robot& robot, int i, std::ostream& out) {
  const Joint& joint = robot.joints[i];
  const Pose after = to_pose(joint.after);
  const Pose rest = to_pose(joint.before) * after;
  const Vector3 axis = after.rotation.transpose() * joint.axis;
  const Vector3 point = after.inverse().position;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(
      Eigen::Matrix3d(joint.inertia->inertia_com()));
  Eigen::Matrix3d axes = principal.eigenvectors();
  if (axes.determinant() < 0) axes.col(0) *= -1;
  out << "<body name=\"" << joint.link << "\" pos=\"" << digits(rest.position) << "\" quat=\""
      << quaternion_digits(rest.rotation) << "\">\n<inertial pos=\"" << digits(joint.inertia->com())
      << "\" quat=\"" << quaternion_digits(axes) << "\" mass=\""
      << digits(VectorXd::Constant(1, joint.inertia->mass())) << "\" diaginertia=\""
      << digits(principal.eigenvalues()) << "\"/>\n<joint name=\"" << joint.name << "\" type=\""
      << (joint.kind == JointKind::revolute ? "hinge" : "slide") << "\" pos=\"" << digits(point)
      << "\" axis=\"" << digits(axis) << "\"/>\n";
  for (int child = i + 1; child < robot.size(); ++child) {
    if (robot.joints[child].parent == i) write_body(robot, child, out);
  }
  out << "</body>\n";
}

std::string to_mjcf(const Robot& robot) {
  std::ostringstream out;
  const Vector3 gravity = to_pose(robot.base).rotation.transpose() * robot.gravity;
  out << "<mujoco>\n<compiler angle=\"radian\" inertiafromgeom=\"false\" balanceinertia=\"false\"/>\n"
      << "<option gravity=\"" << digits(gravity) << "\"/>\n<worldbody>\n";
  for (int i = 0; i < robot.size(); ++i) {
    if (robot.joints[i].parent < 0) write_body(robot, i, out);
  }
  out << "</worldbody>\n</mujoco>\n";
  return out.str();
}

class MujocoEngine : public Engine {
 public:
  explicit MujocoEngine(const std::string& xml, bool damping = false) {
    // MuJoCo reads files; its virtual file system spares a temporary one. The struct is large: heap.
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "robot.xml", static_cast<int>(xml.size()));
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "robot.xml")], xml.data(), xml.size());
    char error[1000] = "";
    model_.reset(mj_loadXML("robot.xml", files.get(), error, sizeof error));
    mj_deleteVFS(files.get());
    if (!model_) throw std::runtime_error(std::string("MuJoCo: ") + error);
    model_->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_LIMIT;
    if (!damping) model_->opt.disableflags |= mjDSBL_PASSIVE;
    data_.reset(mj_makeData(model_.get()));
  }

  std::vector<std::string> joint_names() const override {
    std::vector<std::string> names;
    for (int i = 0; i < model_->njnt; ++i) names.emplace_back(mj_id2name(model_.get(), mjOBJ_JOINT, i));
    return names;
  }

  Answer ask(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) override {
    const VectorXd rest = VectorXd::Zero(q.size());
    Answer answer;
    inverse(q, rest, rest);
    answer.gravity = Eigen::Map<VectorXd>(data_->qfrc_inverse, q.size());
    inverse(q, qd, rest);
    answer.coriolis = Eigen::Map<VectorXd>(data_->qfrc_inverse, q.size()) - answer.gravity;
    inverse(q, qd, qdd);
    answer.tau = Eigen::Map<VectorXd>(data_->qfrc_inverse, q.size());
    answer.mass_matrix.resize(q.size(), q.size());
    mj_fullM(model_.get(), answer.mass_matrix.data(), data_->qM);
    return answer;
  }

 private:
  void inverse(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) {
    const auto n = static_cast<int>(q.size());
    mju_copy(data_->qpos, q.data(), n);
    mju_copy(data_->qvel, qd.data(), n);
    mju_copy(data_->qacc, qdd.data(), n);
    mj_inverse(model_.get(), data_.get());
  }

  struct Delete {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
};

}  // namespace

std::unique_ptr<Engine> make_mujoco(const Robot& robot) {
  return std::make_unique<MujocoEngine>(to_mjcf(robot));
}

std::unique_ptr<Engine> make_mujoco_from_urdf(const std::string& urdf) {
  return std::make_unique<MujocoEngine>(urdf);
}

std::unique_ptr<Engine> make_mujoco_from_mjcf(const std::string& mjcf) {
  return std::make_unique<MujocoEngine>(mjcf, true);
}

}  // namespace steelyard::oracle
