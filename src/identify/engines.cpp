#include "identify/engines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "identify/extra_columns.hpp"
#include "steelyard/engines/module.hpp"
#include "steelyard/identify/export_result.hpp"
#include "steelyard/log/whole_run.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

double value_in(const Result& model, const std::string& column) {
  const auto found = std::find_if(model.base.begin(), model.base.end(),
                                  [&](const BaseValue& base) { return base.name == column; });
  return found != model.base.end() ? found->value : 0;
}

// Columns of the study beside bodies and drives, with the model's values, and what is known beforehand.
MatrixXd other_efforts(const StudyState& state, const StudyRun& run, const Result& model,
                       const SampleBlock& block) {
  MatrixXd efforts = MatrixXd::Zero(block.size(), static_cast<Index>(state.plan.rows.size()));
  const auto add = [&](const std::vector<ExtraColumns>& groups, bool known) {
    if (groups.empty()) return;
    const MatrixXd X = evaluate_columns(groups, block, 0, block.size());
    Index k = 0;
    for (const ExtraColumns& group : groups)
      for (const ExtraColumn& column : group.columns)
        efforts.col(column.row) += (known ? 1 : value_in(model, column.name)) * X.col(k++);
  };
  add(run_columns(state, run), false);
  add(known_efforts(state, run), true);
  return efforts;
}

EngineLog engine_log(const StudyState& state, RunState& run, const Result& model, const SampleBlock& block) {
  const Preparation& preparation = run.prepared->preparation();
  const auto rows = static_cast<Index>(state.plan.rows.size());
  EngineLog log;
  log.run = run.label();
  log.step = preparation.grid.step;
  log.filter = preparation.column_filter;
  log.trim = std::min(preparation.decimation.trim, (block.size() - 1) / 2);
  log.position.resize(block.size(), rows);
  log.effort.resize(block.size(), rows);
  for (Index r = 0; r < rows; ++r) {
    const Index joint = state.plan.rows[static_cast<std::size_t>(r)].i;
    std::copy_n(block.row(block.find(channel::kPosition), joint), block.size(), log.position.col(r).data());
    std::copy_n(block.row(block.find(channel::kTorque), joint), block.size(), log.effort.col(r).data());
  }
  log.effort -= other_efforts(state, *run.run, model, block);
  return log;
}

}  // namespace

void require_engines(const StudyState& state, const Result& model) {
  for (const EngineKind kind : state.options.engines) static_cast<void>(open_module(kind));
  if (!state.options.engines.empty()) feasible_model(state.robot, model);
}

void check_engines(StudyState& state, const Result& model) {
  if (state.options.engines.empty()) return;
  const ExportModel bodies = feasible_model(state.robot, model);
  for (RunState& run : state.runs) {
    if (!run.prepared) {
      state.result.unavailable.push_back(fmt::format("engines[{}]: the run is folds", run.label()));
      continue;
    }
    const SampleBlock block = whole_run(*run.prepared);
    if (run.signs || block.find(channel::kTorque) < 0 || state.gains) {
      state.result.unavailable.push_back(fmt::format("engines[{}]: the run logs no torque", run.label()));
      continue;
    }
    const EngineLog log = engine_log(state, run, model, block);
    for (const EngineKind kind : state.options.engines)
      state.clock.time(fmt::format("engine {}", to_string(kind)), [&] {
        state.result.engines.push_back(check_engine(kind, state.robot, bodies.parameters, log));
      });
  }
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
