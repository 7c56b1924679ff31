// Keys `gains` and `payloads` of a study (docs/gains.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/gains/fit.hpp"
#include "steelyard/gains/load.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct GainSpec {
  std::vector<GainMethod> methods;  // tried, in this order; none when the gains are known
  std::optional<GainMethod> use;    // not given: the best on held-out currents
  VectorXd known;                   // given gains, one per joint: nothing is identified
  VectorXd sigma;                   // of the known ones, relative: none, one for all, or one per joint
  VectorXd prior;                   // a-priori gains, one per joint; empty: none
  VectorXd prior_sigma;             // relative: none (start and sign only), one for all, or one per joint
  std::optional<double> essential;  // ratio
  int blocks = 5;                   // groups that are held out
  RowSide rows = RowSide::joint;    // of ls, wls, tls
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
