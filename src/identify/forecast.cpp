#include "identify/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/summary.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kMotions = 8, kStates = 60;  // of each
constexpr double kPeriod = 10;             // [s]
constexpr double kKept = 0.999;            // of the expected part's squares
// By how much bodies differ from the reference, in its own size.
constexpr double kTrustOfFile = 0.3, kTrustOfUniform = 1;
constexpr double kFrictionChanges = 0.1;  // from day to day, with temperature

RandomMotion typical_motion(const Robot& robot) {
  RandomMotion motion;
  motion.period = kPeriod;
  const Coordinates c = coordinates(robot);
  const auto n = static_cast<Index>(c.joints.size());
  motion.center = motion.reach = motion.velocity = motion.acceleration = VectorXd::Zero(n);
  for (Index j = 0; j < n; ++j) {
    const Joint& joint = robot.joints[static_cast<std::size_t>(c.joints[static_cast<std::size_t>(j)])];
    const bool turns = joint.kind == JointKind::revolute;
    const Limits& limits = joint.limits;
    const bool bounded = std::isfinite(limits.lower) && std::isfinite(limits.upper);
    const double free = turns ? 2.0 : 0.2, half = bounded ? (limits.upper - limits.lower) / 2 : free;
    motion.center[j] = bounded ? (limits.upper + limits.lower) / 2 : 0;
    motion.reach[j] = std::max(1e-3, 0.9 * std::min(half, turns ? 3.0 : 10.0));
    motion.velocity[j] = std::min(limits.velocity, turns ? 2.0 : 0.5);
    motion.acceleration[j] = std::min(limits.acceleration, 4 * motion.velocity[j]);
  }
  return motion;
}

// Second derivatives of D(P ‖ P⁰) at P⁰ by the ten parameters: tr(P⁰⁻¹ E_k P⁰⁻¹ E_l).
Eigen::MatrixXd divergence_hessian(const Vector10& reference) {
  const Eigen::Matrix4d P = Inertia::from_standard(reference).pseudo_inertia();
  const Eigen::Matrix4d inverse = P.inverse();
  std::vector<Eigen::Matrix4d> parts;
  for (int k = 0; k < 10; ++k)
    parts.push_back(inverse * Eigen::Matrix4d(Inertia::from_standard(Vector10::Unit(k)).pseudo_inertia()));
  Eigen::MatrixXd out(10, 10);
  for (int k = 0; k < 10; ++k)
    for (int l = 0; l < 10; ++l)
      out(k, l) = (parts[static_cast<std::size_t>(k)] * parts[static_cast<std::size_t>(l)]).trace();
  return out;
}

struct ReferenceSpread {
  Eigen::MatrixXd hessian;  // G, of all columns; zero for those that belong to no link
  Eigen::MatrixXd root;     // G^(1/2) κ, columns of links only
  Eigen::MatrixXd inverse;  // G^(−1/2) κ
};

ReferenceSpread reference_spread(const Reference& reference, const Quantities& quantities) {
  const Index n = quantities.size(), standard = quantities.standard_count();
  ReferenceSpread out{Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(n, standard),
                      Eigen::MatrixXd::Zero(n, standard)};
  for (int link = 0; link < quantities.links(); ++link) {
    const Index at = Index{10} * link;
    const bool file = reference.links[static_cast<std::size_t>(link)] == ReferenceKind::file;
    const double trust = file ? kTrustOfFile : kTrustOfUniform;
    const Eigen::MatrixXd G = divergence_hessian(reference.x.segment<10>(at));
    const SymmetricEigen eigen = symmetric_eigen(G);
    const Eigen::VectorXd root = eigen.values.cwiseMax(1e-300).cwiseSqrt();
    out.hessian.block(at, at, 10, 10) = G;
    out.root.block(at, at, 10, 10) = trust * eigen.vectors * root.asDiagonal();
    out.inverse.block(at, at, 10, 10) = trust * eigen.vectors * root.cwiseInverse().asDiagonal();
  }
  return out;
}

// lead_values() as a matrix.
Eigen::MatrixXd lead_matrix(const std::vector<std::string>& wanted, const BaseParameters& base,
                            const Quantities& quantities) {
  Eigen::MatrixXd out(static_cast<Index>(wanted.size()), quantities.size());
  for (Index k = 0; k < quantities.size(); ++k)
    out.col(k) = lead_values(wanted, base, quantities, VectorXd::Unit(quantities.size(), k));
  return out;
}

// What no row of the estimate shows.
MatrixXd unseen_of_estimate(const Setup& setup, const Estimate& estimate) {
  if (estimate.rank >= static_cast<Index>(estimate.columns.size()) || estimate.factor.rows() == 0) return {};
  const MatrixXd R = estimate.factor.columns();
  const std::vector<std::string>& columns = estimate.factor.layout().columns;
  const Quantities quantities = quantities_of(setup.robot, setup.base, estimate.factor);
  const Objective plain = torque_objective(estimate.factor, setup.base, quantities);
  const Reference reference = reference_bodies(setup.robot, quantities, plain);
  const ReferenceSpread spread = reference_spread(reference, quantities);
  const Eigen::MatrixXd M = lead_matrix(columns, setup.base, quantities);
  Eigen::MatrixXd all(M.rows(), spread.inverse.cols() + 1);
  all << M * reference.x, M * spread.inverse;
  const VectorXd norm = R.colwise().norm();
  const VectorXd scale = (norm.array() > 0).select(norm, 1).cwiseInverse();
  const ShortestSolution solution(R * scale.asDiagonal());
  const Eigen::MatrixXd scaled = scale.cwiseInverse().asDiagonal() * all;
  const Eigen::MatrixXd seen = solution.solve(Eigen::MatrixXd(R * all));
  const MatrixXd unseen = scale.asDiagonal() * (scaled - seen);
  MatrixXd out = MatrixXd::Zero(static_cast<Index>(estimate.columns.size()), unseen.cols());
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (const Index at = estimate.find(columns[k]); at >= 0) out.row(at) = unseen.row(static_cast<Index>(k));
  return out;
}

// By how much the pull errs.
MatrixXd unseen_of_links(const Setup& setup, const Estimate& estimate, const FeasibleModel& feasible) {
  const Quantities quantities(setup.robot, feasible.columns);
  const ReferenceSpread spread = reference_spread(feasible.reference, quantities);
  const Objective& objective = feasible.objective;
  const double weight = std::max(feasible.pull.weight, 1e-14) * objective.effort();
  Eigen::MatrixXd A = 2 * objective.R.transpose() * objective.R + weight * spread.hessian;
  const VectorXd diagonal = A.diagonal();
  const VectorXd scale = (diagonal.array() > 0).select(diagonal, 1).cwiseSqrt().cwiseInverse();
  A = scale.asDiagonal() * A * scale.asDiagonal();
  A.diagonal().array() += 1e-14;
  const Eigen::MatrixXd moved =
      scale.asDiagonal() * Cholesky(A).solve(Eigen::MatrixXd(weight * scale.asDiagonal() * spread.root));
  return lead_matrix(estimate.columns, setup.base, quantities) * moved;
}

// Friction on another day: each of its values varies by a share; one that was not seen is as large as others of
// its kind.
MatrixXd friction_spread(const Estimate& estimate) {
  std::vector<std::pair<Index, double>> found;
  for (const std::string stem : {"fv", "fc"}) {
    const auto is_own = [&](std::size_t k) {
      const std::string& name = estimate.columns[k];
      return name.size() > 2 && name.starts_with(stem) && name[2] >= '0' && name[2] <= '9';
    };
    double squares = 0;
    int count = 0;
    for (std::size_t k = 0; k < estimate.columns.size(); ++k)
      if (is_own(k) && estimate.column_status[k] == ColumnStatus::determined) {
        squares += std::pow(estimate.values[static_cast<Index>(k)], 2);
        ++count;
      }
    const double usual = count > 0 ? std::sqrt(squares / count) : 0;
    for (std::size_t k = 0; k < estimate.columns.size(); ++k)
      if (is_own(k))
        found.emplace_back(static_cast<Index>(k),
                           estimate.column_status[k] == ColumnStatus::determined
                               ? kFrictionChanges * std::abs(estimate.values[static_cast<Index>(k)])
                               : usual);
  }
  MatrixXd out =
      MatrixXd::Zero(static_cast<Index>(estimate.columns.size()), static_cast<Index>(found.size()));
  for (std::size_t k = 0; k < found.size(); ++k) out(found[k].first, static_cast<Index>(k)) = found[k].second;
  return out;
}

MatrixXd side_by_side(const MatrixXd& a, const MatrixXd& b) {
  if (a.cols() == 0) return b;
  MatrixXd out(a.rows(), a.cols() + b.cols());
  out << a, b;
  return out;
}

std::vector<RowNoise> noise_of(const std::vector<Residual>& per_row) {
  std::vector<RowNoise> out;
  for (const Residual& row : per_row) out.push_back({row.row, row.rms});
  return out;
}

// The few directions that matter on typical motions.
MatrixXd condensed(const MatrixXd& expected, const std::vector<std::string>& columns,
                   const std::vector<Fold>& typical, const std::vector<RowNoise>& noise) {
  if (expected.cols() == 0) return expected;
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(expected.cols(), expected.cols());
  for (const Fold& fold : typical) {
    double weight = 1;
    for (const RowNoise& row : noise)
      if (row.row == fold.layout().row && row.rms > 0) weight = 1 / row.rms;
    MatrixXd own = MatrixXd::Zero(static_cast<Index>(fold.layout().columns.size()), expected.cols());
    for (Index c = 0; c < own.rows(); ++c) {
      const auto at =
          std::find(columns.begin(), columns.end(), fold.layout().columns[static_cast<std::size_t>(c)]);
      if (at != columns.end()) own.row(c) = expected.row(at - columns.begin());
    }
    const MatrixXd moved = weight * fold.columns() * own;
    K += moved.transpose() * moved;
  }
  const SymmetricEigen eigen = symmetric_eigen(K);
  const double total = eigen.values.sum();
  Index kept = 0;
  for (double sum = 0; kept < eigen.values.size() && sum < kKept * total; ++kept)
    sum += eigen.values[eigen.values.size() - 1 - kept];
  return expected * eigen.vectors.rightCols(kept);
}

std::vector<Residual> residuals_of_links(const Setup& setup, const Folded& folded, const Estimate& estimate,
                                         const FeasibleModel& feasible) {
  const Estimate links = with_feasible_values(setup, estimate, feasible);
  return residuals(fit_folds(folded.runs), links.columns, links.values).per_row;
}

std::vector<std::optional<MotionForecast>> forecast_runs(const Setup& setup, const Folded& folded,
                                                         const ParameterSpread& spread) {
  std::vector<std::optional<MotionForecast>> out;
  for (const RunRows& run : folded.runs) {
    out.emplace_back();
    if (!run.is_fit()) out.back() = motion_forecast(setup, run.folds.folds.total(), spread);
  }
  return out;
}

SpreadSummary summary_of(const ParameterSpread& spread) {
  SpreadSummary out;
  out.columns = spread.columns;
  for (const auto* part : {&spread.scatter, &spread.expected})
    for (Index k = 0; k < part->cols(); ++k)
      (part == &spread.scatter ? out.scatter : out.expected)
          .push_back({std::vector<double>(part->col(k).begin(), part->col(k).end())});
  for (const RowNoise& row : spread.noise) out.noise[row.row] = row.rms;
  return out;
}

}  // namespace

std::vector<Fold> typical_motions(const Setup& setup, const Estimate& estimate) {
  const Plan& plan = setup.plan;
  const VectorXd values = values_for(plan, estimate);
  const std::vector<Layout> layouts = study_layouts(setup);
  std::vector<MatrixXd> rows;
  for (const Layout& layout : layouts)
    rows.push_back(MatrixXd::Zero(Index{kMotions} * kStates, layout.size()));
  const RandomMotion motion = typical_motion(setup.robot);
  for (int m = 0; m < kMotions; ++m) {
    const Trajectory trajectory(random_multi_sine(motion, static_cast<std::uint64_t>(m) + 1));
    for (int s = 0; s < kStates; ++s) {
      const JointState state = trajectory.at(kPeriod * (s + 0.5) / kStates);
      const MatrixXd Y = regressor(plan, state.q, state.qd, state.qdd);
      const VectorXd effort = Y * values;
      for (std::size_t r = 0; r < layouts.size(); ++r) {
        const auto row = static_cast<Index>(r);
        MatrixXd& own = rows[r];
        const Index at = Index{m} * kStates + s;
        for (std::size_t c = 0; c < layouts[r].columns.size(); ++c) {
          const auto found = std::find(plan.columns.begin(), plan.columns.end(), layouts[r].columns[c]);
          if (found != plan.columns.end())
            own(at, static_cast<Index>(c)) = Y(row, found - plan.columns.begin());
        }
        own(at, own.cols() - 1) = effort[row];
      }
    }
  }
  std::vector<Fold> folds;
  for (std::size_t r = 0; r < layouts.size(); ++r) folds.emplace_back(layouts[r]).add(rows[r]);
  return folds;
}

MotionForecast motion_forecast(const Setup& setup, std::span<const Fold> motion,
                               const ParameterSpread& spread) {
  const Forecast found = forecast(motion, spread);
  const auto summary = [&](double ForecastRow::*part) {
    std::vector<Residual> rows;
    for (const ForecastRow& row : found.per_row) {
      Residual& own = rows.emplace_back();
      own.row = row.row;
      own.unit = row.unit;
      own.rows = row.rows;
      own.norm = row.*part;
      own.effort = row.effort;
      own.relative = row.effort > 0 ? own.norm / row.effort : 0;
      own.rms = own.norm / std::sqrt(static_cast<double>(std::max<Index>(1, row.rows)));
    }
    return residual_summary(rows, setup.plan, setup.robot);
  };
  const ResidualSummary expected = summary(&ForecastRow::expected), upper = summary(&ForecastRow::upper);
  MotionForecast out;
  out.expected = out.lower = out.upper = expected.prepared;
  // The total's own interval, not the sum of the joints'.
  const ForecastRow* total = nullptr;
  for (const ForecastRow& row : found.totals)
    if (total == nullptr || row.rows > total->rows) total = &row;
  if (total != nullptr && total->effort > 0 && total->expected > 0) {
    out.lower = expected.prepared * total->lower / total->expected;
    out.upper = expected.prepared * total->upper / total->expected;
  }
  for (std::size_t j = 0; j < expected.per_joint.size(); ++j)
    out.per_joint.push_back({expected.per_joint[j].name, expected.per_joint[j].rms,
                             expected.per_joint[j].prepared, upper.per_joint[j].prepared});
  return out;
}

ParameterSpread spread_of(const SpreadSummary& summary) {
  ParameterSpread out;
  out.columns = summary.columns;
  const auto columns = static_cast<Index>(summary.columns.size());
  const auto matrix = [&](const std::vector<SpreadDirection>& directions) {
    MatrixXd all(columns, static_cast<Index>(directions.size()));
    for (std::size_t k = 0; k < directions.size(); ++k) {
      if (static_cast<Index>(directions[k].values.size()) != columns)
        throw InputError(
            {fmt::format("a direction of the result's forecast has {} values", directions[k].values.size()),
             {},
             fmt::format("{}, one per column", columns),
             "identify the model again"});
      all.col(static_cast<Index>(k)) = Eigen::Map<const VectorXd>(directions[k].values.data(), columns);
    }
    return all;
  };
  out.scatter = matrix(summary.scatter);
  out.expected = matrix(summary.expected);
  for (const auto& [row, rms] : summary.noise) out.noise.push_back({row, rms});
  return out;
}

Forecasts forecast_errors(const Setup& setup, const Folded& folded, const Fit& fit,
                          const std::optional<FeasibleModel>& feasible, const CrossValidation& refits,
                          const std::vector<VectorXd>& feasible_refits) {
  Forecasts out;
  out.estimate.resize(folded.runs.size());
  out.links.resize(folded.runs.size());
  if (refits.values.size() < 2) return out;
  const Estimate& estimate = fit.estimated;
  ParameterSpread spread;
  spread.columns = refits.columns;
  spread.scatter = jackknife(refits.values);
  spread.noise = noise_of(estimate.per_row);
  const std::vector<Fold> typical = typical_motions(setup, estimate);
  if (estimate.columns == refits.columns)
    spread.expected = condensed(side_by_side(unseen_of_estimate(setup, estimate), friction_spread(estimate)),
                                estimate.columns, typical, spread.noise);
  ForecastSummary& summary = out.summary.emplace();
  summary.groups = static_cast<int>(refits.groups);
  summary.typical = motion_forecast(setup, typical, spread);
  summary.spread = summary_of(spread);
  out.estimate = forecast_runs(setup, folded, spread);
  if (!feasible || feasible_refits.size() < 2) return out;
  const Quantities quantities(setup.robot, feasible->columns);
  const Eigen::MatrixXd M = lead_matrix(estimate.columns, setup.base, quantities);
  const Estimate by_feasible = with_feasible_values(setup, estimate, *feasible);
  ParameterSpread links;
  links.columns = estimate.columns;
  links.scatter = M * jackknife(feasible_refits);
  links.noise = noise_of(residuals_of_links(setup, folded, estimate, *feasible));
  links.expected =
      condensed(side_by_side(unseen_of_links(setup, estimate, *feasible), friction_spread(by_feasible)),
                links.columns, typical, links.noise);
  const std::vector<Fold> by_links = typical_motions(setup, by_feasible);
  summary.feasible_typical = motion_forecast(setup, by_links, links);
  summary.feasible_spread = summary_of(links);
  out.links = forecast_runs(setup, folded, links);
  return out;
}

}  // namespace steelyard
