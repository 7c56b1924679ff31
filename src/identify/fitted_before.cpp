#include "identify/fitted_before.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "steelyard/study/provenance.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using nlohmann::json;

// The runs of a study as results keep them; empty for results that do not.
json runs_of(const std::string& options) {
  const json parsed = json::parse(options, nullptr, false);
  return parsed.is_object() && parsed.contains("runs") && parsed["runs"].is_array() ? parsed["runs"]
                                                                                    : json::array();
}

std::string text_of(const json& run, const char* key) {
  return run.is_object() && run.contains(key) && run[key].is_string() ? run[key].get<std::string>() : "";
}

bool has_input(const Provenance& provenance, const std::string& path, const std::string& hash) {
  for (const InputFile& input : provenance.inputs)
    if (input.path == path && input.sha256 == hash) return true;
  return false;
}

bool is_fit(const json& run) {
  return text_of(run, "role") == "fit";
}

// Folds of before version 5 do not say of which log they are.
bool lacks_log(const json& run) {
  return !text_of(run, "folds").empty() && text_of(run, "log").empty();
}

bool is_same_log(const Result& model, const json& fitted, const StudyRun& run, const std::string& log) {
  const std::string path = text_of(fitted, "file");
  if (!log.empty() &&
      (text_of(fitted, "log") == log || (!path.empty() && has_input(model.provenance, path, log))))
    return true;
  // The same fold file; a merged one has several runs.
  const std::string folds = text_of(fitted, "folds");
  return run.folded && !folds.empty() && text_of(fitted, "label") == run.file.label.label &&
         has_input(model.provenance, folds, run_hash(run));
}

// What cannot be told; empty: nothing.
std::string unknown_origin(const Result& model, const StudyRun& run) {
  if (run.folded && run.folded->log.empty())
    return "its folds, of an older file, do not contain the hash of their log";
  for (const json& fitted : runs_of(model.provenance.options))
    if (is_fit(fitted) && lacks_log(fitted))
      return fmt::format(
          "the model was fitted to folds of an older file (run '{}'), without the hash of their log",
          text_of(fitted, "label"));
  return "";
}

}  // namespace

std::optional<FittedBefore> fitted_before(const Result& model, const StudyRun& run) {
  const std::string log = identity_of_log(run);
  json runs = runs_of(model.provenance.options);
  for (const json& fitted : runs)
    if (is_fit(fitted) && is_same_log(model, fitted, run, log))
      return FittedBefore{text_of(fitted, "label"), true};
  if (!run.simulation) return std::nullopt;
  const json own = json::parse(run_options_json(run), nullptr, false);
  for (const json& fitted : runs)
    if (is_fit(fitted) && text_of(fitted, "motion") == text_of(own, "motion"))
      return FittedBefore{text_of(fitted, "label"), fitted.value("seed", json()) == own["seed"]};
  return std::nullopt;
}

void mark_fitted_runs(const Result& model, const Study& study, Result& result) {
  for (std::size_t r = 0; r < study.runs.size(); ++r) {
    const std::optional<FittedBefore> before = fitted_before(model, study.runs[r]);
    if (!before) {
      if (const std::string unknown = unknown_origin(model, study.runs[r]); !unknown.empty())
        result.unavailable.push_back(fmt::format("whether the model was fitted to run '{}': {}",
                                                 study.runs[r].file.label.label, unknown));
      continue;
    }
    RunValidation& validation = result.validation[r];
    if (before->same_log) {
      validation.fresh = false;
      result.findings.push_back(make_finding(
          "fitted-run", validation.run,
          fmt::format("the model was fitted to this very log (run '{}'): predicting it proves nothing",
                      before->label)));
    } else {
      validation.repeats = before->label;
      result.findings.push_back(
          make_finding("repeated-motion", validation.run,
                       fmt::format("it repeats the motion of run '{}', to which the model was fitted: "
                                   "predicting it says little about other motions",
                                   before->label)));
    }
  }
}

}  // namespace steelyard
