// Total least squares on the weighted factor: mixed LS–TLS, classical covariance, moments of the blocks.
#include <cmath>
#include <map>

#include "gains/homogeneous.hpp"
#include "gains/spread.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kNoError = 1e-14;        // errors below this share of a column are none
constexpr double kJumpShare = 0.25;       // trials: a tenth is right where joint 1 hardly moves
constexpr double kRidge = 1e-6;           // of the correlations of errors
constexpr double kMinTotalEigen = 1e-13;  // of the scaled information
constexpr int kErrorRounds = 6;           // of solution and errors of the currents
constexpr double kSameSolution = 1e-4;    // relative, of the gains

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

TotalSystem total_system(const GainProblem& problem, const Estimate& weighted,
                         const std::vector<double>& sigma, const GainOptions& options) {
  TotalSystem system;
  system.columns = weighted.columns;
  system.columns.emplace_back("load");
  system.R = homogeneous(weighted.factor, system.columns);
  system.rows = weighted.rows;
  if (options.columns == ColumnScale::none) {
    system.D = Dense::Identity(system.R.cols(), system.R.cols());
    return system;
  }
  const Eigen::VectorXd squares = system.R.colwise().squaredNorm().transpose();
  system.D = squares.asDiagonal();
  if (options.columns != ColumnScale::noise || !errors_are_known(problem, options.rows)) return system;
  Dense D = error_products(problem, options.rows, ErrorKind::smooth, sigma, system.columns);
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
  return Cholesky(correlation).upper() * scale.asDiagonal();
}

TotalSolution solve_total(const TotalSystem& system, double min_gap) {
  Index exact = 0;
  const std::vector<Index> order = exact_first(system, exact);
  const Index c = system.D.rows(), noisy = c - exact;
  const Dense permuted = system.R(Eigen::all, order);
  const Dense triangle = Qr(permuted).R();
  Dense T = Dense::Zero(c, c);
  T.topRows(triangle.rows()) = triangle;
  const Dense unscale = root_of_errors(system.D(order, order).bottomRightCorner(noisy, noisy));
  const Dense scaled = unscale.transpose()
                           .triangularView<Eigen::Lower>()
                           .solve(T.bottomRightCorner(noisy, noisy).transpose())
                           .transpose();
  const Svd svd = jacobi_svd(scaled, Eigen::ComputeThinU | Eigen::ComputeThinV);
  TotalSolution out;
  out.singular = svd.values;
  const double smallest = out.singular[noisy - 1];
  out.lambda = smallest * smallest;
  out.gap = noisy > 1 && smallest > 0 ? out.singular[noisy - 2] / smallest : INFINITY;
  // More than one small singular value: the shortest vector of their space that the load determines.
  Index small = 1;
  while (small < noisy && out.singular[noisy - 1 - small] < min_gap * smallest) ++small;
  const Dense V = svd.V.rightCols(small);
  const bool load_has_error = system.D(c - 1, c - 1) > 0;
  Eigen::VectorXd v = V.rightCols(1);
  if (load_has_error && small > 1) v = V * V.bottomRows(1).transpose();
  Eigen::VectorXd x(c);
  x.tail(noisy) = unscale.triangularView<Eigen::Upper>().solve(v);
  if (exact > 0)
    x.head(exact) =
        -PivotedQr(T.topLeftCorner(exact, exact)).solve(T.topRightCorner(exact, noisy) * x.tail(noisy));
  Dense closest = T;
  closest.bottomRightCorner(noisy, noisy) -=
      (smallest * svd.U.rightCols(1) * svd.V.rightCols(1).transpose()) * unscale;
  out.x.resize(c);
  out.closest.resize(c, c);
  for (Index k = 0; k < c; ++k) {
    out.x[order[static_cast<std::size_t>(k)]] = x[k];
    out.closest.col(order[static_cast<std::size_t>(k)]) = closest.col(k);
  }
  out.x /= out.x[c - 1];
  return out;
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

// Moments of a solution over blocks of rows, not whitened.
struct TotalBlocks {
  std::vector<Index> numbers;
  std::vector<Dense> excess;  // G_k − λ D_k, D_k the block's share of the rows
  std::vector<Eigen::VectorXd> score;
  Dense information;
  Dense prior;
};

// First-order moments of xᵀG x / xᵀD x in the blocks: the score of block k is (G_k − λ D_k − μ_k D) x with
// μ_k = xᵀ(G_k − λ D_k) x / xᵀD x, the information G − λ D.
TotalBlocks total_blocks(const GainProblem& problem, std::span<const Fold> folds, const Estimate& weighted,
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
  TotalBlocks blocks;
  const Dense lambda_D = solution.lambda * system.D;
  Dense information = prior - lambda_D;
  for (const auto& [block, gram] : grams) information += gram.first;
  const Eigen::VectorXd Dx = system.D * solution.x;
  const double xDx = solution.x.dot(Dx);
  for (const auto& [block, gram] : grams) {
    const Dense excess = gram.first - (gram.second / all_rows) * lambda_D;
    Eigen::VectorXd score = excess * solution.x;
    score -= solution.x.dot(score) / xDx * Dx;
    blocks.numbers.push_back(block);
    blocks.excess.emplace_back(excess.topLeftCorner(n, n));
    blocks.score.emplace_back(score.head(n));
  }
  blocks.information = information.topLeftCorner(n, n);
  blocks.prior = prior.topLeftCorner(n, n);
  return blocks;
}

// The inverse of the information in two parts: root · rootᵀ of what is known, and directions that are open,
// since one standard deviation along them would change a gain by more than itself; those are cut to that
// length.
struct Inverse {
  Dense root;
  Dense open;
};

Inverse split_inverse(const TotalBlocks& blocks, const Eigen::VectorXd& inverse_gains) {
  const Dense& A = blocks.information;
  const Eigen::VectorXd scale = A.diagonal().cwiseAbs().cwiseSqrt().cwiseMax(1e-300).cwiseInverse();
  const SymmetricEigen eigen = symmetric_eigen(scale.asDiagonal() * A * scale.asDiagonal());
  std::vector<Eigen::VectorXd> known, open;
  for (Index k = 0; k < A.rows(); ++k) {
    const Eigen::VectorXd direction = scale.cwiseProduct(eigen.vectors.col(k));
    const double value = std::max(eigen.values[k], kMinTotalEigen);
    double squares = 0;
    for (const Eigen::VectorXd& score : blocks.score) squares += std::pow(direction.dot(score), 2);
    const double relative = direction.cwiseProduct(inverse_gains).cwiseAbs().maxCoeff();
    const double deviation = std::max(std::sqrt(squares) / value, std::sqrt(1 / value));
    if (relative * deviation > 1)
      open.emplace_back(direction / relative);
    else
      known.emplace_back(direction / std::sqrt(value));
  }
  const auto matrix = [&](const std::vector<Eigen::VectorXd>& columns) {
    Dense out(A.rows(), static_cast<Index>(columns.size()));
    for (std::size_t k = 0; k < columns.size(); ++k) out.col(static_cast<Index>(k)) = columns[k];
    return out;
  };
  return {matrix(known), matrix(open)};
}

// One over the gain in the places of gains, else zero.
Eigen::VectorXd inverse_gains_of(const GainProblem& problem, const TotalSystem& system,
                                 const TotalSolution& solution) {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(system.D.rows() - 1);
  for (Index k = 0; k < out.size(); ++k)
    for (const std::string& gain : problem.gains)
      if (system.columns[static_cast<std::size_t>(k)] == gain) out[k] = 1 / solution.x[k];
  return out;
}

BlockMoments whitened(const TotalBlocks& blocks, const Dense& root) {
  BlockMoments moments;
  moments.root = root;
  moments.prior = root.transpose() * blocks.prior * root;
  moments.numbers = blocks.numbers;
  for (std::size_t k = 0; k < blocks.score.size(); ++k) {
    moments.A.emplace_back(root.transpose() * blocks.excess[k] * root);
    moments.g.emplace_back(-root.transpose() * blocks.score[k]);
  }
  return moments;
}

// What the errors of jumping columns may move: a part of what they would, were they counted as others.
Eigen::VectorXd shift_by_jumps(const GainProblem& problem, const GainOptions& options,
                               const std::vector<double>& sigma, const TotalSystem& system,
                               const TotalSolution& solution, const Dense& root) {
  const Dense D = error_products(problem, options.rows, ErrorKind::jumps, sigma, system.columns);
  const Eigen::VectorXd pull = (D * solution.x).head(D.rows() - 1);
  return kJumpShare * (root * (root.transpose() * pull));
}

// Solution and errors of the currents in turn, until neither changes.
TotalSolution solve_with_errors(const GainProblem& problem, const TotalSystem& white,
                                const GainOptions& options, TotalSystem& system, GainFit& fit) {
  system = white;
  TotalSolution solution = solve_total(system, options.min_gap);
  put_values(system.columns, solution.x, fit);
  if (options.columns != ColumnScale::noise || !errors_are_known(problem, options.rows)) return solution;
  for (int round = 0; round < kErrorRounds; ++round) {
    const VectorXd before = fit.gain_values();
    if ((before.array() == 0).any() || !before.allFinite()) break;
    system.D = with_residual_currents(problem, fit, system.columns, white.D);
    solution = solve_total(system, options.min_gap);
    put_values(system.columns, solution.x, fit);
    if ((fit.gain_values() - before).cwiseQuotient(before).cwiseAbs().maxCoeff() < kSameSolution) break;
  }
  return solution;
}

}  // namespace

GainFit fit_total(const GainProblem& problem, const GainOptions& options) {
  const std::vector<Fold> folds = gain_equations(problem, options.rows);
  const Estimate weighted = least_squares(problem, folds, Weighting::by_row);
  GainFit fit =
      empty_fit(problem, options.columns == ColumnScale::none ? GainMethod::tls_rows : GainMethod::tls);
  fit.row_sigma = row_deviations(problem, weighted, options.rows);
  TotalSystem system;
  const TotalSolution solution = solve_with_errors(
      problem, total_system(problem, weighted, fit.row_sigma, options), options, system, fit);
  put_classical(weighted.columns, paper_deviations(system, solution), fit);
  fit.singular = solution.singular;
  fit.gap = solution.gap;
  if (!options.spread) return fit;
  const TotalBlocks blocks = total_blocks(problem, folds, weighted, system, solution);
  const Inverse inverse = split_inverse(blocks, inverse_gains_of(problem, system, solution));
  MatrixXd further = inverse.open * inverse.open.transpose();
  if (errors_are_known(problem, options.rows)) {
    const Eigen::VectorXd shift =
        shift_by_jumps(problem, options, fit.row_sigma, system, solution, inverse.root);
    further += shift * shift.transpose();
  }
  put_spread(weighted.columns, whitened(blocks, inverse.root), further, options, fit);
  return fit;
}

}  // namespace steelyard
