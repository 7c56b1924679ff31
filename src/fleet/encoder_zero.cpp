#include "fleet/encoder_zero.hpp"

#include <Eigen/Geometry>

#include "identify/prior.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// A joint that stands at q + zero where it is told to stand at q.
void shift(Joint& joint, double zero) {
  Vector3 xyz = Vector3::Zero(), rpy = Vector3::Zero();
  if (joint.kind == JointKind::revolute) {
    const Eigen::Matrix3d turned = turn_about(joint.axis, zero);
    rpy = turned.eulerAngles(2, 1, 0).reverse();
  } else {
    xyz = zero * joint.axis;
  }
  const Steps steps = steps_from_xyz_rpy(xyz, rpy, "zero");
  joint.before.insert(joint.before.end(), steps.begin(), steps.end());
}

}  // namespace

std::vector<Fold> folds_with_zero(const FleetShared& shared, const FleetStudyLog& log, int joint,
                                  double zero) {
  Robot robot = shared.robot;
  shift(robot.joints[static_cast<std::size_t>(joint)], zero);
  for (const Mimic& mimic : robot.mimics)
    if (mimic.master == joint) shift(robot.joints[static_cast<std::size_t>(mimic.joint)], mimic.ratio * zero);
  const Study study = study_of_log(shared, log);
  const StudyOptions options;
  StudyState state = state_of_log(shared, study, options);
  // Only the columns: the log, and a simulated robot, stay as they are.
  PlanOptions wanted;
  wanted.wanted = lead_names(shared.base);
  state.plan = make_plan(robot, wanted);
  open_runs(state);
  fold_runs(state);
  return state.runs[0].folds->folds.total();
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
