// The rows of the coarse runs, joint by joint: where it moves, away from its reversals.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "steelyard/doctor/trial.hpp"

namespace steelyard::doctor {

// Of one joint, the samples at which it moves.
struct CoarseRows {
  Eigen::MatrixXd Y;       // samples × columns
  Eigen::VectorXd effort;  // without what is known of it
  Eigen::VectorXd stamps;  // [s] from the beginning of its run
  struct RunRows {
    std::size_t run;  // of the trial
    Index begin, count;
  };
  std::vector<RunRows> runs;
};

// Rows within `smear` seconds of a reversal are left out. Runs of another rate than the first are, too.
std::vector<CoarseRows> coarse_rows(const Trial& trial, double smear);

inline constexpr Index kCoarseParts = 16;  // of a run, over which residuals are summed

// One term more in the rows of one run: `s` and the efforts `e`, both free of the joint's own columns.
struct TermInRun {
  double value = 0;
  double deviation = 0;  // from the scatter over parts of the run; `free` parameters follow their sums
  double explained = 0;  // share of the run's squares
};
TermInRun fit_term(const Eigen::VectorXd& s, const Eigen::VectorXd& e, Index begin, Index count, Index free);

}  // namespace steelyard::doctor
