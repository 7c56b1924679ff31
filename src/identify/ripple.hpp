// Ripple: efforts that repeat with the position of a joint or of its motor, as columns by expression.
//
//   sin(n q), cos(n q)                      of the joint whatever it does: magnets, eccentric gears
//   sign(q̇) sin(n q), sign(q̇) cos(n q)     of its friction: Coulomb friction that changes along the turn
//
// n is an order per turn of the joint; of a motor behind a gear of ratio r it is a multiple of r. Columns are named
// "ripple3.10.sin", "ripple3.10.dry_cos", and a result's names say which there are.
#pragma once

#include <vector>

#include "identify/friction.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Those of the orders that a study gives, and of the columns that a result has.
std::vector<EffortExpression> given_ripple(const Study& study, const Robot& robot);
std::vector<EffortExpression> ripple_of_model(const Robot& robot, const Result& model);

// Of the joints with `ripple: auto`: one pass with the friction that the set-up has and a dictionary of orders, the
// spectrum of what is left over the position (estimate/ripple_choice.hpp).
std::vector<EffortExpression> find_ripple(const Setup& setup, const Runs& runs);

}  // namespace steelyard
