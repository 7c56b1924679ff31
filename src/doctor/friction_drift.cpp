#include "steelyard/doctor/friction_drift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "doctor/coarse_rows.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/log/run_file.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kFewestDriftRows = 4 * doctor::kCoarseParts;
constexpr Index kDriftFree = 4;
constexpr double kDriftRank = 1e-8;   // of the largest column: below it a direction does not count
constexpr double kDriftError = 1e-3;  // of the friction: what the copy itself makes of none
constexpr double kSeenDrift = 0.02;   // s·s over that of x F: below it the motion does not show a drift

// Of one joint's rows: the effort of viscous and Coulomb friction by least squares over all columns.
Eigen::VectorXd friction_of(const doctor::CoarseRows& rows, const std::vector<Index>& own) {
  Eigen::MatrixXd A = rows.Y;
  Eigen::VectorXd scale(A.cols());
  for (Index c = 0; c < A.cols(); ++c) {
    scale[c] = std::max(A.col(c).norm(), 1e-30);
    A.col(c) /= scale[c];
  }
  const Eigen::VectorXd x = PivotedQr(A, kDriftRank).solve(rows.effort);
  Eigen::VectorXd friction = Eigen::VectorXd::Zero(rows.Y.rows());
  for (const Index c : own) friction += A.col(c) * std::max(0.0, x[c]);
  return friction;
}

Eigen::MatrixXd drift_basis(const doctor::CoarseRows& rows, Index begin, const Eigen::VectorXd& x) {
  const Index p = rows.Y.cols();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(rows.Y.rows(), p + 2);
  A.leftCols(p) = rows.Y;
  A.col(p).segment(begin, x.size()).setOnes();
  A.col(p + 1).segment(begin, x.size()) = x;
  for (Index c = 0; c < A.cols(); ++c) A.col(c) /= std::max(A.col(c).norm(), 1e-30);
  const PivotedQr qr(A, kDriftRank);
  return qr.Q(qr.rank());
}

}  // namespace

std::vector<FrictionDrift> examine_friction_drift(const Trial& trial) {
  std::vector<FrictionDrift> drifts;
  const std::vector<doctor::CoarseRows> joints = doctor::coarse_rows(trial, trial.options().smear);
  PlanOptions options;
  options.wanted = trial.columns();
  const Plan plan = make_plan(trial.robot(), options);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const doctor::CoarseRows& rows = joints[j];
    std::vector<Index> own;
    const int number = coordinates(trial.robot()).joints[j] + 1;
    for (const char* stem : {"fv", "fc"}) {
      const auto found =
          std::find(plan.columns.begin(), plan.columns.end(), fmt::format("{}{}", stem, number));
      if (found != plan.columns.end()) own.push_back(found - plan.columns.begin());
    }
    if (own.empty() || rows.Y.rows() < kFewestDriftRows) continue;
    const Eigen::VectorXd friction = friction_of(rows, own);
    const double rms = rows.effort.norm() / std::sqrt(static_cast<double>(rows.effort.size()));
    for (const auto& [run, begin, count] : rows.runs) {
      if (count < kFewestDriftRows) continue;
      const double first = rows.stamps[begin], length = rows.stamps[begin + count - 1] - first;
      const Eigen::VectorXd x = (rows.stamps.segment(begin, count).array() - first) / length - 0.5;
      const Eigen::MatrixXd Q = drift_basis(rows, begin, x);
      if (!(friction.segment(begin, count).norm() > 0) || rows.Y.rows() - Q.cols() < kFewestDriftRows)
        continue;
      const Eigen::VectorXd e = rows.effort - Q * (Q.transpose() * rows.effort);
      Eigen::VectorXd s = Eigen::VectorXd::Zero(e.size());
      s.segment(begin, count) = x.cwiseProduct(friction.segment(begin, count));
      const double moved = s.squaredNorm();
      s -= (Q * (Q.transpose() * s)).eval();
      if (!(s.squaredNorm() > kSeenDrift * moved)) continue;
      FrictionDrift& drift = drifts.emplace_back();
      const doctor::TermInRun term = doctor::fit_term(s, e, begin, count, kDriftFree);
      drift.joint = static_cast<int>(j);
      drift.run = run;
      drift.share = term.value;
      drift.deviation = term.deviation + kDriftError;
      drift.duration = length;
      drift.explained = term.explained;
      drift.effort =
          std::abs(term.value) * std::sqrt(moved / static_cast<double>(count)) / std::max(rms, 1e-30);
    }
  }
  return drifts;
}

bool is_clear(const FrictionDrift& drift, const DriftOptions& options) {
  return std::abs(drift.share) > options.deviations * drift.deviation &&
         std::abs(drift.share) > options.share && std::abs(drift.share) < options.largest &&
         drift.effort > options.effort && drift.explained > options.explained;
}

Finding drift_finding(const FrictionDrift& drift, const Robot& robot) {
  const LogJoint joint = log_joints(robot)[static_cast<std::size_t>(drift.joint)];
  return make_finding(
      "friction-drift", joint.name,
      fmt::format("friction {} by {:.0f} % of its mean within {:.0f} s (standard deviation {:.2g} %)",
                  drift.share < 0 ? "falls" : "rises", 100 * std::abs(drift.share), drift.duration,
                  100 * drift.deviation));
}

}  // namespace steelyard
