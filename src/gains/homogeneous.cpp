#include "gains/homogeneous.hpp"

#include <algorithm>

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using Dense = Eigen::MatrixXd;

constexpr double kMinEigen = 1e-13;  // of the scaled information

// By gain: root of the squares that white noise adds to its currents.
VectorXd white_currents(const GainProblem& problem) {
  VectorXd squares = VectorXd::Zero(static_cast<Index>(problem.gains.size()));
  for (const GainRun& run : problem.runs)
    for (const Fold& fold : run.motor_errors.smooth)
      for (std::size_t j = 0; j < problem.gains.size(); ++j)
        if (fold.layout().row == "current:" + problem.joints[j])
          if (const Index at = fold.layout().find(problem.gains[j]); at >= 0)
            squares[static_cast<Index>(j)] += fold.R().col(at).squaredNorm();
  return squares.cwiseSqrt();
}

}  // namespace

Dense homogeneous(const Fold& fold, const std::vector<std::string>& columns) {
  Dense out = Dense::Zero(fold.depth(), static_cast<Index>(columns.size()));
  const MatrixXd R = fold.R();
  for (std::size_t k = 0; k + 1 < columns.size(); ++k)
    if (const Index from = fold.layout().find(columns[k]); from >= 0)
      out.col(static_cast<Index>(k)) = R.col(from);
  out.rightCols(1) = -R.rightCols(1);
  return out;
}

bool errors_are_known(const GainProblem& problem, RowSide side) {
  for (const GainRun& run : problem.runs)
    if (run.errors(side).smooth.empty()) return false;
  return true;
}

Dense error_products(const GainProblem& problem, RowSide side, ErrorKind kind,
                     const std::vector<double>& sigma, const std::vector<std::string>& columns) {
  const auto n = static_cast<Index>(columns.size());
  Dense D = Dense::Zero(n, n);
  for (const GainRun& run : problem.runs) {
    const RowErrors& errors = run.errors(side);
    const std::vector<Fold>& rows_of = kind == ErrorKind::smooth ? errors.smooth : errors.jumps;
    for (std::size_t j = 0; j < rows_of.size(); ++j) {
      const Dense rows = homogeneous(gain_equation(problem, run, rows_of[j]), columns);
      if (sigma[j] > 0) D += rows.transpose() * rows / (sigma[j] * sigma[j]);
    }
  }
  return D;
}

Dense with_residual_currents(const GainProblem& problem, const GainFit& fit,
                             const std::vector<std::string>& columns, const Dense& products) {
  const VectorXd residual = current_residual(problem, fit).norm, white = white_currents(problem);
  Eigen::VectorXd factor = Eigen::VectorXd::Ones(products.rows());
  for (std::size_t j = 0; j < problem.gains.size(); ++j) {
    const auto at = static_cast<Index>(j);
    const auto column = std::find(columns.begin(), columns.end(), problem.gains[j]);
    if (column != columns.end() && white[at] > 0 && residual[at] > white[at])
      factor[column - columns.begin()] = residual[at] / white[at];
  }
  return factor.asDiagonal() * products * factor.asDiagonal();
}

Dense inverse_root(const Dense& A) {
  const Eigen::VectorXd scale = A.diagonal().cwiseAbs().cwiseSqrt().cwiseMax(1e-300).cwiseInverse();
  const SymmetricEigen eigen = symmetric_eigen(scale.asDiagonal() * A * scale.asDiagonal());
  const double floor = kMinEigen * eigen.values.cwiseAbs().maxCoeff();
  return scale.asDiagonal() * eigen.vectors *
         eigen.values.cwiseMax(floor).cwiseSqrt().cwiseInverse().asDiagonal();
}

}  // namespace steelyard
