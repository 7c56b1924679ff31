// Total least squares on the weighted factor: mixed LS–TLS, classical covariance, moments of the blocks.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <map>

#include "gains/spread.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr double kNoError = 1e-14;     // errors below this share of a column are none
constexpr double kRidge = 1e-6;        // of the correlations of errors
constexpr double kLeastEigen = 1e-13;  // of the scaled information

using Dense = Eigen::MatrixXd;

// W_tot x = 0 with x = (unknowns, 1): a factor, and what noise adds to the squares of its columns.
struct TotalSystem {
  std::vector<std::string> columns;  // the last one is the fixed load's
  Dense R;
  Dense D;
  Index rows = 0;
};

struct TotalSolution {
  Eigen::VectorXd x;  // last entry 1
  Eigen::VectorXd singular;
  double lambda = 0;  // s_c²
  double gap = 0;
  Dense closest;  // Ŵ: the factor made compatible
};

// Rows of a fold of equations in the system's columns: A x − b.
Dense homogeneous(const Fold& fold, const std::vector<std::string>& columns) {
  Dense out = Dense::Zero(fold.depth(), static_cast<Index>(columns.size()));
  const MatrixXd R = fold.R();
  for (std::size_t k = 0; k + 1 < columns.size(); ++k)
    if (const Index from = fold.layout().find(columns[k]); from >= 0)
      out.col(static_cast<Index>(k)) = R.col(from);
  out.rightCols(1) = -R.rightCols(1);
  return out;
}

bool errors_are_known(const GainProblem& problem) {
  for (const GainRun& run : problem.runs)
    if (run.errors.empty()) return false;
  return true;
}

// Products of what noise adds to the columns, with the rows' weights.
Dense error_products(const GainProblem& problem, const std::vector<double>& sigma,
                     const std::vector<std::string>& columns) {
  const auto n = static_cast<Index>(columns.size());
  Dense D = Dense::Zero(n, n);
  for (const GainRun& run : problem.runs) {
    for (std::size_t j = 0; j < run.errors.size(); ++j) {
      const Dense rows = homogeneous(gain_equation(problem, run, run.errors[j]), columns);
      if (sigma[j] > 0) D += rows.transpose() * rows / (sigma[j] * sigma[j]);
    }
  }
  return D;
}

TotalSystem total_system(const GainProblem& problem, const Estimate& weighted,
                         const std::vector<double>& sigma, bool noise_scaling) {
  TotalSystem system;
  system.columns = weighted.columns;
  system.columns.emplace_back("load");
  system.R = homogeneous(weighted.factor, system.columns);
  system.rows = weighted.rows;
  const Eigen::VectorXd squares = system.R.colwise().squaredNorm().transpose();
  system.D = squares.asDiagonal();
  if (!noise_scaling || !errors_are_known(problem)) return system;
  Dense D = error_products(problem, sigma, system.columns);
  for (Index k = 0; k < D.rows(); ++k) {
    if (D(k, k) > kNoError * kNoError * squares[k]) continue;
    D.row(k).setZero();
    D.col(k).setZero();
  }
  if (D.diagonal().maxCoeff() <= 0) return system;
  system.D = D;
  return system;
}

// Columns with errors behind those without.
std::vector<Index> exact_first(const TotalSystem& system, Index& exact) {
  std::vector<Index> order;
  for (const bool is_exact : {true, false}) {
    for (Index k = 0; k < system.D.rows(); ++k)
      if ((system.D(k, k) <= 0) == is_exact) order.push_back(k);
    if (is_exact) exact = static_cast<Index>(order.size());
  }
  return order;
}

// Upper triangular U with UᵀU = D, a little more on the diagonal: errors of few causes leave D singular.
Dense root_of_errors(const Dense& D) {
  const Eigen::VectorXd scale = D.diagonal().cwiseSqrt();
  Dense correlation = scale.cwiseInverse().asDiagonal() * D * scale.cwiseInverse().asDiagonal();
  correlation.diagonal().array() += kRidge;
  const Dense U = Eigen::LLT<Dense>(correlation).matrixU();
  return U * scale.asDiagonal();
}

TotalSolution solve_total(const TotalSystem& system, double least_gap) {
  Index exact = 0;
  const std::vector<Index> order = exact_first(system, exact);
  const Index c = system.D.rows(), noisy = c - exact;
  const Dense permuted = system.R(Eigen::all, order);
  const Dense triangle = Eigen::HouseholderQR<Dense>(permuted)
                             .matrixQR()
                             .topRows(std::min(permuted.rows(), c))
                             .triangularView<Eigen::Upper>();
  Dense T = Dense::Zero(c, c);
  T.topRows(triangle.rows()) = triangle;
  const Dense unscale = root_of_errors(system.D(order, order).bottomRightCorner(noisy, noisy));
  const Dense scaled = unscale.transpose()
                           .triangularView<Eigen::Lower>()
                           .solve(T.bottomRightCorner(noisy, noisy).transpose())
                           .transpose();
  const Eigen::BDCSVD<Dense> svd(scaled, Eigen::ComputeThinU | Eigen::ComputeThinV);
  TotalSolution out;
  out.singular = svd.singularValues();
  const double smallest = out.singular[noisy - 1];
  out.lambda = smallest * smallest;
  out.gap = noisy > 1 && smallest > 0 ? out.singular[noisy - 2] / smallest : INFINITY;
  // More than one small singular value: the shortest vector of their space, as far as the load sees it.
  Index small = 1;
  while (small < noisy && out.singular[noisy - 1 - small] < least_gap * smallest) ++small;
  const Dense V = svd.matrixV().rightCols(small);
  const bool load_has_error = system.D(c - 1, c - 1) > 0;
  Eigen::VectorXd v = V.rightCols(1);
  if (load_has_error && small > 1) v = V * V.bottomRows(1).transpose();
  Eigen::VectorXd x(c);
  x.tail(noisy) = unscale.triangularView<Eigen::Upper>().solve(v);
  if (exact > 0)
    x.head(exact) = -Eigen::ColPivHouseholderQR<Dense>(T.topLeftCorner(exact, exact))
                         .solve(T.topRightCorner(exact, noisy) * x.tail(noisy));
  Dense closest = T;
  closest.bottomRightCorner(noisy, noisy) -=
      (smallest * svd.matrixU().rightCols(1) * svd.matrixV().rightCols(1).transpose()) * unscale;
  out.x.resize(c);
  out.closest.resize(c, c);
  for (Index k = 0; k < c; ++k) {
    out.x[order[static_cast<std::size_t>(k)]] = x[k];
    out.closest.col(order[static_cast<std::size_t>(k)]) = closest.col(k);
  }
  out.x /= out.x[c - 1];
  return out;
}

// Root of the inverse of a symmetric matrix: root · rootᵀ = A⁻¹, eigenvalues not below a floor.
Dense inverse_root(const Dense& A) {
  const Eigen::VectorXd scale = A.diagonal().cwiseAbs().cwiseSqrt().cwiseMax(1e-300).cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Dense> eigen(scale.asDiagonal() * A * scale.asDiagonal());
  const double floor = kLeastEigen * eigen.eigenvalues().cwiseAbs().maxCoeff();
  return scale.asDiagonal() * eigen.eigenvectors() *
         eigen.eigenvalues().cwiseMax(floor).cwiseSqrt().cwiseInverse().asDiagonal();
}

// Eqs. (21)–(23): σ_W² (1 + ‖y‖²) (ŴᵀŴ)⁻¹ is ‖W x‖²/(r − c) (ŴᵀŴ)⁻¹ in unscaled columns.
VectorXd paper_deviations(const TotalSystem& system, const TotalSolution& solution) {
  const Index n = system.D.rows() - 1;
  const double rows = std::max<double>(1, static_cast<double>(system.rows - n - 1));
  const double variance = (system.R * solution.x).squaredNorm() / rows;
  const Dense W = solution.closest.leftCols(n);
  const Dense root = inverse_root(W.transpose() * W);
  return (variance * root.rowwise().squaredNorm()).cwiseSqrt();
}

// First-order moments of xᵀG x / xᵀD x in the blocks: the score of block k is (G_k − λ D_k − μ_k D) x with
// μ_k = xᵀ(G_k − λ D_k) x / xᵀD x, the information G − λ D. D_k is the block's share of the rows.
BlockMoments total_moments(const GainProblem& problem, std::span<const Fold> folds, const Estimate& weighted,
                           const TotalSystem& system, const TotalSolution& solution) {
  const Index n = system.D.rows() - 1;
  std::map<Index, std::pair<Dense, double>> grams;
  double all_rows = 0;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const Dense rows = weighted.weights[f] * homogeneous(folds[f], system.columns);
    auto& [gram, count] = grams[folds[f].block()];
    if (gram.size() == 0) gram = Dense::Zero(n + 1, n + 1);
    gram.noalias() += rows.transpose() * rows;
    count += static_cast<double>(folds[f].rows());
    all_rows += static_cast<double>(folds[f].rows());
  }
  Dense prior = Dense::Zero(n + 1, n + 1);
  for (const Fold& fold : gain_priors(problem)) {
    const Dense rows = homogeneous(fold, system.columns);
    prior += rows.transpose() * rows;
  }
  const Dense lambda_D = solution.lambda * system.D;
  Dense information = prior - lambda_D;
  for (const auto& [block, gram] : grams) information += gram.first;
  const Dense root = inverse_root(information.topLeftCorner(n, n));
  const Eigen::VectorXd Dx = system.D * solution.x;
  const double xDx = solution.x.dot(Dx);
  BlockMoments moments;
  moments.root = root;
  moments.prior = root.transpose() * prior.topLeftCorner(n, n) * root;
  for (const auto& [block, gram] : grams) {
    const Dense excess = gram.first - (gram.second / all_rows) * lambda_D;
    Eigen::VectorXd score = excess * solution.x;
    score -= solution.x.dot(score) / xDx * Dx;
    moments.numbers.push_back(block);
    moments.A.emplace_back(root.transpose() * excess.topLeftCorner(n, n) * root);
    moments.g.emplace_back(-root.transpose() * score.head(n));
  }
  return moments;
}

}  // namespace

GainFit fit_total(const GainProblem& problem, const GainOptions& options) {
  const std::vector<Fold> folds = gain_equations(problem);
  const Estimate weighted = least_squares(problem, folds, Weighting::by_row);
  GainFit fit = empty_fit(problem, GainMethod::tls);
  fit.row_sigma = row_deviations(problem, weighted, "torque:");
  const TotalSystem system = total_system(problem, weighted, fit.row_sigma, options.noise_scaling);
  const TotalSolution solution = solve_total(system, options.least_gap);
  put_values(system.columns, solution.x, fit);
  put_classical(weighted.columns, paper_deviations(system, solution), fit);
  fit.singular = solution.singular;
  fit.gap = solution.gap;
  if (options.spread)
    put_spread(weighted.columns, total_moments(problem, folds, weighted, system, solution), options, fit);
  return fit;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
