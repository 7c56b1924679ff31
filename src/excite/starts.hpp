// Starts of the search: motions inside all limits.
#pragma once

#include <optional>

#include "excite/problem.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Scaled coefficients of start number k, inside; nothing when no motion was found from its poses. Start 0
// begins at the middle of the ranges when that is inside.
std::optional<VectorXd> random_start(const DesignProblem& problem, const ExciteOptions& options, int k);

// The motion `from` with random changes of a fifth of its spread, inside: a way out of its local optimum.
std::optional<VectorXd> changed_start(const DesignProblem& problem, const ExciteOptions& options,
                                      const VectorXd& from, int k);

// A given motion, shrunk towards rest until it is inside.
std::optional<VectorXd> warm_start(const DesignProblem& problem, const DesignedMotion& motion);

// x pulled towards the rest in its own middle until inside; nothing when that rest is outside.
std::optional<VectorXd> pulled_inside(const DesignProblem& problem, const VectorXd& x);

// Throws InputError with the limit that excludes every pose.
[[noreturn]] void refuse_all_poses(const DesignProblem& problem, const ExciteOptions& options);

// Throws InputError for a given start or finish that violates a limit.
void check_ends(const DesignProblem& problem, const ExciteOptions& options);

}  // namespace steelyard
