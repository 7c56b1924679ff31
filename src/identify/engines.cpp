#include "identify/engines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "identify/extra_columns.hpp"
#include "steelyard/engines/module.hpp"
#include "steelyard/identify/export_result.hpp"
#include "steelyard/log/whole_run.hpp"
#include "steelyard/validate/engine_check.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

double value_in(const Result& model, const std::string& column) {
  const auto found = std::find_if(model.base.begin(), model.base.end(),
                                  [&](const BaseValue& base) { return base.name == column; });
  return found != model.base.end() ? found->value : 0;
}

// Columns of the study beside bodies and drives, with the model's values, and what is known beforehand.
MatrixXd other_efforts(const Setup& setup, const StudyRun& run, const Result& model,
                       const SampleBlock& block) {
  MatrixXd efforts = MatrixXd::Zero(block.size(), static_cast<Index>(setup.plan.rows.size()));
  const auto add = [&](const std::vector<ExtraColumns>& groups, bool known) {
    if (groups.empty()) return;
    const MatrixXd X = evaluate_columns(groups, block, 0, block.size());
    Index k = 0;
    for (const ExtraColumns& group : groups)
      for (const ExtraColumn& column : group.columns)
        efforts.col(column.row) += (known ? 1 : value_in(model, column.name)) * X.col(k++);
  };
  add(run_columns(setup, run), false);
  add(known_efforts(setup, run), true);
  return efforts;
}

EngineLog engine_log(const Setup& setup, const OpenRun& run, const Result& model, const SampleBlock& block) {
  const Preparation& preparation = run.prepared->preparation();
  const auto rows = static_cast<Index>(setup.plan.rows.size());
  EngineLog log;
  log.run = run.label();
  log.step = preparation.grid.step;
  log.filter = preparation.column_filter;
  log.trim = std::min(preparation.decimation.trim, (block.size() - 1) / 2);
  log.position.resize(block.size(), rows);
  log.effort.resize(block.size(), rows);
  for (Index r = 0; r < rows; ++r) {
    const Index joint = setup.plan.rows[static_cast<std::size_t>(r)].i;
    std::copy_n(block.row(block.find(channel::kPosition), joint), block.size(), log.position.col(r).data());
    std::copy_n(block.row(block.find(channel::kTorque), joint), block.size(), log.effort.col(r).data());
  }
  log.effort -= other_efforts(setup, *run.run, model, block);
  return log;
}

}  // namespace

void require_engines(const Job& job, const Result& model) {
  for (const EngineKind kind : job.options->engines) static_cast<void>(open_module(kind));
  if (!job.options->engines.empty()) feasible_model(study_robot(*job.study), model);
}

EngineRuns check_engines(const Setup& setup, const Runs& runs, const Result& model) {
  EngineRuns out;
  if (setup.options().engines.empty()) return out;
  const ExportModel bodies = feasible_model(setup.robot, model);
  for (const OpenRun& run : runs) {
    if (!run.prepared) {
      out.unavailable.push_back(fmt::format("engines[{}]: the run consists of folds", run.label()));
      continue;
    }
    const SampleBlock block = whole_run(*run.prepared);
    if (block.find(channel::kTorque) < 0 || setup.gains) {
      out.unavailable.push_back(fmt::format("engines[{}]: the run logs no torque", run.label()));
      continue;
    }
    const EngineLog log = engine_log(setup, run, model, block);
    for (const EngineKind kind : setup.options().engines)
      setup.clock().time(fmt::format("engine {}", to_string(kind)), [&] {
        out.checks.push_back(check_engine(kind, setup.robot, bodies.parameters, log));
      });
  }
  return out;
}

}  // namespace steelyard
