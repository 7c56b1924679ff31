// The links of a result as standard parameters.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// m, m·c, J about the link frame's origin: ten a link, in their order.
VectorXd link_parameters(const std::vector<LinkValues>& links);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
