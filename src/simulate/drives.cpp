#include "steelyard/simulate/drives.hpp"

#include <fmt/format.h>

#include <cmath>

#include "simulate/lists.hpp"
#include "simulate/sign.hpp"
#include "steelyard/core/error.hpp"

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
  finite(drive.gain, "gain");
  if (drive.gain == 0) throw InputError({"the gain is 0", {{}, 0, 0, joint}, "not zero", {}});
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
  }
  for (const PairDrive& pair : parameters.pairs) {
    check_number(pair.rotor_inertia, Bound::finite, "rotor inertia of a coupled pair");
    check_number(pair.viscous, Bound::finite, "viscous friction of a coupled pair");
    check_number(pair.coulomb, Bound::finite, "Coulomb friction of a coupled pair");
  }
}

}  // namespace steelyard
