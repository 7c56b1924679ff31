#include "identify/elastic.hpp"

#include <algorithm>
#include <utility>

#include "identify/extra_columns.hpp"
#include "identify/state.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/elastic/elastic.hpp"
#include "steelyard/simulate/elastic.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// Columns that are the same in all runs belong to the links; offsets of single runs are left out.
std::vector<ExtraColumns> columns_of_links(const StudyState& state, const StudyRun& run) {
  std::vector<ExtraColumns> columns = run_columns(state, run);
  std::erase_if(columns, [](const ExtraColumns& extra) {
    return std::any_of(extra.columns.begin(), extra.columns.end(),
                       [](const ExtraColumn& column) { return column.name.find('@') != std::string::npos; });
  });
  return columns;
}

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

}  // namespace

void identify_elastic_joints(StudyState& state) {
  if (!state.study.elastic) return;
  state.clock.time("elastic joints", [&] {
    ElasticOptions options = state.study.elastic->options;
    options.seed = state.study.seed;
    options.threads = state.options.threads;
    std::optional<ElasticModel> model;
    ElasticFolds folds;
    for (const StudyRun& run : state.study.runs) {
      if (run.file.label.role != RunRole::fit) continue;
      std::unique_ptr<SampleSource> source = open_study_run(run, state.robot);
      if (!model) {
        options.extra = columns_of_links(state, run);
        model = elastic_model(state.robot, source->channels(), options);
      }
      PreparedRun prepared(elastic_source(std::move(source), *model), run.file.label,
                           elastic_preparation(state.prepare, *model));
      PassOptions pass;
      pass.known = known_efforts(state, run);
      fold_elastic(prepared, *model, folds, std::move(pass));
    }
    const ElasticFit fit = fit_elastic(*model, folds);
    state.result.elastic = elastic_summary_of(*model, fit);
    state.findings.insert(state.findings.end(), fit.findings.begin(), fit.findings.end());
    state.extra_passes += 2;
  });
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
