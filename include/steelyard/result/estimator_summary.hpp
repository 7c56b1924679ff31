// What the estimator of a study did beyond weights by joint: part of the result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// estimate/instrument.hpp: how the instruments were made and what they are worth.
struct InstrumentSummary {
  double cutoff = 0;       // [Hz] of the motion that was followed
  bool simulated = false;  // false: the motion itself, because the parameters could not be simulated
  double correlation = 0;  // smallest canonical correlation of Y and Z
  std::optional<double> first_stage;  // F; absent when infinite
  bool weak = false;
  double hausman = 0;  // least squares against instruments
  std::int64_t hausman_degrees = 0;
  bool least_squares_biased = false;
};

// estimate/robust.hpp, one entry per joint.
struct JointRows {
  std::string name;
  double sigma = 0;          // of the rows, by the median
  double reduced_share = 0;  // rows with a weight below 1
  double far_share = 0;      // of all rows, with weight 0
};

// estimate/essential.hpp.
struct EssentialSummary {
  double limit = 0;                     // of the ratio
  std::optional<double> ratio;          // at the end; absent when a value is not determined
  std::int64_t count = 0;               // parameters that stay
  std::vector<std::string> eliminated;  // in the order in which they left
  double residual = 0;                  // ‖τ − τ̂‖ / ‖τ‖ of the rows given to the estimator
  double residual_full = 0;
};

struct EstimatorSummary {
  std::string method;  // "ols", "wls", "irls", "irls_blocks", "huber", "iv"
  std::int64_t iterations = 0;
  bool converged = true;
  std::optional<InstrumentSummary> instruments;
  std::vector<JointRows> rows;
  std::optional<EssentialSummary> essential;
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
