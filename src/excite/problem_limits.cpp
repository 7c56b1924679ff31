// Limits along a motion: as barrier terms of the search, and as shares that are used.
#include <algorithm>
#include <cmath>

#include "excite/problem.hpp"
#include "excite/problem_work.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// log(1 − u²) and its derivative by u; false outside.
struct Within {
  double product = 1;
  bool add(double u) {
    const double left = 1 - u * u;
    product *= left;
    return left > 0;
  }
};

double slope_of(double u) {
  return 2 * u / (1 - u * u);
}

struct Worst {
  LimitUse use;
  void offer(double value, double limit, double share, double time) {
    if (share <= use.share) return;
    use.worst = value, use.limit = limit, use.share = share, use.time = time;
  }
};

}  // namespace

bool DesignProblem::limit_terms(const GridMotion& motion, double mu, ProblemWork* work, double& sum) const {
  const MatrixXd& C = coordinates_.matrix;
  const double weight = mu / static_cast<double>(motion.q.rows());
  for (Index i = 0; i < C.rows(); ++i) {
    const Limits& own = limits_[static_cast<std::size_t>(i)];
    const double half = (own.upper - own.lower) / 2, mid = (own.upper + own.lower) / 2;
    const bool has_range = std::isfinite(half);
    const double kq = has_range ? 1 / (half * (1 - margins_.position)) : 0;
    const double kv = 1 / (own.velocity * (1 - margins_.velocity));
    const double ka = 1 / (own.acceleration * (1 - margins_.acceleration));
    VectorXd q = motion.q * C.row(i).transpose();
    q.array() += coordinates_.offset[i] - (has_range ? mid : 0);
    const VectorXd qd = motion.qd * C.row(i).transpose(), qdd = motion.qdd * C.row(i).transpose();
    for (Index s = 0; s < q.size(); ++s) {
      Within within;
      if (!(within.add(kq * q[s]) && within.add(kv * qd[s]) && within.add(ka * qdd[s]))) return false;
      sum -= weight * std::log(within.product);
      if (work == nullptr) continue;
      const double gq = weight * kq * slope_of(kq * q[s]), gv = weight * kv * slope_of(kv * qd[s]);
      const double ga = weight * ka * slope_of(ka * qdd[s]);
      for (Index a = 0; a < C.cols(); ++a) {
        if (C(i, a) == 0) continue;
        work->q(s, a) += C(i, a) * gq;
        work->qd(s, a) += C(i, a) * gv;
        work->qdd(s, a) += C(i, a) * ga;
      }
    }
  }
  return true;
}

bool DesignProblem::effort_terms(const RegressorTile& tile, double mu, MatrixXd* weights, double& sum) const {
  if (!limits_effort()) return true;
  const double weight = mu / static_cast<double>(tile.count());
  for (const Row& row : plan_.rows) {
    const int joint = coordinates_.joints[static_cast<std::size_t>(row.i)];
    const double limit = limits_[static_cast<std::size_t>(joint)].effort;
    if (!std::isfinite(limit)) continue;
    const double k = 1 / (limit * (1 - margins_.effort));
    Eigen::VectorXd values(static_cast<Index>(row.columns.size()));
    for (Index c = 0; c < values.size(); ++c) values[c] = prior_[row.columns[static_cast<std::size_t>(c)]];
    const Eigen::VectorXd u = k * (tile.row(row) * values);
    Eigen::VectorXd slope(u.size());
    for (Index s = 0; s < u.size(); ++s) {
      const double left = 1 - u[s] * u[s];
      if (!(left > 0)) return false;
      sum -= weight * std::log(left);
      slope[s] = weight * k * slope_of(u[s]);
    }
    if (weights != nullptr) weights->middleCols(row.offset, values.size()) += slope * values.transpose();
  }
  return true;
}

bool DesignProblem::distance_terms(const GridMotion& motion, double mu, ProblemWork* work,
                                   double& sum) const {
  const Index count = distances_.size(), n = motion.q.cols();
  if (count == 0) return true;
  const double weight = mu / static_cast<double>(motion.q.rows());
  VectorXd q(n), d(count), pull(count), gradient(n);
  for (Index s = 0; s < motion.q.rows(); ++s) {
    q = motion.q.row(s).transpose();
    distances_.evaluate(q.data(), d.data());
    for (Index k = 0; k < count; ++k) {
      const double left = d[k] - margins_.distance;
      if (!(left > 0)) return false;
      sum -= weight * std::log(left / (left + kDistanceScale));
      pull[k] = -weight * kDistanceScale / (left * (left + kDistanceScale));
    }
    if (work == nullptr) continue;
    gradient.setZero();
    distances_.add_gradient(q.data(), pull.data(), gradient.data());
    work->q.row(s) += gradient.transpose();
  }
  return true;
}

MatrixXd DesignProblem::efforts(const GridMotion& motion) const {
  MatrixXd tau = MatrixXd::Zero(motion.q.rows(), motion.q.cols());
  if (!limits_effort()) return tau;
  const RegressorTile tile(plan_, motion);
  for (const Row& row : plan_.rows)
    for (std::size_t c = 0; c < row.columns.size(); ++c)
      tau.col(row.i) += prior_[row.columns[c]] * tile.column(row.offset + static_cast<Index>(c));
  return tau;
}

std::vector<LimitUse> DesignProblem::uses_on(const GridMotion& motion, const VectorXd& time) const {
  std::vector<LimitUse> uses;
  const auto keep = [&](const std::string& what, Worst& worst) {
    if (worst.use.share <= 0) return;
    worst.use.what = what;
    uses.push_back(worst.use);
  };
  const MatrixXd& C = coordinates_.matrix;
  for (Index i = 0; i < C.rows(); ++i) {
    const Limits& own = limits_[static_cast<std::size_t>(i)];
    const std::string& name = robot_.joints[static_cast<std::size_t>(i)].name;
    const double half = (own.upper - own.lower) / 2, mid = (own.upper + own.lower) / 2;
    Worst position, velocity, acceleration;
    for (Index s = 0; s < time.size(); ++s) {
      const double q = motion.q.row(s).dot(C.row(i)) + coordinates_.offset[i];
      const double qd = motion.qd.row(s).dot(C.row(i)), qdd = motion.qdd.row(s).dot(C.row(i));
      if (std::isfinite(half))
        position.offer(q, q > mid ? own.upper : own.lower, std::abs(q - mid) / half, time[s]);
      velocity.offer(qd, own.velocity, std::abs(qd) / own.velocity, time[s]);
      acceleration.offer(qdd, own.acceleration, std::abs(qdd) / own.acceleration, time[s]);
    }
    keep("position of " + name, position);
    keep("velocity of " + name, velocity);
    keep("acceleration of " + name, acceleration);
  }
  const MatrixXd tau = efforts(motion);
  for (Index a = 0; a < tau.cols(); ++a) {
    const std::size_t joint = static_cast<std::size_t>(coordinates_.joints[static_cast<std::size_t>(a)]);
    Worst effort;
    for (Index s = 0; s < time.size(); ++s)
      effort.offer(tau(s, a), limits_[joint].effort, std::abs(tau(s, a)) / limits_[joint].effort, time[s]);
    keep("effort of " + robot_.joints[joint].name, effort);
  }
  std::vector<Worst> near(static_cast<std::size_t>(distances_.size()));
  VectorXd q(motion.q.cols()), d(distances_.size());
  for (Index s = 0; s < time.size() && d.size() > 0; ++s) {
    q = motion.q.row(s).transpose();
    distances_.evaluate(q.data(), d.data());
    for (Index k = 0; k < d.size(); ++k)
      near[static_cast<std::size_t>(k)].offer(d[k], 0, 1 - d[k] / kDistanceScale, time[s]);
  }
  for (std::size_t k = 0; k < near.size(); ++k) keep(distances_.names()[k], near[k]);
  std::stable_sort(uses.begin(), uses.end(),
                   [](const LimitUse& a, const LimitUse& b) { return a.share > b.share; });
  return uses;
}

std::vector<LimitUse> DesignProblem::uses_at_rest(const VectorXd& pose) const {
  const MatrixXd still = MatrixXd::Zero(1, pose.size());
  return uses_on({pose.transpose(), still, still}, VectorXd::Zero(1));
}

std::vector<LimitUse> DesignProblem::uses(const MatrixXd& x, double step) const {
  return uses(to_trajectory(basis_.motion(x)), step);
}

std::vector<LimitUse> DesignProblem::uses(const Trajectory& motion, double step) const {
  const VectorXd time = basis_.grid(step);
  return uses_on(sample_motion(motion, time), time);
}

}  // namespace steelyard
