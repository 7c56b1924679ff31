// Friction in the result, and friction read back from a result.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/friction.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kLargestShare = 0.999;  // of its load that a gear takes: all of it is none to be driven by

class Values {
 public:
  Values(const Estimate& estimate, FrictionValues& out) : estimate_(estimate), out_(out) {}

  // A coefficient as it was estimated.
  double put(const char* name, const std::string& column) {
    const Index k = estimate_.find(column);
    if (k < 0) return 0;
    return put(name, estimate_.values[k], deviation(k));
  }

  // A shape parameter: its value with the last step along its tangent, whose coefficient is height · δ.
  void put_shape(const char* name, double value, double scale, const std::string& tangent, double height) {
    const Index k = estimate_.find(tangent);
    if (k < 0 || height == 0) {
      put(name, value, -1);
      return;
    }
    const double factor = scale / height;
    put(name, value + factor * estimate_.values[k], std::abs(factor) * deviation(k));
  }

  // What a gear takes of its load, with the last step, which keeps it a share.
  void put_share(const char* name, double value, const std::string& tangent) {
    const Index k = estimate_.find(tangent);
    put(name, k < 0 ? value : std::clamp(value + estimate_.values[k], 0.0, kLargestShare),
        k < 0 ? -1 : deviation(k));
  }

  void put_given(const char* name, double value) { put(name, value, -1); }

 private:
  double deviation(Index k) const {
    const bool known = k < estimate_.sigma.size() && std::isfinite(estimate_.sigma[k]);
    return known ? estimate_.sigma[k] : -1;
  }
  double put(const char* name, double value, double sigma) {
    out_.parameters[name] = value;
    if (sigma >= 0) out_.sigma[name] = sigma;
    return value;
  }

  const Estimate& estimate_;
  FrictionValues& out_;
};

FrictionValues values_of(const Setup& setup, const Estimate& estimate, std::size_t k) {
  const FrictionModel& model = setup.friction.models[k];
  const std::string number = std::to_string(setup.friction.joints[k].number);
  FrictionValues out;
  out.model = to_string(model.form);
  if (model.load != LoadFriction::none) out.load = to_string(model.load);
  out.status = to_string(setup.friction.statuses[k]);
  out.reason = setup.friction.reasons[k];
  Values values(estimate, out);
  values.put("fv", "fv" + number);
  values.put("fc", "fc" + number);
  values.put("fo", "fo" + number);
  if (model.form == FrictionForm::asymmetric) {
    values.put("fp", "fp" + number);
    values.put("fn", "fn" + number);
  } else if (model.form == FrictionForm::sigmoid) {
    const double height = values.put("phi1", "fh" + number);
    values.put_shape("phi2", model.slope, model.slope, "fh" + number + ".slope", height);
    values.put_shape("phi3", model.shift, 1, "fh" + number + ".shift", height);
  } else if (model.form == FrictionForm::stribeck) {
    const double height = values.put("fs", "fs" + number);
    values.put_shape("vs", model.velocity, model.velocity, "fs" + number + ".velocity", height);
  }
  const std::string mu = "mu" + number;
  if (model.load == LoadFriction::load) {
    values.put_share("mu", model.driving, mu + ".load");
  } else if (model.load == LoadFriction::directional) {
    values.put_share("mu_driving", model.driving, mu + ".driving");
    values.put_share("mu_driven", model.driven, mu + ".driven");
  }
  if (model.load != LoadFriction::none) values.put_given("vl", model.load_velocity);
  return out;
}

FrictionModel model_of(const FrictionValues& values) {
  FrictionModel model;
  for (const FrictionForm form :
       {FrictionForm::linear, FrictionForm::asymmetric, FrictionForm::sigmoid, FrictionForm::stribeck})
    if (values.model == to_string(form)) model.form = form;
  const auto number = [&](const char* name, double other) {
    const auto found = values.parameters.find(name);
    return found != values.parameters.end() ? found->second : other;
  };
  model.viscous = values.parameters.contains("fv");
  model.coulomb = values.parameters.contains("fc");
  model.offset = values.parameters.contains("fo");
  model.slope = number("phi2", model.slope);
  model.shift = number("phi3", model.shift);
  model.velocity = number("vs", model.velocity);
  for (const LoadFriction load : {LoadFriction::load, LoadFriction::directional})
    if (values.load == to_string(load)) model.load = load;
  model.driving = number(model.load == LoadFriction::load ? "mu" : "mu_driving", 0);
  model.driven = number(model.load == LoadFriction::load ? "mu" : "mu_driven", 0);
  model.load_velocity = number("vl", 0);
  return model;
}

}  // namespace

void add_friction_values(const Setup& setup, const Estimate& estimate, std::vector<DriveValues>& drives) {
  for (std::size_t k = 0; k < setup.friction.models.size(); ++k) {
    const std::string& joint =
        setup.robot.joints[static_cast<std::size_t>(setup.friction.joints[k].number - 1)].name;
    auto drive = std::find_if(drives.begin(), drives.end(),
                              [&](const DriveValues& item) { return item.joint == joint; });
    if (drive == drives.end()) {
      drives.emplace_back();
      drive = std::prev(drives.end());
      drive->joint = joint;
      drive->status = "determined";
    }
    drive->friction = values_of(setup, estimate, k);
  }
}

FrictionForms friction_of_model(const Setup& setup, const Result& model) {
  FrictionForms forms;
  const std::vector<int> joints = coordinates(setup.robot).joints;
  bool loaded = false;
  for (const DriveValues& drive : model.drives) {
    if (!drive.friction) continue;
    const int joint = setup.robot.index_of(drive.joint);
    if (joint < 0)
      throw InputError(
          {fmt::format("the model has friction of joint '{}', which the robot does not have", drive.joint),
           {setup.study().path, 0, 0, ""},
           "",
           "use the robot file of the study that made the model"});
    for (std::size_t r = 0; r < setup.plan.rows.size(); ++r) {
      const Index i = setup.plan.rows[r].i;
      if (joints[static_cast<std::size_t>(i)] != joint) continue;
      forms.joints.push_back({joint + 1, static_cast<Index>(r), i, 1});
      forms.models.push_back(model_of(*drive.friction));
      forms.reasons.push_back(drive.friction->reason);
      forms.statuses.push_back(FrictionStatus::determined);
      if (forms.models.back().load != LoadFriction::none) loaded = true;
    }
  }
  if (loaded)
    for (const BaseValue& value : model.base)
      if (is_link_column(value.name)) forms.load_values[value.name] = value.value;
  return forms;
}

}  // namespace steelyard
