// Runs of a study that are folds (docs/fold.md): their section, and what a study may ask of them.
#include <fmt/format.h>

#include <algorithm>

#include "steelyard/core/error.hpp"
#include "steelyard/study/study_yaml.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

const StudyRun* first_folded(const Study& study) {
  const auto found = std::find_if(study.runs.begin(), study.runs.end(),
                                  [](const StudyRun& run) { return run.folded != nullptr; });
  return found != study.runs.end() ? &*found : nullptr;
}

bool has_friction_forms(const DriveSpec& spec) {
  if (spec.friction && !spec.friction->is_linear()) return true;
  return std::any_of(spec.joints.begin(), spec.joints.end(), [](const auto& joint) {
    return joint.second.friction && !joint.second.friction->is_linear();
  });
}

bool read_folded_runs(const YamlContext& context, const YamlNode& node, const std::string& folder,
                      Study& study) {
  if (node.kind != YamlNode::Kind::map) return false;
  const auto is_folds = [](const YamlNode& key) { return key.text == "folds"; };
  if (std::none_of(node.keys.begin(), node.keys.end(), is_folds)) return false;
  const YamlFields fields(context, node, "run of folds", {"folds", "label", "role"});
  StudyRun run;
  run.path_as_written = to_text(context, fields.at("folds"), "folds");
  run.file.path = resolve_path(context, fields.at("folds"), folder);
  if (const YamlNode* role = fields.find("role"))
    run.file.label.role =
        to_choice(context, *role, "role", {"fit", "validate"}) == 0 ? RunRole::fit : RunRole::validate;
  std::vector<FoldedRun> folded = read_fold_file(run.file.path);
  for (const FoldedRun& one : folded)
    if (!(one.step > 0))
      throw InputError({fmt::format("the folds of '{}' tell no sampling step", one.label),
                        {run.file.path, 0, 0, ""},
                        "a file of `steelyard fold` or `steelyard merge`",
                        ""});
  const YamlNode* label = fields.find("label");
  if (label != nullptr && folded.size() != 1)
    context.fail(*label, fmt::format("one label for {} runs", folded.size()), "a file with one run",
                 "leave it out: the runs of a merged file have their labels");
  for (FoldedRun& one : folded) {
    if (label != nullptr) relabel(one, to_label(context, *label));
    run.file.label.label = one.label;
    run.folded = std::make_shared<const FoldedRun>(std::move(one));
    study.runs.push_back(run);
  }
  return true;
}

void check_folded_keys(const YamlContext& context, const YamlFields& fields, const Study& study) {
  if (first_folded(study) == nullptr) return;
  const auto refuse = [&](const char* key, const char* what) {
    context.fail(fields.at(key), fmt::format("{} cannot be found from folds", what), "runs that are logs",
                 "give the logs as `file:`, or leave this out");
  };
  if (has_friction_forms(study.drive_spec)) refuse("drives", "friction of another form than linear");
  if (fields.has("gains")) refuse("gains", "drive gains");
  if (fields.has("payloads")) refuse("payloads", "loads");
  if (fields.has("elastic")) refuse("elastic", "springs");
}

bool has_folded_runs(const Study& study) {
  return first_folded(study) != nullptr;
}

bool has_unsigned_runs(const Study& study) {
  return std::any_of(study.runs.begin(), study.runs.end(),
                     [](const StudyRun& run) { return run.unsigned_effort; });
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
