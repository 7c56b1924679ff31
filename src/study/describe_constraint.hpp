// Description of one constraint of the section `feasible`.
#pragma once

#include "steelyard/core/describe.hpp"
#include "steelyard/study/sections.hpp"

namespace steelyard::inline STEELYARD_ABI {

// `number`: of the constraint in the list, from 1, for those without a name.
void describe_constraint(Fields& fields, ConstraintSpec& spec, std::size_t number);

}  // namespace steelyard
