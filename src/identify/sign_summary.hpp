// What a result says of recovered signs.
#pragma once

#include <vector>

#include "identify/signs.hpp"
#include "steelyard/signs/recover.hpp"
#include "steelyard/signs/tree.hpp"

namespace steelyard::inline STEELYARD_ABI {

// `samples`: of all joints of the runs.
SignsSummary summarize_signs(const Setup& setup, const Runs& runs, const SignedRuns& signed_runs,
                             const WeighedSearch& found, Index samples);

// `signs`: those of the result.
SignTree summarize_tree(const TreeOptions& options, const TreeSearch& found, const VectorXd& signs);

// Signs that are undecided, or not proven to fit best.
std::vector<Finding> sign_findings(const SignsSummary& signs);

}  // namespace steelyard
