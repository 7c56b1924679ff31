// Results of one elastic joint.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct ElasticValue {
  double value = 0;
  std::optional<double> lower, upper;  // an end that is not known is absent
};

struct ElasticJoint {
  std::string name;
  bool is_elastic = true;
  std::optional<ElasticValue> stiffness;  // K [N·m/rad or N/m]
  std::optional<double> least_squares;    // K by plain least squares, for comparison
  // K by the motor equation alone, without a model of the links: noise in θ − q biases K low in the
  // regression of τ, noise in τ biases it high in the regression of θ − q. Both ends are widened by their own
  // intervals.
  std::optional<std::pair<double, double>> motor_bracket;
  std::optional<ElasticValue> motor_inertia;  // B
  std::optional<ElasticValue> kappa;          // B/K, for `links`
  std::map<std::string, double> friction;     // fv, fc, fo of the motor
  std::optional<double> encoder_delay;        // [s] by which the link encoder lags
  double deflection = 0;  // RMS about the mean of θ − q in the rows; for `links` of what κ explains of τ
  double snr = 0;         // of the part the model explains, over the residual
  bool identifiable = false;
  std::string reason;  // why not
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
