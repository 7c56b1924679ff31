// What gains are identified from: folded runs with and without loads, and what is known beforehand.
//
//   rows, eq. (15) of the drive-gain paper:   V g − W χ − W_u χ_u = W_k χ_k
//
// g the gains, χ the base parameters, χ_u and χ_k the unknown and the fixed parameters of the loads
// (options.hpp). Currents alone leave the scale of everything open; what fixes it is W_k χ_k, or a gain that is
// known. A run with a load cannot distinguish the load from the last link: another run is needed without it,
// or with another load.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/gains/current_rows.hpp"
#include "steelyard/gains/errors.hpp"
#include "steelyard/gains/options.hpp"

namespace steelyard::inline STEELYARD_ABI {

// A run, its rows as equations on both sides of the transmission (sided_fold). Rows come by time block; those
// between two blocks are folds of their own, with the number of the first block.
struct GainRun {
  std::string label;
  std::string load;         // empty: none
  std::vector<Fold> joint;  // columns: leads, the load's ten; efforts: the currents of the gains
  std::vector<Fold> motor;
  std::vector<bool> is_gap;  // of the folds above
  // What noise adds to the rows, one fold per row with the same columns, for as many rows as the run has
  // (errors.hpp); empty: not known.
  RowErrors joint_errors;
  RowErrors motor_errors;
  Index blocks = 0;

  const std::vector<Fold>& rows(RowSide side) const { return side == RowSide::joint ? joint : motor; }
  const RowErrors& errors(RowSide side) const { return side == RowSide::joint ? joint_errors : motor_errors; }
};

// `first_block`: number of its first block; those of the runs of a problem must differ. `errors` may be null.
GainRun gain_run(const CurrentRows& rows, const FoldPass& pass, const RunLabel& label, Index first_block = 0,
                 const RunErrors* errors = nullptr);

struct GainProblem {
  std::vector<std::string> joints;   // one per gain
  std::vector<std::string> gains;    // "g1" …
  std::vector<std::string> leads;    // base parameters
  std::vector<std::string> without;  // base parameters that are set to zero (essential.hpp)
  std::vector<Load> loads;
  std::vector<GainRun> runs;
  // A-priori gains with their standard deviations: rows of the fit where the standard deviation is finite.
  // Empty: none.
  VectorXd prior;
  VectorXd prior_sigma;
};

GainProblem gain_problem(const CurrentRows& rows, std::vector<Load> loads, std::vector<GainRun> runs);

// Throws InputError when the gains cannot be found from such runs: no run with a load, no second state of the
// load, nothing known of any load, missing loads, loaded and unloaded data that are the same.
void validate(const GainProblem& problem);

// Null for a run without load.
const Load* load_of(const GainProblem& problem, const GainRun& run);

// All unknowns: gains, base parameters, unknown parameters of the loads that runs carry.
std::vector<std::string> gain_columns(const GainProblem& problem);

// A row of either side as an equation with the fixed load as its effort "load".
Fold gain_equation(const GainProblem& problem, const GainRun& run, const Fold& row);

// All rows of a side of all runs.
std::vector<Fold> gain_equations(const GainProblem& problem, RowSide side);

// What is known of gains and loads with a standard deviation, as rows for the layout of gain_columns().
std::vector<Fold> gain_priors(const GainProblem& problem);

}  // namespace steelyard
