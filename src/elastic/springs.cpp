// Equations with motor positions or torque sensors: the measured deflection is predicted.
//
// Rows at the current (π0, x0), all in N·m; x = k/K with a natural stiffness k of each joint, so that a
// spring that the data contradict (x ≤ 0) does not stop the iteration:
//   deflection   k (θ−q) + x0 Y π0 = x0 Y π + (Y π0) x + do      do = k δ0
//   total        τ   = Y π + B θ̈ + friction                     motors_and_links
//   sensor       τ_J = Y π                                       elastic_torque
//   motor        τ − τ_J = B θ̈ + friction                        elastic_torque with τ
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "elastic/fit.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/log/run.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kSmallestCompliance = 0.01;  // of the natural one: below, changes count against this
constexpr double kWidestInterval = 1;         // half of it over K: wider is not identifiable

const std::string kMotorTorque(channel::kTorque);
const std::string kSensor(channel::kElasticTorque);

// By joint.
struct Springs {
  VectorXd natural;  // k
  VectorXd x;
  Estimate links;  // holds π0
};

class SpringRows {
 public:
  SpringRows(const ElasticModel& model, const ElasticFolds& rows) : model_(model), rows_(rows) {}

  // [Y | −(θ−q) | 1] with zero effort, [θ̈, friction, θ−q] = τ: plain least squares.
  std::vector<Fold> plain(std::span<const Fold> folds) const;
  std::vector<Fold> linear(std::span<const Fold> folds) const {
    std::vector<Fold> out;
    for (const Fold& fold : folds) add_linear(fold, joint_of(model_, fold), out);
    return out;
  }
  // Rows that are linear whatever K is.
  void add_linear(const Fold& fold, std::size_t j, std::vector<Fold>& out) const;
  std::vector<Fold> linearized(std::span<const Fold> folds, const Springs& at) const;
  bool has_spring(std::size_t j) const { return model_.has_theta && model_.is_elastic[j]; }
  // (Y π0) from the folded columns.
  std::vector<ColumnTerm> link_effort(const Estimate& links, std::size_t j, const std::string& to) const;

 private:
  void add_offset(const Fold& fold, std::size_t j, std::vector<ColumnTerm>& columns) const {
    if (!model_.options.deflection_offset) return;
    for (ColumnTerm& term : offset_terms(rows_, fold, "do", j)) columns.push_back(std::move(term));
  }

  const ElasticModel& model_;
  const ElasticFolds& rows_;
};

std::string spring_row(const ElasticModel& model, const char* kind, std::size_t j) {
  return fmt::format("{}:{}", kind, model.names[j]);
}

std::vector<ColumnTerm> SpringRows::link_effort(const Estimate& links, std::size_t j,
                                                const std::string& to) const {
  const std::vector<std::string> names = link_columns(model_, j);
  const VectorXd values = values_of(links, names);
  std::vector<ColumnTerm> terms;
  for (std::size_t k = 0; k < names.size(); ++k)
    terms.push_back({to, names[k], values[static_cast<Index>(k)]});
  return terms;
}

void SpringRows::add_linear(const Fold& fold, std::size_t j, std::vector<Fold>& out) const {
  const std::vector<ColumnTerm> links = same_terms(link_columns(model_, j));
  if (model_.options.equations == ElasticEquations::motors_and_links) {
    std::vector<ColumnTerm> all = links;
    for (const ColumnTerm& term : motor_terms(j)) all.push_back(term);
    out.push_back(recombine(fold, spring_row(model_, "total", j), all, {{"", kMotorTorque}}));
    return;
  }
  out.push_back(recombine(fold, spring_row(model_, "sensor", j), links, {{"", kSensor}}));
  if (model_.has_torque)
    out.push_back(recombine(fold, spring_row(model_, "motor", j), motor_terms(j),
                            {{"", kMotorTorque}, {"", kSensor, -1}}));
}

std::vector<Fold> SpringRows::plain(std::span<const Fold> folds) const {
  std::vector<Fold> out;
  for (const Fold& fold : folds) {
    const std::size_t j = joint_of(model_, fold);
    if (!has_spring(j) || model_.options.equations != ElasticEquations::motors_and_links) {
      add_linear(fold, j, out);
      continue;
    }
    const std::string spring = numbered("K", j);
    std::vector<ColumnTerm> links = same_terms(link_columns(model_, j)), motor = motor_terms(j);
    links.push_back({spring, spring});
    add_offset(fold, j, links);
    motor.push_back({spring, spring, -1});
    out.push_back(recombine(fold, spring_row(model_, "link", j), links, {}));
    out.push_back(recombine(fold, spring_row(model_, "motor", j), motor, {{"", kMotorTorque}}));
  }
  return out;
}

std::vector<Fold> SpringRows::linearized(std::span<const Fold> folds, const Springs& at) const {
  std::vector<Fold> out;
  for (const Fold& fold : folds) {
    const std::size_t j = joint_of(model_, fold);
    add_linear(fold, j, out);
    if (!has_spring(j)) continue;
    const double x = at.x[static_cast<Index>(j)];
    std::vector<ColumnTerm> columns;
    for (const std::string& name : link_columns(model_, j)) columns.push_back({name, name, x});
    std::vector<ColumnTerm> effort = link_effort(at.links, j, numbered("x", j));
    columns.insert(columns.end(), effort.begin(), effort.end());
    add_offset(fold, j, columns);
    if (model_.options.encoder_delay)
      columns.push_back({numbered("dt", j), numbered("fv", j), at.natural[static_cast<Index>(j)]});
    for (ColumnTerm& term : effort) term.factor *= x;
    effort.push_back({"", numbered("K", j), -at.natural[static_cast<Index>(j)]});
    out.push_back(recombine(fold, spring_row(model_, "deflection", j), columns, effort));
  }
  return out;
}

// K of the deflection that an effort gives, by plain regression.
double sensor_regression(const ElasticModel& model, const ElasticFolds& rows, std::span<const Fold> runs,
                         std::size_t j, const std::string& effort) {
  const std::string spring = numbered("K", j);
  std::vector<Fold> springs;
  for (const Fold& fold : runs) {
    std::vector<ColumnTerm> columns = offset_terms(rows, fold, "do", j);
    columns.insert(columns.begin(), {spring, spring, -1});
    springs.push_back(recombine(fold, "spring", columns, {{"", effort}}));
  }
  return estimate(springs, elastic_estimate_options(model.options)).values[0];
}

// A stiffness that forces and deflections of this size suggest.
double natural_stiffness(std::span<const Fold> runs, std::size_t j, const std::string& effort) {
  const std::string one = numbered("one", j);
  const double bend = rms_about_mean(runs, {{"", numbered("K", j)}}, one);
  const double force = rms_about_mean(runs, {{"", effort}}, one);
  return bend > 0 && force > 0 ? force / bend : 1;
}

// Gauss-Newton on the joints' totals.
Springs iterate_springs(const ElasticModel& model, const SpringRows& rows, const std::vector<Fold>& all,
                        Springs at, ElasticFit& fit) {
  const EstimateOptions options = elastic_estimate_options(model.options);
  for (fit.iterations = 1; fit.iterations <= model.options.max_iterations; ++fit.iterations) {
    at.links = estimate(rows.linearized(all, at), options);
    double change = 0;
    for (std::size_t j = 0; j < model.names.size(); ++j) {
      const Index k = at.links.find(numbered("x", j));
      if (k < 0 || at.links.column_status[static_cast<std::size_t>(k)] != ColumnStatus::determined) continue;
      double& x = at.x[static_cast<Index>(j)];
      change =
          std::max(change, std::abs(at.links.values[k] - x) / std::max(std::abs(x), kSmallestCompliance));
      x = at.links.values[k];
    }
    fit.converged = change <= model.options.tolerance;
    if (fit.converged) break;
  }
  return at;
}

void judge_joint(const ElasticModel& model, std::size_t j, ElasticFit& fit) {
  ElasticJoint& out = fit.joints[j];
  if (!out.stiffness)
    return refuse_joint(fit, j, "the deflection does not follow the torque of the links at all");
  if (!(out.snr >= model.options.min_snr))
    return refuse_joint(
        fit, j,
        fmt::format("the deflection of {:.2g} exceeds its residual by a factor of only {:.2g}, "
                    "below {:.3g}",
                    out.deflection, out.snr, model.options.min_snr));
  const ElasticValue& K = *out.stiffness;
  if (!K.lower || !K.upper || *K.upper - *K.lower > 2 * kWidestInterval * K.value)
    return refuse_joint(fit, j,
                        fmt::format("the interval of K = {:.3g} is open or wider than K itself", K.value));
  if (out.motor_bracket && (*K.upper < out.motor_bracket->first || *K.lower > out.motor_bracket->second))
    return refuse_joint(
        fit, j,
        fmt::format("the motor equation alone gives {:.3g} to {:.3g}, both equations {:.3g} to {:.3g}: "
                    "the model does not hold",
                    out.motor_bracket->first, out.motor_bracket->second, *K.lower, *K.upper));
  if (!fit.converged)
    return refuse_joint(fit, j, fmt::format("it did not converge in {} iterations", fit.iterations));
  out.identifiable = true;
}

void describe_joint(const ElasticModel& model, const SpringRows& rows, std::span<const Fold> all,
                    const Springs& at, std::size_t j, ElasticFit& fit) {
  ElasticJoint& out = fit.joints[j];
  put_motor(fit, j, out);
  if (out.is_elastic && !model.has_theta) out.reason = "the log has no motor positions";
  if (!rows.has_spring(j)) return;
  const std::string one = numbered("one", j);
  const double k = at.natural[static_cast<Index>(j)], x = at.x[static_cast<Index>(j)];
  out.deflection = rms_about_mean(all, {{"", numbered("K", j)}}, one);
  const double rms = row_rms(fit.estimate, spring_row(model, "deflection", j));
  const double explained = rms_about_mean(all, rows.link_effort(at.links, j, ""), one);
  out.snr = rms > 0 ? std::abs(x) * explained / rms : 0;
  if (const auto delay = value_with_interval(fit.estimate, fit.intervals, numbered("dt", j)))
    out.encoder_delay = delay->value;
  const auto found = value_with_interval(fit.estimate, fit.intervals, numbered("x", j));
  if (!found || !(x > 0)) return;
  out.stiffness = ElasticValue{k / x, {}, {}};
  if (found->upper && *found->upper > 0) out.stiffness->lower = k / *found->upper;
  if (found->lower && *found->lower > 0) out.stiffness->upper = k / *found->lower;
}

// Links from the rows without springs; springs from the motor equation alone, or the torque sensors.
Springs start_springs(const ElasticModel& model, const SpringRows& rows, const ElasticFolds& given,
                      const std::vector<std::vector<Fold>>& by_joint, const std::vector<Fold>& all,
                      ElasticFit& fit) {
  EstimateOptions options = elastic_estimate_options(model.options);
  const auto n = static_cast<Index>(model.names.size());
  Springs at{VectorXd::Ones(n), VectorXd::Ones(n), estimate(rows.linear(all), options)};
  // Weights by residuals would let the link rows, whose effort is zero, vanish together with K.
  options.weighting = Weighting::none;
  const Estimate plain = estimate(rows.plain(all), options);
  const bool both = model.options.equations == ElasticEquations::motors_and_links;
  for (std::size_t j = 0; j < model.names.size(); ++j) {
    ElasticJoint& joint = fit.joints.emplace_back();
    joint.name = model.names[j];
    joint.is_elastic = model.is_elastic[j];
    const std::vector<Fold>& runs = by_joint[j];
    if (!rows.has_spring(j) || count_rows(runs) == 0) continue;
    joint.least_squares =
        both ? values_of(plain, {numbered("K", j)})[0] : sensor_regression(model, given, runs, j, kSensor);
    MotorSpring motor;
    if (model.has_torque) motor = motor_spring(model, j, given);
    joint.motor_bracket = motor.bracket;
    const double natural = natural_stiffness(runs, j, both ? kMotorTorque : kSensor);
    at.natural[static_cast<Index>(j)] = natural;
    const double guess = !both                                   ? *joint.least_squares
                         : motor.direct > 0 && motor.reverse > 0 ? std::sqrt(motor.direct * motor.reverse)
                                                                 : natural;
    if (guess > kSmallestCompliance * natural) at.x[static_cast<Index>(j)] = natural / guess;
  }
  return at;
}

}  // namespace

ElasticFit fit_springs(const ElasticModel& model, const ElasticFolds& given) {
  ElasticFit fit;
  fit.equations = model.options.equations;
  const SpringRows rows(model, given);
  const std::vector<std::vector<Fold>> by_joint = totals(model, given);
  const std::vector<Fold> all = together(by_joint);
  Springs at = start_springs(model, rows, given, by_joint, all, fit);
  at = iterate_springs(model, rows, all, at, fit);
  const std::vector<Fold> blocks = rows.linearized(given.folds, at);
  fit.estimate = estimate(blocks, elastic_estimate_options(model.options, true));
  fit.intervals = elastic_intervals(model, fit.estimate, blocks, given.effective_share);
  for (std::size_t j = 0; j < model.names.size(); ++j) {
    describe_joint(model, rows, by_joint[j], at, j, fit);
    if (rows.has_spring(j)) judge_joint(model, j, fit);
  }
  return fit;
}

}  // namespace steelyard
