// Columns of the elastic equations, and the pass that folds them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "elastic/rows.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/fold/slots.hpp"
#include "steelyard/log/differences.hpp"
#include "steelyard/log/run.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kColumnDifferences = 6;  // order of the differences of Y

bool has_elastic_channel(const std::vector<std::string>& channels, std::string_view name) {
  return std::find(channels.begin(), channels.end(), name) != channels.end();
}

void require_elastic_channel(const std::vector<std::string>& channels, std::string_view name,
                             ElasticEquations equations) {
  if (has_elastic_channel(channels, name)) return;
  throw InputError(
      {fmt::format("the run has no channel '{}', which the equations '{}' need", name, to_string(equations)),
       {},
       "motors_and_links: position, theta, torque; elastic_torque: position, elastic_torque; links: "
       "position, torque",
       fmt::format("give its columns, `columns: {{{}: ...}}`, or choose other equations", name)});
}

std::vector<bool> elastic_joints(const std::vector<std::string>& names,
                                 const std::vector<std::string>& wanted) {
  std::vector<bool> out(names.size(), wanted.empty());
  for (const std::string& name : wanted) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw InputError(unknown("elastic joint", name, names));
    out[static_cast<std::size_t>(found - names.begin())] = true;
  }
  return out;
}

double sign_of(double speed) {
  return speed > 0 ? 1 : speed < 0 ? -1 : 0;
}

// θ̈, θ̇, sign θ̇, 1 of all joints; q's where there is no θ.
ExtraColumns motor_columns(std::size_t joints, bool has_theta) {
  ExtraColumns out;
  for (std::size_t j = 0; j < joints; ++j)
    for (const char* stem : {"B", "fv", "fc", "one"})
      out.columns.push_back({numbered(stem, j), static_cast<Index>(j)});
  const std::string velocity = has_theta ? "theta_velocity" : "velocity";
  const std::string acceleration = has_theta ? "theta_acceleration" : "acceleration";
  out.fill = [=](const SampleBlock& block, Index first, Index count, double* const* columns) {
    const int v = block.find(velocity), a = block.find(acceleration);
    for (std::size_t j = 0; j < joints; ++j) {
      const double* speed = block.row(v, static_cast<Index>(j)) + first;
      std::copy_n(block.row(a, static_cast<Index>(j)) + first, count, columns[4 * j]);
      std::copy_n(speed, count, columns[4 * j + 1]);
      for (Index s = 0; s < count; ++s) columns[4 * j + 2][s] = sign_of(speed[s]);
      std::fill_n(columns[4 * j + 3], count, 1.0);
    }
  };
  return out;
}

ExtraColumns deflection_columns(std::size_t joints) {
  ExtraColumns out;
  for (std::size_t j = 0; j < joints; ++j) out.columns.push_back({numbered("K", j), static_cast<Index>(j)});
  out.fill = [=](const SampleBlock& block, Index first, Index count, double* const* columns) {
    const int theta = block.find(channel::kTheta), q = block.find(channel::kPosition);
    for (std::size_t j = 0; j < joints; ++j) {
      const double* motor = block.row(theta, static_cast<Index>(j)) + first;
      const double* link = block.row(q, static_cast<Index>(j)) + first;
      for (Index s = 0; s < count; ++s) columns[j][s] = link[s] - motor[s];
    }
  };
  return out;
}

// d/dt and d²/dt² of the plan's columns, over a window whose ends the filter of the columns forgets.
ExtraColumns derived_columns(const Plan& plan) {
  ExtraColumns out;
  for (const Row& row : plan.rows)
    for (const int k : row.columns)
      for (const int order : {1, 2})
        out.columns.push_back(
            {derived(plan.columns[static_cast<std::size_t>(k)], order), static_cast<Index>(row.i)});
  out.fill = [plan](const SampleBlock& block, Index first, Index count, double* const* columns) {
    const Index stride = tile_stride(count);
    std::vector<double> tile(static_cast<std::size_t>(stride * plan.stored_columns));
    const auto channel = [&](std::string_view name) { return block.row(block.find(name)) + first; };
    evaluate(plan,
             {channel(channel::kPosition), channel(channel::kVelocity), channel(channel::kAcceleration),
              block.stride(), count},
             tile.data(), stride);
    const double step =
        (block.time()[first + count - 1] - block.time()[first]) / static_cast<double>(count - 1);
    std::size_t to = 0;
    for (const Row& row : plan.rows)
      for (std::size_t k = 0; k < row.columns.size(); ++k)
        for (const int order : {1, 2})
          differentiate(order, kColumnDifferences,
                        tile.data() + (row.offset + static_cast<Index>(k)) * stride, count, 1, stride, step,
                        columns[to++], count);
  };
  return out;
}

Robot links_alone(Robot robot) {
  for (Joint& joint : robot.joints) joint.drive = {};
  return robot;
}

}  // namespace

const char* to_string(ElasticEquations equations) {
  constexpr const char* kWords[] = {"motors_and_links", "elastic_torque", "links"};
  return kWords[static_cast<std::size_t>(equations)];
}

void ElasticOptions::validate() const {
  const auto refuse = [](const char* name, double value, const char* limit) {
    throw InputError({fmt::format("option {} of the elastic equations is {}", name, value), {}, limit, ""});
  };
  if (!(min_snr >= 0) || !std::isfinite(min_snr)) refuse("min_snr", min_snr, "zero or positive");
  if (!(level > 0 && level < 1)) refuse("level", level, "between 0 and 1");
  if (!(tolerance > 0)) refuse("tolerance", tolerance, "positive");
  if (max_iterations < 1) refuse("max_iterations", max_iterations, "at least 1");
  if (equations == ElasticEquations::links && !extra.empty())
    refuse("extra", static_cast<double>(extra.size()), "none for link positions alone");
  if (replicates < 20) refuse("replicates", replicates, "at least 20");
  if (threads < 1) refuse("threads", threads, "at least 1");
}

ElasticModel elastic_model(const Robot& robot, const std::vector<std::string>& channels,
                           const ElasticOptions& options) {
  options.validate();
  if (!robot.mimics.empty() || !robot.pairs.empty())
    throw InputError({fmt::format("robot '{}' has mimic joints or a coupled wrist", robot.name),
                      {},
                      "one motor and one spring per joint",
                      "identify it with rigid joints"});
  ElasticModel model;
  model.options = options;
  for (const Joint& joint : robot.joints) model.names.push_back(joint.name);
  model.is_elastic = elastic_joints(model.names, options.joints);
  require_elastic_channel(channels, channel::kPosition, options.equations);
  const bool needs_torque = options.equations != ElasticEquations::elastic_torque;
  if (needs_torque) require_elastic_channel(channels, channel::kTorque, options.equations);
  if (options.equations == ElasticEquations::motors_and_links)
    require_elastic_channel(channels, channel::kTheta, options.equations);
  if (!needs_torque) require_elastic_channel(channels, channel::kElasticTorque, options.equations);
  model.has_theta =
      options.equations != ElasticEquations::links && has_elastic_channel(channels, channel::kTheta);
  model.has_torque = needs_torque || has_elastic_channel(channels, channel::kTorque);
  const Robot links = links_alone(robot);
  BaseOptions base_options;
  base_options.expressions = false;
  model.base = base_parameters(links, base_options);
  PlanOptions plan_options;
  for (const BaseParameter& parameter : model.base.base) plan_options.wanted.push_back(parameter.lead);
  model.plan = make_plan(links, plan_options);
  const std::size_t n = model.names.size();
  require(model.plan.rows.size() == n, "a torque row for every joint");
  model.extra = options.extra;
  if (options.equations == ElasticEquations::links) model.extra.push_back(derived_columns(model.plan));
  model.extra.push_back(motor_columns(n, model.has_theta));
  if (model.has_theta) model.extra.push_back(deflection_columns(n));
  if (model.has_torque) model.efforts.emplace_back(channel::kTorque);
  if (!needs_torque) model.efforts.emplace_back(channel::kElasticTorque);
  LayoutOptions layout_options;
  layout_options.efforts = model.efforts;
  model.layouts = with_extra_columns(row_layouts(model.plan, links, layout_options), model.extra);
  for (std::size_t j = 0; j < n; ++j) model.layouts[j].row = "elastic:" + model.names[j];
  return model;
}

PrepareOptions elastic_preparation(PrepareOptions prepare, const ElasticModel& model) {
  if (!model.has_theta) return prepare;
  prepare.filtered.emplace_back(channel::kTheta);
  prepare.differentiated.emplace_back(channel::kTheta);
  return prepare;
}

void fold_elastic(PreparedRun& run, const ElasticModel& model, ElasticFolds& out, PassOptions pass) {
  const Preparation& preparation = run.preparation();
  if (model.options.equations == ElasticEquations::links && !preparation.column_filter)
    throw InputError(
        {"link positions alone need the fourth derivative of q, and the columns are not filtered",
         {},
         "a filter of the columns",
         "set `prepare: {columns: filtered, filter: {cutoff: …}}`"});
  pass.extra = model.extra;
  pass.effort_channels = model.efforts;
  pass.threads = model.options.threads;
  if (pass.slot_samples == kAutomatic) pass.slot_samples = slot_for_blocks(run, 0);
  const FoldPass folded = fold_run(run, model.plan, model.layouts, pass);
  out.runs.push_back(out.blocks);
  if (preparation.column_filter)
    out.effective_share = std::min(
        out.effective_share, effective_share(*preparation.column_filter, preparation.decimation.factor));
  for (const FoldBlock& block : folded.folds.blocks()) {
    for (Fold& fold : block.all()) {
      fold.set_block(out.blocks);
      out.folds.push_back(std::move(fold));
    }
    ++out.blocks;
  }
}

}  // namespace steelyard
