#include "steelyard/study/provenance.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "steelyard/core/error.hpp"
#include "steelyard/core/sha256.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/study/simulation.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
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

ordered_json run_json(const StudyRun& run) {
  ordered_json json = {{"label", run.file.label.label}, {"role", to_string(run.file.label.role)}};
  if (run.unsigned_effort) json["unsigned"] = true;
  if (run.simulation) {
    json["simulated"] = true;
    json["rate"] = run.simulation->options.rate;
    json["seed"] = run.simulation->options.seed;
    json["motion"] = motion_hash(*run.simulation);
    return json;
  }
  json[run.folded ? "folds" : "file"] = run.path_as_written;
  if (run.folded) return json;
  json["time"] = run.file.time;
  for (const ChannelColumns& channel : run.file.channels)
    json["columns"][channel.channel] = {{"names", channel.columns},
                                        {"units", channel.units},
                                        {"scale", channel.scale},
                                        {"sign", channel.sign},
                                        {"offset", channel.offset}};
  return json;
}

ordered_json friction_json(const FrictionSpec& spec) {
  if (spec.automatic) return "auto";
  return {{"form", to_string(spec.form)},
          {"viscous", spec.viscous},
          {"coulomb", spec.coulomb},
          {"offset", spec.offset}};
}

ordered_json efforts_json(const std::vector<EffortExpression>& list) {
  ordered_json json = ordered_json::array();
  for (const EffortExpression& effort : list)
    json.push_back({{"name", effort.name}, {"joint", effort.joint}, {"expression", effort.text}});
  return json;
}

void put_drive_spec(const DriveSpec& spec, ordered_json& json) {
  if (spec.friction) json["drives"]["friction"] = friction_json(*spec.friction);
  if (spec.offset_per_run) json["drives"]["offset"] = "per_run";
  for (const auto& [joint, own] : spec.joints) {
    if (own.friction) json["drives"]["joints"][joint]["friction"] = friction_json(*own.friction);
    if (own.rotor_inertia) json["drives"]["joints"][joint]["rotor_inertia"] = *own.rotor_inertia;
  }
  if (!spec.columns.empty()) json["columns"] = efforts_json(spec.columns);
  if (!spec.known.empty()) json["known"] = efforts_json(spec.known);
}

// An open side is null.
ordered_json limit_json(double limit) {
  if (!std::isfinite(limit)) return nullptr;
  return limit;
}

ordered_json constraint_json(const ConstraintSpec& spec) {
  ordered_json json = {{"name", spec.name}, {"kind", to_string(spec.kind)}};
  if (!spec.text.empty()) json["of"] = spec.text;
  for (const auto& [name, factor] : spec.terms) json["terms"][name] = factor;
  if (!spec.link.empty()) json["link"] = spec.link;
  if (!spec.path_as_written.empty()) json["file"] = spec.path_as_written;
  json["between"] = {limit_json(spec.lower), limit_json(spec.upper)};
  return json;
}

ordered_json feasible_json(const FeasibleSpec& spec) {
  ordered_json json = {
      {"method", to_string(spec.method)}, {"objective", spec.fits_torque ? "torque" : "base"},
      {"margin", spec.physical.margin},   {"bodies", spec.physical.bodies},
      {"drives", spec.physical.drives},   {"robot_bounds", spec.physical.robot_bounds},
      {"pull", spec.pull.weight},         {"starts", spec.random_starts}};
  if (spec.interval_level)
    json["intervals"] = {{"level", *spec.interval_level}, {"joint_forces", spec.joint_forces}};
  json["constraints"] = ordered_json::array();
  for (const ConstraintSpec& constraint : spec.constraints)
    json["constraints"].push_back(constraint_json(constraint));
  return json;
}

void add_estimator(const EstimatorSpec& spec, ordered_json& json) {
  if (spec.instruments)
    json["instruments"] = {{"cutoff", spec.instrument.cutoff},
                           {"bandwidth", spec.instrument.bandwidth},
                           {"iterations", spec.instrument.most_iterations}};
  if (spec.single_rows)
    json["huber"] = {
        {"limit", spec.robust.huber}, {"far", spec.robust.far}, {"passes", spec.robust.most_passes}};
  if (spec.essential) json["essential"] = {{"ratio", spec.essential->ratio}, {"keep", spec.essential->keep}};
}

ordered_json signs_json(const SignsSpec& spec) {
  const SegmentOptions& segments = spec.segments;
  ordered_json json = {
      {"order", segments.filter.order},
      {"cutoff", segments.filter.cutoff},
      {segments.relative ? "threshold" : "threshold_effort",
       std::vector<double>(segments.threshold.data(), segments.threshold.data() + segments.threshold.size())},
      {"shortest", segments.shortest},
      {"low_minimum", segments.low_minimum},
      {"trim", automatic(segments.trim)},
      {"with_sign", spec.with_sign},
      {"nodes", spec.search.most_nodes},
      {"fits", spec.search.most_fits},
      {"seconds", spec.search.most_seconds},
      {"reweigh", spec.reweigh},
      {"complete", spec.complete == CompleteSigns::none      ? "none"
                   : spec.complete == CompleteSigns::decided ? "decided"
                   : spec.complete == CompleteSigns::guess   ? "guess"
                                                             : "auto"}};
  if (spec.gains)
    json["gains"] = {
        {"a_priori", std::vector<double>(spec.gains->a_priori.begin(), spec.gains->a_priori.end())},
        {"fixed", spec.gains->fixed}};
  if (spec.reversals_given) json["reversals"] = segments.at_reversals;
  for (const KnownSign& known : spec.known)
    json["known"].push_back({{"run", known.run},
                             {"joint", known.joint},
                             {"from", known.range.begin},
                             {"to", known.range.end},
                             {"sign", known.sign}});
  return json;
}

ordered_json set_json(const ReverseSetSpec& set) {
  ordered_json json = {{"label", set.label}, {"count", set.count}, {"choose", set.best ? "best" : "random"}};
  if (set.source)
    json["source"] = {{"kind", to_string(set.source->kind)},
                      {"path", set.source->path_as_written},
                      {"time_limit", set.source->limits.seconds}};
  if (set.sinusoids)
    json["sinusoids"] = {{"duration", set.sinusoids->duration}, {"step", set.sinusoids->step}};
  return json;
}

ordered_json reverse_json(const ReverseSpec& spec) {
  ordered_json json = {{"training", set_json(spec.training)},
                       {"rows", to_string(spec.options.rows)},
                       {"rotor_inertia", spec.options.rotor_inertia},
                       {"tilt", spec.tilt},
                       {"zero", spec.options.zero},
                       {"relations", spec.options.relations.size()},
                       {"weights", to_string(spec.options.estimate.weighting)},
                       {"digits", spec.answers.digits},
                       {"gravity_noise", spec.answers.gravity_noise},
                       {"inertia_noise", spec.answers.inertia_noise}};
  for (const auto& [name, deviation] : spec.options.deviations) json["deviations"][name] = deviation;
  json["leave_out"] = ordered_json::array();
  for (const LeaveOutSpec& rule : spec.leave_out)
    json["leave_out"].push_back({{"components", rule.components}, {"where", rule.where}});
  json["validation"] = ordered_json::array();
  for (const ReverseSetSpec& set : spec.validation) json["validation"].push_back(set_json(set));
  if (spec.loaded) json["loaded"] = set_json(*spec.loaded);
  return json;
}

std::string options_json(const Study& study) {
  ordered_json json;
  json["robot"] = study.robot_as_written;
  json["seed"] = study.seed;
  json["drives"] = {{"viscous", study.drives.viscous},
                    {"coulomb", study.drives.coulomb},
                    {"offset", study.drives.offset},
                    {"rotor_inertia", study.drives.rotor_inertia}};
  put_drive_spec(study.drive_spec, json);
  json["runs"] = ordered_json::array();
  for (const StudyRun& run : study.runs) json["runs"].push_back(run_json(run));
  json["prepare"] = prepare_json(study.prepare);
  if (study.cutoff.automatic) json["prepare"]["cutoff"] = "auto";
  json["intervals"] = {{"level", study.intervals.level},
                       {"method", to_string(study.intervals.method)},
                       {"replicates", study.intervals.replicates},
                       {"bias_check", study.intervals.bias_check}};
  json["estimate"] = {{"method", to_string(study.estimate.weighting)}, {"prior_weight", study.prior.weight}};
  add_estimator(study.estimator, json["estimate"]);
  if (study.feasible) json["feasible"] = feasible_json(*study.feasible);
  if (study.elastic)
    json["elastic"] = {{"equations", to_string(study.elastic->options.equations)},
                       {"joints", study.elastic->options.joints},
                       {"encoder_delay", study.elastic->options.encoder_delay},
                       {"deflection_offset", study.elastic->options.deflection_offset},
                       {"least_snr", study.elastic->options.least_snr},
                       {"level", study.elastic->options.level}};
  if (has_unsigned_runs(study)) json["signs"] = signs_json(study.signs);
  if (study.reverse) json["reverse"] = reverse_json(*study.reverse);
  if (study.cross)
    json["cross"] = {{"blocks", study.cross->blocks}, {"by", study.cross->by_phase ? "phase" : "index"}};
  for (const ExportWish& wish : study.exports)
    json["export"].push_back({{to_string(wish.format), wish.name}});
  json["waive"] = study.waive;
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

std::string run_options_json(const StudyRun& run) {
  return run_json(run).dump();
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
      throw InputError({fmt::format("folds tell no '{}' of their preparation", key), {}, "", ""});
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
  result.inputs.push_back({study.robot_as_written, robot_hash});
  for (const StudyRun& run : study.runs) {
    const bool again = run.folded && result.inputs.back().path == run.path_as_written;  // of a merged file
    if (!run.simulation && !again) result.inputs.push_back({run.path_as_written, sha256_file(run.file.path)});
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

}  // namespace STEELYARD_ABI
}  // namespace steelyard
