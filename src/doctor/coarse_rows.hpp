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

}  // namespace steelyard::doctor
