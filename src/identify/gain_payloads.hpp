// Loads from currents with gains that are known: a part of with_gains().
#pragma once

#include <vector>

#include "identify/gains.hpp"
#include "steelyard/gains/payload.hpp"
#include "steelyard/gains/problem.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct CurrentRun {
  const StudyRun* run = nullptr;
  GainRun folds;
};

GainOptions gain_options(const Setup& setup);

// The rows of all runs, and the problem of those that are fitted.
struct CurrentFolds {
  CurrentRows rows;
  std::vector<CurrentRun> runs;
};
CurrentFolds fold_currents_of(const Setup& setup);
GainProblem problem_of(const Setup& setup, const CurrentRows& rows, const std::vector<CurrentRun>& runs);
GainFit fit_by(const Setup& setup, const GainProblem& problem, GainMethod method, const GainOptions& options);

// Every loaded run against the unloaded fit runs, the load unknown, with these gains. Returns the estimates that
// `gains.loads` takes.
std::vector<LoadEstimate> identify_payloads(const Setup& setup, const std::vector<CurrentRun>& runs,
                                            DriveGains& gains);

}  // namespace steelyard
