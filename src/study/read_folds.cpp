// Runs of a study that are folds (docs/fold.md): their section, and what a study may request of them.
#include <fmt/format.h>

#include <algorithm>

#include "steelyard/core/error.hpp"
#include "study/describe_study.hpp"

namespace steelyard::inline STEELYARD_ABI {

const StudyRun* first_folded(const Study& study) {
  const auto found = std::find_if(study.runs.begin(), study.runs.end(),
                                  [](const StudyRun& run) { return run.folded != nullptr; });
  return found != study.runs.end() ? &*found : nullptr;
}

bool has_friction_forms(const DriveSpec& spec) {
  if ((spec.friction && !spec.friction->is_linear()) || spec.ripple.any() || spec.temperature.any())
    return true;
  return std::any_of(spec.joints.begin(), spec.joints.end(), [](const auto& joint) {
    const JointDriveSpec& own = joint.second;
    return (own.friction && !own.friction->is_linear()) || (own.ripple && own.ripple->any());
  });
}

bool looks_for_ripple(const DriveSpec& spec) {
  return spec.ripple.automatic || std::any_of(spec.joints.begin(), spec.joints.end(), [](const auto& joint) {
           return joint.second.ripple && joint.second.ripple->automatic;
         });
}

namespace {

std::vector<StudyRun> runs_of_folds(const StudyRun& entry) {
  std::vector<FoldedRun> folded = read_fold_file(entry.folds);
  for (const FoldedRun& one : folded)
    if (!(one.step > 0))
      throw InputError({fmt::format("the folds of '{}' contain no sampling step", one.label),
                        {entry.folds, 0, 0, ""},
                        "a file of `steelyard fold` or `steelyard merge`",
                        ""});
  if (entry.label_given && folded.size() != 1)
    throw InputError({fmt::format("one label for {} runs", folded.size()), entry.place, "a file with one run",
                      "leave it out: the runs of a merged file have labels of their own"});
  std::vector<StudyRun> runs;
  for (FoldedRun& one : folded) {
    StudyRun run = entry;
    if (entry.label_given) relabel(one, entry.file.label.label);
    run.file.path = entry.folds;
    run.file.label.label = one.label;
    run.folded = std::make_shared<const FoldedRun>(std::move(one));
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace

void load_folded_runs(const Fields& fields, Study& study) {
  std::vector<StudyRun> runs;
  for (const StudyRun& run : study.runs) {
    const std::vector<StudyRun> these = run.folds.empty() ? std::vector{run} : runs_of_folds(run);
    runs.insert(runs.end(), these.begin(), these.end());
  }
  study.runs = std::move(runs);
  if (const auto refused = not_from_folds(study)) fields.fail(refused->key, refused->complaint());
}

bool has_folded_runs(const Study& study) {
  return first_folded(study) != nullptr;
}

bool has_unsigned_runs(const Study& study) {
  return std::any_of(study.runs.begin(), study.runs.end(),
                     [](const StudyRun& run) { return run.unsigned_effort; });
}

}  // namespace steelyard
