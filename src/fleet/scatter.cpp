#include "fleet/scatter.hpp"

#include <algorithm>
#include <cmath>

#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kScatterRounds = 40;
// Robots whose δᵀT⁻¹δ is beyond this many times its expectation count less.
constexpr double kFarRobot = 2;
// The same for a robot that is only counted in for its own test; healthy ones are hardly ever beyond.
constexpr double kFarthestRobot = 4;

// Off-diagonal entries of T that are used: from fewer robots than parameters they are chance.
double kept_share(Index robots, Index parameters) {
  const auto n = static_cast<double>(robots), p = static_cast<double>(parameters);
  return std::max(0.0, (n - p) / n);
}

// Indices of a fold's columns among those of the fleet.
std::vector<Index> places(const FleetInput& input, const Layout& layout) {
  std::vector<Index> out;
  for (const std::string& name : layout.columns) {
    const auto found = std::find(input.columns.begin(), input.columns.end(), name);
    out.push_back(found - input.columns.begin());
  }
  return out;
}

}  // namespace

OwnFit own_fit(const FleetInput& input, const FleetRobot& robot) {
  EstimateOptions options;
  options.weighting = Weighting::by_row;
  options.conditions = false;
  const Estimate fit = estimate(robot.folds, options);
  OwnFit own;
  const auto p = static_cast<Index>(input.columns.size());
  own.values = VectorXd::Zero(p);
  own.sigma = VectorXd::Constant(p, kInfinity);
  for (Index i = 0; i < p; ++i) {
    const Index k = fit.find(input.columns[static_cast<std::size_t>(i)]);
    if (k < 0) continue;
    own.values[i] = fit.values[k];
    own.sigma[i] = fit.sigma[k] * robot.noise_factor;
  }
  const auto rows = static_cast<Index>(robot.folds.size());
  own.row_sigma.resize(rows);
  own.row_residual = own.row_effort = VectorXd::Zero(rows);
  for (std::size_t j = 0; j < robot.folds.size(); ++j)
    for (const Residual& part : fit.per_row)
      if (part.row == robot.folds[j].layout().row) {
        const auto at = static_cast<Index>(j);
        const bool is_by_log = robot.row_residual.size() > at && part.rms > 0;
        own.row_residual[at] = is_by_log ? robot.row_residual[at] : part.rms;
        own.row_effort[at] = part.effort / std::sqrt(static_cast<double>(std::max<Index>(1, part.rows)));
        const double sigma =
            (part.sigma > 0 ? part.sigma : part.rms) * (is_by_log ? robot.row_residual[at] / part.rms : 1);
        own.row_sigma[at] = robot.noise_factor * std::max({sigma, 1e-9 * own.row_effort[at], 1e-300});
      }
  own.rows = static_cast<double>(fit.rows) / (robot.noise_factor * robot.noise_factor);
  return own;
}

MatrixXd robot_products(const FleetInput& input, const FleetRobot& robot, const OwnFit& fit,
                        const VectorXd& fleet) {
  const auto p = static_cast<Index>(input.columns.size());
  const auto n = static_cast<Index>(robot.folds.size());
  MatrixXd products = MatrixXd::Zero(p + n + 1, p + n + 1);
  for (Index j = 0; j < n; ++j) {
    const Fold& fold = robot.folds[static_cast<std::size_t>(j)];
    const std::vector<Index> at = places(input, fold.layout());
    VectorXd values(static_cast<Index>(at.size()));
    for (Index i = 0; i < values.size(); ++i) values[i] = fleet[at[static_cast<std::size_t>(i)]];
    const MatrixXd columns = fold.columns();
    MatrixXd rows(columns.rows(), columns.cols() + 2);
    rows.leftCols(columns.cols()) = columns;
    rows.col(columns.cols()) = columns * values;
    rows.col(columns.cols() + 1) = fold.efforts().col(0) - rows.col(columns.cols());
    rows /= fit.row_sigma[j];
    std::vector<Index> all = at;
    all.push_back(p + j);
    all.push_back(p + n);
    const MatrixXd square = rows.transpose() * rows;
    for (Index a = 0; a < square.rows(); ++a)
      for (Index b = 0; b < square.cols(); ++b)
        products(all[static_cast<std::size_t>(a)], all[static_cast<std::size_t>(b)]) += square(a, b);
  }
  return products;
}

Reduced reduce(const MatrixXd& products, Index p, const MatrixXd& T_inverse) {
  const Index last = products.rows() - 1;
  const Cholesky held(products.topLeftCorner(p, p) + T_inverse);
  const Eigen::MatrixXd through = held.solve(products.topRows(p));  // δ for every column
  Reduced out;
  out.information = products.topLeftCorner(last, last) -
                    products.topLeftCorner(p, last).transpose() * through.leftCols(last);
  out.score = products.col(last).head(last) - products.topLeftCorner(p, last).transpose() * through.col(last);
  // A small share of the diagonal, so that a fold that does not show a column can be factored.
  Eigen::MatrixXd own = products.topLeftCorner(p, p);
  own.diagonal() *= 1 + 1e-12;
  own.diagonal().array() += 1e-12 * T_inverse.diagonal().array();
  out.nearest = VectorXd::Zero(last);
  out.nearest.head(p) = Cholesky(own).solve(products.col(last).head(p));
  return out;
}

Scatter estimate_scatter(const std::vector<const MatrixXd*>& products, const VectorXd& start, int threads) {
  const Index p = start.size();
  const auto robots = static_cast<Index>(products.size());
  const auto count = static_cast<double>(robots);
  const double keep = kept_share(robots, p);
  const Eigen::VectorXd unit = start;
  Eigen::MatrixXd T = Eigen::MatrixXd::Identity(p, p);  // in units of `start`
  std::vector<Eigen::MatrixXd> parts(products.size());
  for (int round = 0; round < kScatterRounds; ++round) {
    const Eigen::MatrixXd inverse = inverse_of_positive(T);
    parallel_for(robots, threads, [&](Index r) {
      const MatrixXd& product = *products[static_cast<std::size_t>(r)];
      const Eigen::MatrixXd G = unit.asDiagonal() * product.topLeftCorner(p, p) * unit.asDiagonal();
      const Eigen::VectorXd b = unit.cwiseProduct(product.col(product.cols() - 1).head(p));
      const Cholesky held(G + inverse);
      const Eigen::VectorXd delta = held.solve(b);
      const double size = delta.dot(inverse * delta) / static_cast<double>(p);
      parts[static_cast<std::size_t>(r)] = held.solve(Eigen::MatrixXd::Identity(p, p));
      parts[static_cast<std::size_t>(r)] +=
          (size > kFarRobot ? kFarRobot / size : 1.0) * delta * delta.transpose();
    });
    T.setZero();
    for (const Eigen::MatrixXd& part : parts) T += part / count;
    const Eigen::VectorXd diagonal = T.diagonal().cwiseMax(1e-6);
    T *= keep;
    T.diagonal() = diagonal;
  }
  const Eigen::MatrixXd inverse = inverse_of_positive(T);
  Scatter out;
  out.inverse = unit.cwiseInverse().asDiagonal() * inverse * unit.cwiseInverse().asDiagonal();
  out.deviation = unit.cwiseProduct(T.diagonal().cwiseSqrt());
  out.T = unit.asDiagonal() * T * unit.asDiagonal();
  out.robots = robots;
  return out;
}

MatrixXd inverse_with(const Scatter& scatter, const MatrixXd& products) {
  const Index p = scatter.T.rows();
  const Eigen::VectorXd unit = scatter.deviation;
  const Eigen::MatrixXd inverse = unit.asDiagonal() * scatter.inverse * unit.asDiagonal();
  const Eigen::MatrixXd G = unit.asDiagonal() * products.topLeftCorner(p, p) * unit.asDiagonal();
  const Eigen::VectorXd b = unit.cwiseProduct(products.col(products.cols() - 1).head(p));
  const Cholesky held(G + inverse);
  const Eigen::VectorXd delta = held.solve(b);
  const double size = delta.dot(inverse * delta) / static_cast<double>(p);
  Eigen::MatrixXd part = held.solve(Eigen::MatrixXd::Identity(p, p));
  part += (size > kFarthestRobot ? kFarthestRobot / size : 1.0) * delta * delta.transpose();
  const double keep = kept_share(scatter.robots + 1, p);
  const Eigen::VectorXd diagonal = part.diagonal();
  part *= keep;
  part.diagonal() = diagonal;
  const auto n = static_cast<double>(scatter.robots);
  const Eigen::MatrixXd T =
      (n * (unit.cwiseInverse().asDiagonal() * scatter.T * unit.cwiseInverse().asDiagonal()) + part) /
      (n + 1);
  const Eigen::MatrixXd whole = inverse_of_positive(T);
  return unit.cwiseInverse().asDiagonal() * whole * unit.cwiseInverse().asDiagonal();
}

Spread robust_spread(std::vector<double> numbers) {
  if (numbers.empty()) return {};
  const auto median = [](std::vector<double>& list) {
    const auto half = static_cast<std::ptrdiff_t>(list.size() / 2);
    std::nth_element(list.begin(), list.begin() + half, list.end());
    const double upper = list[static_cast<std::size_t>(half)];
    if (list.size() % 2 == 1) return upper;
    return 0.5 * (upper + *std::max_element(list.begin(), list.begin() + half));
  };
  Spread spread;
  spread.middle = median(numbers);
  for (double& number : numbers) number = std::abs(number - spread.middle);
  spread.width = 1.4826 * median(numbers);
  return spread;
}

}  // namespace steelyard
