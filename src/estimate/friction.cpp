#include "steelyard/estimate/friction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

double logistic_of(double x) {
  return 0.5 + 0.5 * std::tanh(0.5 * x);
}

double signum(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

ShapeValue sigmoid(double slope, double shift, double qd) {
  const double S = logistic_of(slope * (qd + shift)), S0 = logistic_of(slope * shift);
  const double d = S * (1 - S), d0 = S0 * (1 - S0);
  return {S - S0, slope * ((qd + shift) * d - shift * d0), slope * (d - d0)};
}

ShapeValue stribeck(double velocity, double qd) {
  const double x = qd / velocity, peak = signum(qd) * std::exp(-x * x);
  return {peak, 2 * x * x * peak, 0};
}

const double* velocity_of(const SampleBlock& block, Index joint, Index first) {
  const int found = block.find(channel::kVelocity);
  require(found >= 0, "prepared samples have velocities");
  return block.row(found, joint) + first;
}

ExtraColumns asymmetric_columns(const FrictionJoint& joint) {
  const Index channel = joint.channel;
  return {{{friction_column(FrictionForm::asymmetric, joint.number), joint.row},
           {fmt::format("fn{}", joint.number), joint.row}},
          [channel](const SampleBlock& block, Index first, Index count, double* const* out) {
            const double* qd = velocity_of(block, channel, first);
            for (Index s = 0; s < count; ++s) {
              out[0][s] = qd[s] > 0 ? 1 : 0;
              out[1][s] = qd[s] < 0 ? -1 : 0;
            }
          }};
}

ExtraColumns shape_columns(const FrictionJoint& joint, const FrictionModel& model, bool tangents) {
  ExtraColumns extra;
  extra.columns.push_back({friction_column(model.form, joint.number), joint.row});
  if (tangents) {
    for (std::string& name : tangent_columns(model.form, joint.number))
      extra.columns.push_back({std::move(name), joint.row});
  }
  const Index channel = joint.channel;
  const std::size_t columns = extra.columns.size();
  extra.fill = [=](const SampleBlock& block, Index first, Index count, double* const* out) {
    const double* qd = velocity_of(block, channel, first);
    for (Index s = 0; s < count; ++s) {
      const ShapeValue shape = friction_shape(model, qd[s]);
      out[0][s] = shape.value;
      if (columns > 1) out[1][s] = shape.by_first;
      if (columns > 2) out[2][s] = shape.by_second;
    }
  };
  return extra;
}

}  // namespace

const char* to_string(FrictionForm form) {
  constexpr const char* kWords[] = {"linear", "asymmetric", "sigmoid", "stribeck"};
  return kWords[static_cast<std::size_t>(form)];
}

const char* to_string(LoadFriction load) {
  constexpr const char* kWords[] = {"none", "load", "load_directional", "load_stribeck"};
  return kWords[static_cast<std::size_t>(load)];
}

Index FrictionModel::shape_size() const {
  return form == FrictionForm::sigmoid ? 2 : form == FrictionForm::stribeck ? 1 : 0;
}

Index FrictionModel::load_size() const {
  constexpr Index kSizes[] = {0, 1, 2, 3};
  return kSizes[static_cast<std::size_t>(load)];
}

void FrictionModel::validate() const {
  const auto positive = [](double value, const char* what) {
    if (value > 0 && std::isfinite(value)) return;
    throw InputError({fmt::format("{} is {}", what, value), {}, "positive and finite", ""});
  };
  if (form == FrictionForm::sigmoid) {
    positive(slope, "the slope of a friction sigmoid");
    if (!std::isfinite(shift))
      throw InputError({fmt::format("the shift of a friction sigmoid is {}", shift), {}, "finite", ""});
  }
  if (form == FrictionForm::stribeck) positive(velocity, "a Stribeck velocity");
  if (load == LoadFriction::stribeck) positive(load_peak_velocity, "the Stribeck velocity of a load");
  for (const double mu : {driving, driven, load_mean, load_peak, load_mean + load_peak})
    if (load != LoadFriction::none && !(mu >= 0 && mu < 1))
      throw InputError({fmt::format("a gear that takes {} of its load", mu), {}, "at least 0, below 1", ""});
}

FrictionModel friction_model(FrictionForm form) {
  FrictionModel model;
  model.form = form;
  model.coulomb = form == FrictionForm::linear || form == FrictionForm::stribeck;
  model.offset = form != FrictionForm::asymmetric;
  return model;
}

ShapeValue friction_shape(const FrictionModel& model, double qd) {
  if (model.form == FrictionForm::sigmoid) return sigmoid(model.slope, model.shift, qd);
  if (model.form == FrictionForm::stribeck) return stribeck(model.velocity, qd);
  return {};
}

std::string friction_column(FrictionForm form, int number) {
  switch (form) {
    case FrictionForm::asymmetric:
      return fmt::format("fp{}", number);
    case FrictionForm::sigmoid:
      return fmt::format("fh{}", number);
    case FrictionForm::stribeck:
      return fmt::format("fs{}", number);
    default:
      return "";
  }
}

std::vector<std::string> tangent_columns(FrictionForm form, int number) {
  const std::string own = friction_column(form, number);
  if (form == FrictionForm::sigmoid) return {own + ".slope", own + ".shift"};
  if (form == FrictionForm::stribeck) return {own + ".velocity"};
  return {};
}

std::vector<std::string> load_tangents(LoadFriction load, int number) {
  const std::string own = fmt::format("mu{}", number);
  if (load == LoadFriction::load) return {own + ".load"};
  if (load == LoadFriction::directional) return {own + ".driving", own + ".driven"};
  if (load == LoadFriction::stribeck) return {own + ".mean", own + ".peak", own + ".velocity"};
  return {};
}

std::vector<std::string> tangent_columns(const FrictionModel& model, int number) {
  std::vector<std::string> names = tangent_columns(model.form, number);
  for (std::string& name : load_tangents(model.load, number)) names.push_back(std::move(name));
  return names;
}

bool is_tangent(const std::string& column) {
  constexpr const char* kEnds[] = {".slope",   ".shift",  ".velocity", ".load",
                                   ".driving", ".driven", ".mean",     ".peak"};
  return std::any_of(std::begin(kEnds), std::end(kEnds),
                     [&](const char* end) { return column.ends_with(end); });
}

std::vector<ExtraColumns> friction_columns(const std::vector<FrictionJoint>& joints,
                                           const std::vector<FrictionModel>& models, bool tangents) {
  require(joints.size() == models.size(), "one friction model per joint");
  std::vector<ExtraColumns> list;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    models[j].validate();
    if (models[j].form == FrictionForm::asymmetric) list.push_back(asymmetric_columns(joints[j]));
    if (models[j].shape_size() > 0) list.push_back(shape_columns(joints[j], models[j], tangents));
  }
  return list;
}

}  // namespace steelyard
