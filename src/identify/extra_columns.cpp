#include "identify/extra_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "identify/gains.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/expression.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// q, qd, qdd of the joint itself, then q1, qd1, qdd1, q2, …
std::vector<std::string> variable_names(Index joints) {
  std::vector<std::string> names = {"q", "qd", "qdd"};
  for (Index j = 0; j < joints; ++j)
    for (const char* stem : {"q", "qd", "qdd"}) names.push_back(fmt::format("{}{}", stem, j + 1));
  return names;
}

ExtraColumns expression_column(const StudyState& state, const EffortExpression& effort) {
  const Index row = row_of_joint(state, effort.joint, effort.place);
  const Index joints = state.plan.joints, own = state.plan.rows[static_cast<std::size_t>(row)].i;
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

// "fo3@" of the offsets of joint 3.
std::string offset_stem(const StudyState& state, std::size_t row) {
  const std::vector<int> joints = coordinates(state.robot).joints;
  return fmt::format("fo{}@", joints[static_cast<std::size_t>(state.plan.rows[row].i)] + 1);
}

// Runs with offsets of their own: those that are fitted, or where none is, those the model was fitted to.
std::vector<std::string> offset_labels(const StudyState& state) {
  std::vector<std::string> labels;
  for (const StudyRun& run : state.study.runs)
    if (run.file.label.role == RunRole::fit) labels.push_back(run.file.label.label);
  if (!labels.empty()) return labels;
  const std::string stem = offset_stem(state, 0);
  for (const std::string& column : state.estimated.columns)
    if (column.starts_with(stem)) labels.push_back(column.substr(stem.size()));
  return labels;
}

void add_offsets(const StudyState& state, const StudyRun& run, std::vector<ExtraColumns>& list) {
  const std::vector<std::string> labels = offset_labels(state);
  const std::string& own = run.file.label.label;
  const bool fitted = std::find(labels.begin(), labels.end(), own) != labels.end();
  for (std::size_t r = 0; r < state.plan.rows.size(); ++r)
    for (const std::string& label : labels) {
      if (fitted && label != own) continue;
      list.push_back(constant_column(offset_stem(state, r) + label, static_cast<Index>(r),
                                     fitted ? 1.0 : 1.0 / static_cast<double>(labels.size())));
    }
}

void add_value(const std::string& column, double value, Estimate& estimate) {
  estimate.columns.push_back(column);
  estimate.values.conservativeResize(estimate.values.size() + 1);
  estimate.values[estimate.values.size() - 1] = value;
}

bool has_known_channel(const StudyRun& run) {
  const std::vector<ChannelColumns>& channels = run.file.channels;
  return std::any_of(channels.begin(), channels.end(),
                     [](const ChannelColumns& item) { return item.channel == kKnownChannel; });
}

}  // namespace

Index row_of_joint(const StudyState& state, const std::string& joint, const Place& place) {
  const std::vector<LogJoint> joints = log_joints(state.robot);
  std::vector<std::string> names;
  for (std::size_t r = 0; r < state.plan.rows.size(); ++r) {
    names.push_back(joints[static_cast<std::size_t>(state.plan.rows[r].i)].name);
    if (names.back() == joint) return static_cast<Index>(r);
  }
  Complaint complaint = unknown("joint", joint, names);
  complaint.place = place;
  throw InputError(complaint);
}

std::vector<ExtraColumns> expression_columns(const StudyState& state) {
  std::vector<ExtraColumns> list;
  for (const EffortExpression& column : state.study.drive_spec.columns)
    list.push_back(expression_column(state, column));
  return list;
}

std::vector<ExtraColumns> run_columns(const StudyState& state, const StudyRun& run) {
  std::vector<ExtraColumns> list = expression_columns(state);
  if (state.study.drive_spec.offset_per_run) add_offsets(state, run, list);
  return list;
}

std::vector<ExtraColumns> all_columns(const StudyState& state, const StudyRun& run) {
  std::vector<ExtraColumns> list = run_columns(state, run);
  for (ExtraColumns& extra : friction_columns(state.friction.joints, state.friction.models, true))
    list.push_back(std::move(extra));
  return list;
}

std::vector<ExtraColumns> known_efforts(const StudyState& state, const StudyRun& run) {
  std::vector<ExtraColumns> list = load_efforts(state, run);
  for (const EffortExpression& effort : state.study.drive_spec.known)
    list.push_back(expression_column(state, effort));
  if (!has_known_channel(run)) return list;
  for (std::size_t r = 0; r < state.plan.rows.size(); ++r) {
    const Index joint = state.plan.rows[r].i;
    const auto fill = [joint](const SampleBlock& block, Index first, Index count, double* out) {
      std::copy_n(block.row(block.find(kKnownChannel), joint) + first, count, out);
    };
    list.push_back(extra_column("known in the log", static_cast<Index>(r), fill));
  }
  return list;
}

ExtraPrediction extra_prediction(const StudyState& state, const StudyRun& run) {
  ExtraPrediction out;
  out.columns = all_columns(state, run);
  out.known = known_efforts(state, run);
  for (const ExtraColumns& extra : out.columns) {
    for (const ExtraColumn& column : extra.columns) {
      const Index k = state.estimated.find(column.name);
      out.values.push_back(k >= 0 ? state.estimated.values[k] : 0);
    }
  }
  return out;
}

void take_offsets(const Result& model, StudyState& state) {
  if (!state.study.drive_spec.offset_per_run) return;
  Estimate& estimate = state.estimated;
  for (std::size_t r = 0; r < state.plan.rows.size(); ++r)
    for (const BaseValue& value : model.base)
      if (value.name.starts_with(offset_stem(state, r))) add_value(value.name, value.value, estimate);
  if (offset_labels(state).empty())
    throw InputError({"the model has no offsets of single runs",
                      {state.study.path, 0, 0, ""},
                      "the drive terms of the study that made the model",
                      "leave out `offset: per_run`"});
}

void take_extra_values(const Result& model, StudyState& state) {
  Estimate& estimate = state.estimated;
  for (const RunState& run : state.runs) {
    for (const ExtraColumns& extra : all_columns(state, *run.run)) {
      for (const ExtraColumn& column : extra.columns) {
        // Tangents are zero: the shapes are the model's.
        if (is_tangent(column.name) || estimate.find(column.name) >= 0) continue;
        const auto found = std::find_if(model.base.begin(), model.base.end(),
                                        [&](const BaseValue& value) { return value.name == column.name; });
        if (found == model.base.end())
          throw InputError({fmt::format("the model has no column '{}'", column.name),
                            {state.study.path, 0, 0, ""},
                            "the columns of the study that made the model",
                            "use its `columns`, `drives` and run labels"});
        add_value(column.name, found->value, estimate);
      }
    }
  }
}

std::vector<BaseValue> extra_values(const StudyState& state) {
  BaseParameters base;  // every extra column is its own base parameter
  for (const std::string& column : state.estimated.columns) {
    const std::vector<std::string>& own = state.plan.columns;
    if (is_tangent(column) || std::find(own.begin(), own.end(), column) != own.end()) continue;
    BaseParameter& parameter = base.base.emplace_back();
    parameter.lead = column;
    parameter.expression = column;
    parameter.terms.push_back({column, 1, ""});
  }
  return base_values(base, state.estimated);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
