// Repeated runs: the same motion, or the same rows.
//
// The doctor compares logs with each other (doctor/motion.hpp). Here are the pairs with folds, which carry a
// coarse motion since version 4 of the file, and pairs of any kind whose folds have the same Gram matrices:
// one log under two names, whatever the files are called.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/finding.hpp"
#include "steelyard/doctor/coarse.hpp"
#include "steelyard/identify/folded.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Repeat {
  std::size_t run = 0;
  std::string original;  // empty: the run's motion is not known
  Finding finding;
};

// Among runs of which at least one is folds. `log_motion` gives the coarse motion of a log, if it has one;
// called for logs only, and only where there are folds to compare with.
std::vector<Repeat> repeated_folds(
    const Study& study, const std::function<std::optional<CoarseRun>(std::size_t run)>& log_motion);

// The same rows twice.
struct SameRows {
  std::vector<std::string> original;  // by run: another one with the same rows; empty: none
  std::vector<Finding> findings;
};
SameRows same_rows(const std::vector<RunRows>& runs);

}  // namespace steelyard
