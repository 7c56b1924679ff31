#include "identify/self_check.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "identify/checks.hpp"
#include "identify/extra_columns.hpp"
#include "identify/friction.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/export/model.hpp"
#include "steelyard/fold/pass.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Folds in information form are good to 1e-10 of each column (fold.md); the others are digits of rounding.
constexpr double kRowsLimit = 1e-9;
constexpr double kModelLimit = 1e-10;
constexpr double kGradientLimit = 1e-9;
constexpr double kBodiesLimit = 1e-9;
constexpr Index kLongestLog = 200'000;  // samples, for one more pass
constexpr int kModelStates = 16;

// The rows of one run as they are folded, those at standstill with the others. One thread: sums depend on the order.
void add_rows(const Setup& setup, const RunRows& run, const Estimate& estimate, std::vector<RowSums>& sums) {
  std::vector<VectorXd> values;
  for (const auto& layout : run.folds.folds.layouts()) {
    VectorXd of_row = VectorXd::Zero(static_cast<Index>(layout->columns.size()));
    for (std::size_t k = 0; k < layout->columns.size(); ++k)
      if (const Index found = estimate.find(layout->columns[k]); found >= 0)
        of_row[static_cast<Index>(k)] = estimate.values[found];
    values.push_back(std::move(of_row));
  }
  PassOptions pass;
  pass.slot_samples = run.folds.slot_samples;
  pass.rest = run.folds.rest.has_value();
  pass.extra = all_columns(setup, *run.run->run);
  pass.known = known_efforts(setup, *run.run->run);
  pass.weigh = [&](Index row, std::span<const double* const> columns, Index count, const std::uint8_t* mask,
                   double* weight) {
    RowSums& sum = sums[static_cast<std::size_t>(row)];
    const VectorXd& x = values[static_cast<std::size_t>(row)];
    for (Index s = 0; s < count; ++s) {
      weight[s] = 1;
      if (mask != nullptr && mask[s] == 0) continue;
      const long double effort = columns[static_cast<std::size_t>(x.size())][s];
      long double residual = -effort;
      for (Index k = 0; k < x.size(); ++k) {
        const long double term = static_cast<long double>(x[k]) * columns[static_cast<std::size_t>(k)][s];
        residual += term;
        sum.terms += term * term;
      }
      sum.residual += residual * residual;
      sum.effort += effort * effort;
      ++sum.rows;
    }
  };
  fold_run(run.prepared(), plan_of_run(setup, *run.run->run),
           with_extra_columns(study_layouts(setup), pass.extra), pass);
}

// Nothing when a run has no rows to read again: it has no signs, consists of folds, or is too long.
std::optional<double> rows_again(const Setup& setup, const Folded& folded, const Estimate& estimate) {
  std::vector<Fold> folds;
  std::vector<RowSums> sums(setup.plan.rows.size());
  for (const RunRows& run : folded.runs) {
    if (!run.is_fit()) continue;
    if (!run.has_samples() || run.signs != nullptr || run.folds.samples > kLongestLog) return {};
    append_blocks(run.folds.folds.blocks(), 0, folds);
    if (run.folds.rest) append_blocks(run.folds.rest->blocks(), 0, folds);
  }
  for (const RunRows& run : folded.runs)
    if (run.is_fit()) add_rows(setup, run, estimate, sums);
  return rows_difference(residuals(folds, estimate.columns, estimate.values).per_row, sums);
}

using Matrix4l = Eigen::Matrix<long double, 4, 4>;

// Largest δ with P ⪰ δ m diag(ℓ², ℓ², ℓ², 1).
long double margin_of(const LinkValues& link, double length) {
  const long double m = link.mass, l = length;
  if (!(m > 0)) return -1;
  Eigen::Matrix<long double, 3, 3> J;
  const auto& o = link.inertia_origin;
  J << o[0], o[1], o[2], o[1], o[3], o[4], o[2], o[4], o[5];
  Matrix4l P;
  P.topLeftCorner<3, 3>() = (J.trace() / 2 * Eigen::Matrix<long double, 3, 3>::Identity() - J) / (m * l * l);
  P.topRightCorner<3, 1>() = link.com.cast<long double>() / l;
  P.bottomLeftCorner<1, 3>() = link.com.cast<long double>().transpose() / l;
  P(3, 3) = 1;
  return Eigen::SelfAdjointEigenSolver<Matrix4l>(P, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

}  // namespace

double rows_difference(const std::vector<Residual>& folded, const std::vector<RowSums>& rows) {
  require(folded.size() == rows.size(), "one sum a row kind");
  double worst = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (folded[r].rows != rows[r].rows) return 1;
    long double effort = std::max(rows[r].effort, rows[r].residual);
    if (!(effort > 0)) continue;
    // Rounding is that of the terms: badly determined values are large, and theirs cancel.
    effort = std::max(effort, std::sqrt(effort * rows[r].terms));
    const long double norm = folded[r].norm, size = folded[r].effort;
    worst = std::max(worst, static_cast<double>(std::abs(norm * norm - rows[r].residual) / effort));
    worst = std::max(worst, static_cast<double>(std::abs(size * size - rows[r].effort) / effort));
  }
  return worst;
}

double model_difference(const Robot& robot, const Plan& with_gears, const VectorXd& values) {
  Plan plan = with_gears;  // bodies alone
  plan.gears = nullptr;
  const std::vector<std::string> names = standard_parameter_names(robot);
  VectorXd standard = VectorXd::Zero(static_cast<Index>(names.size())),
           of_bodies = VectorXd::Zero(values.size());
  for (std::size_t k = 0; k < plan.columns.size(); ++k)
    if (const auto found = std::find(names.begin(), names.end(), plan.columns[k]); found != names.end()) {
      of_bodies[static_cast<Index>(k)] = values[static_cast<Index>(k)];
      standard[found - names.begin()] = values[static_cast<Index>(k)];
    }
  const Coordinates c = coordinates(robot);
  double apart = 0, size = 0;
  for (const ExportState& state : export_states(robot, kModelStates)) {
    const VectorXd joints = newton_euler(compile(robot), standard, c.matrix * state.q + c.offset,
                                         c.matrix * state.qd, c.matrix * state.qdd)
                                .tau;
    const VectorXd wanted = c.matrix.transpose() * joints;
    const VectorXd found = regressor(plan, state.q, state.qd, state.qdd) * of_bodies;
    for (std::size_t r = 0; r < plan.rows.size(); ++r)
      apart = std::max(apart, std::abs(found[static_cast<Index>(r)] - wanted[plan.rows[r].i]));
    size = std::max(size, wanted.cwiseAbs().maxCoeff());
  }
  return size > 0 ? apart / size : apart;
}

double gradient_difference(const Estimate& estimate) {
  const MatrixXd Y = estimate.factor.columns(), E = estimate.factor.efforts();
  VectorXd x = VectorXd::Zero(Y.cols());
  std::vector<bool> free(static_cast<std::size_t>(Y.cols()), true);  // neither eliminated nor zero
  for (Index k = 0; k < Y.cols(); ++k) {
    const Index found = estimate.find(estimate.factor.layout().columns[static_cast<std::size_t>(k)]);
    if (found >= 0) x[k] = estimate.values[found];
    const ColumnStatus status =
        found >= 0 ? estimate.column_status[static_cast<std::size_t>(found)] : ColumnStatus::eliminated;
    free[static_cast<std::size_t>(k)] = status != ColumnStatus::eliminated && status != ColumnStatus::zero;
  }
  const VectorXd residual = Y * x - E.col(0);
  // Rounding is that of the terms: badly determined values are large, and theirs cancel.
  const double size = E.col(0).norm() + Y.colwise().norm().dot(x.cwiseAbs());
  double worst = 0;
  for (Index k = 0; k < Y.cols(); ++k)
    if (const double norm = Y.col(k).norm(); free[static_cast<std::size_t>(k)] && norm > 0 && size > 0)
      worst = std::max(worst, std::abs(Y.col(k).dot(residual)) / (norm * size));
  return worst;
}

double bodies_difference(const std::vector<LinkValues>& links, const VectorXd& lengths) {
  require(static_cast<Index>(links.size()) == lengths.size(), "a length a link");
  long double short_by = 0;
  for (std::size_t k = 0; k < links.size(); ++k) {
    const long double found = margin_of(links[k], lengths[static_cast<Index>(k)]);
    short_by = std::max({short_by, links[k].margin - found, -found});
  }
  return static_cast<double>(short_by);
}

double drives_difference(const std::vector<DriveValues>& drives, const std::vector<DriveValues>& estimated) {
  double short_by = 0;
  for (const char* kind : {"fv", "fc", "Ia"}) {
    double largest = 0, smallest = 0;
    for (const auto* list : {&drives, &estimated})
      for (const DriveValues& drive : *list)
        if (const auto value = drive.values.find(kind); value != drive.values.end()) {
          largest = std::max(largest, std::abs(value->second));
          if (list == &drives) smallest = std::min(smallest, value->second);
        }
    if (largest > 0) short_by = std::max(short_by, -smallest / largest);
  }
  return short_by;
}

SelfChecks check_itself(const Setup& setup, const Folded& folded, const Fit& fit,
                        const std::optional<FeasibleCheck>& feasible) {
  SelfChecks out;
  const auto add = [&](const char* what, double difference, double limit) {
    const SelfCheck check{what, std::isfinite(difference) ? difference : 1, limit};
    if (!check.passed())
      out.findings.push_back(make_finding(
          "self-check-failed", "", fmt::format("{}: {:.1e}, at most {:.0e}", what, check.difference, limit)));
    out.checks.push_back(check);
  };
  setup.clock().time("self-checks", [&] {
    if (const auto found = rows_again(setup, folded, fit.estimated)) {
      add("rows", *found, kRowsLimit);
      out.passes = 1;
    }
    add("model", model_difference(setup.robot, setup.plan, values_for(setup.plan, fit.estimated)),
        kModelLimit);
    const bool squares = !fit.instrument && fit.estimated.factor.rows() > 0;
    if (squares) add("gradient", gradient_difference(fit.estimated), kGradientLimit);
    if (!feasible || feasible->links.empty() || !feasible->summary.residual) return;
    const PhysicalOptions& physical = setup.study().feasible->physical;
    if (physical.bodies)
      add("bodies", bodies_difference(feasible->links, link_lengths(setup.robot)), kBodiesLimit);
    if (physical.drives)
      add("drives", drives_difference(feasible->summary.drives, drive_values(setup.robot, fit.estimated)),
          kBodiesLimit);
  });
  return out;
}

}  // namespace steelyard
