// Runs that show the same twice: the same motion, or the same rows.
//
// The doctor compares logs with each other (doctor/motion.hpp). Here are the pairs with folds, which carry a
// coarse motion since version 4 of the file, and pairs of any kind whose folds have the same Gram matrices:
// one log under two names, whatever the files are called.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "identify/state.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/doctor/coarse.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct Repeat {
  std::size_t run = 0;
  std::string original;  // empty: the run's motion is not known
  Finding finding;
};

// Among runs of which at least one is folds. `log_motion` gives the coarse motion of a log, if it has one; it
// is asked for logs only, and only where there are folds to compare with.
std::vector<Repeat> repeated_folds(
    const Study& study, const std::function<std::optional<CoarseRun>(std::size_t run)>& log_motion);

// The same rows twice, of runs with folds: into findings, and into the runs' `repeats`.
void find_same_rows(std::vector<RunState>& runs, std::vector<Finding>& findings);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
