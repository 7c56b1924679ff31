// Prediction bands of a study, counted while its runs are predicted.
//
// Every sample of a fit run is also predicted by the parameters of a fit without its group of blocks: the
// error of the final model corrected by Y (π̂ − π_g). Runs that are not fitted are counted as they are.
#pragma once

#include <vector>

#include "identify/intervals.hpp"
#include "steelyard/estimate/bands.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/validate/predict.hpp"

namespace steelyard::inline STEELYARD_ABI {

class BandCounter {
 public:
  // Refits without each group, from folds.
  BandCounter(const Setup& setup, const Folded& folded, const Fit& fit, const Uncertainty& spread);

  // The next errors belong to this run of the study.
  void begin(std::size_t run);
  void add(const ErrorTile& tile);

  // Bands per row of the plan, in the order of the joints.
  std::vector<JointBand> bands(const std::vector<std::string>& joints, double level) const;
  // Share of the samples of a run that lie within the bands, per row.
  std::vector<double> coverage(std::size_t run, const std::vector<JointBand>& bands) const;

 private:
  struct Groups {
    std::vector<int> of_block;  // empty: not fitted
    Index block_samples = 1;
  };
  const Plan& plan_;
  std::vector<Groups> runs_;
  std::vector<VectorXd> moved_;                     // π_g − π̂ in the plan's columns
  std::vector<std::vector<ErrorCounts>> held_out_;  // [row][group]
  std::vector<std::vector<ErrorCounts>> by_run_;    // [run][row]
  std::vector<double> parameter_part_;              // rms of Y Σ Yᵀ, per row
  std::size_t run_ = 0;
};

}  // namespace steelyard
