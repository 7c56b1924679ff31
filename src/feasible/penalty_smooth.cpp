// f(ξ) and its quadratic model.
#include <Eigen/Cholesky>
#include <cmath>

#include "feasible/penalty_problem.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// (min(0, a) − min(0, b)) / (a − b)
double divided_difference(double a, double b) {
  if (a < 0 && b < 0) return 1;
  if (a >= 0 && b >= 0) return 0;
  return a < b ? a / (a - b) : b / (b - a);
}

// A row, which is most blocks.
double add_inequality(const Block& block, double value, double level, LocalModel* model) {
  if (value >= 0) return 0;
  if (model != nullptr)
    for (std::size_t k = 0; k < block.columns.size(); ++k) {
      const double a = block.parts[k](0, 0);
      model->gradient[block.columns[k]] += 2 * level * value * a;
      for (std::size_t l = 0; l < block.columns.size(); ++l)
        if (block.columns[l] <= block.columns[k])
          model->hessian(block.columns[k], block.columns[l]) += 2 * level * a * block.parts[l](0, 0);
    }
  return level * value * value;
}

}  // namespace

double PenaltyProblem::add_block(const Block& block, const VectorXd& x, double level, double margin,
                                 LocalModel* model) const {
  SmallMatrix F = block.at(x);
  if (block.size() == 1) return add_inequality(block, F(0, 0) - margin, level, model);
  F.diagonal().array() -= margin;
  if (is_positive(F)) return 0;
  const auto [values, V] = small_eigen(F);
  const SmallVector negative = values.cwiseMin(0);
  if (model == nullptr) return level * negative.squaredNorm();
  std::vector<SmallMatrix> turned;
  for (const SmallMatrix& part : block.parts) turned.push_back(V.transpose() * part * V);
  SmallMatrix omega(values.size(), values.size());
  for (Index i = 0; i < values.size(); ++i)
    for (Index j = 0; j < values.size(); ++j)
      omega(i, j) = i == j ? (values[i] < 0) : divided_difference(values[i], values[j]);
  for (std::size_t k = 0; k < block.columns.size(); ++k) {
    model->gradient[block.columns[k]] += 2 * level * negative.dot(turned[k].diagonal());
    const SmallMatrix weighted = omega.cwiseProduct(turned[k]);
    for (std::size_t l = 0; l < block.columns.size(); ++l)
      if (block.columns[l] <= block.columns[k])
        model->hessian(block.columns[k], block.columns[l]) +=
            2 * level * weighted.cwiseProduct(turned[l]).sum();
  }
  return level * negative.squaredNorm();
}

double PenaltyProblem::add_item(const Item& item, const VectorXd& x, double level, double margin,
                                LocalModel* model) const {
  const VectorXd broken = violations(item, x, margin);
  const double value = level * broken.squaredNorm();
  if (model == nullptr || !(value > 0) || !std::isfinite(value)) return value;
  const ConstraintValues at = evaluate(*item.constraint, quantities_, x, true);
  for (Index k = 0; k < broken.size(); ++k) {
    const VectorXd row = at.gradients.row(k).transpose() / item.scale;
    if (!(broken[k] > 0) || !row.allFinite()) continue;  // at a kink a one-sided slope may be infinite
    model->gradient -= 2 * level * broken[k] * row;
    model->hessian.selfadjointView<Eigen::Lower>().rankUpdate(row, 2 * level);
  }
  return value;
}

// w ∂²D/∂x² = w tr(P⁻¹ E_k P⁻¹ E_l).
void PenaltyProblem::add_pulls(const VectorXd& x, LocalModel& model) const {
  const auto& basis = pseudo_inertia_basis();
  for (const BodyPull& pull : objective_.pulls) {
    const Index first = Index{kParametersPerLink} * pull.link;
    const Matrix4 P = Inertia::from_standard(x.segment<kParametersPerLink>(first)).pseudo_inertia();
    const Eigen::LDLT<Eigen::Matrix4d> factor(P);
    std::array<Eigen::Matrix4d, kParametersPerLink> scaled;
    for (std::size_t k = 0; k < scaled.size(); ++k) scaled[k] = factor.solve(basis[k]);
    for (int k = 0; k < kParametersPerLink; ++k)
      for (int l = 0; l <= k; ++l) {
        const double entry =
            (scaled[static_cast<std::size_t>(k)] * scaled[static_cast<std::size_t>(l)]).trace();
        if (std::isfinite(entry)) model.hessian(first + k, first + l) += pull.weight * entry / effort_;
      }
  }
}

LocalModel PenaltyProblem::in_coordinates(const LocalModel& by_x) const {
  const auto& T = coordinates_.T;
  LocalModel model;
  model.gradient = T.transpose() * by_x.gradient;
  if (cones_.equalities.empty()) {  // T is diagonal
    const VectorXd d = T.diagonal();
    model.hessian = d.asDiagonal() * by_x.hessian * d.asDiagonal();
  } else {
    model.hessian = T.transpose() * (by_x.hessian.selfadjointView<Eigen::Lower>() * T);
  }
  return model;
}

// c and I have a pole where a mass is zero: constraints on them must not step over it.
bool PenaltyProblem::has_masses(const VectorXd& x) const {
  if (!speaks_of_bodies_) return true;
  for (int link = 0; link < quantities_.links(); ++link) {
    const Index mass = Index{kParametersPerLink} * link;
    if (upper_[mass] > lower_[mass] && x[mass] < 0.5 * lower_[mass]) return false;
  }
  return true;
}

double PenaltyProblem::smooth(const VectorXd& xi, double level, double margin, LocalModel* model) const {
  const VectorXd x = parameters(xi);
  if (!has_masses(x)) return kInfinity;
  double value = objective_.value(x) / effort_;
  LocalModel by_x;
  LocalModel* wanted = model != nullptr && std::isfinite(value) ? &by_x : nullptr;
  if (wanted != nullptr) {
    by_x.gradient = objective_.gradient(x) / effort_;
    by_x.hessian = quadratic_;
    if (!objective_.pulls.empty()) add_pulls(x, by_x);
  }
  for (const Block& block : cones_.blocks) value += add_block(block, x, level, margin, wanted);
  for (const Item& item : items_)
    if (!item.convex) value += add_item(item, x, level, margin, wanted);
  if (wanted != nullptr) *model = in_coordinates(by_x);
  return std::isnan(value) ? kInfinity : value;
}

}  // namespace steelyard
