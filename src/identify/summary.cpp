#include "identify/summary.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace steelyard::inline STEELYARD_ABI {
namespace {

double ratio(double residual, double effort) {
  return effort > 0 ? residual / effort : 0;
}

// The kind that most joints have; revolute on a tie.
JointKind usual_kind(const std::vector<LogJoint>& joints) {
  std::size_t revolute = 0;
  for (const LogJoint& joint : joints) revolute += joint.kind == JointKind::revolute;
  return 2 * revolute >= joints.size() ? JointKind::revolute : JointKind::prismatic;
}

}  // namespace

const Residual* find_row(const std::vector<Residual>& per_row, const std::string& joint) {
  for (const Residual& residual : per_row)
    if (residual.row == "torque:" + joint) return &residual;
  return nullptr;
}

std::optional<double> finite_or_none(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

void add_to(std::vector<Finding>& findings, std::vector<Finding> more) {
  for (Finding& finding : more) findings.push_back(std::move(finding));
}

ResidualSummary residual_summary(const std::vector<Residual>& per_row, const Plan& plan, const Robot& robot,
                                 std::span<const Prediction* const> predictions) {
  const std::vector<LogJoint> joints = log_joints(robot);
  const JointKind usual = usual_kind(joints);
  ResidualSummary summary;
  double norm2 = 0, effort2 = 0, raw2 = 0, raw_effort2 = 0;
  for (std::size_t r = 0; r < plan.rows.size(); ++r) {
    const LogJoint& joint = joints[static_cast<std::size_t>(plan.rows[r].i)];
    JointResidual item;
    item.name = joint.name;
    if (const Residual* residual = find_row(per_row, joint.name)) {
      item.rms = residual->rms;
      if (residual->effort > 0) item.prepared = residual->relative;
      if (joint.kind == usual) {
        norm2 += residual->norm * residual->norm;
        effort2 += residual->effort * residual->effort;
      }
    }
    if (!predictions.empty()) {
      double error = 0, effort = 0;
      for (const Prediction* prediction : predictions) {
        error += prediction->residual_squared[static_cast<Index>(r)];
        effort += prediction->effort_squared[static_cast<Index>(r)];
      }
      if (effort > 0) item.raw = std::sqrt(error / effort);
      if (joint.kind == usual) {
        raw2 += error;
        raw_effort2 += effort;
      }
    }
    summary.per_joint.push_back(std::move(item));
  }
  summary.prepared = ratio(std::sqrt(norm2), std::sqrt(effort2));
  if (!predictions.empty()) summary.raw = ratio(std::sqrt(raw2), std::sqrt(raw_effort2));
  return summary;
}

void put_standstill(const ResidualSummary& with_standstill, ResidualSummary& summary) {
  summary.with_standstill = with_standstill.prepared;
  for (std::size_t j = 0; j < summary.per_joint.size(); ++j)
    summary.per_joint[j].with_standstill = with_standstill.per_joint[j].prepared;
}

std::vector<BaseValue> base_values(const BaseParameters& base, const Estimate& estimate) {
  std::vector<BaseValue> values;
  for (const BaseParameter& parameter : base.base) {
    BaseValue value;
    value.name = parameter.lead;
    value.expression = parameter.expression;
    for (const BaseTerm& term : parameter.terms) value.terms[term.parameter] = term.coefficient;
    const Index k = estimate.find(parameter.lead);
    value.status = "zero";
    if (k >= 0) {
      value.value = estimate.values[k];
      value.sigma = finite_or_none(estimate.sigma[k]);
      value.sigma_classical = value.sigma;
      value.relative_sigma = finite_or_none(estimate.relative_sigma[k]);
      if (value.sigma) {
        constexpr double kNormal95 = 1.959963984540054;
        value.interval = {value.value - kNormal95 * *value.sigma, value.value + kNormal95 * *value.sigma};
        value.method = "classical";
      }
      value.status = to_string(estimate.column_status[static_cast<std::size_t>(k)]);
    }
    values.push_back(std::move(value));
  }
  return values;
}

std::vector<DriveValues> drive_values(const Robot& robot, const Estimate& estimate) {
  std::vector<DriveValues> drives;
  for (int j = 0; j < robot.size(); ++j) {
    DriveValues drive;
    drive.joint = robot.joints[static_cast<std::size_t>(j)].name;
    drive.status = "determined";
    for (const char* stem : {"fv", "fc", "fo", "Ia"}) {
      const Index k = estimate.find(stem + std::to_string(j + 1));
      if (k < 0) continue;
      drive.values[stem] = estimate.values[k];
      const ColumnStatus status = estimate.column_status[static_cast<std::size_t>(k)];
      if (status != ColumnStatus::determined) drive.status = to_string(status);
    }
    for (const CoupledPair& pair : robot.pairs)
      if (pair.partner == j)
        for (const char* stem : {"Iam", "fvm", "fcm"})
          if (const Index k = estimate.find(stem + std::to_string(j + 1)); k >= 0)
            drive.values[stem] = estimate.values[k];
    if (!drive.values.empty()) drives.push_back(std::move(drive));
  }
  return drives;
}

}  // namespace steelyard
