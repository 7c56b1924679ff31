#include "excite/problem.hpp"

#include <algorithm>
#include <cmath>

#include "excite/problem_work.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kInformationRidge = 1e-12;  // of D A D, whose well-seen columns are about the number of rows
constexpr double kSignWidth = 0.02;          // of tanh, as share of a joint's typical velocity
constexpr int kScaleStates = 200;
constexpr double kConditionNorm = 12;  // p: the larger, the closer to the condition number
constexpr double kConditionWeight =
    60;  // log det that a factor e of condition is worth, at first; 10 times that at last
constexpr double kConditionCorner = 0.05;

std::vector<std::string> lead_names(const BaseParameters& base) {
  std::vector<std::string> names;
  for (const BaseParameter& parameter : base.base) names.push_back(parameter.lead);
  return names;
}

std::vector<Limits> limits_of(const Robot& robot, const ExciteOptions& options) {
  std::vector<Limits> limits = options.limits;
  if (limits.empty())
    for (const Joint& joint : robot.joints) limits.push_back(joint.limits);
  for (Limits& own : limits) {
    if (std::isfinite(own.lower) && std::isfinite(own.upper)) {
      const double mid = (own.lower + own.upper) / 2, half = options.usable * (own.upper - own.lower) / 2;
      own.lower = mid - half, own.upper = mid + half;
    }
    for (double* bound : {&own.velocity, &own.acceleration, &own.effort}) *bound *= options.usable;
  }
  return limits;
}

Plan lead_plan(const Robot& robot, const BaseParameters& base) {
  PlanOptions options;
  options.wanted = lead_names(base);
  return make_plan(robot, options);
}

}  // namespace

DesignProblem::DesignProblem(const Robot& robot, const BaseParameters& base, const ExciteOptions& options)
    : robot_(robot),
      options_(options),
      basis_(options, robot.dof()),
      coordinates_(coordinates(robot)),
      limits_(limits_of(robot, options)),
      ranges_(joint_ranges(robot, limits_, options.free_range)),
      distances_(robot, options.workspace),
      plan_(lead_plan(robot, base)) {
  for (std::size_t k = 0; k < coordinates_.joints.size(); ++k) {  // the free range is a limit of the search
    Limits& own = limits_[static_cast<std::size_t>(coordinates_.joints[k])];
    own.lower = ranges_[k].low, own.upper = ranges_[k].high;
  }
  const std::vector<std::string> names = lead_names(base);
  for (const std::string& column : plan_.columns)
    order_.push_back(std::find(names.begin(), names.end(), column) - names.begin());
  const Index count = static_cast<Index>(names.size()), n = robot.dof();
  if (options.prior) {
    prior_.resize(count);
    for (Index c = 0; c < count; ++c) prior_[c] = (*options.prior)[order_[static_cast<std::size_t>(c)]];
  }
  noise_.setOnes(n);
  if (options.noise.size() == 1) noise_.setConstant(options.noise[0]);
  if (options.noise.size() > 1) noise_ = options.noise;
  const VectorXd time = basis_.grid(basis_.step());
  samples_ = time.size();
  row_weight_ = options.rate * options.duration / static_cast<double>(samples_);
  columns_ = basis_.columns(time);
  fixed_ = basis_.fixed(time);
  compute_scales();
  known_.setZero(count, count);
  if (options.information.size() > 0)
    known_ = scale_.asDiagonal() * options.information * scale_.asDiagonal();
  if (!options.goal) return;
  precision_ = scale_.asDiagonal() * options.goal->precision * scale_.asDiagonal();
  goal_ = scale_.asDiagonal() * options.goal->weights * scale_.asDiagonal();
}

// Units of the coefficients, typical velocities, widths of signs, sizes of columns.
void DesignProblem::compute_scales() {
  const Index n = basis_.joints(), K = basis_.size();
  const VectorXd speed = basis_.speed(1), push = basis_.speed(2);
  unit_.resize(K, n);
  VectorXd velocity(n), acceleration(n);
  for (Index j = 0; j < n; ++j) {
    const JointRange& range = ranges_[static_cast<std::size_t>(j)];
    const Limits& own = limits_[static_cast<std::size_t>(coordinates_.joints[static_cast<std::size_t>(j)])];
    for (Index k = 0; k < K; ++k)
      unit_(k, j) = std::min({(range.high - range.low) / 2, own.velocity / std::max(speed[k], 1e-12),
                              own.acceleration / std::max(push[k], 1e-12)});
    velocity[j] = unit_.col(j).cwiseProduct(speed).maxCoeff();
    acceleration[j] = unit_.col(j).cwiseProduct(push).maxCoeff();
  }
  const VectorXd widths = kSignWidth * coordinates_.matrix.cwiseAbs() * velocity;
  adjoint_ = std::make_unique<RegressorAdjoint>(robot_, plan_, widths);

  GridMotion states{MatrixXd(kScaleStates, n), MatrixXd(kScaleStates, n), MatrixXd(kScaleStates, n)};
  Random random(1, "states for column scales");
  for (Index s = 0; s < kScaleStates; ++s)
    for (Index j = 0; j < n; ++j) {
      const JointRange& range = ranges_[static_cast<std::size_t>(j)];
      states.q(s, j) = random.uniform(range.low, range.high);
      states.qd(s, j) = random.uniform(-velocity[j], velocity[j]);
      states.qdd(s, j) = random.uniform(-acceleration[j], acceleration[j]);
    }
  const RegressorTile tile(plan_, states);
  VectorXd squares = VectorXd::Zero(static_cast<Index>(order_.size()));
  for (const Row& row : plan_.rows)
    for (std::size_t k = 0; k < row.columns.size(); ++k)
      squares[order_[static_cast<std::size_t>(row.columns[k])]] +=
          tile.column(row.offset + static_cast<Index>(k)).squaredNorm() / (noise_[row.i] * noise_[row.i]);
  scale_ = (squares / kScaleStates).cwiseSqrt().cwiseMax(1e-12).cwiseInverse();
}

MatrixXd DesignProblem::coefficients(const VectorXd& x) const {
  return Eigen::Map<const MatrixXd>(x.data(), basis_.size(), basis_.joints()).cwiseProduct(unit_);
}

VectorXd DesignProblem::scaled(const MatrixXd& coefficients) const {
  const MatrixXd x = coefficients.cwiseQuotient(unit_);
  return Eigen::Map<const VectorXd>(x.data(), x.size());
}

GridMotion DesignProblem::motion_of(const MatrixXd& x) const {
  return {fixed_.q + columns_.q * x, fixed_.qd + columns_.qd * x, fixed_.qdd + columns_.qdd * x};
}

// Σ YᵀY over base parameters; weighted: D A D.
MatrixXd DesignProblem::information_of(const RegressorTile& tile, bool weighted) const {
  MatrixXd A = MatrixXd::Zero(scale_.size(), scale_.size());
  for (const Row& row : plan_.rows) {
    const Eigen::MatrixXd Y = tile.row(row);
    Eigen::MatrixXd own = Eigen::MatrixXd::Zero(Y.cols(), Y.cols());
    const double weight = weighted ? row_weight_ / (noise_[row.i] * noise_[row.i]) : row_weight_;
    own.selfadjointView<Eigen::Lower>().rankUpdate(Y.transpose(), weight);
    for (std::size_t k = 0; k < row.columns.size(); ++k)
      for (std::size_t l = 0; l <= k; ++l) {
        const Index a = order_[static_cast<std::size_t>(row.columns[k])];
        const Index b = order_[static_cast<std::size_t>(row.columns[l])];
        const double factor = weighted ? scale_[a] * scale_[b] : 1.0;
        A(std::max(a, b), std::min(a, b)) += factor * own(static_cast<Index>(k), static_cast<Index>(l));
      }
  }
  A.triangularView<Eigen::StrictlyUpper>() = A.transpose();
  return A;
}

double DesignProblem::log_det(const MatrixXd& information) const {
  Eigen::MatrixXd A = known_ + MatrixXd(scale_.asDiagonal() * information * scale_.asDiagonal());
  A.diagonal().array() += kInformationRidge;
  const Cholesky factor(A);
  return factor.is_positive() ? factor.log_det() : -kInfinity;
}

double DesignProblem::value(const VectorXd& x, double mu, VectorXd* gradient) const {
  const GridMotion motion = motion_of(coefficients(x));
  ProblemWork work(samples_, basis_.joints());
  ProblemWork* bars = gradient != nullptr ? &work : nullptr;
  double barrier = 0;
  if (mu > 0 && !(limit_terms(motion, mu, bars, barrier) && distance_terms(motion, mu, bars, barrier)))
    return kInfinity;
  RegressorTile tile(plan_, motion);
  tile.soften(*adjoint_);
  MatrixXd weights = MatrixXd::Zero(samples_, plan_.stored_columns);
  if (mu > 0 && !effort_terms(tile, mu, bars != nullptr ? &weights : nullptr, barrier)) return kInfinity;
  MatrixXd slope;
  const double aimed = aim((goal_.size() > 0 ? precision_ : known_) + information_of(tile, true),
                           gradient != nullptr ? &slope : nullptr);
  if (aimed == kInfinity) return kInfinity;
  if (mu > 0 && options_.max_condition > 0)
    barrier += condition_term(tile, kConditionWeight * std::min(10.0, 1 / std::sqrt(mu)),
                              bars != nullptr ? &weights : nullptr);
  if (gradient != nullptr) {
    add_information_weights(tile, MatrixXd(scale_.asDiagonal() * slope * scale_.asDiagonal()), true, weights);
    work.add(*adjoint_, motion, weights);
    const MatrixXd by_coefficient = (columns_.q.transpose() * work.q + columns_.qd.transpose() * work.qd +
                                     columns_.qdd.transpose() * work.qdd)
                                        .cwiseProduct(unit_);
    *gradient = Eigen::Map<const VectorXd>(by_coefficient.data(), by_coefficient.size());
  }
  return aimed + barrier;
}

// What is minimised of D (A₀ + A) D, and its slope by it. +∞ where that is singular.
double DesignProblem::aim(const MatrixXd& A, MatrixXd* slope) const {
  Eigen::MatrixXd all = A;
  all.diagonal().array() += kInformationRidge;
  const Cholesky factor(all);
  if (!factor.is_positive()) return kInfinity;
  if (goal_.size() == 0 && slope == nullptr) return -factor.log_det();
  const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(all.rows(), all.cols()));
  if (goal_.size() == 0) {
    *slope = -inverse;
    return -factor.log_det();
  }
  const double error = goal_.cwiseProduct(inverse).sum(), n = static_cast<double>(all.rows());
  if (slope != nullptr) *slope = -n / error * (inverse * goal_ * inverse);
  return n * std::log(error);
}

// ∂f/∂Y = 2 Y (∂f/∂A)/σ² for A = Σ YᵀY/σ², row by row.
void DesignProblem::add_information_weights(const RegressorTile& tile, const MatrixXd& slope, bool weighted,
                                            MatrixXd& weights) const {
  for (const Row& row : plan_.rows) {
    const Index count = static_cast<Index>(row.columns.size());
    Eigen::MatrixXd own(count, count);
    for (Index k = 0; k < count; ++k)
      for (Index l = 0; l < count; ++l)
        own(k, l) = slope(order_[static_cast<std::size_t>(row.columns[static_cast<std::size_t>(k)])],
                          order_[static_cast<std::size_t>(row.columns[static_cast<std::size_t>(l)])]);
    const double variance = weighted ? noise_[row.i] * noise_[row.i] : 1.0;
    weights.middleCols(row.offset, count) += (2 * row_weight_ / variance) * (tile.row(row) * own);
  }
}

double DesignProblem::condition_term(const RegressorTile& tile, double weight, MatrixXd* weights) const {
  const SymmetricEigen eigen = symmetric_eigen(information_of(tile, false));
  const Eigen::ArrayXd lambda = eigen.values.array().max(1e-15 * eigen.values.maxCoeff());
  const double largest = lambda.maxCoeff(), smallest = lambda.minCoeff();
  const Eigen::ArrayXd up = (lambda / largest).pow(kConditionNorm),
                       down = (smallest / lambda).pow(kConditionNorm);
  const double log_condition =  // twice the logarithm of the condition number of Y
      std::log(largest / smallest) + (std::log(up.sum()) + std::log(down.sum())) / kConditionNorm;
  const double above = log_condition / 2 - std::log(options_.max_condition);
  // weight · max(0, above), rounded off at the corner.
  const double t = above / kConditionCorner;
  const double soft = t > 30 ? above : kConditionCorner * std::log1p(std::exp(t));
  if (weights != nullptr) {
    const double slope = weight / (1 + std::exp(-t)) / 2;
    const Eigen::ArrayXd d = slope * (up / up.sum() - down / down.sum()) / lambda;
    const Eigen::MatrixXd& V = eigen.vectors;
    add_information_weights(tile, V * d.matrix().asDiagonal() * V.transpose(), false, *weights);
  }
  return weight * soft;
}

bool DesignProblem::is_inside(const VectorXd& x) const {
  const GridMotion motion = motion_of(coefficients(x));
  double barrier = 0;
  if (!limit_terms(motion, 1, nullptr, barrier) || !distance_terms(motion, 1, nullptr, barrier)) return false;
  if (!limits_effort()) return true;
  RegressorTile tile(plan_, motion);
  tile.soften(*adjoint_);
  return effort_terms(tile, 1, nullptr, barrier);
}

}  // namespace steelyard
