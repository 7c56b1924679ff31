#include "identify/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/extra_columns.hpp"
#include "identify/forecast_spread.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kMotions = 8, kStates = 60;  // of each
constexpr double kPeriod = 10;             // [s]

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

SampleBlock typical_states(const Robot& robot) {
  const RandomMotion motion = typical_motion(robot);
  SampleBlock out(
      {std::string(channel::kPosition), std::string(channel::kVelocity), std::string(channel::kAcceleration)},
      motion.center.size(), Index{kMotions} * kStates);
  for (int m = 0; m < kMotions; ++m) {
    const Trajectory trajectory(random_multi_sine(motion, static_cast<std::uint64_t>(m) + 1));
    for (int s = 0; s < kStates; ++s) {
      const JointState state = trajectory.at(kPeriod * (s + 0.5) / kStates);
      const VectorXd* channels[] = {&state.q, &state.qd, &state.qdd};
      for (int c = 0; c < 3; ++c)
        for (Index j = 0; j < out.joints(); ++j) out.row(c, j)[m * kStates + s] = (*channels[c])[j];
    }
  }
  return out;
}

// One row a state, not a number where an expression has no value.
MatrixXd columns_at(const std::vector<ExtraColumns>& extra, const SampleBlock& states) {
  std::size_t columns = 0;
  for (const ExtraColumns& group : extra) columns += group.columns.size();
  MatrixXd out(states.size(), static_cast<Index>(columns));
  for (Index s = 0; s < states.size(); ++s) {
    Index next = 0;
    try {
      for (const ExtraColumns& group : extra) {
        std::vector<double*> to;
        for (std::size_t k = 0; k < group.columns.size(); ++k) to.push_back(&out(s, next++));
        group.fill(states, s, 1, to.data());
      }
    } catch (const InputError&) {
      out.row(s).setConstant(std::nan(""));
    }
  }
  return out;
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
  const auto put = [](const MatrixXd& part, std::vector<SpreadDirection>& directions) {
    for (Index k = 0; k < part.cols(); ++k)
      directions.push_back({std::vector<double>(part.col(k).begin(), part.col(k).end())});
  };
  put(spread.scatter, out.scatter);
  put(spread.expected, out.expected);
  put(spread.changes, out.changes);
  for (const RowNoise& row : spread.noise) out.noise[row.row] = row.rms;
  return out;
}

}  // namespace

std::vector<Fold> typical_motions(const Setup& setup, const Estimate& estimate) {
  const SampleBlock states = typical_states(setup.robot);
  const std::vector<ExtraColumns> extra = all_columns(setup, StudyRun());
  const MatrixXd X = columns_at(extra, states);
  std::vector<Index> rows;  // of the layouts, one per extra column
  for (const ExtraColumns& group : extra)
    for (const ExtraColumn& column : group.columns) rows.push_back(column.row);
  std::vector<Index> kept;  // an expression may have no value where the log was not
  for (Index s = 0; s < states.size(); ++s)
    if (X.row(s).allFinite()) kept.push_back(s);
  std::vector<MatrixXd> values;
  const std::vector<Layout> layouts = with_extra_columns(study_layouts(setup), extra);
  for (const Layout& layout : layouts)
    values.push_back(MatrixXd::Zero(static_cast<Index>(kept.size()), layout.size()));
  const auto state = [&](std::string_view name, Index s) {
    VectorXd out(states.joints());
    for (Index j = 0; j < out.size(); ++j) out[j] = states.row(states.find(name), j)[s];
    return out;
  };
  const Plan& plan = setup.plan;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const Index s = kept[k], at = static_cast<Index>(k);
    const MatrixXd Y = regressor(plan, state(channel::kPosition, s), state(channel::kVelocity, s),
                                 state(channel::kAcceleration, s));
    for (std::size_t r = 0; r < layouts.size(); ++r) {
      Index next = 0;
      for (const int c : plan.rows[r].columns) values[r](at, next++) = Y(static_cast<Index>(r), c);
      for (std::size_t c = 0; c < rows.size(); ++c)
        if (rows[c] == static_cast<Index>(r)) values[r](at, next++) = X(s, static_cast<Index>(c));
      require(next + 1 == layouts[r].size(), "a row has its plan's columns, its extra ones and an effort");
    }
  }
  std::vector<Fold> folds;
  for (std::size_t r = 0; r < layouts.size(); ++r) {
    const auto columns = static_cast<Index>(layouts[r].columns.size());
    VectorXd own = VectorXd::Zero(columns);
    for (Index c = 0; c < columns; ++c)
      if (const Index found = estimate.find(layouts[r].columns[static_cast<std::size_t>(c)]); found >= 0)
        own[c] = estimate.values[found];
    values[r].col(columns) = values[r].leftCols(columns) * own;
    folds.emplace_back(layouts[r]).add(values[r]);
  }
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
  const ResidualSummary mean = summary(&ForecastRow::mean), expected = summary(&ForecastRow::expected),
                        upper = summary(&ForecastRow::upper);
  MotionForecast out;
  out.expected = out.lower = out.upper = mean.prepared;
  // The total's own distribution, not the sum of the joints'.
  const ForecastRow* total = nullptr;
  for (const ForecastRow& row : found.totals)
    if (total == nullptr || row.rows > total->rows) total = &row;
  if (total != nullptr && total->effort > 0 && total->mean > 0) {
    out.expected = mean.prepared * total->expected / total->mean;
    out.lower = mean.prepared * total->lower / total->mean;
    out.upper = mean.prepared * total->upper / total->mean;
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
  out.changes = matrix(summary.changes);
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
  const HeldOut held = held_out_groups(folded.runs, setup.study().cross.value_or(CrossOptions()));
  const std::vector<Fold> typical = typical_motions(setup, fit.estimated);
  if (typical.empty() || typical.front().rows() == 0) return out;  // no expression has a value there
  const ParameterSpread spread = spread_of_estimate(setup, held, fit, refits, typical);
  ForecastSummary& summary = out.summary.emplace();
  summary.groups = static_cast<int>(refits.groups);
  summary.typical = motion_forecast(setup, typical, spread);
  summary.spread = summary_of(spread);
  out.estimate = forecast_runs(setup, folded, spread);
  if (!feasible || feasible_refits.size() < 2) return out;
  const ParameterSpread links =
      spread_of_links(setup, folded, held, fit, *feasible, feasible_refits, typical);
  const std::vector<Fold> by_links =
      typical_motions(setup, with_feasible_values(setup, fit.estimated, *feasible));
  summary.feasible_typical = motion_forecast(setup, by_links, links);
  summary.feasible_spread = summary_of(links);
  out.links = forecast_runs(setup, folded, links);
  return out;
}

}  // namespace steelyard
