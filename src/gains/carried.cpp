#include "steelyard/gains/carried.hpp"

#include <algorithm>
#include <map>

namespace steelyard::inline STEELYARD_ABI {
namespace {

Index place_of(const std::vector<std::string>& list, const std::string& name) {
  const auto found = std::find(list.begin(), list.end(), name);
  return found == list.end() ? -1 : found - list.begin();
}

bool is_of_load(const std::string& column, const std::string& load) {
  const std::vector<std::string> names = load_columns(load);
  return std::find(names.begin(), names.end(), column) != names.end();
}

// Leads | gains and loads: what a load adds to the efforts counts against the currents.
Fold drive_row(const GainRun& run, const Fold& fold, const DriveErrors& errors) {
  const Layout& from = fold.layout();
  Layout layout = from;
  layout.columns.clear();
  layout.efforts = errors.columns;
  layout.effort_units.assign(errors.columns.size(), "1");
  std::vector<Index> kept;
  for (std::size_t k = 0; k < from.columns.size(); ++k) {
    if (from.columns[k] == kKnownEffort || (!run.load.empty() && is_of_load(from.columns[k], run.load)))
      continue;
    layout.columns.push_back(from.columns[k]);
    kept.push_back(static_cast<Index>(k));
  }
  MatrixXd C = MatrixXd::Zero(from.size(), layout.size());
  for (std::size_t k = 0; k < kept.size(); ++k) C(kept[k], static_cast<Index>(k)) = 1;
  for (std::size_t e = 0; e < errors.columns.size(); ++e)
    if (const Index at = from.find(errors.columns[e]); at >= 0)
      C(at, static_cast<Index>(kept.size() + e)) = at < static_cast<Index>(from.columns.size()) ? -1 : 1;
  return combine_columns(fold, C, layout);
}

}  // namespace

DriveErrors drive_errors(const GainProblem& problem, const GainFit& fit) {
  DriveErrors errors;
  std::vector<Index> places;
  for (Index k = 0; k < static_cast<Index>(fit.columns.size()); ++k) {
    const std::string& column = fit.columns[static_cast<std::size_t>(k)];
    if (place_of(problem.leads, column) >= 0) continue;
    errors.columns.push_back(column);
    places.push_back(k);
  }
  const auto n = static_cast<Index>(places.size());
  const auto masses = static_cast<Index>(fit.weighed.size());
  errors.columns.insert(errors.columns.end(), fit.weighed.begin(), fit.weighed.end());
  errors.covariance = MatrixXd::Zero(n + masses, n + masses);
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b < n; ++b)
      errors.covariance(a, b) =
          fit.covariance(places[static_cast<std::size_t>(a)], places[static_cast<std::size_t>(b)]);
  for (Index m = 0; m < masses; ++m) {
    errors.covariance(n + m, n + m) = fit.weighed_sigma[m] * fit.weighed_sigma[m];
    for (Index a = 0; a < n; ++a)
      errors.covariance(a, n + m) = errors.covariance(n + m, a) =
          fit.by_mass(places[static_cast<std::size_t>(a)], m) * fit.weighed_sigma[m];
  }
  return errors;
}

DriveErrors drive_errors(const std::vector<std::string>& gains, const MatrixXd& covariance,
                         std::span<const LoadEstimate> loads) {
  DriveErrors errors;
  errors.columns = gains;
  const auto n = static_cast<Index>(gains.size());
  const auto size = n + static_cast<Index>(loads.size()) * kParametersPerLink;
  errors.covariance = MatrixXd::Zero(size, size);
  if (covariance.size() > 0) errors.covariance.topLeftCorner(n, n) = covariance;
  // Loads share the errors of the gains.
  MatrixXd by_gains = MatrixXd::Zero(size, n);
  by_gains.topRows(n).setIdentity();
  Index at = n;
  for (const LoadEstimate& load : loads) {
    const std::vector<std::string> names = load_columns(load.name);
    errors.columns.insert(errors.columns.end(), names.begin(), names.end());
    if (load.by_gains.size() > 0) by_gains.middleRows(at, kParametersPerLink) = load.by_gains;
    errors.covariance.block(at, at, kParametersPerLink, kParametersPerLink) = load.noise;
    at += kParametersPerLink;
  }
  if (covariance.size() == 0) return errors;
  errors.covariance.topLeftCorner(n, n).setZero();
  errors.covariance += by_gains * covariance * by_gains.transpose();
  return errors;
}

std::vector<Fold> drive_rows(std::span<const GainRun> runs, const DriveErrors& errors) {
  std::map<std::string, std::vector<Fold>> rows;
  for (const GainRun& run : runs)
    for (const Fold& fold : run.joint) rows[fold.layout().row].push_back(drive_row(run, fold, errors));
  std::vector<Fold> merged;
  for (auto& [row, folds] : rows) {
    std::vector<const Layout*> layouts;
    for (const Fold& fold : folds) layouts.push_back(&fold.layout());
    Layout all = union_layout(layouts);
    all.row = row;
    const auto shared = std::make_shared<const Layout>(std::move(all));
    Fold& sum = merged.emplace_back(shared);
    for (const Fold& fold : folds) sum.merge(embed(fold, shared));
  }
  return merged;
}

MatrixXd carried_covariance(std::span<const Fold> rows, const DriveErrors& errors, const Estimate& estimate) {
  const Index n = estimate.values.size();
  MatrixXd products = MatrixXd::Zero(n, errors.covariance.rows());
  for (const Fold& fold : rows) {
    const auto residual = std::find_if(estimate.per_row.begin(), estimate.per_row.end(),
                                       [&](const Residual& kind) { return kind.row == fold.layout().row; });
    if (residual == estimate.per_row.end() || fold.depth() == 0) continue;
    const double weight = residual->sigma > 0 ? 1 / (residual->sigma * residual->sigma) : 1;
    const MatrixXd own = fold.columns().transpose() * fold.efforts();
    for (std::size_t k = 0; k < fold.layout().columns.size(); ++k)
      if (const Index at = place_of(estimate.columns, fold.layout().columns[k]); at >= 0)
        products.row(at) += weight * own.row(static_cast<Index>(k));
  }
  const double rows_squared = estimate.sigma_rows * estimate.sigma_rows;
  if (!(rows_squared > 0) || !estimate.covariance.allFinite()) return MatrixXd::Zero(n, n);
  const MatrixXd change = estimate.covariance * products / rows_squared;  // ∂χ
  return change * errors.covariance * change.transpose();
}

}  // namespace steelyard
