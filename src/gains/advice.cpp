#include "steelyard/gains/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gains/spread.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/estimate/intervals.hpp"
#include "steelyard/simulate/simulate.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr const char* kCandidate = "candidate";
constexpr Index kFarBlock = 1000000;     // number of the second run's first block
constexpr double kNothingKnown = 1e-14;  // eigenvalues of the scaled information below are zero

struct AdvisedRun {
  GainRun folds;
  double share = 1;  // of independent values among the rows
  double power = 1;  // of white noise that the filter leaves
};

AdvisedRun advised_run(const Robot& robot, const TrueParameters& nominal, const Trajectory& motion,
                       const Inertia* load, const CurrentRows& rows, const AdviceOptions& options,
                       Index first_block) {
  SimulateOptions simulated;
  simulated.label.label = load ? "loaded" : "unloaded";
  simulated.label.payload = load ? kCandidate : "";
  simulated.rate = options.rate;
  simulated.effort = EffortChannel::current;
  simulated.acceleration = true;
  simulated.check_limits = false;
  if (load) simulated.payload = *load;
  const Run run = simulate(robot, nominal, motion, simulated);
  PrepareOptions prepare;
  prepare.column_filter.cutoff = options.cutoff;
  PreparedRun prepared(view_run(run), run.label, prepare);
  AdvisedRun out;
  out.folds = gain_run(rows, fold_currents(prepared, rows), run.label, first_block);
  const LowPass& filter = *prepared.preparation().column_filter;
  out.power = effective_share(filter, 1);
  out.share = effective_share(filter, prepared.preparation().decimation.factor);
  return out;
}

// Nominal value of a column of the robot: standard, drive and pair parameters. Other forms of friction than
// the linear one have no column.
double nominal_value(const Robot& robot, const TrueParameters& nominal, const std::string& column) {
  const std::vector<std::string> names = standard_parameter_names(robot);
  const auto found = std::find(names.begin(), names.end(), column);
  if (found != names.end()) return nominal.standard[found - names.begin()];
  const std::size_t digits = column.find_first_of("0123456789");
  const std::string stem = column.substr(0, digits);
  const int number = std::stoi(column.substr(digits));
  for (std::size_t p = 0; p < nominal.pairs.size(); ++p) {
    if (robot.pairs[p].partner + 1 != number) continue;
    if (stem == "Iam") return nominal.pairs[p].rotor_inertia;
    if (stem == "fvm") return nominal.pairs[p].viscous;
    if (stem == "fcm") return nominal.pairs[p].coulomb;
  }
  if (nominal.drives.empty()) return 0;
  const Drive& drive = nominal.drives[static_cast<std::size_t>(number - 1)];
  if (stem == "Ia") return drive.rotor_inertia;
  if (stem == "fv") return drive.friction.viscous;
  if (stem == "fc") return drive.friction.coulomb;
  return stem == "fo" ? drive.friction.offset : 0;
}

// The parameters the runs were made with, as a fit.
GainFit nominal_fit(const GainProblem& problem, const BaseParameters& base, const Robot& robot,
                    const TrueParameters& nominal, const Inertia& load) {
  GainFit fit = empty_fit(problem, GainMethod::prediction_error);
  VectorXd standard(static_cast<Index>(base.columns.size()));
  for (std::size_t k = 0; k < base.columns.size(); ++k)
    standard[static_cast<Index>(k)] = nominal_value(robot, nominal, base.columns[k]);
  put_values(problem.leads, base.K * standard, fit);
  put_values(load_columns(kCandidate), load.to_standard(), fit);
  const std::vector<int> joints = coordinates(robot).joints;
  for (Index j = 0; j < fit.gains; ++j)
    fit.values[j] = nominal.drives.empty()
                        ? 1
                        : nominal.drives[static_cast<std::size_t>(joints[static_cast<std::size_t>(j)])].gain;
  return fit;
}

// JᵀJ of the rows of one run, each joint's divided by the standard deviation that its noise has behind the
// filter, for as many rows as are independent.
void add_information(const GainProblem& all, const AdvisedRun& run, const GainFit& at, double noise,
                     Eigen::MatrixXd& information) {
  GainProblem one = all;
  one.runs = {run.folds};
  const CurrentResidual currents = current_residual(one, at);
  for (const Fold& row : linearized_rows(one, at, true)) {
    const Index j = at.find(row.layout().columns[0]);
    const double rms = currents.current[j] / std::sqrt(currents.rows[j]);
    const double variance = noise * noise * rms * rms * run.power;
    const MatrixXd J = row.columns();
    std::vector<Index> places;
    for (const std::string& column : row.layout().columns) places.push_back(at.find(column));
    information(places, places) += run.share / variance * (J.transpose() * J);
  }
}

// Square roots of the diagonal of the inverse; infinite where the matrix is singular.
VectorXd deviations_of(const Eigen::MatrixXd& information) {
  const Eigen::VectorXd scale =
      information.diagonal().cwiseSqrt().unaryExpr([](double d) { return d > 0 ? 1 / d : 0; });
  const SymmetricEigen eigen = symmetric_eigen(scale.asDiagonal() * information * scale.asDiagonal());
  VectorXd out = VectorXd::Zero(information.rows());
  for (Index k = 0; k < information.rows(); ++k) {
    double sum = scale[k] > 0 ? 0 : kInfinity;
    for (Index e = 0; e < information.rows() && std::isfinite(sum); ++e) {
      const double share = eigen.vectors(k, e) * eigen.vectors(k, e);
      const double value = eigen.values[e];
      if (value > kNothingKnown)
        sum += share / value;
      else if (share > kNothingKnown)
        sum = kInfinity;
    }
    out[k] = scale[k] * std::sqrt(sum);
  }
  return out;
}

}  // namespace

void AdviceOptions::validate() const {
  if (rate > 0 && cutoff > 0 && current_noise > 0 && max_relative_sigma > 0 && std::isfinite(rate)) return;
  throw InputError(
      {fmt::format("advice with rate {}, cut-off {}, noise {}, largest relative standard deviation {}", rate,
                   cutoff, current_noise, max_relative_sigma),
       {},
       "positive numbers",
       {}});
}

std::vector<GainAdvice> advise_gains(const Robot& robot, const TrueParameters& nominal,
                                     const Trajectory& unloaded, const Trajectory& loaded,
                                     const Inertia& load, const AdviceOptions& options) {
  options.validate();
  BaseOptions quiet;
  quiet.expressions = false;
  const BaseParameters base = base_parameters(robot, quiet);
  const CurrentRows rows = current_rows(robot, base);
  const std::vector<AdvisedRun> runs = {advised_run(robot, nominal, unloaded, nullptr, rows, options, 0),
                                        advised_run(robot, nominal, loaded, &load, rows, options, kFarBlock)};
  const Load candidate =
      options.ten_known ? known_load(kCandidate, load) : weighed_load(kCandidate, load.mass());
  const GainProblem problem = gain_problem(rows, {candidate}, {runs[0].folds, runs[1].folds});
  validate(problem);
  const GainFit at = nominal_fit(problem, base, robot, nominal, load);
  Eigen::MatrixXd information = Eigen::MatrixXd::Zero(at.values.size(), at.values.size());
  for (const AdvisedRun& run : runs) add_information(problem, run, at, options.current_noise, information);
  const VectorXd sigma = deviations_of(information);
  std::vector<GainAdvice> advice;
  for (Index j = 0; j < at.gains; ++j) {
    const double relative = sigma[j] / std::abs(at.values[j]);
    advice.push_back(
        {problem.joints[static_cast<std::size_t>(j)], relative, relative <= options.max_relative_sigma});
  }
  return advice;
}

}  // namespace steelyard
