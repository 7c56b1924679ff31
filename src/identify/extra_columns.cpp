#include "identify/extra_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "identify/friction.hpp"
#include "identify/gains.hpp"
#include "identify/summary.hpp"
#include "identify/temperature.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/expression.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
std::vector<ExtraColumns> by_joint(const Plan& plan, std::vector<ExtraColumns> list) {
  for (ExtraColumns& extra : list)
    for (ExtraColumn& column : extra.columns) column.row = plan.rows[static_cast<std::size_t>(column.row)].i;
  return list;
}

std::string offset_stem(const Setup& setup, std::size_t row) {
  const std::vector<int> joints = coordinates(setup.robot).joints;
  return fmt::format("fo{}@", joints[static_cast<std::size_t>(setup.plan.rows[row].i)] + 1);
}

bool is_offset(const std::string& column, const std::string& stem) {
  return column == stem.substr(0, stem.size() - 1) || column.starts_with(stem);
}

namespace {

// q, qd, qdd of the joint itself, then q1, qd1, qdd1, q2, …
std::vector<std::string> variable_names(Index joints) {
  std::vector<std::string> names = {"q", "qd", "qdd"};
  for (Index j = 0; j < joints; ++j)
    for (const char* stem : {"q", "qd", "qdd"}) names.push_back(fmt::format("{}{}", stem, j + 1));
  return names;
}

ExtraColumns expression_column(const Setup& setup, const EffortExpression& effort) {
  const Index row = row_of_joint(setup, effort.joint, effort.place);
  const Index joints = setup.plan.joints, own = setup.plan.rows[static_cast<std::size_t>(row)].i;
  const Expression expression = Expression::parse(effort.text, variable_names(joints), effort.place);
  const auto fill = [=](const SampleBlock& block, Index first, Index count, double* out) {
    std::vector<const double*> columns;
    const int channels[] = {block.find(channel::kPosition), block.find(channel::kVelocity),
                            block.find(channel::kAcceleration)};
    for (const int c : channels) columns.push_back(block.row(c, own) + first);
    for (Index j = 0; j < joints; ++j)
      for (const int c : channels) columns.push_back(block.row(c, j) + first);
    expression.evaluate(columns, count, out);
  };
  return extra_column(effort.name, row, fill);
}

ExtraColumns constant_column(std::string name, Index row, double value) {
  return extra_column(std::move(name), row, [value](const SampleBlock&, Index, Index count, double* out) {
    std::fill_n(out, count, value);
  });
}

void add_offsets(const Setup& setup, const StudyRun& run, std::vector<ExtraColumns>& list) {
  const std::vector<std::string>& labels = setup.offset_runs;
  const std::string& own = run.file.label.label;
  const bool fitted = std::find(labels.begin(), labels.end(), own) != labels.end();
  for (std::size_t r = 0; r < setup.plan.rows.size(); ++r)
    for (const std::string& label : labels) {
      if (fitted && label != own) continue;
      list.push_back(constant_column(offset_stem(setup, r) + label, static_cast<Index>(r),
                                     fitted ? 1.0 : 1.0 / static_cast<double>(labels.size())));
    }
}

}  // namespace

Index row_of_joint(const Setup& setup, const std::string& joint, const Place& place) {
  const std::vector<LogJoint> joints = log_joints(setup.robot);
  std::vector<std::string> names;
  for (std::size_t r = 0; r < setup.plan.rows.size(); ++r) {
    names.push_back(joints[static_cast<std::size_t>(setup.plan.rows[r].i)].name);
    if (names.back() == joint) return static_cast<Index>(r);
  }
  Complaint complaint = unknown("joint", joint, names);
  complaint.place = place;
  throw InputError(complaint);
}

std::vector<ExtraColumns> expression_columns(const Setup& setup) {
  std::vector<ExtraColumns> list;
  for (const auto* columns : {&setup.study().drive_spec.columns, &setup.ripple})
    for (const EffortExpression& column : *columns) list.push_back(expression_column(setup, column));
  for (const TemperatureTerm& term : setup.temperature) list.push_back(temperature_columns(term));
  return list;
}

std::vector<ExtraColumns> run_columns(const Setup& setup, const StudyRun& run) {
  const bool is_run =
      run.samples || run.simulation || !run.file.path.empty();  // or no motion that was measured
  if (is_run) require_temperature(setup, run);
  std::vector<ExtraColumns> list = expression_columns(setup);
  if (setup.study().drive_spec.offset_per_run) add_offsets(setup, run, list);
  return list;
}

std::vector<ExtraColumns> all_columns(const Setup& setup, const StudyRun& run) {
  std::vector<ExtraColumns> list = run_columns(setup, run);
  for (ExtraColumns& extra : friction_columns(setup.friction.joints, setup.friction.models, true))
    list.push_back(std::move(extra));
  const GearOutput output = with_further(gear_output_of(setup), payload_values(setup, run));
  for (ExtraColumns& extra : load_tangent_columns(setup.friction.joints, setup.friction.models, output))
    list.push_back(std::move(extra));
  return list;
}

std::vector<ExtraColumns> known_efforts(const Setup& setup, const StudyRun& run) {
  return known_efforts(setup, run, plan_of_run(setup, run));
}

std::vector<ExtraColumns> known_efforts(const Setup& setup, const StudyRun& run, const Plan& plan) {
  std::vector<ExtraColumns> list = load_efforts(setup, run, plan);
  for (ExtraColumns& extra : given_efforts(setup, run)) list.push_back(std::move(extra));
  return list;
}

std::vector<ExtraColumns> given_efforts(const Setup& setup, const StudyRun& run) {
  std::vector<ExtraColumns> list;
  for (const EffortExpression& effort : setup.study().drive_spec.known)
    list.push_back(expression_column(setup, effort));
  if (!has_channel(run, kKnownChannel)) return list;
  for (std::size_t r = 0; r < setup.plan.rows.size(); ++r) {
    const Index joint = setup.plan.rows[r].i;
    const auto fill = [joint](const SampleBlock& block, Index first, Index count, double* out) {
      std::copy_n(block.row(block.find(kKnownChannel), joint) + first, count, out);
    };
    list.push_back(extra_column("known in the log", static_cast<Index>(r), fill));
  }
  return list;
}

ExtraPrediction extra_prediction(const Setup& setup, const StudyRun& run, const Estimate& estimate) {
  ExtraPrediction out;
  out.columns = all_columns(setup, run);
  out.known = known_efforts(setup, run);
  for (const ExtraColumns& extra : out.columns) {
    for (const ExtraColumn& column : extra.columns) {
      const Index k = estimate.find(column.name);
      out.values.push_back(k >= 0 ? estimate.values[k] : 0);
    }
  }
  return out;
}

std::vector<BaseValue> extra_values(const Setup& setup, const Estimate& estimate) {
  BaseParameters base;  // every extra column is its own base parameter
  for (const std::string& column : estimate.columns) {
    const std::vector<std::string>& own = setup.plan.columns;
    if (is_tangent(column) || std::find(own.begin(), own.end(), column) != own.end()) continue;
    BaseParameter& parameter = base.base.emplace_back();
    parameter.lead = column;
    parameter.expression = column;
    parameter.terms.push_back({column, 1, ""});
  }
  return base_values(base, estimate);
}

}  // namespace steelyard
