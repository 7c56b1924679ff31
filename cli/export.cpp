// steelyard export RESULT STUDY: the identified model as files for controllers and simulators.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "engine_text.hpp"
#include "output.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/identify/export_result.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/result/output_folder.hpp"
#include "steelyard/study/study.hpp"
#include "study_output.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

using nlohmann::ordered_json;
using steelyard::ExportFormat;
using steelyard::ExportOutcome;
using steelyard::ExportRequest;

struct ExportOptions {
  std::string result, study;
  std::string c, urdf, from, sdf, mjcf, yaml, json;
};

std::vector<ExportRequest> export_requests(const ExportOptions& options) {
  std::vector<ExportRequest> list;
  if (!options.c.empty()) list.push_back({ExportFormat::c, options.c, {}});
  if (!options.urdf.empty()) list.push_back({ExportFormat::urdf, options.urdf, options.from});
  if (!options.sdf.empty()) list.push_back({ExportFormat::sdf, options.sdf, {}});
  if (!options.mjcf.empty()) list.push_back({ExportFormat::mjcf, options.mjcf, {}});
  if (!options.yaml.empty()) list.push_back({ExportFormat::yaml, options.yaml, {}});
  if (!options.json.empty()) list.push_back({ExportFormat::json, options.json, {}});
  if (list.empty())
    throw steelyard::InputError({"nothing to export",
                                 {},
                                 "--c, --urdf, --sdf, --mjcf, --yaml or --json-file",
                                 "steelyard export --help shows examples"});
  if (options.urdf.empty() != options.from.empty())
    throw steelyard::InputError(
        {"--urdf and --from must be given together", {}, "the new file and the one it is derived from", {}});
  for (const ExportRequest& request : list)
    if (request.name.find('/') != std::string::npos)
      throw steelyard::InputError({fmt::format("'{}' names a folder", request.name),
                                   {},
                                   "a file name",
                                   "choose the folder with --out"});
  return list;
}

ordered_json to_json(const std::vector<ExportOutcome>& outcomes) {
  ordered_json exports = ordered_json::array();
  for (const ExportOutcome& outcome : outcomes) {
    ordered_json item;
    const steelyard::ExportSummary& summary = outcome.summary;
    item["path"] = summary.paths;
    item["format"] = summary.format;
    item["checked_by"] = summary.checked_by;
    item["max_error"] = summary.max_error;
    item["not_carried"] = ordered_json::array();
    for (const auto& missing : summary.not_carried)
      item["not_carried"].push_back(
          {{"joint", missing.joint}, {"what", missing.what}, {"effort", missing.effort}});
    item["notes"] = summary.notes;
    exports.push_back(std::move(item));
  }
  return {{"exports", std::move(exports)}};
}

std::string to_text(const std::vector<ExportOutcome>& outcomes, const std::string& folder) {
  std::string text;
  for (const ExportOutcome& outcome : outcomes) text += exported_text(outcome.summary, folder);
  return text;
}

// The files of a request: C code has two.
std::vector<std::string> files_of(const ExportRequest& request) {
  if (request.format != steelyard::ExportFormat::c) return {request.name};
  return {request.name + ".h", request.name + ".c"};
}

// Of two files with one name the second would replace the first.
void refuse_equal_names(const std::vector<ExportRequest>& list) {
  std::map<std::string, std::string> formats;
  for (const ExportRequest& request : list)
    for (const std::string& file : files_of(request)) {
      const auto [first, is_new] = formats.emplace(file, to_string(request.format));
      if (!is_new)
        throw steelyard::InputError({fmt::format("'{}' would be written twice, as {} and as {}", file,
                                                 first->second, to_string(request.format)),
                                     {},
                                     "a name of its own for every file",
                                     "give each of them another name"});
    }
}

int run_export(const ExportOptions& options, const CommonOptions& common) {
  const std::vector<ExportRequest> list = export_requests(options);
  refuse_equal_names(list);
  const steelyard::Result result =
      steelyard::result_from_json(steelyard::read_text_file(options.result, "result"), options.result);
  const steelyard::Study study = steelyard::read_study(options.study);
  const steelyard::Robot robot = study_robot(study);
  require_same_robot(study, robot, result);
  steelyard::OutputFolder folder(common.out, study_inputs(study, {options.result, options.from}));
  std::vector<ExportOutcome> outcomes;
  for (const ExportRequest& request : list)
    outcomes.push_back(export_result(robot, result, request, study.drive_spec));
  for (const ExportOutcome& outcome : outcomes)
    for (const auto& file : outcome.files) folder.write(file.name, file.text);
  folder.commit();
  if (common.json) {
    print(to_json(outcomes).dump(2) + "\n");
  } else if (!common.quiet) {
    print(to_text(outcomes, folder.target().string()));
  }
  return kDone;
}

}  // namespace

Run add_export(Arguments& verb) {
  const auto options = std::make_shared<ExportOptions>();
  verb.add("RESULT", options->result, "result.json of an earlier run").required();
  verb.add("STUDY", options->study, "Study file (.yaml) that made it").required();
  verb.add("--c", options->c, "C99 header and source of this name: the base parameters and friction");
  verb.add("--urdf", options->urdf, "URDF with feasible links, damping and friction, made from --from");
  verb.add("--from", options->from, "Your URDF: only inertials and joint dynamics change");
  verb.add("--sdf", options->sdf, "SDF model with feasible links, damping and friction");
  verb.add("--mjcf", options->mjcf, "MuJoCo model with feasible links, armature, damping and frictionloss");
  verb.add("--yaml", options->yaml, "Robot file of this program, and all numbers in a second file");
  verb.add("--json-file", options->json, "Robot and all numbers as one JSON file");
  verb.footer(
      "Examples:\n"
      "  steelyard export demo/result.json examples/demo/study.yaml --c panda_dynamics --out controller\n"
      "  steelyard export result/result.json study.yaml --urdf new.urdf --from my.urdf --out model\n"
      "  steelyard export result/result.json study.yaml --mjcf robot.xml --sdf robot.sdf --out model\n");
  return [options](const CommonOptions& common) { return run_export(*options, common); };
}

}  // namespace cli
