#include "steelyard/estimate/instrument.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "estimate/groups.hpp"
#include "estimate/instrument_solve.hpp"
#include "estimate/weights.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/estimate/condition.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Where the columns of Y and their instruments are in the union of the folds' columns.
struct InstrumentPlaces {
  std::vector<Index> y, z;
  Index effort = 0;
};

InstrumentPlaces places_in(const Layout& all) {
  InstrumentPlaces out;
  for (std::size_t k = 0; k < all.columns.size(); ++k) {
    if (is_instrument(all.columns[k])) continue;
    out.y.push_back(static_cast<Index>(k));
    out.z.push_back(all.find(instrument_name(all.columns[k])));
    require(out.z.back() >= 0, "every column has an instrument");
  }
  out.effort = static_cast<Index>(all.columns.size());
  return out;
}

void check_instruments(const Layout& layout) {
  for (const std::string& column : layout.columns) {
    if (is_instrument(column) || layout.find(instrument_name(column)) >= 0) continue;
    throw InputError(
        {fmt::format("column {} of row {} has no instrument", quoted(column), quoted(layout.row)),
         {},
         fmt::format("a column {} in the same row", quoted(instrument_name(column))),
         "make instruments for all columns, or estimate without them"});
  }
}

// Rows of a prior with Z = Y.
Fold own_instruments(const Fold& prior) {
  Layout layout = prior.layout();
  const auto n = static_cast<Index>(layout.columns.size());
  MatrixXd C = MatrixXd::Zero(n + 1, 2 * n + 1);
  C.topLeftCorner(n, n).setIdentity();
  C.block(0, n, n, n).setIdentity();
  C(n, 2 * n) = 1;
  for (Index k = 0; k < n; ++k) {
    layout.columns.push_back(instrument_name(layout.columns[static_cast<std::size_t>(k)]));
  }
  return combine_columns(prior, C, layout);
}

// The solution in all columns of the problem: instruments have no values.
Solution in_all_columns(const Solution& own, const InstrumentPlaces& places, Index columns) {
  Solution out = own;
  out.x = VectorXd::Zero(columns);
  out.root = MatrixXd::Zero(columns, own.root.cols());
  out.x(places.y) = own.x;
  out.root(places.y, Eigen::all) = own.root;
  return out;
}

// Strength of the instruments and the test of least squares, from the canonical correlations of Y and Z:
// the singular values c of A R⁻¹ with RᵀR = YᵀY. In their coordinates cov − cov_LS = σ² (1/c² − 1).
void judge(const InstrumentParts& parts, const Solution& iv, const Solution& ls, InstrumentEstimate& out) {
  const Index n = parts.seen.cols();
  out.least_squares = ls.x;
  out.strength = VectorXd::Zero(n);
  for (Index k = 0; k < n; ++k) {
    const double by_z = iv.root.row(k).squaredNorm(), by_y = ls.root.row(k).squaredNorm();
    if (out.estimate.column_status[static_cast<std::size_t>(k)] == ColumnStatus::determined && by_z > 0)
      out.strength[k] = std::min(1.0, by_y / by_z);
  }
  out.shift = (ls.x - iv.x).cwiseQuotient(out.estimate.sigma);
  for (double& value : out.shift) value = std::isfinite(value) ? value : 0;
  out.instruments = parts.rank;
  if (iv.rank < n || ls.rank < n || n == 0) return;
  const MatrixXd whitened = parts.seen * ls.root;  // ls.root is R⁻¹
  const Svd svd = jacobi_svd(whitened, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const VectorXd c = svd.values.cwiseMin(1.0);
  out.correlation = c[n - 1];
  const double lost = 1 - out.correlation * out.correlation;
  const auto L = static_cast<double>(parts.rank), rows = static_cast<double>(out.estimate.rows);
  constexpr double kNothing = 1e-12;
  out.first_stage = lost > kNothing ? (1 / lost - 1) * std::max(0.0, rows - L) / L : kInfinity;
  out.weak = out.first_stage < kWeakInstruments;
  MatrixXd Y(parts.seen.rows() + parts.unseen.rows(), n);
  Y << parts.seen, parts.unseen;
  const VectorXd moved = svd.V.transpose() * (ls.root.transpose() * (Y.transpose() * (Y * (ls.x - iv.x))));
  for (Index k = 0; k < n; ++k) {
    const double excess = 1 / (c[k] * c[k]) - 1;
    if (!(excess > kNothing) || !(out.estimate.sigma_rows > 0)) continue;
    out.hausman += moved[k] * moved[k] / (excess * out.estimate.sigma_rows * out.estimate.sigma_rows);
    ++out.hausman_degrees;
  }
}

}  // namespace

std::string instrument_name(const std::string& column) {
  return kInstrumentPrefix + column;
}

bool is_instrument(const std::string& column) {
  return column.compare(0, std::strlen(kInstrumentPrefix), kInstrumentPrefix) == 0;
}

bool InstrumentEstimate::least_squares_is_biased() const {
  const auto degrees = static_cast<double>(hausman_degrees);
  const bool significant = hausman_degrees > 0 && hausman > degrees + 3 * std::sqrt(2 * degrees);
  return significant && shift.cwiseAbs().maxCoeff() > 0.5;
}

std::vector<Fold> without_instruments(std::span<const Fold> folds) {
  std::vector<Fold> out;
  for (const Fold& fold : folds) {
    std::vector<std::string> columns;
    for (const std::string& column : fold.layout().columns) {
      if (!is_instrument(column)) columns.push_back(column);
    }
    out.push_back(select_columns(fold, columns));
    out.back().set_block(fold.block());
  }
  return out;
}

InstrumentEstimate instrument_estimate(std::span<const Fold> folds, const EstimateOptions& options,
                                       std::span<const Fold> priors) {
  options.validate();
  for (const Fold& fold : folds) check_instruments(fold.layout());
  std::vector<Fold> own_priors;
  for (const Fold& prior : priors) own_priors.push_back(own_instruments(prior));
  const bool by_block = options.weighting == Weighting::by_row_and_block;
  Problem problem = make_problem(folds, own_priors, by_block);
  const InstrumentPlaces places = places_in(*problem.all);
  const auto columns = static_cast<Index>(problem.all->columns.size());

  InstrumentEstimate out;
  Estimate& fit = out.estimate;
  InstrumentParts parts;
  Solution own;
  const auto solve_again = [&] {
    out.all = problem.factor();
    parts = split_by_instruments(out.all.R(), places.y, places.z, places.effort, options.rank_tolerance);
    own = solve(parts.seen, parts.seen_effort, options.rank_tolerance);
    return in_all_columns(own, places, columns);
  };
  Solution solution = solve_again();
  bool converged = false;
  fit.iterations = iterate_weights(problem, options, solution, solve_again, converged);
  for (const Index k : places.y) fit.columns.push_back(problem.all->columns[static_cast<std::size_t>(k)]);
  fit.values = own.x;
  fit.column_status = own.status;
  fit.rank = own.rank;
  fill_weights(problem, folds.size(), fit);
  fill_residuals(problem, solution, fit);
  finish_estimate(own, converged, fit);
  fit.factor = select_columns(out.all, fit.columns);
  if (options.conditions) {
    const Conditioning conditioning = condition_of(parts.seen, options.rank_tolerance);
    fit.condition = conditioning.condition;
    fit.condition_scaled = conditioning.condition_scaled;
  }
  judge(parts, own, solve(fit.factor.columns(), fit.factor.efforts().col(0), options.rank_tolerance), out);
  return out;
}

}  // namespace steelyard
