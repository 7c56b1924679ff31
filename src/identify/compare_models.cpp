// Several models on the same fresh runs: the table of their mean square errors.
#include "steelyard/core/error.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

std::vector<double> squares(const ResidualSummary& residual) {
  std::vector<double> mse;
  for (const JointResidual& joint : residual.per_joint) mse.push_back(joint.rms * joint.rms);
  return mse;
}

// Runs without residuals of this kind are skipped.
template <typename Pick>
void add_errors(const std::string& model, const char* parameters, const Result& result, const Pick& pick,
                std::vector<ModelErrors>& comparison) {
  ModelErrors set{model, parameters, {}, {}};
  for (const RunValidation& run : result.validation)
    if (const ResidualSummary* residual = pick(run)) set.runs.push_back({run.run, squares(*residual)});
  if (set.runs.empty()) return;
  set.mse.assign(set.runs.front().mse.size(), 0);
  for (const RunSquares& run : set.runs)
    for (std::size_t j = 0; j < set.mse.size(); ++j)
      set.mse[j] += run.mse[j] / static_cast<double>(set.runs.size());
  comparison.push_back(std::move(set));
}

}  // namespace

StudyOutcome compare_models(const Study& study, const std::vector<NamedModel>& models,
                            const StudyOptions& options) {
  require(!models.empty(), "comparison of no models");
  StudyOutcome first;
  std::vector<ModelErrors> comparison;
  for (std::size_t k = 0; k < models.size(); ++k) {
    StudyOutcome outcome = validate_study(study, models[k].result, options);
    add_errors(
        models[k].name, models[k].parameters.c_str(), outcome.result,
        [](const RunValidation& run) { return &run.residual; }, comparison);
    add_errors(
        models[k].name, "links", outcome.result,
        [](const RunValidation& run) { return run.feasible ? &*run.feasible : nullptr; }, comparison);
    if (k == 0) first = std::move(outcome);
  }
  if (comparison.size() > 1) first.result.comparison = std::move(comparison);
  return first;
}

}  // namespace steelyard
