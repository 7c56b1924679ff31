#include "steelyard/study/study.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::vector<std::filesystem::path> study_inputs(const Study& study, const std::vector<std::string>& others) {
  std::vector<std::filesystem::path> inputs;
  const auto add = [&](const std::string& path) {
    if (!path.empty()) inputs.emplace_back(path);
  };
  const auto add_set = [&](const ReverseSetSpec& set) {
    if (set.source) add(set.source->path);
  };
  add(study.path);
  if (!study.robot) add(study.robot_path);
  for (const StudyRun& run : study.runs)
    if (!run.simulation && !run.samples) add(run.file.path);
  if (study.feasible)
    for (const ConstraintSpec& constraint : study.feasible->constraints) add(constraint.path);
  if (study.reverse) {
    add_set(study.reverse->training);
    for (const ReverseSetSpec& set : study.reverse->validation) add_set(set);
    if (study.reverse->loaded) add_set(*study.reverse->loaded);
    if (study.reverse->reference) add(study.reverse->reference->path);
  }
  if (study.excite)
    for (const std::string& fold : study.excite->folds) add(fold);
  for (const ExportRequest& request : study.exports) add(request.from);
  for (const std::string& other : others) add(other);
  return inputs;
}

}  // namespace steelyard
