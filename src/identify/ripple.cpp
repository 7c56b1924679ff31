#include "identify/ripple.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "identify/checks.hpp"
#include "identify/gains.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/estimate/ripple_choice.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kOrders = 48;                        // of the joint
constexpr std::array kMotorOrders = {1, 2, 4, 6};  // per turn of the motor
constexpr int kRippleGroups = 10;

const char* const kRippleKinds[] = {"sin", "cos", "dry_sin", "dry_cos"};

std::string ripple_text(const std::string& kind, const std::string& order) {
  const bool dry = kind.starts_with("dry_");
  return fmt::format("{}{}({}*q)", dry ? "sign(qd)*" : "", dry ? kind.substr(4) : kind, order);
}

EffortExpression ripple_column(const Robot& robot, int number, const std::string& order,
                               const std::string& kind) {
  return {fmt::format("ripple{}.{}.{}", number, order, kind),
          robot.joints[static_cast<std::size_t>(number - 1)].name,
          ripple_text(kind, order),
          {}};
}

std::string order_text(double order) {
  return fmt::format("{:.6g}", order);
}

const RippleSpec& ripple_spec(const Study& study, const std::string& joint) {
  const auto own = study.drive_spec.joints.find(joint);
  return own != study.drive_spec.joints.end() && own->second.ripple ? *own->second.ripple
                                                                    : study.drive_spec.ripple;
}

// Motion of a joint over the fit runs.
struct Travel {
  double least = INFINITY, most = -INFINITY;
  double speeds = 0;  // sum of squares
  Index samples = 0;
};

std::vector<Travel> travels(const Setup& setup, const Runs& runs) {
  std::vector<Travel> out(setup.plan.rows.size());
  for (const OpenRun& run : runs) {
    if (!run.is_fit()) continue;
    PreparedRun& prepared = *run.prepared;
    prepared.rewind();
    for (RawChunk raw; prepared.read(raw); raw = {}) {
      const PreparedChunk chunk = prepared.prepare(std::move(raw));
      const SampleBlock& block = chunk.samples;
      const int position = block.find(channel::kPosition), velocity = block.find(channel::kVelocity);
      for (std::size_t r = 0; r < out.size(); ++r) {
        const double *q = block.row(position, setup.plan.rows[r].i),
                     *qd = block.row(velocity, setup.plan.rows[r].i);
        for (Index at = chunk.chunk.core.begin; at < chunk.chunk.core.end; ++at) {
          const Index s = at - chunk.chunk.halo.begin;
          out[r].least = std::min(out[r].least, q[s]);
          out[r].most = std::max(out[r].most, q[s]);
          out[r].speeds += qd[s] * qd[s];
          ++out[r].samples;
        }
      }
    }
  }
  return out;
}

// Orders that have half a period within the travel and pass the filter at the joint's rms velocity. Joints that turn have whole
// orders, and those of a motor behind a known gear; joints that slide orders that their travel tells apart.
std::vector<double> possible_orders(const Setup& setup, std::size_t row, const Travel& travel) {
  const Index coordinate = setup.plan.rows[row].i;
  const int joint = coordinates(setup.robot).joints[static_cast<std::size_t>(coordinate)];
  const double range = travel.most - travel.least;
  if (travel.samples == 0 || !(range > 0)) return {};
  const bool turns = setup.robot.joints[static_cast<std::size_t>(joint)].kind == JointKind::revolute;
  std::set<double> orders;
  for (int k = 1; k <= kOrders; ++k)
    orders.insert(turns ? k : std::stod(order_text(k * std::numbers::pi / range)));
  if (turns && setup.robot.transmission.is_given())
    for (const int k : kMotorOrders)
      orders.insert(
          std::stod(order_text(k * std::abs(setup.robot.transmission.matrix(coordinate, coordinate)))));
  const double speed = std::sqrt(travel.speeds / static_cast<double>(travel.samples));
  const double cutoff = setup.prepare.column_filter.cutoff;
  std::vector<double> out;
  for (const double order : orders)
    if (order * range >= std::numbers::pi && (cutoff <= 0 || order * speed <= 2 * std::numbers::pi * cutoff))
      out.push_back(order);
  return out;
}

ExtraColumns dictionary_of(const Setup& setup, std::size_t row, int number,
                           const std::vector<double>& orders) {
  ExtraColumns extra;
  for (const double order : orders)
    for (const char* kind : kRippleKinds)
      extra.columns.push_back(
          {ripple_column(setup.robot, number, order_text(order), kind).name, static_cast<Index>(row)});
  const Index joint = setup.plan.rows[row].i;
  extra.fill = [orders, joint](const SampleBlock& block, Index first, Index count, double* const* out) {
    const double* q = block.row(block.find(channel::kPosition), joint) + first;
    const double* qd = block.row(block.find(channel::kVelocity), joint) + first;
    for (std::size_t k = 0; k < orders.size(); ++k)
      for (Index s = 0; s < count; ++s) {
        const double sine = std::sin(orders[k] * q[s]), cosine = std::cos(orders[k] * q[s]);
        const double sign = qd[s] > 0 ? 1 : qd[s] < 0 ? -1 : 0;
        out[4 * k][s] = sine, out[4 * k + 1][s] = cosine;
        out[4 * k + 2][s] = sign * sine, out[4 * k + 3][s] = sign * cosine;
      }
  };
  return extra;
}

}  // namespace

std::vector<EffortExpression> given_ripple(const Study& study, const Robot& robot) {
  std::vector<EffortExpression> columns;
  for (const int joint : coordinates(robot).joints)
    for (const double order : ripple_spec(study, robot.joints[static_cast<std::size_t>(joint)].name).orders)
      for (const char* kind : kRippleKinds)
        columns.push_back(ripple_column(robot, joint + 1, order_text(order), kind));
  return columns;
}

std::vector<EffortExpression> ripple_of_model(const Robot& robot, const Result& model) {
  std::vector<EffortExpression> columns;
  for (const BaseValue& value : model.base) {
    const std::size_t dot = value.name.find('.'), last = value.name.rfind('.');
    if (!value.name.starts_with("ripple") || dot == std::string::npos || last <= dot) continue;
    const int number = std::atoi(value.name.c_str() + 6);
    if (number < 1 || number > robot.size()) continue;
    columns.push_back(ripple_column(robot, number, value.name.substr(dot + 1, last - dot - 1),
                                    value.name.substr(last + 1)));
  }
  return columns;
}

std::vector<EffortExpression> find_ripple(const Setup& setup, const Runs& runs) {
  return setup.clock().time("ripple", [&] {
    const std::vector<int> joints = coordinates(setup.robot).joints;
    const std::vector<Travel> travel = travels(setup, runs);
    std::vector<RippleOrders> dictionary;
    std::vector<ExtraColumns> extra;
    for (std::size_t r = 0; r < setup.plan.rows.size(); ++r) {
      const int number = joints[static_cast<std::size_t>(setup.plan.rows[r].i)] + 1;
      const std::string& name = setup.robot.joints[static_cast<std::size_t>(number - 1)].name;
      if (!ripple_spec(setup.study(), name).automatic) continue;
      const std::vector<double> orders = possible_orders(setup, r, travel[r]);
      if (orders.empty()) continue;
      RippleOrders own;
      for (const double order : orders)
        own.stems.push_back(fmt::format("ripple{}.{}", number, order_text(order)));
      dictionary.push_back(std::move(own));
      extra.push_back(dictionary_of(setup, r, number, orders));
    }
    std::vector<EffortExpression> columns;
    if (dictionary.empty()) return columns;
    CrossOptions cross = setup.study().cross.value_or(CrossOptions{});
    cross.blocks = std::max(cross.blocks, kRippleGroups);
    const FrictionTrial friction{setup.friction.joints, setup.friction.models, gear_output_of(setup)};
    const FrictionRows rows{[&](const VectorXd& further) {
                              std::vector<ExtraColumns> list = friction.columns(further);
                              list.insert(list.end(), extra.begin(), extra.end());
                              return list;
                            },
                            [&](const VectorXd& further) { return friction.gears(further); }, cross.blocks};
    const HeldOut held = held_out_groups(fold_fit_runs(setup, runs, rows, {}), cross);
    if (!has_two_groups(held.groups)) return columns;
    std::vector<std::string> stems;
    for (const RippleOrders& own : dictionary)
      for (const RippleChoice& choice :
           choose_ripple(own, dictionary, held.blocks, held.groups, setup.study().estimate))
        stems.push_back(own.stems[choice.stem] + (choice.dry ? ".dry_" : "."));
    if (stems.empty()) return columns;
    const auto columns_of = [&](const std::string& stem) {
      std::vector<EffortExpression> pair;
      const std::size_t dot = stem.find('.'), last = stem.rfind('.');
      for (const char* kind : {"sin", "cos"})
        pair.push_back(ripple_column(setup.robot, std::atoi(stem.c_str() + 6),
                                     stem.substr(dot + 1, last - dot - 1), stem.substr(last + 1) + kind));
      return pair;
    };
    // Together, in the rows of all joints.
    Setup with = setup;
    for (const std::string& stem : stems)
      for (EffortExpression& column : columns_of(stem)) with.ripple.push_back(std::move(column));
    const FrictionRows plain{[&](const VectorXd& further) { return friction.columns(further); }, rows.gears,
                             cross.blocks};
    const HeldOut all = held_out_groups(fold_fit_runs(with, runs, plain, {}), cross);
    const std::vector<bool> useful = useful_ripples(stems, all.blocks, all.groups, setup.study().estimate);
    for (std::size_t k = 0; k < stems.size(); ++k)
      if (useful[k])
        for (EffortExpression& column : columns_of(stems[k])) columns.push_back(std::move(column));
    return columns;
  });
}

}  // namespace steelyard
