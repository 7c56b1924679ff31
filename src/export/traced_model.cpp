#include "traced_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

Terms zeros(Graph& graph, std::size_t count) {
  return Terms(count, graph.constant(0));
}

// x_all = matrix · x + offset.
Terms all_joints(Graph& graph, const Coordinates& c, const Terms& x, bool offset) {
  Terms all = zeros(graph, static_cast<std::size_t>(c.matrix.rows()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto row = static_cast<Index>(i);
    for (std::size_t a = 0; a < x.size(); ++a) all[i] += c.matrix(row, static_cast<Index>(a)) * x[a];
    if (offset) all[i] = c.offset[row] + all[i];
  }
  return all;
}

// matrixᵀ · τ_all.
Terms reduced(Graph& graph, const Coordinates& c, const Terms& all) {
  Terms out = zeros(graph, static_cast<std::size_t>(c.matrix.cols()));
  for (std::size_t a = 0; a < out.size(); ++a)
    for (std::size_t i = 0; i < all.size(); ++i)
      out[a] += c.matrix(static_cast<Index>(i), static_cast<Index>(a)) * all[i];
  return out;
}

Term traced_logistic(Graph& graph, Term x) {
  return graph.constant(1) / (1 + exp(-x));
}

Term stribeck_decay(const Friction& f, Term qd, const std::string& joint) {
  const Term x = (1 / f.stribeck_velocity) * qd;
  if (f.stribeck_exponent == 2) return exp(-(x * x));
  if (f.stribeck_exponent == 1) return exp(-abs(x));
  throw InputError({fmt::format("the Stribeck exponent is {}", f.stribeck_exponent),
                    {{}, 0, 0, joint},
                    "1 or 2 in C code, which has no pow",
                    "identify with exponent 1 or 2"});
}

Term joint_friction(Graph& graph, const Friction& f, Term qd, const std::string& joint) {
  Term tau = f.viscous * qd + f.coulomb * sign(qd) + graph.constant(f.offset);
  const double mean = (f.coulomb_positive + f.coulomb_negative) / 2,
               bias = (f.coulomb_positive - f.coulomb_negative) / 2;
  if (mean != 0 || bias != 0) tau += mean * sign(qd) + bias * abs(sign(qd));
  if (f.sigmoid_height != 0) {
    const double shifted = f.sigmoid_slope * f.sigmoid_shift;
    tau += f.sigmoid_height * (traced_logistic(graph, shifted + f.sigmoid_slope * qd) -
                               graph.constant(1 / (1 + std::exp(-shifted))));
  }
  if (f.stribeck != 0) tau += f.stribeck * (sign(qd) * stribeck_decay(f, qd, joint));
  return tau;
}

// μ |load| S with μ by the direction: ((μd + μb) |load| S + (μd − μb) load |S|) / 2; and with 2κ/(1 − κ σ) for μ.
Term gear_loss(const Friction& f, Term qd, Term load) {
  const Term S = f.load_velocity > 0
                     ? 2 * traced_logistic(*qd.graph, (2 / f.load_velocity) * qd) - qd.graph->constant(1)
                     : sign(qd);
  const double mean = (f.load_driving + f.load_driven) / 2, half = (f.load_driving - f.load_driven) / 2;
  Term lost = mean * (abs(load) * S);
  if (half != 0) lost += half * (load * abs(S));
  if (f.load_mean != 0 || f.load_peak != 0) {
    const Term x = (1 / f.load_peak_velocity) * qd, one = qd.graph->constant(1);
    const Term kappa = f.load_mean * one + f.load_peak * exp(-(x * x));
    lost += 2 * kappa * (abs(load) * S) / (one - kappa * (S * sign(load)));
  }
  return lost;
}

void add_rotors(const ExportModel& model, const Terms& qdd, Terms& tau) {
  for (std::size_t i = 0; i < model.parameters.drives.size(); ++i)
    tau[i] += model.parameters.drives[i].rotor_inertia * qdd[i];
  for (std::size_t k = 0; k < model.parameters.pairs.size(); ++k) {
    const auto a = static_cast<std::size_t>(model.robot.pairs[k].joint),
               b = static_cast<std::size_t>(model.robot.pairs[k].partner);
    tau[a] += model.parameters.pairs[k].rotor_inertia * qdd[b];
    tau[b] += model.parameters.pairs[k].rotor_inertia * qdd[a];
  }
}

void add_friction(const ExportModel& model, Graph& graph, const Terms& qd, Terms& tau) {
  for (std::size_t i = 0; i < model.parameters.drives.size(); ++i)
    tau[i] += joint_friction(graph, model.parameters.drives[i].friction, qd[i], model.robot.joints[i].name);
  for (std::size_t k = 0; k < model.parameters.pairs.size(); ++k) {
    const PairDrive& pair = model.parameters.pairs[k];
    const auto a = static_cast<std::size_t>(model.robot.pairs[k].joint),
               b = static_cast<std::size_t>(model.robot.pairs[k].partner);
    const Term dry = pair.coulomb * sign(qd[a] + qd[b]);
    tau[a] += pair.viscous * qd[b] + dry;
    tau[b] += pair.viscous * qd[a] + dry;
  }
}

void add_load_friction(const ExportModel& model, const Coordinates& c, const Terms& qd, const Terms& load,
                       Terms& effort) {
  for (std::size_t a = 0; a < c.joints.size() && !model.parameters.drives.empty(); ++a) {
    const Friction& f = model.parameters.drives[static_cast<std::size_t>(c.joints[a])].friction;
    if (f.has_load()) effort[a] += gear_loss(f, qd[a], load[a]);
  }
}

}  // namespace

Terms traced_model_effort(const ExportModel& model, Graph& graph, const Terms& q, const Terms& qd,
                          const Terms& qdd, const EffortParts& parts) {
  const Coordinates c = coordinates(model.robot);
  const Tree tree = compile(model.robot);
  const Terms all_qd = all_joints(graph, c, qd, false), all_qdd = all_joints(graph, c, qdd, false);
  const auto links =
      traced_motion(tree, graph, all_joints(graph, c, q, true), all_qd, all_qdd, parts.gravity);
  Terms tau = traced_effort(tree, graph, links, model.parameters.standard);
  const Terms load = reduced(graph, c, tau);
  if (parts.rotors) add_rotors(model, all_qdd, tau);
  if (parts.friction) add_friction(model, graph, all_qd, tau);
  Terms effort = reduced(graph, c, tau);
  if (parts.friction) add_load_friction(model, c, qd, load, effort);
  return effort;
}

Terms traced_friction(const ExportModel& model, Graph& graph, const Terms& qd) {
  const Coordinates c = coordinates(model.robot);
  Terms tau = zeros(graph, model.robot.joints.size());
  add_friction(model, graph, all_joints(graph, c, qd, false), tau);
  return reduced(graph, c, tau);
}

Terms traced_load_friction(const ExportModel& model, Graph& graph, const Terms& q, const Terms& qd,
                           const Terms& qdd) {
  const Terms load = traced_model_effort(model, graph, q, qd, qdd, {true, false, false});
  Terms lost = zeros(graph, load.size());
  add_load_friction(model, coordinates(model.robot), qd, load, lost);
  return lost;
}

bool has_load_friction(const ExportModel& model) {
  return std::any_of(model.parameters.drives.begin(), model.parameters.drives.end(),
                     [](const Drive& drive) { return drive.friction.has_load(); });
}

TracedBands traced_rest_bands(const ExportModel& model, Graph& graph, const Terms& q) {
  const Terms rest = zeros(graph, q.size());
  const Terms load = traced_model_effort(model, graph, q, rest, rest, {true, false, false});
  ExportModel weightless = model;
  weightless.parameters.standard.setZero();
  const RestBands dry = rest_bands(weightless, VectorXd::Zero(static_cast<Index>(q.size())));
  TracedBands out{load, load};
  const std::vector<int> joints = coordinates(model.robot).joints;
  for (std::size_t a = 0; a < load.size(); ++a) {
    out.high[a] = dry.high[static_cast<Index>(a)] + load[a];
    out.low[a] = dry.low[static_cast<Index>(a)] + load[a];
    if (model.parameters.drives.empty()) continue;
    const Friction& f = model.parameters.drives[static_cast<std::size_t>(joints[a])].friction;
    const RestShares shares = rest_shares(f);
    const double mean = (shares.driving + shares.driven) / 2, half = (shares.driving - shares.driven) / 2;
    if (!f.has_load()) continue;
    out.high[a] += mean * abs(load[a]) + half * load[a];
    out.low[a] += half * load[a] - mean * abs(load[a]);
  }
  return out;
}

TracedRegressor::TracedRegressor(const ExportModel& model, Graph& graph, const Terms& q, const Terms& qd,
                                 const Terms& qdd)
    : robot_(model.robot),
      graph_(graph),
      coordinates_(coordinates(model.robot)),
      tree_(compile(model.robot)),
      qd_(all_joints(graph, coordinates_, qd, false)),
      qdd_(all_joints(graph, coordinates_, qdd, false)),
      links_(traced_motion(tree_, graph, all_joints(graph, coordinates_, q, true), qd_, qdd_, true)),
      standard_(standard_parameter_names(model.robot)) {}

Terms TracedRegressor::drive_column(const std::string& stem, int joint) {
  Terms tau = zeros(graph_, robot_.joints.size());
  const auto j = static_cast<std::size_t>(joint);
  if (stem == "Ia") tau[j] = qdd_[j];
  if (stem == "fv") tau[j] = qd_[j];
  if (stem == "fc") tau[j] = sign(qd_[j]);
  if (stem == "fo") tau[j] = graph_.constant(1);
  const auto pair = std::find_if(robot_.pairs.begin(), robot_.pairs.end(),
                                 [joint](const CoupledPair& item) { return item.partner == joint; });
  if (stem.back() != 'm' || pair == robot_.pairs.end()) return tau;
  const auto a = static_cast<std::size_t>(pair->joint);
  const Term dry = sign(qd_[a] + qd_[j]);
  tau[a] = stem == "Iam" ? qdd_[j] : stem == "fvm" ? qd_[j] : dry;
  tau[j] = stem == "Iam" ? qdd_[a] : stem == "fvm" ? qd_[a] : dry;
  return tau;
}

Terms TracedRegressor::column(const std::string& name) {
  const auto standard = std::find(standard_.begin(), standard_.end(), name);
  if (standard != standard_.end()) {
    const int k = static_cast<int>(standard - standard_.begin());
    return reduced(graph_, coordinates_,
                   traced_column(tree_, graph_, links_, k / kParametersPerLink, k % kParametersPerLink));
  }
  for (const char* stem : {"Ia", "fv", "fc", "fo", "Iam", "fvm", "fcm"})
    for (int j = 0; j < robot_.size(); ++j)
      if (name == stem + std::to_string(j + 1)) return reduced(graph_, coordinates_, drive_column(stem, j));
  throw InputError({fmt::format("'{}' is not a column of the robot's regressor", name), {}, {}, {}});
}

}  // namespace steelyard
