#include "identify/checks.hpp"

#include <algorithm>
#include <utility>

#include "identify/extra_columns.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/elastic/elastic.hpp"
#include "steelyard/simulate/elastic.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Columns that are the same in all runs belong to the links; offsets of single runs are left out.
std::vector<ExtraColumns> columns_of_links(const Setup& setup, const StudyRun& run) {
  std::vector<ExtraColumns> columns = run_columns(setup, run);
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

ElasticJoints identify_elastic_joints(const Setup& setup) {
  ElasticJoints out;
  const Study& study = setup.study();
  if (!study.elastic) return out;
  setup.clock().time("elastic joints", [&] {
    ElasticOptions options = study.elastic->options;
    options.seed = study.seed;
    options.threads = setup.threads();
    std::optional<ElasticModel> model;
    ElasticFolds folds;
    for (const StudyRun& run : study.runs) {
      if (run.file.label.role != RunRole::fit) continue;
      std::unique_ptr<SampleSource> source = open_study_run(run, setup.robot);
      if (!model) {
        options.extra = columns_of_links(setup, run);
        model = elastic_model(setup.robot, source->channels(), options);
      }
      PreparedRun prepared(elastic_source(std::move(source), *model), run.file.label,
                           elastic_preparation(of_run(setup, run, setup.prepare), *model));
      PassOptions pass;
      pass.known = known_efforts(setup, run);
      fold_elastic(prepared, *model, folds, std::move(pass));
    }
    const ElasticFit fit = fit_elastic(*model, folds);
    out.summary = elastic_summary_of(*model, fit);
    out.findings = fit.findings;
    out.passes = 2;
  });
  return out;
}

}  // namespace steelyard
