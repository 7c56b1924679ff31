// Newton-Euler over a Graph: the recursion of dynamics/ written down for one robot.
//
// With ω, α the angular velocity and acceleration of a link, a the acceleration of its origin (gravity
// included), all in link axes, and mc, J about the origin:
//   f = m a + α × mc + ω × (ω × mc),   n = J α + mc × a + ω × J ω
// summed from the tips to the root; joint i carries τ_i = z·n + v·f with its twist (z, v).
#pragma once

#include <array>
#include <vector>

#include "graph.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {

using Terms = std::vector<Term>;
using Term3 = std::array<Term, 3>;
using Term33 = std::array<Term3, 3>;  // by rows

struct TracedLink {
  Term33 rotation;  // link in its parent
  Term3 position;
  Term3 omega, alpha, acceleration;
};

// q, qd, qdd of all joints; gravity is left out on request (for M and Coriolis).
std::vector<TracedLink> traced_motion(const Tree& tree, Graph& graph, const Terms& q, const Terms& qd,
                                      const Terms& qdd, bool gravity);

// τ = Y π of all joints for the 10·n parameters.
Terms traced_effort(const Tree& tree, Graph& graph, const std::vector<TracedLink>& links,
                    const VectorXd& parameters);

// One column of Y: the effort of all joints when parameter k of link i is 1 and all others are 0.
Terms traced_column(const Tree& tree, Graph& graph, const std::vector<TracedLink>& links, int link,
                    int parameter);

}  // namespace steelyard
