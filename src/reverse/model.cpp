#include "steelyard/reverse/model.hpp"

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/excite/configurations.hpp"

namespace steelyard::inline STEELYARD_ABI {

ReverseModel::ReverseModel(const Robot& robot, const ReverseFit& fit)
    : tree_(compile(robot)), coordinates_(steelyard::coordinates(robot)) {
  if (!fit.whole_model())
    throw InputError({std::string("a fit of ") + to_string(fit.rows) + " alone is not a complete model",
                      {},
                      "g(q) and M(q)",
                      "give both in the table"});
  const std::vector<std::string> names = standard_parameter_names(robot);
  parameters_.setZero(static_cast<Index>(names.size()));
  rotors_.setZero(static_cast<Index>(robot.joints.size()));
  const std::vector<std::string> leads = fit.leads();
  for (std::size_t k = 0; k < leads.size(); ++k) {
    const double value = fit.values[static_cast<Index>(k)];
    const auto found = std::find(names.begin(), names.end(), leads[k]);
    if (found != names.end())
      parameters_[found - names.begin()] = value;
    else if (leads[k].rfind("Ia", 0) == 0)
      rotors_[std::stoi(leads[k].substr(2)) - 1] = value;
  }
}

VectorXd ReverseModel::gravity(const VectorXd& q) const {
  const VectorXd all = coordinates_.matrix * q + coordinates_.offset;
  return coordinates_.matrix.transpose() * gravity_torque(tree_, parameters_, all);
}

MatrixXd ReverseModel::inertia(const VectorXd& q) const {
  const VectorXd all = coordinates_.matrix * q + coordinates_.offset;
  MatrixXd M = mass_matrix(tree_, parameters_, all);
  M.diagonal() += rotors_;
  return coordinates_.matrix.transpose() * M * coordinates_.matrix;
}

MatrixXd ReverseModel::coriolis(const VectorXd& q, const VectorXd& qd) const {
  const VectorXd all = coordinates_.matrix * q + coordinates_.offset;
  return coordinates_.matrix.transpose() *
         coriolis_factor(tree_, parameters_, all, coordinates_.matrix * qd) * coordinates_.matrix;
}

VectorXd ReverseModel::torque(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) const {
  return inertia(q) * qdd + coriolis(q, qd) * qd + gravity(q);
}

double skew_symmetry_error(const ReverseModel& model, const Robot& robot, Index states) {
  const MatrixXd q = random_configurations(robot, states, {}, 7);
  Random random(1, "skew symmetry");
  constexpr double kStep = 1e-5;
  double largest = 0;
  for (Index k = 0; k < states; ++k) {
    const VectorXd here = q.row(k).transpose();
    VectorXd qd(here.size()), x(here.size());
    for (Index j = 0; j < here.size(); ++j) qd[j] = random.normal(), x[j] = random.normal();
    const MatrixXd rate = (model.inertia(here + kStep * qd) - model.inertia(here - kStep * qd)) / (2 * kStep);
    const MatrixXd difference = rate - 2 * model.coriolis(here, qd);
    const double scale = x.squaredNorm() * model.inertia(here).norm() * qd.norm();
    if (scale > 0) largest = std::max(largest, std::abs(x.dot(difference * x)) / scale);
  }
  return largest;
}

}  // namespace steelyard
