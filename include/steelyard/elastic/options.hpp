// How elastic joints are identified, and what is known of one of them (docs/elastic.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/fold/layout.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class ElasticEquations { motors_and_links, elastic_torque, links };
const char* to_string(ElasticEquations equations);

struct ElasticOptions {
  ElasticEquations equations = ElasticEquations::motors_and_links;
  std::vector<std::string> joints;  // that have springs; empty: all. The others are stiff: q = θ
  bool deflection_offset = true;    // δ0
  std::vector<ExtraColumns> extra;  // further columns of the links' equation: balancing springs, cables
  bool encoder_delay = true;        // each link encoder may have a delay: θ − q grows with θ̇
  double min_snr = 10;
  bool bias_check = true;  // refits with more noise on the encoders: values that move have no interval
  Weighting weighting = Weighting::by_row_iterated;
  int max_iterations = 100;
  double tolerance = 1e-9;  // relative change of all K, or κ, at which iterations end
  double level = 0.95;      // of intervals
  int replicates = 1000;
  std::uint64_t seed = 1;
  int threads = 1;

  void validate() const;  // throws InputError
};

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

}  // namespace steelyard
