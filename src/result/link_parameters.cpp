#include "steelyard/result/result.hpp"

namespace steelyard::inline STEELYARD_ABI {

VectorXd link_parameters(const std::vector<LinkValues>& links) {
  VectorXd parameters(10 * static_cast<Index>(links.size()));
  Index at = 0;
  for (const LinkValues& link : links) {
    parameters.segment<10>(at) << link.mass, link.mass * link.com, link.inertia_origin;
    at += 10;
  }
  return parameters;
}

}  // namespace steelyard
