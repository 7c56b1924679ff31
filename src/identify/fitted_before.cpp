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

}  // namespace

std::optional<FittedBefore> fitted_before(const Result& model, const StudyRun& run) {
  const json own = json::parse(run_options_json(run), nullptr, false);
  const std::string motion = text_of(own, "motion");
  const std::string hash = run_hash(run);
  for (const json& fitted : runs_of(model.provenance.options)) {
    if (text_of(fitted, "role") != "fit") continue;
    const std::string label = text_of(fitted, "label");
    if (run.simulation) {
      if (motion != text_of(fitted, "motion")) continue;
      return FittedBefore{label, fitted.value("seed", json()) == own["seed"]};
    }
    const std::string path = text_of(fitted, run.folded ? "folds" : "file");
    // A merged file has several runs.
    if (path.empty() || (run.folded && label != run.file.label.label)) continue;
    if (has_input(model.provenance, path, hash)) return FittedBefore{label, true};
  }
  return std::nullopt;
}

void mark_fitted_runs(const Result& model, const Study& study, Result& result) {
  for (std::size_t r = 0; r < study.runs.size(); ++r) {
    const std::optional<FittedBefore> before = fitted_before(model, study.runs[r]);
    if (!before) continue;
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
