// What a study must satisfy when it was made in code. Studies that were read have been checked key by key,
// with the places of their mistakes.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "steelyard/core/finding.hpp"
#include "steelyard/core/suggest.hpp"
#include "study/describe_study.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

void check_robot(const Study& study) {
  if (!study.robot && study.robot_path.empty())
    throw InputError({"the study has no robot", {}, "a robot or its file", "set `robot` or `robot_path`"});
}

void check_kinds(const StudyRun& run) {
  const std::string& label = run.file.label.label;
  if (run.folded && run.file.path.empty())
    throw InputError({fmt::format("run '{}' has folds without their file", label),
                      {},
                      "the path of the fold file",
                      "set `file.path`"});
  if (run.part == 0 && (!run.windows.empty() || run.fit_share))
    throw InputError({fmt::format("run '{}' has windows or a split", label),
                      {},
                      "a run for each of them",
                      "put the runs that divided() makes of it into the study"});
  if (run.folded && !run.window.is_all())
    throw InputError({fmt::format("run '{}' consists of folds and has a window", label),
                      {},
                      "windows of logs, samples and simulations",
                      "cut the log, and fold it again"});
  if (!(run.window.from < run.window.to))
    throw InputError({fmt::format("run '{}' goes from {} s to {} s", label, run.window.from, run.window.to),
                      {},
                      "`from` below `to`",
                      ""});
  const int kinds =
      (run.samples != nullptr) + run.simulation.has_value() + (run.folded || !run.file.path.empty());
  if (kinds != 1)
    throw InputError({fmt::format("run '{}' has {} of samples in memory, a file and a simulation", label,
                                  kinds == 0 ? "none" : "more than one"),
                      {},
                      "one of them",
                      ""});
}

void check_methods(const GainSpec& gains) {
  if (gains.known.size() > 0) return;
  if (gains.methods.empty())
    throw InputError({"gains without a method and without known values", {}, "at least one method", ""});
  if (gains.use && std::find(gains.methods.begin(), gains.methods.end(), *gains.use) == gains.methods.end())
    throw InputError({fmt::format("the method '{}' for gains is used, but not tried", to_string(*gains.use)),
                      {},
                      "one of `methods`",
                      "add it there"});
}

// Forms are fitted to efforts with signs, of joints without springs. Motors of elastic joints have viscous, Coulomb and
// offset terms, the same in all runs.
void check_friction(const Study& study) {
  const auto refuse = [&](const char* what, const char* limit, const char* remedy) {
    throw InputError({what, {study.path, 0, 0, ""}, limit, remedy});
  };
  constexpr const char* kLinear = "viscous, coulomb and offset terms";
  const bool forms = has_friction_forms(study.drive_spec);
  if (forms && has_unsigned_runs(study))
    refuse("friction other than linear cannot be fitted to |effort|", kLinear,
           "set `drives: {friction: [viscous, coulomb, offset]}` for runs with `unsigned: true`");
  if (forms && study.elastic)
    refuse("friction other than linear cannot be fitted to joints with springs", kLinear,
           "set `drives: {friction: [viscous, coulomb, offset]}`, or leave out `elastic`");
  if (looks_for_ripple(study.drive_spec) && study.gains && study.gains->known.size() == 0)
    refuse("`ripple: auto` beside gains that are unknown", "orders that are given",
           "find the orders on torques, or with given gains, and give them as `ripple: [10]`");
  if (study.drive_spec.temperature.any() && study.gains)
    refuse("`temperature` beside `gains`", "torques, or currents with scales",
           "leave `temperature` out, or give the gains as `scale` of the runs");
  if (study.drive_spec.temperature.any() && study.estimator.instruments)
    refuse("`temperature` beside instruments, which are simulated without one",
           "`method: ols`, `wls` or `irls`", "choose one of them, or leave `temperature` out");
  if (study.elastic &&
      (study.estimator.single_rows || study.estimator.instruments || study.estimator.essential))
    refuse("weights of single rows, instruments and essential parameters beside `elastic`",
           "`method: ols`, `wls` or `irls`", "choose one of them, or leave out `elastic`");
  if (study.drive_spec.offset_per_run && study.elastic)
    refuse("offsets of single runs cannot be identified for joints with springs", "one offset per joint",
           "leave out `offset: per_run`, or `elastic`");
}

void check_exports(const std::vector<ExportRequest>& requests) {
  std::set<std::string> names;
  for (const ExportRequest& request : requests) {
    if (request.name.empty() || request.name.find('/') != std::string::npos)
      throw InputError({fmt::format("'{}' is not a file name", request.name),
                        {},
                        "a name without folder",
                        "files are written to the output folder"});
    if (!names.insert(request.name).second)
      throw InputError({fmt::format("'{}' is written twice", request.name), {}, "different names", ""});
    if (request.from.empty() == (request.format == ExportFormat::urdf))
      throw InputError({fmt::format("'{}': `urdf` and `from` belong together", request.name),
                        {},
                        "the new file and the one it is made from",
                        ""});
  }
}

}  // namespace

void check_labels(const Study& study) {
  std::set<std::string> labels;
  for (const StudyRun& run : study.runs) {
    const std::string& label = run.file.label.label;
    if (label.empty() || label.size() > kLongestLabel)
      throw InputError({fmt::format("a label of {} bytes", label.size()),
                        {},
                        fmt::format("1 to {}", kLongestLabel),
                        "labels name runs in results, and files"});
    if (!labels.insert(label).second)
      throw InputError({fmt::format("two runs are labelled '{}'", label), {}, "", "give each its own label"});
    check_kinds(run);
  }
}

std::optional<NotFromFolds> not_from_folds(const Study& study) {
  if (first_folded(study) == nullptr) return std::nullopt;
  if (has_friction_forms(study.drive_spec)) return NotFromFolds{"drives", "friction other than linear"};
  if (study.gains) return NotFromFolds{"gains", "drive gains"};
  if (!study.payloads.empty()) return NotFromFolds{"payloads", "loads"};
  if (study.elastic) return NotFromFolds{"elastic", "springs"};
  return std::nullopt;
}

Complaint NotFromFolds::complaint() const {
  return {fmt::format("{} cannot be identified from folds", what),
          {},
          "runs that are logs",
          "give the logs as `file:`, or leave this out"};
}

std::optional<Complaint> unknown_code(const std::vector<std::string>& waived) {
  std::vector<std::string> codes;
  for (const FindingKind& kind : finding_kinds()) codes.emplace_back(kind.code);
  for (const std::string& code : waived) {
    if (std::find(codes.begin(), codes.end(), code) != codes.end()) continue;
    const std::string near = did_you_mean(code, codes);
    return Complaint{fmt::format("no finding has the code {}", quoted(code)),
                     {},
                     "codes of docs/findings.md",
                     near.empty() ? "take the code from the report" : near};
  }
  return std::nullopt;
}

void validate(const Study& study) {
  check_robot(study);
  check_labels(study);
  require_efforts(study);
  check_gain_keys(study);
  if (study.gains) check_methods(*study.gains);
  check_friction(study);
  if (const auto refused = not_from_folds(study)) throw InputError(refused->complaint());
  if (study.reverse && !study.reverse->training.source)
    throw InputError({"reverse has no 'source'", {}, "", "set `reverse->training.source`"});
  check_exports(study.exports);
  if (auto complaint = unknown_code(study.waive)) throw InputError(std::move(*complaint));
}

}  // namespace steelyard
