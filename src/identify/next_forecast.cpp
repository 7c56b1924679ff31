#include "identify/next_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "identify/forecast.hpp"
#include "identify/prior.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kNotSeen = 1e-10;  // eigenvalues of the scaled information, of the largest
constexpr double kLeast = 1e-9;     // of the scaled covariance's largest: directions that nothing is said of

// The study with these folds as its only runs.
Study of_folds(const Study& study, const std::vector<FoldedRun>& files) {
  Study out = study;
  out.runs.clear();
  out.prepare_given = false;
  out.feasible.reset();
  out.exports.clear();
  int number = 0;
  for (const FoldedRun& file : files) {
    StudyRun& run = out.runs.emplace_back();
    run.folded = std::make_shared<const FoldedRun>(file);
    run.file.label.label = file.label + (number == 0 ? "" : " " + std::to_string(number));
    run.file.path = run.file.label.label;
    ++number;
  }
  return out;
}

// Columns of the base parameters of a matrix over other columns.
MatrixXd rows_for(const std::vector<std::string>& names, const std::vector<std::string>& columns,
                  const MatrixXd& values) {
  MatrixXd out = MatrixXd::Zero(static_cast<Index>(names.size()), values.cols());
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto at = std::find(columns.begin(), columns.end(), names[k]);
    if (at != columns.end() && values.rows() > 0)
      out.row(static_cast<Index>(k)) = values.row(at - columns.begin());
  }
  return out;
}

// YᵀY of one kind of rows, over the base parameters.
MatrixXd information_of(const Fold& fold, const std::vector<std::string>& names) {
  const MatrixXd R = rows_for(names, fold.layout().columns, fold.columns().transpose());
  return R * R.transpose();
}

double share_of_squares(const ForecastRow& row) {
  return row.effort > 0 ? row.mean * row.mean / (row.effort * row.effort) : 0;
}

// The total is over the joints of the unit that most have; the search counts every unit alike.
void weigh_typical(const Setup& setup, const std::vector<Fold>& typical, const ParameterSpread& spread,
                   const std::vector<std::string>& names, NextForecast& out) {
  const auto n = static_cast<Index>(names.size());
  struct Unit {
    int rows = 0;
    double effort = 0;
    MatrixXd weights;
  };
  std::map<std::string, Unit> units;
  const Forecast found = forecast(typical, spread);
  for (const Fold& fold : typical) {
    const double effort = fold.efforts().squaredNorm();
    const MatrixXd own = information_of(fold, names);
    out.joints.push_back({effort > 0 ? MatrixXd(own / effort) : MatrixXd(),
                          share_of_squares(found.per_row[out.joints.size()])});
    Unit& unit = units[fold.layout().unit];
    ++unit.rows;
    unit.effort += effort;
    unit.weights = unit.weights.size() == 0 ? own : MatrixXd(unit.weights + own);
  }
  out.goal.weights = MatrixXd::Zero(n, n);
  int most = 0;
  for (auto& [name, unit] : units) {
    if (!(unit.effort > 0)) continue;
    unit.weights /= unit.effort;
    out.goal.weights += unit.weights;
    const bool usual = unit.rows > most || (unit.rows == most && name == "N·m");
    if (!usual) continue;
    most = unit.rows;
    out.total.weights = unit.weights;
    for (const ForecastRow& row : found.totals)
      if (row.unit == name) out.total.squares = share_of_squares(row);
  }
  if (out.total.weights.size() == 0) out.total.weights = out.goal.weights;
  require(setup.plan.rows.size() == out.joints.size(), "one fold per row of typical motions");
}

struct Spread {
  MatrixXd seen;    // A₀⁺
  MatrixXd unseen;  // U
};

// In units of what a parameter does on typical motions.
Spread spread_over(const MatrixXd& information, const MatrixXd& expected, const VectorXd& unit) {
  const Eigen::MatrixXd scaled = unit.asDiagonal() * information * unit.asDiagonal();
  const SymmetricEigen eigen = symmetric_eigen(scaled);
  const double largest = std::max(eigen.values.maxCoeff(), 1e-300);
  Eigen::VectorXd inverse = Eigen::VectorXd::Zero(eigen.values.size());
  Eigen::VectorXd hidden = Eigen::VectorXd::Zero(eigen.values.size());
  for (Index k = 0; k < inverse.size(); ++k)
    (eigen.values[k] > kNotSeen * largest ? inverse[k] = 1 / eigen.values[k] : hidden[k] = 1);
  const Eigen::MatrixXd& V = eigen.vectors;
  Spread out;
  out.seen = V * inverse.asDiagonal() * V.transpose();
  out.unseen = V * hidden.asDiagonal() * V.transpose() * unit.cwiseInverse().asDiagonal() * expected;
  return out;
}

double trace_of(const MatrixXd& weights, const MatrixXd& covariance) {
  return weights.cwiseProduct(covariance).sum();
}

// λ and the precision; the forecast must be that of the runs so far.
void learn(const ParameterSpread& spread, const std::vector<std::string>& names, const MatrixXd& information,
           NextForecast& out) {
  const VectorXd diagonal = out.goal.weights.diagonal();
  const VectorXd unit = (diagonal.array() > 0).select(diagonal, 1).cwiseSqrt().cwiseInverse();
  const Spread parts = spread_over(information, rows_for(names, spread.columns, spread.expected), unit);
  const MatrixXd scatter = rows_for(names, spread.columns, spread.scatter);
  const MatrixXd seen = unit.asDiagonal() * parts.seen * unit.asDiagonal();
  const double classical = trace_of(out.goal.weights, seen);
  const double found = kOwnErrors * trace_of(out.goal.weights, scatter * scatter.transpose());
  out.inflation = classical > 0 && found > 0 ? found / classical : 1;
  Eigen::MatrixXd covariance = parts.seen + parts.unseen * parts.unseen.transpose() / out.inflation;
  covariance.diagonal().array() += kLeast * std::max(covariance.diagonal().maxCoeff(), 1e-300);
  const Eigen::MatrixXd inverse =
      Cholesky(covariance).solve(Eigen::MatrixXd::Identity(covariance.rows(), covariance.cols()));
  out.goal.precision = unit.cwiseInverse().asDiagonal() * inverse * unit.cwiseInverse().asDiagonal();
}

Eigen::MatrixXd scaled_inverse(const MatrixXd& precision) {
  const VectorXd diagonal = precision.diagonal();
  const VectorXd scale = (diagonal.array() > 0).select(diagonal, 1).cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = scale.asDiagonal() * precision * scale.asDiagonal();
  const Eigen::MatrixXd inverse =
      Cholesky(scaled).solve(Eigen::MatrixXd::Identity(scaled.rows(), scaled.cols()));
  return scale.asDiagonal() * inverse * scale.asDiagonal();
}

}  // namespace

MotionForecast NextForecast::after(const MatrixXd& information) const {
  const MatrixXd lost =
      inflation * MatrixXd(scaled_inverse(goal.precision) - scaled_inverse(goal.precision + information));
  const auto lowered = [&](const Part& part) {
    if (part.weights.size() == 0 || !(part.squares > 0)) return 1.0;
    return std::sqrt(std::max(0.0, 1 - trace_of(part.weights, lost) / part.squares));
  };
  MotionForecast out = now;
  // Bounds are as far from it as they were: degrees of freedom of a run that was not made are not known.
  const double factor = lowered(total);
  out.expected *= factor;
  out.lower *= factor;
  out.upper *= factor;
  for (std::size_t j = 0; j < out.per_joint.size(); ++j) {
    JointForecast& joint = out.per_joint[j];
    if (!joint.expected) continue;
    const double own = lowered(joints[j]);
    joint.expected = *joint.expected * own;
    joint.rms *= own;
    if (joint.upper) joint.upper = *joint.upper * own;
  }
  return out;
}

NextForecastOutcome next_forecast(const Study& study, const std::vector<FoldedRun>& files,
                                  const MatrixXd& information, const StudyOptions& options) {
  if (has_friction_forms(study.drive_spec) || study.gains || !study.payloads.empty() || study.elastic)
    return {{}, "folds are not enough for friction forms, drive gains, loads and springs"};
  if (!study.drive_spec.columns.empty() || study.drive_spec.offset_per_run)
    return {{}, "what a run shows of `columns` and of offsets of single runs is not planned"};
  const Study folds = of_folds(study, files);
  StudyClock clock(options);
  const Setup setup = open({&folds, &options, &clock});
  Runs runs = open_runs(setup);
  Folded folded;
  folded.runs = fold_runs(setup, runs, {});
  const Fit fit = fit_rows(setup, runs, folded.runs);
  const HeldOutCheck held = cross_validate_runs(setup, folded, fit);
  const Forecasts found = forecast_errors(setup, folded, fit, {}, held.refits, {});
  if (!found.summary) return {{}, "the runs so far are too short to leave groups of blocks out"};
  NextForecast out;
  out.now = found.summary->typical;
  const std::vector<std::string> names = lead_names(setup.base);
  const ParameterSpread spread = spread_of(found.summary->spread);
  weigh_typical(setup, typical_motions(setup, fit.estimated), spread, names, out);
  learn(spread, names, information, out);
  return {std::move(out), ""};
}

}  // namespace steelyard
