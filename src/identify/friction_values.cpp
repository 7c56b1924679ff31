// Friction in the result, and friction read back from a result.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/friction.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/fold/prior.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kShareReach = 0.25;  // of μ

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
  } else if (model.load == LoadFriction::stribeck) {
    values.put_share("kappa", model.load_mean, mu + ".mean");
    values.put_share("kappa_peak", model.load_peak, mu + ".peak");
    values.put_shape("vm", model.load_peak_velocity, model.load_peak_velocity, mu + ".velocity", 1);
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
  for (const LoadFriction load : {LoadFriction::load, LoadFriction::directional, LoadFriction::stribeck})
    if (values.load == to_string(load)) model.load = load;
  model.driving = number(model.load == LoadFriction::load ? "mu" : "mu_driving", 0);
  model.driven = number(model.load == LoadFriction::load ? "mu" : "mu_driven", 0);
  model.load_mean = number("kappa", 0), model.load_peak = number("kappa_peak", 0);
  model.load_peak_velocity = number("vm", model.load_peak_velocity);
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

Friction fitted_friction(const DriveValues& drive) {
  // A form that was fitted states its own linear part.
  const std::map<std::string, double>& values = drive.friction ? drive.friction->parameters : drive.values;
  const auto value = [&](const char* name, double other = 0) {
    const auto found = values.find(name);
    return found != values.end() ? found->second : other;
  };
  Friction out;
  out.viscous = value("fv"), out.coulomb = value("fc"), out.offset = value("fo");
  if (!drive.friction) return out;
  out.coulomb_positive = value("fp"), out.coulomb_negative = value("fn");
  out.sigmoid_height = value("phi1");
  out.sigmoid_slope = value("phi2", 1), out.sigmoid_shift = value("phi3");
  out.stribeck = value("fs"), out.stribeck_velocity = value("vs", 1);
  const bool alike = drive.friction->load != to_string(LoadFriction::directional);
  out.load_driving = value(alike ? "mu" : "mu_driving");
  out.load_driven = value(alike ? "mu" : "mu_driven");
  out.load_velocity = value("vl");
  out.load_mean = value("kappa"), out.load_peak = value("kappa_peak"),
  out.load_peak_velocity = value("vm", 1);
  return out;
}

void add_rest(const Robot& robot, std::vector<DriveValues>& drives) {
  for (DriveValues& drive : drives) {
    const Friction friction = fitted_friction(drive);
    const DryLimits dry = dry_limits(friction);
    const RestShares shares = rest_shares(friction);
    drive.rest = {dry.up, dry.down, shares.driving, shares.driven};
  }
  const auto drive_of = [&](int joint) {
    return std::find_if(drives.begin(), drives.end(), [&](const DriveValues& drive) {
      return drive.joint == robot.joints[static_cast<std::size_t>(joint)].name;
    });
  };
  for (const CoupledPair& pair : robot.pairs) {
    const auto partner = drive_of(pair.partner);
    if (partner == drives.end() || !partner->values.contains("fcm")) continue;
    const double held = std::max(0.0, partner->values.at("fcm"));
    for (const int joint : {pair.joint, pair.partner})
      if (const auto drive = drive_of(joint); drive != drives.end())
        drive->rest->up += held, drive->rest->down += held;
  }
  for (DriveValues& drive : drives)
    if (drive.rest->up == 0 && drive.rest->down == 0 && drive.rest->driving == 0 && drive.rest->driven == 0)
      drive.rest.reset();
}

std::vector<Fold> shape_priors(const Setup& setup, const Estimate& estimate) {
  const auto size = static_cast<Index>(estimate.columns.size());
  VectorXd sigma = VectorXd::Constant(size, kInfinity);
  const auto limit = [&](const std::string& column, double reach) {
    if (const Index k = estimate.find(column); k >= 0 && reach > 0) sigma[k] = reach / estimate.sigma_rows;
  };
  for (std::size_t j = 0; j < setup.friction.models.size(); ++j) {
    const FrictionModel& model = setup.friction.models[j];
    const int number = setup.friction.joints[j].number;
    if (const Index k = estimate.find(friction_column(model.form, number)); k >= 0) {
      const double height = std::abs(estimate.values[k]);
      for (const std::string& tangent : tangent_columns(model.form, number))
        limit(tangent, tangent.ends_with(".shift") ? height / model.slope : kShapeReach * height);
    }
    for (const std::string& tangent : load_tangents(model.load, number))
      limit(tangent, tangent.ends_with(".velocity") ? kShapeReach : kShareReach);
  }
  if (!(estimate.sigma_rows > 0) || (sigma.array() == kInfinity).all()) return {};
  return {prior(prior_layout(estimate.factor.layout(), "shapes"), VectorXd::Zero(size), sigma)};
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
