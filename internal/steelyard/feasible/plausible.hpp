// Links that nobody would believe, although they are bodies and fit the efforts.
//
//   density    m / (4/3 π 5^(3/2) √det Σ), Σ the second moments of a kilogram about the centre of mass: of all
//              bodies with these moments the uniform ellipsoid is the least dense, so above 22 600 kg/m³
//              (osmium) no matter is dense enough; the reference may be an exception
//   size       a radius of gyration beyond the length of the whole robot
//   mass       of a link, beyond a factor of 30 from the reference; of all links, beyond a factor of 3, or of 2
//              where the robot's file gives the reference
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/feasible/constraints.hpp"
#include "steelyard/feasible/reference.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Implausible {
  int link = -1;  // −1: all together
  std::string what;
};
std::vector<Implausible> implausible_links(const Quantities& quantities, const Reference& reference,
                                           const VectorXd& x);

// Bodies of PseudoInertia constraints with δ = 1e-3 and ℓ such that a body of this mass (one per link) is no thinner
// in any direction than a ball of steel, or than the reference where the robot's file gives it: no needles, no
// points.
std::vector<Constraint> without_needles(std::vector<Constraint> constraints, const Reference& reference,
                                        const VectorXd& masses);

double ellipsoid_density(const Inertia& inertia);  // [kg/m³]; infinite for flat bodies

}  // namespace steelyard
