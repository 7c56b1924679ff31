#include "study/options_json.hpp"

#include <nlohmann/json.hpp>

#include "steelyard/core/sha256.hpp"
#include "steelyard/regressor/plan.hpp"

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

ordered_json run_json(const StudyRun& run) {
  ordered_json json = {{"label", run.file.label.label}, {"role", to_string(run.file.label.role)}};
  if (run.simulation) {
    json["simulated"] = true;
    json["rate"] = run.simulation->options.rate;
    json["seed"] = run.simulation->options.seed;
    return json;
  }
  json["file"] = run.path_as_written;
  json["time"] = run.file.time;
  for (const ChannelColumns& channel : run.file.channels)
    json["columns"][channel.channel] = {{"names", channel.columns},
                                        {"units", channel.units},
                                        {"scale", channel.scale},
                                        {"sign", channel.sign},
                                        {"offset", channel.offset}};
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
  json["runs"] = ordered_json::array();
  for (const StudyRun& run : study.runs) json["runs"].push_back(run_json(run));
  json["prepare"] = prepare_json(study.prepare);
  if (study.cutoff.automatic) json["prepare"]["cutoff"] = "auto";
  json["intervals"] = {{"level", study.intervals.level},
                       {"method", to_string(study.intervals.method)},
                       {"replicates", study.intervals.replicates},
                       {"bias_check", study.intervals.bias_check}};
  json["estimate"] = {{"method", to_string(study.estimate.weighting)}, {"prior_weight", study.prior.weight}};
  if (study.cross)
    json["cross"] = {{"blocks", study.cross->blocks}, {"by", study.cross->by_phase ? "phase" : "index"}};
  json["waive"] = study.waive;
  return json.dump();
}

}  // namespace

std::string preparation_hash(const PrepareOptions& prepare) {
  return sha256(prepare_json(prepare).dump());
}

std::string preparation_hash(const Study& study) {
  return preparation_hash(study.prepare);
}

Provenance provenance(const Study& study, const std::string& robot_hash) {
  Provenance result;
  result.inputs.push_back({study.robot_as_written, robot_hash});
  for (const StudyRun& run : study.runs)
    if (!run.simulation) result.inputs.push_back({run.path_as_written, sha256_file(run.file.path)});
  result.options = options_json(study);
  result.seed = study.seed;
  result.version = STEELYARD_VERSION;
  result.isa = to_string(isa_level());
  return result;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
