#include "steelyard/signs/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kRankTolerance = 1e-10;

// The folds' rows of Y one below the other in common columns, and the effort of each row.
struct Stack {
  Eigen::MatrixXd Y;
  Eigen::VectorXd effort;
  std::vector<Index> first;  // row of each segment, and the end
};

Stack stack_folds(const std::vector<Fold>& folds, const std::vector<SignSegment>& segments,
                  const VectorXd& weights, const Layout& layout) {
  Stack stack;
  Index rows = 0;
  for (const Fold& fold : folds) {
    stack.first.push_back(rows);
    rows += fold.depth();
  }
  stack.first.push_back(rows);
  stack.Y.setZero(rows, static_cast<Index>(layout.columns.size()));
  stack.effort.setZero(rows);
  for (std::size_t k = 0; k < folds.size(); ++k) {
    const Fold& fold = folds[k];
    const double weight = weights[segments[k].joint];
    const Index own = static_cast<Index>(fold.layout().columns.size());
    for (Index c = 0; c < own; ++c) {
      const Index column = layout.find(fold.layout().columns[static_cast<std::size_t>(c)]);
      for (Index i = 0; i <= std::min(c, fold.depth() - 1); ++i)
        stack.Y(stack.first[k] + i, column) = weight * fold(i, c);
    }
    for (Index i = 0; i < fold.depth(); ++i) stack.effort[stack.first[k] + i] = weight * fold(i, own);
  }
  return stack;
}

// R_YY in the order of the columns, with `rank` rows.
MatrixXd unpivoted(const PivotedQr& qr, Index rank) {
  return qr.R(rank) * qr.permutation().transpose();
}

Eigen::MatrixXd triangle_of(Eigen::MatrixXd below, Index size) {
  Eigen::MatrixXd R = Eigen::MatrixXd::Zero(size, size);
  if (below.rows() == 0) return R;
  reduce_to_triangle(below);
  const Index depth = std::min(below.rows(), size);
  R.topRows(depth) = below.topRows(depth).triangularView<Eigen::Upper>();
  return R;
}

// Everything below R_YY by reflections.
void reflect(const Stack& stack, const PivotedQr& qr, SignProblem& problem) {
  const Index size = problem.size(), rank = problem.R_YY.rows(), rows = stack.Y.rows();
  Eigen::MatrixXd E = Eigen::MatrixXd::Zero(rows, size);
  for (Index k = 0; k < size; ++k) {
    const Index begin = stack.first[static_cast<std::size_t>(k)];
    const Index count = stack.first[static_cast<std::size_t>(k) + 1] - begin;
    E.col(k).segment(begin, count) = stack.effort.segment(begin, count);
  }
  qr.adjoint_times_in_place(E, rank);
  problem.R_YE = E.topRows(rank);
  problem.R_EE = triangle_of(E.bottomRows(rows - rank), size);
}

// The same from products, for many segments: EᵀE is diagonal.
void multiply(const Stack& stack, const PivotedQr& qr, SignProblem& problem) {
  const Index size = problem.size(), rank = problem.R_YY.rows();
  Eigen::MatrixXd H(stack.Y.cols(), size);
  Eigen::VectorXd energy(size);
  for (Index k = 0; k < size; ++k) {
    const Index begin = stack.first[static_cast<std::size_t>(k)];
    const Index count = stack.first[static_cast<std::size_t>(k) + 1] - begin;
    const auto effort = stack.effort.segment(begin, count);
    H.col(k) = stack.Y.middleRows(begin, count).transpose() * effort;
    energy[k] = effort.squaredNorm();
  }
  const Eigen::MatrixXd permuted = (qr.permutation().transpose() * H).topRows(rank);
  problem.R_YE =
      qr.packed().topLeftCorner(rank, rank).triangularView<Eigen::Upper>().transpose().solve(permuted);
  Eigen::MatrixXd gram = -Eigen::MatrixXd(problem.R_YE).transpose() * problem.R_YE;
  gram.diagonal() += energy;
  // Rounding may have made it slightly indefinite; what is added is within `rounding`.
  gram.diagonal().array() += problem.rounding / static_cast<double>(std::max<Index>(1, size));
  const Cholesky factor(gram);
  require(factor.is_positive(), "the form of the signs is not positive definite");
  problem.R_EE = factor.upper();
}

}  // namespace

std::vector<Fold> fold_segments(const SignRows& rows, const std::vector<Layout>& layouts,
                                const SegmentedRun& run) {
  std::vector<std::shared_ptr<const Layout>> shared;
  for (const Layout& layout : with_extra_columns(layouts, rows.of.extra))
    shared.push_back(std::make_shared<const Layout>(layout));
  std::vector<Fold> folds;
  for (std::size_t k = 0; k < run.segments.size(); ++k) {
    const SignSegment& segment = run.segments[k];
    Fold& fold = folds.emplace_back(shared[static_cast<std::size_t>(segment.joint)], static_cast<Index>(k));
    add_rows(rows, segment.joint, segment.range, nullptr, run.effort.col(segment.joint).data(), fold);
  }
  return folds;
}

std::vector<Fold> fold_segments(const Plan& plan, const std::vector<Layout>& layouts,
                                const SampleBlock& samples, const SegmentedRun& run) {
  return fold_segments(make_sign_rows(plan, samples, run.band), layouts, run);
}

VectorXd SignProblem::values(const VectorXd& signs) const {
  return ShortestSolution(R_YY).solve(R_YE * signs);
}

double SignProblem::variance(const VectorXd& signs) const {
  return residual(signs) / static_cast<double>(std::max<Index>(1, rows - R_YY.rows()));
}

VectorXd rms_weights(const SegmentedRun& run) {
  VectorXd squares = VectorXd::Zero(run.rms.size());
  VectorXd counts = VectorXd::Zero(run.rms.size());
  for (const SignSegment& segment : run.segments) {
    squares[segment.joint] +=
        run.effort.col(segment.joint).segment(segment.range.begin, segment.range.size()).squaredNorm();
    counts[segment.joint] += static_cast<double>(segment.range.size());
  }
  for (Index j = 0; j < squares.size(); ++j)
    squares[j] = squares[j] > 0 ? std::sqrt(counts[j] / squares[j]) : 0;
  return squares;
}

SignProblem make_sign_problem(const std::vector<Fold>& folds, const std::vector<SignSegment>& segments,
                              const VectorXd& weights) {
  require(folds.size() == segments.size() && !folds.empty(), "one fold per segment");
  std::vector<const Layout*> layouts;
  SignProblem problem;
  for (const Fold& fold : folds) {
    if (layouts.empty() || layouts.back() != &fold.layout()) layouts.push_back(&fold.layout());
    problem.rows_of.push_back(fold.rows());
    problem.rows += fold.rows();
  }
  const Layout layout = union_layout(layouts);
  problem.columns = layout.columns;
  problem.segments = segments;
  problem.weight = weights;
  const Stack stack = stack_folds(folds, segments, weights, layout);
  problem.effort = stack.effort.squaredNorm();
  problem.rounding =
      16 * static_cast<double>(problem.size()) * std::numeric_limits<double>::epsilon() * problem.effort;
  const PivotedQr qr(stack.Y, kRankTolerance);
  problem.R_YY = unpivoted(qr, qr.rank());
  if (problem.size() <= kReflectedSegments)
    reflect(stack, qr, problem);
  else
    multiply(stack, qr, problem);
  return problem;
}

VectorXd residual_weights(const std::vector<Fold>& folds, const SignProblem& problem, const VectorXd& signs) {
  const VectorXd values = problem.values(signs);
  VectorXd squares = VectorXd::Zero(problem.weight.size());
  VectorXd counts = VectorXd::Zero(problem.weight.size());
  for (std::size_t k = 0; k < folds.size(); ++k) {
    const Fold& fold = folds[k];
    const Index own = static_cast<Index>(fold.layout().columns.size());
    VectorXd x(own + 1);
    for (Index c = 0; c < own; ++c) {
      const auto found = std::find(problem.columns.begin(), problem.columns.end(),
                                   fold.layout().columns[static_cast<std::size_t>(c)]);
      x[c] = values[found - problem.columns.begin()];
    }
    x[own] = -signs[static_cast<Index>(k)];
    squares[problem.segments[k].joint] += (fold.R() * x).squaredNorm();
    counts[problem.segments[k].joint] += static_cast<double>(fold.rows());
  }
  for (Index j = 0; j < squares.size(); ++j)
    squares[j] = squares[j] > 0 ? std::sqrt(counts[j] / squares[j]) : problem.weight[j];
  return squares;
}

SignProblem with_gains(const SignProblem& problem, const VectorXd& gains) {
  SignProblem scaled = problem;
  for (Index k = 0; k < problem.size(); ++k) {
    const double gain = gains[problem.segments[static_cast<std::size_t>(k)].joint];
    scaled.R_YE.col(k) *= gain;
    scaled.R_EE.col(k) *= gain;
  }
  const double largest = gains.cwiseAbs().maxCoeff();
  scaled.effort *= largest * largest;
  scaled.rounding *= largest * largest;
  return scaled;
}

std::vector<Fold> signed_folds(const std::vector<Fold>& folds, const VectorXd& signs) {
  std::vector<Fold> out;
  for (std::size_t k = 0; k < folds.size(); ++k) {
    const double sign = signs[static_cast<Index>(k)];
    if (sign == 0) continue;
    if (sign > 0) {
      out.push_back(folds[k]);
      continue;
    }
    // R of [Y | −e]: the last column changes its sign, and its own diagonal entry keeps it.
    MatrixXd R = folds[k].R();
    R.col(R.cols() - 1) *= -1;
    if (R.rows() == R.cols()) R(R.rows() - 1, R.cols() - 1) *= -1;
    out.push_back(fold_of_triangle(folds[k].shared_layout(), R, folds[k].rows(), folds[k].block()));
  }
  return out;
}

}  // namespace steelyard
