#include "steelyard/simulate/drives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulate/lists.hpp"
#include "simulate/sign.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/regressor/gear_loads.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

void check_drive(const Drive& drive, const std::string& joint) {
  const Friction& f = drive.friction;
  const auto finite = [&joint](double value, const char* name) {
    check_number(value, Bound::finite, fmt::format("{} of joint '{}'", name, joint));
  };
  finite(drive.rotor_inertia, "rotor inertia");
  finite(f.viscous, "viscous friction");
  finite(f.coulomb, "Coulomb friction");
  finite(f.offset, "friction offset");
  finite(f.coulomb_positive, "Coulomb friction of positive velocities");
  finite(f.coulomb_negative, "Coulomb friction of negative velocities");
  finite(f.sigmoid_height, "height of the friction sigmoid");
  finite(f.sigmoid_slope, "slope of the friction sigmoid");
  finite(f.sigmoid_shift, "shift of the friction sigmoid");
  finite(f.stribeck, "Stribeck friction");
  check_number(f.stribeck_velocity, Bound::positive, fmt::format("Stribeck velocity of joint '{}'", joint));
  check_number(f.stribeck_exponent, Bound::positive, fmt::format("Stribeck exponent of joint '{}'", joint));
  for (const double mu : {f.load_driving, f.load_driven, f.load_mean, f.load_peak, f.load_mean + f.load_peak})
    if (!(mu >= 0 && mu < 1))
      throw InputError({fmt::format("the gear takes {} of its load", mu),
                        {{}, 0, 0, joint},
                        "at least 0, below 1",
                        "give the share that is lost"});
  finite(f.ripple, "ripple");
  finite(f.dry_ripple, "ripple of the friction");
  finite(f.ripple_order, "order of the ripple");
  finite(f.ripple_phase, "phase of the ripple");
  check_number(f.load_velocity, Bound::not_negative, fmt::format("load velocity of joint '{}'", joint));
  check_number(f.load_peak_velocity, Bound::positive,
               fmt::format("Stribeck velocity of the load of joint '{}'", joint));
  finite(drive.gain, "gain");
  if (drive.gain == 0) throw InputError({"the gain is 0", {{}, 0, 0, joint}, "not zero", {}});
}

// The effort of the joint has to be what passes through its gear.
void check_gear(const Robot& robot, int joint) {
  bool own = true;
  for (const CoupledPair& pair : robot.pairs) own = own && pair.joint != joint && pair.partner != joint;
  const std::vector<int> joints = coordinates(robot).joints;
  own = own && std::find(joints.begin(), joints.end(), joint) != joints.end();
  if (own) return;
  throw InputError({"load friction of a joint that follows another or shares its drive",
                    {{}, 0, 0, robot.joints[static_cast<std::size_t>(joint)].name},
                    "joints with a gear of their own",
                    "leave its load friction out"});
}

void check_count(std::size_t given, std::size_t wanted, const char* what) {
  if (given == 0 || given == wanted) return;
  throw InputError({fmt::format("{} {} are given", given, what), {}, fmt::format("none, or {}", wanted), {}});
}

}  // namespace

double friction_effort(const Friction& f, double qd) {
  double tau = f.viscous * qd + f.coulomb * sign(qd) + f.offset;
  tau += qd > 0 ? f.coulomb_positive : qd < 0 ? -f.coulomb_negative : 0;
  if (f.sigmoid_height != 0) {
    tau += f.sigmoid_height *
           (logistic(f.sigmoid_slope * (qd + f.sigmoid_shift)) - logistic(f.sigmoid_slope * f.sigmoid_shift));
  }
  if (f.stribeck != 0) {
    tau +=
        f.stribeck * sign(qd) * std::exp(-std::pow(std::abs(qd / f.stribeck_velocity), f.stribeck_exponent));
  }
  return tau;
}

double load_friction(const Friction& f, double qd, double load) {
  if (!f.has_load()) return 0;
  const GearLoad gear{0,           f.load_driving, f.load_driven,       f.load_velocity,
                      f.load_mean, f.load_peak,    f.load_peak_velocity};
  return (gear_factor(gear, qd, load) - 1) * load;
}

double ripple_effort(const Friction& f, double q, double qd) {
  return (f.ripple + f.dry_ripple * sign(qd)) * std::sin(f.ripple_order * q + f.ripple_phase);
}

DryLimits dry_limits(const Friction& f) {
  const double dry = f.coulomb + f.stribeck;
  const double below = f.sigmoid_height != 0 ? logistic(f.sigmoid_slope * f.sigmoid_shift) : 0;
  return {std::max(0.0, dry + f.coulomb_positive + f.sigmoid_height * (1 - below)),
          std::max(0.0, dry + f.coulomb_negative + f.sigmoid_height * below)};
}

RestShares rest_shares(const Friction& f) {
  const double kappa = f.load_mean + f.load_peak;
  return {f.load_driving + 2 * kappa / (1 - kappa), f.load_driven + 2 * kappa / (1 + kappa)};
}

RestBand rest_band(const Friction& f, double load) {
  const DryLimits dry = dry_limits(f);
  const RestShares shares = rest_shares(f);
  const double up = load >= 0 ? shares.driving : shares.driven,
               down = load >= 0 ? shares.driven : shares.driving;
  return {load + f.offset - dry.down - down * std::abs(load), load + f.offset + dry.up + up * std::abs(load)};
}

TrueParameters true_parameters(const Robot& robot) {
  TrueParameters parameters;
  parameters.standard = standard_parameters(robot);
  parameters.drives.resize(robot.joints.size());
  parameters.pairs.resize(robot.pairs.size());
  return parameters;
}

void validate(const TrueParameters& parameters, const Robot& robot) {
  check_matrix(parameters.standard, kParametersPerLink * robot.size(), 1, "the list of standard parameters");
  check_count(parameters.drives.size(), robot.joints.size(), "drives");
  check_count(parameters.pairs.size(), robot.pairs.size(), "coupled pairs of drives");
  for (std::size_t i = 0; i < parameters.drives.size(); ++i) {
    check_drive(parameters.drives[i], robot.joints[i].name);
    if (parameters.drives[i].friction.has_load()) check_gear(robot, static_cast<int>(i));
  }
  for (const PairDrive& pair : parameters.pairs) {
    check_number(pair.rotor_inertia, Bound::finite, "rotor inertia of a coupled pair");
    check_number(pair.viscous, Bound::finite, "viscous friction of a coupled pair");
    check_number(pair.coulomb, Bound::finite, "Coulomb friction of a coupled pair");
  }
}

}  // namespace steelyard
