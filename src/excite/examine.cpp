// What a motion identifies: information, condition, expected standard deviations, and why some stay large.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "excite/problem.hpp"
#include "excite/problem_work.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/estimate/condition.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kInflated = 100;     // variance over that of the column alone: standard deviation 10 times
constexpr double kSmallColumn = 0.1;  // of the column's size on random states within the limits
constexpr double kHidden = 1e-3;      // of the median column of its kind, on random states
constexpr double kUnseen = 1e-10;

struct Covariance {
  MatrixXd matrix;  // of the determined parameters
  std::vector<bool> known;
};

// Inverse of D (A) D by its eigenvectors: a parameter with a part in an unidentifiable direction is unknown.
Covariance covariance_of(const MatrixXd& information) {
  const Index n = information.rows();
  Covariance result{MatrixXd::Zero(n, n), std::vector<bool>(static_cast<std::size_t>(n), false)};
  VectorXd D = information.diagonal().cwiseMax(0).cwiseSqrt();
  for (Index k = 0; k < n; ++k) D[k] = D[k] > 0 ? 1 / D[k] : 0;
  const Eigen::MatrixXd scaled = D.asDiagonal() * information * D.asDiagonal();
  const SymmetricEigen eigen = symmetric_eigen(scaled);
  const double smallest = 1e-13 * std::max(1.0, eigen.values[n - 1]);
  VectorXd unseen = VectorXd::Zero(n);
  for (Index k = 0; k < n; ++k) {
    const Eigen::VectorXd v = eigen.vectors.col(k);
    if (eigen.values[k] > smallest)
      result.matrix += (v * v.transpose()) / eigen.values[k];
    else
      unseen += v.cwiseAbs2();
  }
  result.matrix = MatrixXd(D.asDiagonal() * result.matrix * D.asDiagonal());
  for (Index k = 0; k < n; ++k) result.known[static_cast<std::size_t>(k)] = D[k] > 0 && unseen[k] < kUnseen;
  return result;
}

double deviation(const Covariance& covariance, Index k) {
  return covariance.known[static_cast<std::size_t>(k)] ? std::sqrt(covariance.matrix(k, k)) : kInfinity;
}

// The parameters with errors most correlated with that of k.
std::string companions(const Covariance& covariance, const std::vector<std::string>& names, Index k) {
  std::vector<std::pair<double, Index>> others;
  for (Index i = 0; i < covariance.matrix.rows(); ++i) {
    const double size = std::sqrt(covariance.matrix(i, i) * covariance.matrix(k, k));
    if (i != k && size > 0) others.emplace_back(std::abs(covariance.matrix(i, k)) / size, i);
  }
  std::stable_sort(others.begin(), others.end(), [](auto& a, auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, others.size()); ++i)
    text += (i == 0 ? "" : " and ") + names[static_cast<std::size_t>(others[i].second)];
  return text;
}

std::string tightest(const std::vector<LimitUse>& limits) {
  if (limits.empty() || limits.front().share < 0.9) return "";
  return fmt::format("; the motion is limited by {} ({:.0f} % used)", limits.front().what,
                     100 * limits.front().share);
}

// Parameters of one unit and row: masses, first moments, inertias, one kind of drive column.
std::string kind_of(const std::string& name) {
  std::string stem = name.substr(0, name.find_first_of("0123456789"));
  if (stem == "mx" || stem == "my" || stem == "mz") return "first moment";
  return stem.rfind('J', 0) == 0 ? "inertia" : stem;
}

// Size of each column on random states over the median of its kind: what geometry hides is far below one.
VectorXd sizes_in_kind(const VectorXd& scale, const std::vector<std::string>& names) {
  std::map<std::string, std::vector<double>> sizes;
  for (std::size_t k = 0; k < names.size(); ++k)
    sizes[kind_of(names[k])].push_back(1 / scale[static_cast<Index>(k)]);
  for (auto& [kind, list] : sizes) std::sort(list.begin(), list.end());
  VectorXd shares(scale.size());
  for (Index k = 0; k < shares.size(); ++k) {
    const std::vector<double>& list = sizes[kind_of(names[static_cast<std::size_t>(k)])];
    shares[k] = 1 / (scale[k] * list[list.size() / 2]);
  }
  return shares;
}

}  // namespace

MatrixXd DesignProblem::rows_of(const GridMotion& motion, bool weighted) const {
  const RegressorTile tile(plan_, motion);
  const Index n = motion.q.rows();
  MatrixXd Y = MatrixXd::Zero(n * static_cast<Index>(plan_.rows.size()), scale_.size());
  Index first = 0;
  for (const Row& row : plan_.rows) {
    const double weight = weighted ? 1 / noise_[row.i] : 1.0;
    for (std::size_t c = 0; c < row.columns.size(); ++c)
      Y.block(first, order_[static_cast<std::size_t>(row.columns[c])], n, 1) =
          weight * tile.column(row.offset + static_cast<Index>(c));
    first += n;
  }
  return Y;
}

std::optional<VectorXd> prior_from_masses(const Robot& robot, const BaseParameters& base) {
  for (const Joint& joint : robot.joints)
    if (!joint.inertia) return std::nullopt;
  const VectorXd standard = standard_parameters(robot);
  const std::vector<std::string> names = standard_parameter_names(robot);
  VectorXd all = VectorXd::Zero(base.K.cols());
  for (std::size_t c = 0; c < base.columns.size(); ++c) {
    const auto at = std::find(names.begin(), names.end(), base.columns[c]);
    if (at != names.end()) all[static_cast<Index>(c)] = standard[at - names.begin()];
  }
  return VectorXd(base.K * all);
}

MotionReport examine_motion(const DesignProblem& problem, const BaseParameters& base,
                            const DesignedMotion& designed, const ExciteOptions& options) {
  MotionReport report;
  const Trajectory motion = to_trajectory(designed);
  const VectorXd time = problem.basis().grid(1 / options.rate);
  const GridMotion samples = sample_motion(motion, time);
  const Eigen::MatrixXd rows = problem.rows_of(samples, false);
  const Index n = rows.cols();
  const Conditioning conditioning = condition_of(Qr(rows).R());
  report.condition = conditioning.condition;
  report.condition_scaled = conditioning.condition_scaled;
  const Eigen::MatrixXd weighted = problem.rows_of(samples, true);
  report.information = weighted.transpose() * weighted;
  report.log_det = problem.log_det(report.information);
  report.limits = problem.uses(motion, problem.basis().step() / 10);

  std::vector<std::string> names;
  for (const BaseParameter& parameter : base.base) names.push_back(parameter.lead);
  MatrixXd total = report.information;
  std::optional<Covariance> before;
  if (options.information.size() > 0) {
    total += options.information;
    before = covariance_of(options.information);
  }
  const Covariance after = covariance_of(total);
  const VectorXd share = sizes_in_kind(problem.column_scale(), names);
  for (Index k = 0; k < n; ++k) {
    Outlook outlook;
    outlook.parameter = names[static_cast<std::size_t>(k)];
    outlook.sigma = deviation(after, k);
    outlook.sigma_before = before ? deviation(*before, k) : kInfinity;
    const double size = std::sqrt(total(k, k) / static_cast<double>(time.size())) * problem.column_scale()[k];
    if (!std::isfinite(outlook.sigma)) {
      outlook.poor = true;
      outlook.why = size > 0 ? "identifiable only together with others" : "its column is zero on this motion";
    } else {
      outlook.inflation = outlook.sigma * outlook.sigma * total(k, k);
      if (share[k] < kHidden)
        outlook.why = fmt::format(
            "the robot hardly excites it: its column has {:.1g} of the size of others of "
            "its kind, for any motion",
            share[k]);
      else if (size < kSmallColumn)
        outlook.why =
            fmt::format("its column has {:.1f} % of the size it has on random states within the limits",
                        100 * size) +
            tightest(report.limits);
      else if (outlook.inflation > kInflated)
        outlook.why = fmt::format(
            "hard to distinguish from {}: standard deviation {:.0f} times that of the column alone",
            companions(after, names, k), std::sqrt(outlook.inflation));
      outlook.poor = !outlook.why.empty();
    }
    report.parameters.push_back(std::move(outlook));
  }
  return report;
}

VectorXd deviations_of(const MatrixXd& information) {
  const Covariance covariance = covariance_of(information);
  VectorXd sigma(information.rows());
  for (Index k = 0; k < sigma.size(); ++k) sigma[k] = deviation(covariance, k);
  return sigma;
}

std::function<bool(const VectorXd&)> pose_check(const Robot& robot, const BaseParameters& base,
                                                const ExciteOptions& options) {
  const auto problem = std::make_shared<const DesignProblem>(robot, base, options);
  return [problem](const VectorXd& pose) {
    const std::vector<LimitUse> uses = problem->uses_at_rest(pose);
    return uses.empty() || uses.front().share <= 1;
  };
}

MatrixXd information_at_rest(const Robot& robot, const BaseParameters& base, const MatrixXd& poses,
                             const ExciteOptions& options) {
  const DesignProblem problem(robot, base, options);
  const MatrixXd still = MatrixXd::Zero(poses.rows(), poses.cols());
  const Eigen::MatrixXd rows = problem.rows_of({poses, still, still}, true);
  const double each = options.rate * options.duration / static_cast<double>(std::max<Index>(1, poses.rows()));
  return each * (rows.transpose() * rows);
}

double log_det_after(const Robot& robot, const BaseParameters& base, const MatrixXd& information,
                     const ExciteOptions& options) {
  return DesignProblem(robot, base, options).log_det(information);
}

MotionReport examine_motion(const Robot& robot, const BaseParameters& base, const DesignedMotion& motion,
                            const ExciteOptions& options) {
  return examine_motion(DesignProblem(robot, base, options), base, motion, options);
}

}  // namespace steelyard
