// The weighted, constrained fit of a set-up from its folds, and its score.
#include <algorithm>
#include <cmath>

#include "doctor/constrained.hpp"
#include "doctor/trial_impl.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using doctor::RowGram;

constexpr double kRidge = 1e-9;     // of a column's own square: columns that depend on others stay finite
constexpr int kIterations = 3;      // of the weights
constexpr double kSmallest = 1e-4;  // relative residual below which a joint counts as explained
constexpr double kWorst = 1.5;      // relative residual above which it does not matter any more

// One row's normal equations with the efforts of a set-up: H, b and τᵀτ.
struct RowEquations {
  Eigen::MatrixXd H;
  Eigen::VectorXd b;
  double effort = 0;
  double rows = 0;

  void add(const RowGram& gram, const Eigen::VectorXd& mix) {
    if (gram.rows == 0) return;
    if (H.size() == 0) {
      H.setZero(gram.columns.rows(), gram.columns.cols());
      b.setZero(gram.columns.rows());
    }
    H += gram.columns;
    b += gram.mixed * mix;
    effort += mix.dot(gram.efforts * mix);
    rows += gram.rows;
  }
  double residual(const Eigen::VectorXd& x) const {
    return rows == 0 ? 0 : std::max(0.0, effort - 2 * b.dot(x) + x.dot(H * x));
  }
};

Eigen::VectorXd pick(const Eigen::VectorXd& x, const std::vector<int>& columns) {
  Eigen::VectorXd part(static_cast<Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) part[static_cast<Index>(k)] = x[columns[k]];
  return part;
}

// Weighted, constrained solution; weights from each joint's own residual.
Eigen::VectorXd solve_rows(const std::vector<RowEquations>& rows,
                           const std::vector<std::vector<int>>& columns, const Eigen::MatrixXd& signs,
                           Index parameters) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(parameters), variance(static_cast<Index>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r)
    variance[static_cast<Index>(r)] = std::max(rows[r].effort / std::max(1.0, rows[r].rows), 1e-30);
  const Eigen::VectorXd effort = variance;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(parameters, parameters);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(parameters);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (rows[r].rows == 0) continue;
      const double weight = 1 / variance[static_cast<Index>(r)];
      const std::vector<int>& own = columns[r];
      for (std::size_t i = 0; i < own.size(); ++i) {
        b[own[i]] += weight * rows[r].b[static_cast<Index>(i)];
        for (std::size_t j = 0; j < own.size(); ++j)
          H(own[i], own[j]) += weight * rows[r].H(static_cast<Index>(i), static_cast<Index>(j));
      }
    }
    const Eigen::VectorXd scale = H.diagonal().cwiseMax(1e-30).cwiseSqrt();
    const Eigen::VectorXd inverse = scale.cwiseInverse();
    H = inverse.asDiagonal() * H * inverse.asDiagonal();
    H.diagonal().array() += kRidge;
    x = inverse.cwiseProduct(
        doctor::solve_constrained(H, inverse.cwiseProduct(b), signs * inverse.asDiagonal()));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Index i = static_cast<Index>(r);
      variance[i] = std::max(rows[r].residual(pick(x, columns[r])) / std::max(1.0, rows[r].rows),
                             kSmallest * kSmallest * effort[i]);
    }
  }
  return x;
}

double log_ratio(double residual, double effort, double floor) {
  if (effort <= 0) return 0;
  const double ratio = std::clamp(residual / effort, kSmallest * kSmallest, kWorst * kWorst);
  return 0.5 * std::log(ratio + floor * floor);
}

}  // namespace

// How a row's effort follows from the logged ones and the known part.
Eigen::VectorXd Trial::Impl::mix_of(const SetUp& set_up, std::size_t row) const {
  Eigen::VectorXd mix = set_up.effort.row(plan_.rows[row].i).transpose();
  if (has_known_) {
    mix.conservativeResize(mix.size() + 1);
    mix[mix.size() - 1] = -1;
  }
  return mix;
}

TrialFit Trial::Impl::predict(const Folded& folded, const SetUp& set_up, const VectorXd& values,
                              const VectorXd& floors) const {
  const std::size_t n = folded.columns.size();
  TrialFit fit;
  fit.values = values;
  fit.relative_fitted.setZero(static_cast<Index>(n));
  for (std::size_t r = 0; r < n; ++r) {
    RowEquations all;
    const Eigen::VectorXd mix = mix_of(set_up, r);
    for (const std::vector<RowGram>& block : folded.grams) all.add(block[r], mix);
    if (all.effort <= 0) continue;
    const double residual = all.residual(pick(values, folded.columns[r]));
    fit.relative_fitted[static_cast<Index>(r)] = std::sqrt(residual / all.effort);
    const double floor = floors[static_cast<Index>(r)] / std::sqrt(all.effort / all.rows);
    fit.score_fitted += log_ratio(residual, all.effort, floor);
  }
  fit.score = fit.score_fitted;
  fit.relative = fit.relative_fitted;
  return fit;
}

TrialFit Trial::Impl::fit(const Folded& folded, const SetUp& set_up, bool held_out) const {
  const std::size_t n = folded.columns.size();
  std::vector<Eigen::VectorXd> mix;
  for (std::size_t r = 0; r < n; ++r) mix.push_back(mix_of(set_up, r));
  const auto gather = [&](int without) {
    std::vector<RowEquations> rows(n);
    for (int b = 0; b < doctor::kTrialBlocks; ++b)
      for (std::size_t r = 0; r < n && b != without; ++r)
        rows[r].add(folded.grams[static_cast<std::size_t>(b)][r], mix[r]);
    return rows;
  };
  TrialFit fit;
  fit.relative.setZero(static_cast<Index>(n));
  fit.relative_fitted.setZero(static_cast<Index>(n));
  const std::vector<RowEquations> all = gather(-1);
  // The floor of a row is that of the logged effort that dominates it.
  std::vector<double> floor(n);
  for (std::size_t r = 0; r < n; ++r) {
    Index from = 0;
    set_up.effort.row(plan_.rows[r].i).cwiseAbs().transpose().cwiseProduct(efforts_).maxCoeff(&from);
    floor[r] = floors_[from];
  }
  fit.values = solve_rows(all, folded.columns, folded.signs, folded.parameters);
  for (std::size_t r = 0; r < n; ++r) {
    const double residual = all[r].residual(pick(fit.values, folded.columns[r]));
    fit.relative_fitted[static_cast<Index>(r)] = all[r].effort > 0 ? std::sqrt(residual / all[r].effort) : 0;
    fit.score_fitted += log_ratio(residual, all[r].effort, floor[r]);
  }
  fit.score = fit.score_fitted;
  fit.relative = fit.relative_fitted;
  if (!held_out) return fit;
  Eigen::VectorXd residual = Eigen::VectorXd::Zero(static_cast<Index>(n));
  for (int b = 0; b < doctor::kTrialBlocks; ++b) {
    const std::vector<RowGram>& block = folded.grams[static_cast<std::size_t>(b)];
    if (block[0].rows == 0) continue;
    const Eigen::VectorXd x = solve_rows(gather(b), folded.columns, folded.signs, folded.parameters);
    double score = 0;
    for (std::size_t r = 0; r < n; ++r) {
      RowEquations own;
      own.add(block[r], mix[r]);
      const double part = own.residual(pick(x, folded.columns[r]));
      residual[static_cast<Index>(r)] += part;
      score += log_ratio(part, own.effort, floor[r]);
    }
    fit.by_block.push_back(score);
  }
  fit.score = 0;
  for (std::size_t r = 0; r < n; ++r) {
    const Index i = static_cast<Index>(r);
    fit.relative[i] = all[r].effort > 0 ? std::sqrt(residual[i] / all[r].effort) : 0;
    fit.score += log_ratio(residual[i], all[r].effort, floor[r]);
  }
  return fit;
}

}  // namespace steelyard
