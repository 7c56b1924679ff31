#include "steelyard/study/provenance.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "steelyard/core/described.hpp"
#include "steelyard/core/sha256.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/study/simulation.hpp"
#include "study/describe_run.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using nlohmann::ordered_json;

ordered_json filter_json(const FilterOptions& filter) {
  if (filter.cutoff <= 0) return nullptr;
  return {{"order", filter.order}, {"cutoff", filter.cutoff}};
}

ordered_json automatic(Index value) {
  if (value == kAutomatic) return "auto";
  return value;
}

ordered_json prepare_json(const PrepareOptions& options) {
  ordered_json json;
  json["rate"] = options.rate;
  json["interpolation"] = options.interpolation == Interpolation::linear ? "linear" : "cubic";
  json["filter"] = filter_json(options.filter);
  json["column_filter"] = filter_json(options.column_filter);
  json["differences"] = options.difference_order;
  json["velocity"] = options.measured_velocity ? "measured" : "differences";
  json["decimate"] = automatic(options.decimation);
  json["trim"] = automatic(options.trim);
  json["velocity_below"] = std::vector<double>(options.velocity_below.data(),
                                               options.velocity_below.data() + options.velocity_below.size());
  if (options.standstill.size() > 0 && options.standstill.maxCoeff() >= 0)
    json["standstill"] = std::vector<double>(options.standstill.begin(), options.standstill.end());
  if (options.own_shifts) {
    json["effort_delay"] = "auto";
  } else if (!options.shifts.empty()) {
    const VectorXd& seconds = options.shifts.front().seconds;
    json["effort_delay"] = std::vector<double>(seconds.data(), seconds.data() + seconds.size());
  }
  json["chunk"] = automatic(options.chunk_size);
  return json;
}

// The same for the same motion, whatever the noise.
std::string motion_hash(const SimulationSpec& spec) {
  constexpr int kInstants = 64;
  const Trajectory motion = simulated_motion(spec);
  std::string text = fmt::format("{:.6f}", motion.duration());
  for (int k = 0; k < kInstants; ++k) {
    const JointState state = motion.at(motion.duration() * k / kInstants);
    for (Index j = 0; j < state.q.size(); ++j) text += fmt::format(" {:.5f}", state.q[j]);
  }
  return sha256(text).substr(0, 16);
}

ordered_json described_json(const Fields::Part& part) {
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  write_described(json, part);
  json.end_object();
  return ordered_json::parse(json.text());
}

// Identifies results of the same motion, and of folds of the same log.
void add_motion(const StudyRun& run, ordered_json& json) {
  if (run.folded && !run.folded->log.empty()) json["log"] = run.folded->log;
  if (!run.simulation) return;
  json["log"] = identity_of_log(run);
  json["simulated"] = true;
  json["seed"] = run.simulation->options.seed;
  json["motion"] = motion_hash(*run.simulation);
}

constexpr const char* kInMemory = "in memory";

// In the place of a path, another one for every run.
StudyRun as_written(StudyRun run) {
  if (run.samples)
    run.path_as_written = fmt::format("{}: {}", kInMemory, run.file.label.label);
  else if (run.path_as_written.empty())
    run.path_as_written = run.file.path;  // made in code
  return run;
}

std::string robot_as_written(const Study& study) {
  if (study.robot) return kInMemory;
  return study.robot_as_written.empty() ? study.robot_path : study.robot_as_written;
}

// The study as its file would be with every default written out, and how rows were prepared in the end.
std::string options_json(Study study) {
  study.robot_as_written = robot_as_written(study);
  for (StudyRun& run : study.runs) run = as_written(std::move(run));
  ordered_json json = described_json([&](Fields& fields) { describe(fields, study); });
  for (std::size_t r = 0; r < study.runs.size(); ++r) add_motion(study.runs[r], json["runs"][r]);
  json["prepared"] = prepare_json(study.prepare);
  return json.dump();
}

// Files that sources were read from; programs are named in the options.
void add_sources(const ReverseSpec& spec, Provenance& provenance) {
  const auto add = [&](const ReverseSetSpec& set) {
    if (!set.source || set.source->kind == SourceKind::program) return;
    provenance.inputs.push_back({set.source->path_as_written, sha256_file(set.source->path)});
  };
  add(spec.training);
  for (const ReverseSetSpec& set : spec.validation) add(set);
  if (spec.loaded) add(*spec.loaded);
  if (spec.reference)
    provenance.inputs.push_back({spec.reference->path_as_written, sha256_file(spec.reference->path)});
}

}  // namespace

std::string run_options_json(StudyRun run) {
  run = as_written(std::move(run));
  ordered_json json = described_json([&](Fields& fields) { describe_run(fields, run, 1); });
  add_motion(run, json);
  return json.dump();
}

std::string run_hash(const StudyRun& run) {
  if (run.simulation) return "";
  if (!run.samples) return sha256_file(run.file.path);
  const SampleBlock& samples = run.samples->samples;
  const auto bytes = [&](const double* values) {
    return sha256(
        {reinterpret_cast<const char*>(values), sizeof(double) * static_cast<std::size_t>(samples.size())});
  };
  std::string text = fmt::format("{}\n{}\n", fmt::join(samples.channels(), "\n"), bytes(samples.time()));
  for (Index r = 0; r < samples.rows(); ++r) text += bytes(samples.row(0, r));
  return sha256(text);
}

std::string identity_of_log(const StudyRun& run) {
  if (run.folded) return run.folded->log;
  if (!run.simulation) return run_hash(run);
  return sha256(fmt::format("simulated {} {}", motion_hash(*run.simulation), run.simulation->options.seed));
}

std::string preparation_hash(const PrepareOptions& prepare) {
  return sha256(prepare_text(prepare));
}

std::string preparation_hash(const std::string& prepare_text, const std::string& columns) {
  const std::string hash = sha256(prepare_text);
  return columns.empty() ? hash : sha256(hash + columns);
}

std::string prepare_text(const PrepareOptions& prepare) {
  return prepare_json(prepare).dump();
}

void take_cutoffs(const std::string& text, PrepareOptions& prepare) {
  const ordered_json json = ordered_json::parse(text, nullptr, false);
  const auto cutoff = [&](const char* key) -> double {
    const auto filter = json.is_object() ? json.find(key) : json.end();
    if (filter == json.end())
      throw InputError({fmt::format("folds contain no '{}' of their preparation", key), {}, "", ""});
    return filter->is_null() ? 0.0 : filter->at("cutoff").get<double>();
  };
  prepare.filter.cutoff = cutoff("filter");
  prepare.column_filter.cutoff = cutoff("column_filter");
}

std::string preparation_hash(const Study& study) {
  return preparation_hash(study.prepare);
}

Provenance provenance(const Study& study, const std::string& robot_hash) {
  Provenance result;
  result.inputs.push_back({robot_as_written(study), robot_hash});
  for (const StudyRun& run : study.runs) {
    const bool again =
        run.folded && result.inputs.back().path == as_written(run).path_as_written;  // of a merged file
    if (!run.simulation && !again) result.inputs.push_back({as_written(run).path_as_written, run_hash(run)});
  }
  if (study.feasible)
    for (const ConstraintSpec& constraint : study.feasible->constraints)
      if (!constraint.path.empty())
        result.inputs.push_back({constraint.path_as_written, sha256_file(constraint.path)});
  if (study.reverse) add_sources(*study.reverse, result);
  result.options = options_json(study);
  result.seed = study.seed;
  result.version = STEELYARD_VERSION;
  result.isa = to_string(isa_level());
  return result;
}

}  // namespace steelyard
