#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/prior.hpp"
#include "identify/reverse.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/fold/prior.hpp"
#include "steelyard/reverse/rows.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// A coefficient of a table is believed to so many digits of the largest one at most.
constexpr double kBelieved = 1e-9;

EstimateOptions weights_of_joints() {
  EstimateOptions options;
  options.weighting = Weighting::by_row_iterated;
  return options;
}

// W π = W mean, with WᵀW the information that a fit of tables has about the base of the torques.
struct Information {
  MatrixXd W;
  VectorXd right;  // W mean
};

// The coefficients of the tables are sums of those of the torques, π_t = C π: gravity and inertia are torques, too.
Information information_of(const ReverseFit& tables, const BaseParameters& base) {
  std::vector<Index> known;
  for (Index k = 0; k < tables.sigma.size(); ++k)
    if (std::isfinite(tables.sigma[k])) known.push_back(k);
  const auto count = static_cast<Index>(known.size());
  if (count == 0) return {MatrixXd::Zero(0, base.rank), VectorXd::Zero(0)};
  // Columns of K at the leads of the torques: unit vectors there, so C is read off the tables' K.
  Eigen::MatrixXd C(count, base.rank);
  for (Index b = 0; b < base.rank; ++b) {
    const std::string& lead = base.columns[static_cast<std::size_t>(base.lead[static_cast<std::size_t>(b)])];
    const auto found = std::find(tables.base.columns.begin(), tables.base.columns.end(), lead);
    const bool there = found != tables.base.columns.end();
    for (Index k = 0; k < count; ++k)
      C(k, b) =
          there ? tables.base.K(known[static_cast<std::size_t>(k)], found - tables.base.columns.begin()) : 0;
  }
  const VectorXd values = tables.values(known);
  const double floor = kBelieved * std::max(tables.values.cwiseAbs().maxCoeff(), 1e-12);
  Eigen::MatrixXd covariance = tables.covariance(known, known);
  covariance.diagonal().array() += floor * floor;
  const Eigen::VectorXd scale = covariance.diagonal().cwiseSqrt().cwiseInverse();
  const SymmetricEigen factor =
      symmetric_eigen(Eigen::MatrixXd(scale.asDiagonal() * covariance * scale.asDiagonal()));
  const Eigen::VectorXd size = factor.values.cwiseMax(1e-14).cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd whiten = size.asDiagonal() * factor.vectors.transpose() * scale.asDiagonal();
  return {whiten * C, whiten * values};
}

// As rows beside those of the torques.
Fold table_rows(const Information& known, const std::vector<std::string>& leads,
                const std::vector<Fold>& torques) {
  std::vector<const Layout*> layouts;
  for (const Fold& fold : torques) layouts.push_back(&fold.layout());
  const Layout layout = prior_layout(union_layout(layouts), "tables");
  MatrixXd rows = MatrixXd::Zero(known.W.rows(), layout.size());
  for (std::size_t b = 0; b < leads.size(); ++b)
    if (const Index k = layout.find(leads[b]); k >= 0) rows.col(k) = known.W.col(static_cast<Index>(b));
  rows.rightCols(1) = known.right;
  return fold_rows(layout, rows);
}

// The same runs with friction among the columns.
std::vector<Fold> folds_with_friction(Setup setup, Runs& runs) {
  PlanOptions plan;
  plan.wanted = setup.plan.columns;
  for (const int j : coordinates(setup.robot).joints) {
    DriveTerms& drive = setup.robot.joints[static_cast<std::size_t>(j)].drive;
    drive.viscous = drive.coulomb = true;
    for (const char* stem : {"fv", "fc"}) plan.wanted.push_back(fmt::format("{}{}", stem, j + 1));
  }
  setup.plan = make_plan(setup.robot, plan);
  return fit_folds(fold_runs(setup, runs, {}));
}

// Joints whose torques another model explains much better: "lwr_joint3: 12 %, 0.4 %".
std::string much_better(const Estimate& ours, const Estimate& other) {
  constexpr double kSmall = 0.02, kMuch = 0.5;  // shares of the torque, of what is unexplained
  std::string joints;
  for (std::size_t r = 0; r < ours.per_row.size(); ++r) {
    const Residual &here = ours.per_row[r], &there = other.per_row[r];
    if (here.relative < kSmall || there.relative > kMuch * here.relative) continue;
    joints += fmt::format("{}{} {:.1f} %, {:.1f} %", joints.empty() ? "" : "; ",
                          here.row.substr(here.row.find(':') + 1), 100 * here.relative, 100 * there.relative);
  }
  return joints;
}

std::vector<Finding> examine_torques(const Setup& setup, Runs& runs, const std::vector<Fold>& torques,
                                     const Fold& tables, const Estimate& ours) {
  const std::vector<Fold> with_friction = folds_with_friction(setup, runs);
  const std::vector<Fold> prior = {tables};
  std::string joints = much_better(ours, estimate(with_friction, weights_of_joints(), prior));
  const char* others = "friction";
  if (joints.empty()) {
    joints = much_better(ours, estimate(torques, weights_of_joints()));
    others = "other bodies than the tables'";
  }
  if (joints.empty()) return {};
  return {
      make_finding("torques-differ", "",
                   fmt::format("unexplained share of the torques without and with {}: {}", others, joints))};
}

}  // namespace

BaseParameters base_of_torques(const ReverseOptions& options, const Robot& robot) {
  BaseOptions base;
  base.drives = options.rotor_inertia;
  base.zero = options.zero;
  base.expressions = options.expressions;
  return base_parameters(robot, base);
}

void fit_torques(const Setup& setup, Runs& runs, const Folded& folded, ReverseState& reverse) {
  const std::vector<Fold> torques = fit_folds(folded.runs);
  ReverseFit fit;
  fit.rows = reverse.fit.rows;
  fit.torques = true;
  fit.base = setup.base;
  const std::vector<std::string> leads = fit.leads();
  const std::vector<Fold> tables = {table_rows(information_of(reverse.fit, setup.base), leads, torques)};
  fit.estimate = estimate(torques, weights_of_joints(), tables);
  std::vector<Index> places;
  for (const std::string& lead : leads) places.push_back(fit.estimate.find(lead));
  fit.values = fit.estimate.values(places);
  fit.sigma = fit.estimate.sigma(places);
  fit.covariance = fit.estimate.covariance(places, places);
  fit.degrees = fit.estimate.degrees;
  fit.training = fitted_errors(setup.robot, reverse.tables.training, fit);
  for (Finding& finding : examine_torques(setup, runs, torques, tables.front(), fit.estimate))
    reverse.findings.push_back(std::move(finding));
  reverse.parts.push_back(std::move(reverse.fit));
  reverse.fit = std::move(fit);
}

}  // namespace steelyard
