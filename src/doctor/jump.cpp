#include "steelyard/doctor/jump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "doctor/coarse_rows.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/log/run_file.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kFewestRows = 4 * doctor::kCoarseParts;
constexpr Index kFree = 5;           // see the header
constexpr double kRank = 1e-8;       // of the largest column: below it a direction does not count
constexpr double kStepError = 1e-4;  // of the rms effort: the copy's own standard deviation of a step

// An orthonormal basis of what is explained without a step: the model, and drift in the rows [begin, end).
Eigen::MatrixXd basis(const doctor::CoarseRows& rows, Index begin, Index end) {
  const Index n = rows.Y.rows(), p = rows.Y.cols();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, p + 3);
  A.leftCols(p) = rows.Y;
  const double first = rows.stamps[begin], length = rows.stamps[end - 1] - first;
  for (Index i = begin; i < end; ++i) {
    const double t = 2 * (rows.stamps[i] - first) / length - 1;
    A.row(i).tail(3) << 1, t, t * t;
  }
  for (Index c = 0; c < A.cols(); ++c) A.col(c) /= std::max(A.col(c).norm(), 1e-30);
  const PivotedQr qr(A, kRank);
  return qr.Q(qr.rank());
}

// The row at which a step explains most of `e`; −1: none does.
Index best_row(const Eigen::MatrixXd& Q, const Eigen::VectorXd& e, Index begin, Index end) {
  const Index min_rows = (end - begin) / 8;
  Eigen::VectorXd explained = Eigen::VectorXd::Zero(Q.cols());
  double product = 0, best = 0;
  Index at = -1;
  for (Index i = end - 1; i >= begin + min_rows; --i) {
    explained += Q.row(i).transpose();
    product += e[i];
    const auto after = static_cast<double>(end - i);
    const double left = after - explained.squaredNorm();  // s·s
    if (end - i < min_rows || left < 1e-6 * after || product * product <= best * left) continue;
    best = product * product / left;
    at = i;
  }
  return at;
}

}  // namespace

std::vector<Jump> examine_jumps(const Trial& trial) {
  std::vector<Jump> jumps;
  const std::vector<doctor::CoarseRows> joints = doctor::coarse_rows(trial, trial.options().smear);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const doctor::CoarseRows& rows = joints[j];
    for (const auto& [run, begin, count] : rows.runs) {
      if (count < kFewestRows) continue;
      const Eigen::VectorXd& effort = rows.effort;
      const double rms = effort.norm() / std::sqrt(static_cast<double>(effort.size()));
      const Eigen::MatrixXd Q = basis(rows, begin, begin + count);
      const Eigen::VectorXd e = effort - Q * (Q.transpose() * effort);
      const Index at = best_row(Q, e, begin, begin + count);
      if (at < 0 || rows.Y.rows() - Q.cols() < kFewestRows) continue;
      Eigen::VectorXd s = Eigen::VectorXd::Zero(e.size());
      s.segment(at, begin + count - at).setOnes();
      s -= (Q * (Q.transpose() * s)).eval();
      const doctor::TermInRun term = doctor::fit_term(s, e, begin, count, kFree);
      const double a = term.value, sigma = term.deviation + kStepError * rms;
      const auto before = static_cast<double>(at - begin), all = static_cast<double>(count);
      Jump& jump = jumps.emplace_back();
      jump.joint = static_cast<int>(j);
      jump.run = run;
      jump.time = rows.stamps[at];
      jump.size = a;
      jump.share = std::abs(a) / rms;
      jump.deviations = std::abs(a) / sigma;
      jump.explained = term.explained;
      jump.seen = s.squaredNorm() / (before * (all - before) / all);
    }
  }
  return jumps;
}

bool is_clear(const Jump& jump, const JumpOptions& options) {
  return jump.deviations > options.deviations && jump.share > options.share &&
         jump.explained > (jump.seen > options.seen ? options.explained : options.explained_hidden);
}

Finding jump_finding(const Jump& jump, const Robot& robot) {
  const LogJoint joint = log_joints(robot)[static_cast<std::size_t>(jump.joint)];
  return make_finding("effort-jump", joint.name,
                      fmt::format("at {:.1f} s the effort jumps by {:.3g} {}, {:.0f} % of its rms: {:.0f} "
                                  "standard deviations, {:.0f} % "
                                  "of the residual",
                                  jump.time, jump.size, joint.kind == JointKind::revolute ? "N m" : "N",
                                  100 * jump.share, jump.deviations, 100 * jump.explained));
}

}  // namespace steelyard
