#include "doctor/delay_fit.hpp"

#include <algorithm>
#include <cmath>

#include "doctor/trial_impl.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::doctor {
namespace {

constexpr double kDelayRidge = 1e-6;
constexpr double kExplained = 1e-8;  // square of the residual over the effort below which it does not matter
constexpr double kWays[] = {0.002, 0.01, 0.05};

// z of one joint over a run. Between two samples of the copy the position is a cubic with their velocities.
Eigen::MatrixXd building_up(const CoarseRun& run, Index joint) {
  constexpr int kParts = 8;
  const auto q = run.q.col(joint), qd = run.qd.col(joint);
  const double way = q.maxCoeff() - q.minCoeff();
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(run.size(), 3);
  if (!(way > 0)) return out;
  for (Index s = 1; s < run.size(); ++s) {
    const double h = run.stamps[s] - run.stamps[s - 1];
    Eigen::RowVector3d z = out.row(s - 1);
    double before = q[s - 1];
    for (int part = 1; part <= kParts; ++part) {
      const double u = static_cast<double>(part) / kParts, v = 1 - u;
      const double now = v * v * (1 + 2 * u) * q[s - 1] + u * u * (1 + 2 * v) * q[s] +
                         h * u * v * (v * qd[s - 1] - u * qd[s]);
      const double sign = now > before ? 1 : now < before ? -1 : 0;
      for (Index k = 0; k < 3; ++k)
        z[k] = sign + (z[k] - sign) * std::exp(-std::abs(now - before) / (kWays[k] * way));
      before = now;
    }
    out.row(s) = z;
  }
  return out;
}

void add_run(const CoarseRun& run, std::size_t number, const Plan& plan,
             const std::vector<std::string>& names, double smear, DelayData& data) {
  const Index joints = run.joints(), own_columns = static_cast<Index>(plan.columns.size());
  const Index columns = own_columns + static_cast<Index>(names.size());
  const ExtraSamples extra = extra_samples(run, 0, {run.q, run.qd, run.qdd});
  const Masks masks = moving(run.qd, run.qdd, smear);
  std::vector<MatrixXd> rows;
  for (Index s = 0; s < run.size(); ++s)
    rows.push_back(regressor(plan, VectorXd(run.q.row(s).transpose()), VectorXd(run.qd.row(s).transpose()),
                             VectorXd(run.qdd.row(s).transpose())));
  for (Index j = 0; j < joints; ++j) {
    DelayRows& own = data.joints[static_cast<std::size_t>(j)];
    const std::vector<std::uint8_t>& mask = masks[static_cast<std::size_t>(j)];
    const Eigen::MatrixXd lag = building_up(run, j);
    Index at = own.Y.rows();
    const Index all = at + std::count(mask.begin(), mask.end(), std::uint8_t{1});
    own.Y.conservativeResize(all, columns);
    own.efforts.conservativeResize(all, data.lateness.size());
    own.lag.conservativeResize(all, 3);
    own.stamps.conservativeResize(all);
    own.runs.push_back({number, at, all - at});
    for (Index s = 0; s < run.size(); ++s) {
      if (mask[static_cast<std::size_t>(s)] == 0) continue;
      own.Y.row(at).setZero();
      own.Y.row(at).head(own_columns) = rows[static_cast<std::size_t>(s)].row(j);
      for (std::size_t c = 0; c < extra.columns.size(); ++c) {
        if (extra.columns[c].row != j) continue;
        const auto name = std::find(names.begin(), names.end(), extra.columns[c].name);
        own.Y(at, own_columns + (name - names.begin())) += extra.values(s, static_cast<Index>(c));
      }
      own.lag.row(at) = lag.row(s);
      own.stamps[at] = run.stamps[s];
      for (std::size_t k = 0; k < run.shifted.size(); ++k)
        own.efforts(at, static_cast<Index>(k)) =
            run.shifted[k](s, j) - (extra.known.size() > 0 ? extra.known(s, j) : 0);
      ++at;
    }
  }
}

}  // namespace

DelayData delay_data(const Trial& trial, double smear) {
  DelayData data;
  data.joints.resize(static_cast<std::size_t>(trial.joints()));
  if (trial.runs().empty()) return data;
  data.lateness = trial.runs().front().lateness;
  data.none = data.lateness.size() / 2;
  PlanOptions options;
  options.wanted = trial.columns();
  const Plan plan = make_plan(trial.robot(), options);
  const std::vector<std::string> names = extra_names(trial.runs());
  for (std::size_t r = 0; r < trial.runs().size(); ++r) {
    const CoarseRun& run = trial.runs()[r];
    if (run.lateness.size() == data.lateness.size() &&
        (run.lateness - data.lateness).cwiseAbs().maxCoeff() < 1e-3)
      add_run(run, r, plan, names, smear, data);
  }
  return data;
}

DelayFit::DelayFit(const DelayData& data, int lagging) {
  const Index extra = lagging >= 0 ? 3 : 0;
  for (std::size_t j = 0; j < data.joints.size(); ++j) {
    const DelayRows& rows = data.joints[j];
    Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(rows.Y.rows(), rows.Y.cols() + extra);
    Y.leftCols(rows.Y.cols()) = rows.Y;
    if (static_cast<int>(j) == lagging) Y.rightCols(extra) = rows.lag;
    gram_.emplace_back(Y.transpose() * Y);
    mixed_.emplace_back(Y.transpose() * rows.efforts);
    effort_.emplace_back(rows.efforts.colwise().squaredNorm().transpose());
  }
}

Eigen::VectorXd DelayFit::solve(const Shifts& shifts) const {
  Eigen::VectorXd b = Eigen::VectorXd::Zero(inverse_.rows());
  for (std::size_t j = 0; j < shifts.size(); ++j)
    b += weights_[static_cast<Index>(j)] * mixed_[j].col(shifts[j]);
  return inverse_ * b;
}

Eigen::VectorXd DelayFit::residuals(const Shifts& shifts) const {
  const Eigen::VectorXd x = solve(shifts);
  Eigen::VectorXd out(static_cast<Index>(shifts.size()));
  for (std::size_t j = 0; j < shifts.size(); ++j) {
    const double effort = effort_[j][shifts[j]];
    const double square = effort - 2 * mixed_[j].col(shifts[j]).dot(x) + x.dot(gram_[j] * x);
    out[static_cast<Index>(j)] = effort > 0 ? std::max(square / effort, kExplained) : 1;
  }
  return out;
}

void DelayFit::weigh(const Shifts& shifts) {
  constexpr int kIterations = 4;
  const auto n = static_cast<Index>(shifts.size());
  Eigen::VectorXd residual = Eigen::VectorXd::Ones(n);
  weights_.setZero(n);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(gram_[0].rows(), gram_[0].cols());
    for (Index j = 0; j < n; ++j) {
      const auto k = static_cast<std::size_t>(j);
      const double effort = effort_[k][shifts[k]];
      weights_[j] = effort > 0 ? 1 / (residual[j] * effort) : 0;
      H += weights_[j] * gram_[k];
    }
    const Eigen::VectorXd scale = H.diagonal().cwiseMax(1e-30).cwiseSqrt().cwiseInverse();
    H = scale.asDiagonal() * H * scale.asDiagonal();
    H.diagonal().array() += kDelayRidge;
    inverse_ = scale.asDiagonal() * inverse_of_positive(H) * scale.asDiagonal();
    residual = residuals(shifts);
  }
}

}  // namespace steelyard::doctor
