#include "fleet/encoder_zero.hpp"

#include <Eigen/Geometry>

namespace steelyard::inline STEELYARD_ABI {
namespace {

// A joint that is at q + zero when commanded to q.
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
  StudyClock clock(options);
  Setup setup = setup_of_log(shared, {&study, &options, &clock});
  // Only the columns: the log, and a simulated robot, stay as they are.
  PlanOptions wanted;
  wanted.wanted = shared.plan.columns;
  setup.plan = make_plan(robot, wanted);
  Runs runs = open_runs(setup);
  return fold_runs(setup, runs, {}).front().folds.folds.total();
}

}  // namespace steelyard
