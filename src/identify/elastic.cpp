#include "identify/elastic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "identify/extra_columns.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/simulate/elastic.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

ElasticSummary elastic_summary_of(const ElasticModel& model, const ElasticFit& fit) {
  ElasticSummary out;
  out.equations = to_string(fit.equations);
  out.converged = fit.converged;
  out.iterations = fit.iterations;
  out.joints = fit.joints;
  std::vector<std::string> names;
  for (const BaseParameter& parameter : model.base.base) names.push_back(parameter.lead);
  for (const ExtraColumns& extra : model.options.extra)
    for (const ExtraColumn& column : extra.columns) names.push_back(column.name);
  for (const std::string& name : names)
    if (const auto value = elastic_value(fit, name)) out.links.push_back({name, *value});
  return out;
}

// Folds of all fit runs, with `sign` times the noise of the encoders more.
ElasticFolds fold_elastic_runs(const Setup& setup, const ElasticModel& model, double sign) {
  ElasticFolds folds;
  for (const StudyRun& run : setup.study().runs) {
    if (run.file.label.role != RunRole::fit) continue;
    std::unique_ptr<SampleSource> source =
        disturbed_encoders(open_study_run(run, setup.robot), sign, setup.study().seed);
    PreparedRun prepared(elastic_source(std::move(source), model), run.file.label,
                         elastic_preparation(of_run(setup, run, setup.prepare), model));
    PassOptions pass;
    pass.known = known_efforts(setup, run);
    fold_elastic(prepared, model, folds, std::move(pass));
  }
  return folds;
}

// What a column of the study's fit is of the elastic one's: coefficients; empty: the equations do not give it.
VectorXd in_elastic_columns(const Setup& setup, const ElasticJoints& elastic, const std::string& column) {
  const Estimate& from = elastic.fit.estimate;
  VectorXd out = VectorXd::Zero(static_cast<Index>(from.columns.size()));
  // The motors have their own columns, and so have expressions.
  const auto add = [&](const std::string& name, double factor) {
    const Index k = from.find(name.starts_with("Ia") ? "B" + name.substr(2) : name);
    if (k < 0 || from.column_status[static_cast<std::size_t>(k)] != ColumnStatus::determined) return false;
    out[k] += factor;
    return true;
  };
  const auto& leads = setup.base.base;
  const auto row = std::find_if(leads.begin(), leads.end(),
                                [&](const BaseParameter& parameter) { return parameter.lead == column; });
  if (row == leads.end()) return add(column, 1) ? out : VectorXd();
  // The links' part is a combination of their base parameters: its coefficients are those at the leads.
  const BaseParameters& links = elastic.model.base;
  const VectorXd own = setup.base.K.row(row - leads.begin());
  VectorXd left = VectorXd::Zero(static_cast<Index>(links.columns.size()));
  for (std::size_t c = 0; c < setup.base.columns.size(); ++c) {
    const double factor = own[static_cast<Index>(c)];
    if (factor == 0) continue;
    const auto found = std::find(links.columns.begin(), links.columns.end(), setup.base.columns[c]);
    if (found != links.columns.end())
      left[found - links.columns.begin()] = factor;
    else if (!add(setup.base.columns[c], factor))
      return {};
  }
  const double size = left.cwiseAbs().maxCoeff();
  for (std::size_t b = 0; b < links.lead.size(); ++b) {
    const double factor = left[links.lead[b]];
    if (factor == 0) continue;
    if (!add(links.base[b].lead, factor)) return {};
    left -= factor * links.K.row(static_cast<Index>(b)).transpose();
  }
  constexpr double kRounding = 1e-6;  // K holds it to about 1e-10 of its entries
  return left.cwiseAbs().maxCoeff() <= kRounding * size ? out : VectorXd();
}

// The largest number of standard deviations of an interval's half among the columns with a part.
double half_in_sigmas(const Intervals& found, const Estimate& estimate, const VectorXd& part) {
  double most = 0;
  for (Index k = 0; k < part.size(); ++k)
    if (part[k] != 0 && found.sigma[k] > 0)
      most = std::max(most, (found.upper[k] - estimate.values[k]) / found.sigma[k]);
  return most;
}

bool has_biased_part(const ElasticFit& fit, const VectorXd& part) {
  return std::any_of(fit.biased.begin(), fit.biased.end(), [&](const std::string& name) {
    const Index k = fit.estimate.find(name);
    return k >= 0 && part[k] != 0;
  });
}

// [R | R x] with RᵀR = C⁻¹ on what is determined: the estimate as rows of unit variance.
Fold rows_of(const Fold& like, const MatrixXd& covariance, const VectorXd& values) {
  const Index n = values.size();
  const VectorXd sigma = covariance.diagonal().cwiseSqrt();
  const VectorXd scale = (sigma.array() > 0).select(sigma.cwiseInverse(), 0);
  const SymmetricEigen parts = symmetric_eigen(scale.asDiagonal() * covariance * scale.asDiagonal());
  MatrixXd rows = MatrixXd::Zero(n, n + 1);
  const double least =
      static_cast<double>(n) * std::numeric_limits<double>::epsilon() * parts.values.maxCoeff();
  for (Index k = 0; k < n; ++k)
    if (parts.values[k] > least)
      rows.row(k).head(n) =
          (parts.vectors.col(k).cwiseProduct(scale) / std::sqrt(parts.values[k])).transpose();
  rows.col(n) = rows.leftCols(n) * values;
  return fold_rows(like.shared_layout(), rows, like.rows());
}

// The motors' equation has all of these, so that the robot must have them.
void require_motor_terms(const Setup& setup, const ElasticModel& model) {
  const std::vector<std::string>& columns = setup.base.columns;
  for (std::size_t j = 0; j < model.names.size(); ++j)
    for (const char* stem : {"Ia", "fv", "fc", "fo"})
      if (std::find(columns.begin(), columns.end(), stem + std::to_string(j + 1)) == columns.end())
        throw InputError(
            {fmt::format("the drive of joint '{}' has no {}, which motors on springs have", model.names[j],
                         std::string_view(stem) == "Ia" ? "rotor inertia" : stem),
             {setup.study().path, 0, 0, ""},
             "rotor inertia, viscous, Coulomb and offset terms",
             "set `drives: {friction: [viscous, coulomb, offset], rotor_inertia: true}`"});
}

}  // namespace

std::optional<ElasticJoints> identify_elastic_joints(const Setup& setup) {
  const Study& study = setup.study();
  if (!study.elastic) return std::nullopt;
  return setup.clock().time("elastic joints", [&] {
    ElasticJoints out;
    ElasticOptions options = study.elastic->options;
    options.seed = study.seed;
    options.threads = setup.threads();
    options.bias_check = study.intervals.bias_check;
    const auto fitted = std::find_if(study.runs.begin(), study.runs.end(),
                                     [](const StudyRun& run) { return run.file.label.role == RunRole::fit; });
    options.extra = run_columns(setup, *fitted);
    out.model = elastic_model(setup.robot, open_study_run(*fitted, setup.robot)->channels(), options);
    require_motor_terms(setup, out.model);
    out.fit = fit_elastic(out.model, [&](double sign) { return fold_elastic_runs(setup, out.model, sign); });
    out.summary = elastic_summary_of(out.model, out.fit);
    constexpr int kNoise = 2;  // encoders of which the noise is read
    out.passes = options.bias_check ? 6 + 2 * kNoise : 2;
    return out;
  });
}

Uncertainty with_springs(const Setup& setup, const ElasticJoints& elastic, Fit& fit) {
  const ElasticFit& found = elastic.fit;
  Estimate& out = fit.estimated;
  const auto n = static_cast<Index>(out.columns.size());
  MatrixXd parts = MatrixXd::Zero(n, found.estimate.values.size());
  Uncertainty spread;
  spread.bias.emplace();
  spread.bias->bias = VectorXd::Zero(n);
  spread.bias->biased.assign(out.columns.size(), false);
  for (Index k = 0; k < n; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const VectorXd part = in_elastic_columns(setup, elastic, out.columns[i]);
    out.column_status[i] = part.size() > 0 ? ColumnStatus::determined : ColumnStatus::dependent;
    if (part.size() > 0) parts.row(k) = part;
    spread.bias->biased[i] = part.size() > 0 && has_biased_part(found, part);
  }
  const auto carry = [&](const MatrixXd& covariance) {
    return MatrixXd(parts * covariance * parts.transpose());
  };
  out.values = parts * found.estimate.values;
  out.covariance = carry(found.estimate.covariance);
  out.sigma = out.covariance.diagonal().cwiseSqrt();
  spread.intervals = found.intervals;
  spread.intervals.covariance = carry(found.intervals.covariance);
  spread.intervals.sigma = spread.intervals.covariance.diagonal().cwiseSqrt();
  spread.intervals.sigma_classical = out.sigma;
  spread.intervals.lower = spread.intervals.upper = out.values;
  for (Index k = 0; k < n; ++k) {
    if (out.column_status[static_cast<std::size_t>(k)] != ColumnStatus::determined)
      out.sigma[k] = spread.intervals.sigma[k] = std::numeric_limits<double>::infinity();
    const double half =
        half_in_sigmas(found.intervals, found.estimate, parts.row(k)) * spread.intervals.sigma[k];
    spread.intervals.lower[k] -= half;
    spread.intervals.upper[k] += half;
  }
  out.relative_sigma = out.sigma.cwiseQuotient(out.values.cwiseAbs());
  out.factor = rows_of(out.factor, spread.intervals.covariance, out.values);
  out.sigma_rows = 1;
  Residuals now = residuals(fit.folds, out.columns, out.values);
  for (std::size_t k = 0; k < out.per_row.size() && k < now.per_row.size(); ++k)
    now.per_row[k].sigma = out.per_row[k].sigma;
  out.per_row = std::move(now.per_row);
  out.totals = std::move(now.totals);
  fit.with_springs = true;
  fit.findings = found.findings;
  fit.estimator.method = "irls";
  fit.estimator.iterations = found.iterations;
  fit.estimator.converged = found.converged;
  return spread;
}

}  // namespace steelyard
