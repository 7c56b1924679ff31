// `elastic` of a result: springs, motors and links of a robot with elastic joints (docs/elastic.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/elastic/joint.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Base parameter of the links alone.
struct ElasticLinkValue {
  std::string name;
  ElasticValue value;
};

struct ElasticSummary {
  std::string equations;  // "motors_and_links", "elastic_torque", "links"
  bool converged = false;
  int iterations = 0;
  std::vector<ElasticJoint> joints;
  std::vector<ElasticLinkValue> links;
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
