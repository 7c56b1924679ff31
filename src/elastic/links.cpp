// Link positions and motor torques only: variable projection over κ.
//
//   τ_j = Σ_k (Y_jk + ν_j Ẏ_jk + κ_j Ÿ_jk) π_k + B_j q̈_j + friction_j
//
// For given κ, ν that is a linear problem; the tangents Ÿ_j π and Ẏ_j π give the step of both (Kaufman's form
// of variable projection). The cost is Σ rows · log rms over joints: the likelihood with each joint's own
// standard deviation. It has a wide valley, so that a grid over one κ for all joints, with ν = 0, gives the
// start.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "elastic/fit.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/log/run.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// κ = 1/ω² of the motor on its spring: 5 Hz to 500 Hz.
constexpr double kLargestKappa = 1e-3;
constexpr double kSmallestKappa = 1e-7;
constexpr int kGridPoints = 17;
constexpr double kLargestFactor = 3;  // by which κ changes in an iteration
constexpr int kHalvings = 12;

// By joint; both zero for stiff ones.
struct KappaShape {
  VectorXd kappa, nu;
};

class KappaRows {
 public:
  explicit KappaRows(const ElasticModel& model) : model_(model) {}

  // `tangents_at`: with the tangents at these parameters; null: without.
  std::vector<Fold> at(std::span<const Fold> folds, const KappaShape& shape,
                       const Estimate* tangents_at) const {
    std::vector<Fold> out;
    for (const Fold& fold : folds) {
      const std::size_t j = joint_of(model_, fold);
      const auto i = static_cast<Index>(j);
      const std::vector<std::string> names = link_columns(model_, j);
      std::vector<ColumnTerm> columns = same_terms(names);
      for (const std::string& name : names) {
        columns.push_back({name, derived(name, 1), shape.nu[i]});
        columns.push_back({name, derived(name, 2), shape.kappa[i]});
      }
      for (const ColumnTerm& term : motor_terms(j)) columns.push_back(term);
      if (tangents_at != nullptr && model_.is_elastic[j])
        for (const int order : {1, 2})
          for (const ColumnTerm& term : tangent(*tangents_at, j, order)) columns.push_back(term);
      out.push_back(recombine(fold, row(j), columns, {{"", std::string(channel::kTorque)}}));
    }
    return out;
  }

  // Ẏ π and Ÿ π, of which ν and κ take multiples.
  std::vector<ColumnTerm> tangent(const Estimate& links, std::size_t j, int order) const {
    const std::vector<std::string> names = link_columns(model_, j);
    const VectorXd values = values_of(links, names);
    const std::string to = numbered(order == 1 ? "nu" : "kappa", j);
    std::vector<ColumnTerm> terms;
    for (std::size_t k = 0; k < names.size(); ++k)
      terms.push_back({to, derived(names[k], order), values[static_cast<Index>(k)]});
    return terms;
  }

  std::string row(std::size_t j) const { return "torque:" + model_.names[j]; }

  KappaShape shape(double kappa) const {
    const auto n = static_cast<Index>(model_.names.size());
    KappaShape out{VectorXd::Zero(n), VectorXd::Zero(n)};
    for (Index j = 0; j < n; ++j)
      if (model_.is_elastic[static_cast<std::size_t>(j)]) out.kappa[j] = kappa;
    return out;
  }

 private:
  const ElasticModel& model_;
};

double kappa_cost(const Estimate& estimate) {
  double cost = 0;
  for (const Residual& residual : estimate.per_row)
    cost += static_cast<double>(residual.rows) * std::log(std::max(residual.rms, 1e-300));
  return cost;
}

struct KappaProjection {
  KappaShape shape;
  Estimate links;
  double cost = 0;
};

KappaProjection project_kappa(const KappaRows& rows, const std::vector<Fold>& all, const KappaShape& shape,
                              const EstimateOptions& options) {
  KappaProjection out{shape, estimate(rows.at(all, shape, nullptr), options), 0};
  out.cost = kappa_cost(out.links);
  return out;
}

KappaProjection best_of_grid(const KappaRows& rows, const std::vector<Fold>& all,
                             const EstimateOptions& options) {
  KappaProjection best;
  for (int g = 0; g < kGridPoints; ++g) {
    const double share = static_cast<double>(g) / (kGridPoints - 1);
    const double kappa = kSmallestKappa * std::pow(kLargestKappa / kSmallestKappa, share);
    KappaProjection here = project_kappa(rows, all, rows.shape(kappa), options);
    if (g == 0 || here.cost < best.cost) best = std::move(here);
  }
  return best;
}

// One step of all κ and ν, shortened until the cost does not rise; the largest relative change of a κ.
double improve_kappa(const ElasticModel& model, const KappaRows& rows, const std::vector<Fold>& all,
                     const EstimateOptions& options, KappaProjection& at) {
  const Estimate step = estimate(rows.at(all, at.shape, &at.links), options);
  std::vector<std::string> kappas, nus;
  for (std::size_t j = 0; j < model.names.size(); ++j) {
    kappas.push_back(numbered("kappa", j));
    nus.push_back(numbered("nu", j));
  }
  const VectorXd kappa_step = values_of(step, kappas), nu_step = values_of(step, nus);
  double share = 1;
  for (int h = 0; h < kHalvings; ++h, share /= 2) {
    KappaShape shape = at.shape;
    double moved = 0;
    for (Index j = 0; j < kappa_step.size(); ++j) {
      if (!model.is_elastic[static_cast<std::size_t>(j)]) continue;
      const double before = at.shape.kappa[j];
      shape.kappa[j] =
          std::clamp(before + share * kappa_step[j], before / kLargestFactor, before * kLargestFactor);
      shape.nu[j] += share * nu_step[j];
      moved = std::max(moved, std::abs(shape.kappa[j] / before - 1));
    }
    KappaProjection next = project_kappa(rows, all, shape, options);
    if (!(next.cost <= at.cost)) continue;
    at = std::move(next);
    return moved;
  }
  return 0;
}

// K = B/κ; its standard deviation from those of both and their covariance.
std::optional<ElasticValue> stiffness_of(const ElasticModel& model, const ElasticFit& fit, std::size_t j) {
  const Index b = fit.estimate.find(numbered("B", j)), k = fit.estimate.find(numbered("kappa", j));
  const ElasticJoint& joint = fit.joints[j];
  if (b < 0 || k < 0 || !joint.motor_inertia || !joint.kappa) return std::nullopt;
  const double B = joint.motor_inertia->value, kappa = joint.kappa->value;
  ElasticValue out{B / kappa, {}, {}};
  const MatrixXd& C = fit.intervals.covariance;
  const double variance = C(b, b) / (B * B) + C(k, k) / (kappa * kappa) - 2 * C(b, k) / (B * kappa);
  if (!std::isfinite(variance) || variance < 0 || !(fit.intervals.sigma[k] > 0)) return out;
  // The interval of κ gives the number of standard deviations of the level; that of 1/K is symmetric, as κ's is.
  const double width = (*joint.kappa->upper - kappa) / fit.intervals.sigma[k];
  const double half = width * std::sqrt(variance);
  out.lower = out.value / (1 + half);
  if (half < 1) out.upper = out.value / (1 - half);
  require(model.is_elastic[j], "only springs have a stiffness");
  return out;
}

void describe_kappa(const ElasticModel& model, const KappaRows& rows, std::span<const Fold> all,
                    const KappaProjection& at, std::size_t j, ElasticFit& fit) {
  ElasticJoint& out = fit.joints[j];
  put_motor(fit, j, out);
  if (!model.is_elastic[j]) return;
  // The tangent's own value is zero at the minimum; its interval is that of κ about κ.
  if (auto tangent = value_with_interval(fit.estimate, fit.intervals, numbered("kappa", j))) {
    const double kappa = at.shape.kappa[static_cast<Index>(j)], off = tangent->value;
    out.kappa = ElasticValue{kappa, {}, {}};
    if (tangent->lower) out.kappa->lower = kappa + *tangent->lower - off;
    if (tangent->upper) out.kappa->upper = kappa + *tangent->upper - off;
  }
  std::vector<ColumnTerm> part = rows.tangent(at.links, j, 2);
  for (ColumnTerm& term : part) term.factor *= at.shape.kappa[static_cast<Index>(j)];
  out.deflection = rms_about_mean(all, part, numbered("one", j));
  const double rms = row_rms(fit.estimate, rows.row(j));
  out.snr = rms > 0 ? out.deflection / rms : 0;
  if (out.kappa && out.kappa->upper) out.stiffness = stiffness_of(model, fit, j);
}

void judge_kappa(const ElasticModel& model, std::size_t j, ElasticFit& fit) {
  const ElasticJoint& out = fit.joints[j];
  if (!out.stiffness || !out.stiffness->lower)
    return refuse_joint(fit, j, "the motion does not excite the spring at all");
  if (!(out.snr >= model.options.min_snr))
    return refuse_joint(
        fit, j,
        fmt::format("the spring's part of the torque, {:.2g}, exceeds the residual by a factor of "
                    "only {:.2g}, below {:.3g}",
                    out.deflection, out.snr, model.options.min_snr));
  const ElasticValue &K = *out.stiffness, &kappa = *out.kappa;
  if (!(*kappa.lower > 0) || !K.upper || !(out.motor_inertia->value > 0))
    return refuse_joint(fit, j, fmt::format("the interval of K = {:.3g} is wider than K itself", K.value));
  if (!fit.converged)
    return refuse_joint(fit, j, fmt::format("it did not converge in {} iterations", fit.iterations));
  fit.joints[j].identifiable = true;
}

}  // namespace

ElasticFit fit_link_positions(const ElasticModel& model, const ElasticFolds& given) {
  ElasticFit fit;
  fit.equations = ElasticEquations::links;
  const KappaRows rows(model);
  const std::vector<std::vector<Fold>> by_joint = totals(model, given);
  const std::vector<Fold> all = together(by_joint);
  const EstimateOptions options = elastic_estimate_options(model.options);
  KappaProjection at = best_of_grid(rows, all, options);
  for (fit.iterations = 1; fit.iterations <= model.options.max_iterations; ++fit.iterations) {
    fit.converged = improve_kappa(model, rows, all, options, at) <= model.options.tolerance;
    if (fit.converged) break;
  }
  const std::vector<Fold> blocks = rows.at(given.folds, at.shape, &at.links);
  fit.estimate = estimate(blocks, elastic_estimate_options(model.options, true));
  fit.intervals = elastic_intervals(model, fit.estimate, blocks, given.effective_share);
  for (std::size_t j = 0; j < model.names.size(); ++j) {
    ElasticJoint& joint = fit.joints.emplace_back();
    joint.name = model.names[j];
    joint.is_elastic = model.is_elastic[j];
    describe_kappa(model, rows, by_joint[j], at, j, fit);
    if (joint.is_elastic) judge_kappa(model, j, fit);
  }
  return fit;
}

}  // namespace steelyard
