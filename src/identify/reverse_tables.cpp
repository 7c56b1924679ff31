#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "identify/reverse.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/engines/mujoco.hpp"
#include "steelyard/excite/configurations.hpp"
#include "steelyard/reverse/rounding.hpp"
#include "steelyard/reverse/rows.hpp"
#include "steelyard/reverse/source.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// A source that can be evaluated, or a table that was read.
struct OpenSource {
  ReverseSource ask;
  ReverseTable table;
  Index used = 0;  // rows of the table that sets use
  std::string name;
};

OpenSource open_source(const SourceSpec& spec, const Robot& robot) {
  OpenSource source;
  source.name = spec.path_as_written;
  switch (spec.kind) {
    case SourceKind::table:
      source.table = read_reverse_table(spec.path, robot.dof(), spec.columns);
      source.table.name = spec.path_as_written;
      break;
    case SourceKind::program:
      source.ask = program_source(spec.command, spec.folder, spec.limits);
      break;
    case SourceKind::library:
      source.ask = library_source(spec.path, spec.function, spec.limits);
      break;
    case SourceKind::robot:
      source.ask = robot_source(read_robot(spec.path).robot);
      break;
    case SourceKind::mujoco:
      source.ask = child_source([&] { return mujoco_source(spec.path, spec.joints); }, spec.path_as_written,
                                spec.limits);
      break;
  }
  return source;
}

MatrixXd sinusoid_configurations(const SinusoidSpec& spec, const ReverseSetSpec& set, Index joints) {
  const auto at = [&](const VectorXd& list, Index j) { return list[list.size() == 1 ? 0 : j]; };
  for (const VectorXd* list : {&spec.amplitude, &spec.period, &spec.center})
    if (list->size() > 1 && list->size() != joints)
      throw InputError({fmt::format("a list of the sinusoids has {} entries", list->size()), set.place,
                        fmt::format("1 or {}", joints), "give one number per joint"});
  const auto count = static_cast<Index>(std::floor(spec.duration / spec.step + 1e-9));
  MatrixXd q(count, joints);
  for (Index k = 0; k < count; ++k)
    for (Index j = 0; j < joints; ++j)
      q(k, j) = (spec.center.size() > 0 ? at(spec.center, j) : 0) +
                at(spec.amplitude, j) *
                    std::sin(2 * std::numbers::pi * spec.step * static_cast<double>(k) / at(spec.period, j));
  return q;
}

MatrixXd configurations_of(const ReverseSetSpec& set, const Study& study, const Robot& robot) {
  if (set.sinusoids) return sinusoid_configurations(*set.sinusoids, set, robot.dof());
  ConfigurationOptions options;
  options.seed = study.seed;
  options.rows = study.reverse->options.rows;
  options.count = set.count > 0 ? set.count : 100;
  if (!set.best) return random_configurations(robot, options.count, options, set.index);
  BaseOptions base;
  base.rows = options.rows;
  base.drives = study.reverse->options.rotor_inertia;
  base.zero = study.reverse->options.zero;
  base.expressions = false;
  const Robot own = with_rotors(robot, study.reverse->options.rotor_inertia);
  return best_configurations(own, base_parameters(own, base), options).q;
}

// Rounded to significant digits, after noise.
void change_answers(const AnswerSpec& answers, std::uint64_t seed, std::uint64_t index, ReverseTable& table) {
  Random random(seed, "answers", index);
  const auto change = [&](MatrixXd& entries, double noise) {
    for (Index k = 0; k < entries.rows(); ++k)
      for (Index c = 0; c < entries.cols(); ++c) {
        double& entry = entries(k, c);
        if (noise > 0) entry += noise * random.normal();
        if (answers.digits > 0) entry = std::stod(fmt::format("{:.{}g}", entry, answers.digits));
      }
  };
  change(table.gravity, answers.gravity_noise);
  change(table.inertia, answers.inertia_noise);
}

ReverseTable take_set(const ReverseSetSpec& set, OpenSource& source, const Study& study, const Robot& robot) {
  if (source.ask) {
    ReverseTable table = ask(source.ask, configurations_of(set, study, robot), source.name);
    change_answers(study.reverse->answers, study.seed, set.index, table);
    recognize_rounding(table);
    return table;
  }
  if (set.sinusoids || set.best)
    throw InputError({"a table cannot be evaluated at other configurations", set.place, "count alone", ""});
  const Index left = source.table.size() - source.used;
  const Index count = set.count > 0 ? set.count : left;
  if (count < 1 || count > left)
    throw InputError({fmt::format("set '{}' requests {} rows of {}, which has {} left", set.label,
                                  std::max<Index>(count, 1), source.name, left),
                      set.place, "rows that no earlier set uses",
                      "give `count` of the configurations, or another table"});
  ReverseTable part = part_of(source.table, source.used, count);
  source.used += count;
  return part;
}

}  // namespace

ReverseTables open_tables(const Study& study, const Robot& robot) {
  const ReverseSpec& spec = *study.reverse;
  OpenSource shared = open_source(*spec.training.source, robot);
  const auto take = [&](const ReverseSetSpec& set, bool own) {
    if (!own) return take_set(set, shared, study, robot);
    OpenSource source = open_source(*set.source, robot);
    return take_set(set, source, study, robot);
  };
  ReverseTables tables;
  tables.training = take(spec.training, false);
  for (const ReverseSetSpec& set : spec.validation)
    tables.validation.push_back(take(set, set.source.has_value()));
  if (spec.loaded) {
    ReverseSetSpec loaded = *spec.loaded;
    if (!loaded.source)
      throw InputError({"`loaded` has no source of its own", loaded.place, "source: {…} with the load", ""});
    // As many configurations as without the load, unless given.
    if (loaded.count == 0 && loaded.source->kind != SourceKind::table) loaded.count = spec.training.count;
    tables.loaded = take(loaded, true);
  }
  return tables;
}

}  // namespace steelyard
