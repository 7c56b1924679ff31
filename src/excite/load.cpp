#include "steelyard/excite/load.hpp"

#include "excite/problem.hpp"
#include "excite/problem_work.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Efforts of a point mass at the tool, samples × joints: the tool link's columns times its ten parameters.
MatrixXd load_efforts(const Robot& robot, const GridMotion& motion, double mass) {
  const Tree tree = compile(robot);
  const std::vector<std::string> names = standard_parameter_names(robot);
  const auto first = names.begin() + 10 * tree.tool_link;
  PlanOptions options;
  options.drives = false;
  options.wanted.assign(first, first + 10);
  const Plan plan = make_plan(robot, options);
  const Vector3 p = tree.tool.position;
  const Matrix3 J = mass * (p.squaredNorm() * Matrix3::Identity() - p * p.transpose());
  Vector10 ten;
  ten << mass, mass * p, J(0, 0), J(0, 1), J(0, 2), J(1, 1), J(1, 2), J(2, 2);
  const RegressorTile tile(plan, motion);
  MatrixXd tau = MatrixXd::Zero(motion.q.rows(), motion.q.cols());
  for (const Row& row : plan.rows)
    for (std::size_t c = 0; c < row.columns.size(); ++c)
      tau.col(row.i) += ten[row.columns[c]] * tile.column(row.offset + static_cast<Index>(c));
  return tau;
}

}  // namespace

MatrixXd information_with_gains(const Robot& robot, const BaseParameters& base, const DesignedMotion& motion,
                                const ExciteOptions& options, const VectorXd& values, double load_mass) {
  const DesignProblem problem(robot, base, options);
  const GridMotion samples = sample_motion(to_trajectory(motion), problem.basis().grid(1 / options.rate));
  const MatrixXd Y = problem.rows_of(samples, false), load = load_efforts(robot, samples, load_mass);
  const Index n = Y.cols(), joints = robot.dof(), count = samples.q.rows();
  MatrixXd information = MatrixXd::Zero(n + joints, n + joints);
  for (Index j = 0; j < joints; ++j) {
    MatrixXd rows = MatrixXd::Zero(count, n + joints);
    rows.leftCols(n) = Y.middleRows(j * count, count);
    rows.col(n + j) = -(rows.leftCols(n) * values + load.col(j));
    information += rows.transpose() * rows / (problem.noise()[j] * problem.noise()[j]);
  }
  return information;
}

}  // namespace steelyard
