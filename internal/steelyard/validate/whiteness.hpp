// Is anything left in the residuals that a model could still explain?
//
//   r_k = Σ e_t e_{t−k} / Σ e_t²        Q = n (n + 2) Σ_{k=1…L} r_k² / (n − k)  ~  χ²_L  for white residuals
//
// The mean is not removed: a constant offset is something a model could explain. Residuals are averaged
// over `average` samples first (the estimator's decimation), which keeps white noise white and leaves what
// lies in the model's band. Real robots are rarely white; how much is coloured is the question: `coloured` is
// the fraction of the residual's power predicted from the previous step, r_1².
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Whiteness {
  Index samples = 0;                // after averaging
  std::vector<double> correlation;  // r_1 … r_L
  double statistic = 0;             // Q
  double p_value = 1;               // of Q or more, for white residuals; 1 when there are too few samples
  double coloured = 0;              // r_1²

  bool white(double level = 0.01) const { return p_value >= level; }
};

// Sums over a run, sample by sample; memory: the lags.
class Autocorrelation {
 public:
  explicit Autocorrelation(Index average = 1, Index lags = 20);
  void add(double residual);
  // Samples are missing: what comes next is not related to what came before.
  void interrupt();
  Whiteness whiteness() const;

 private:
  Index average_ = 1;
  Index pending_count_ = 0;
  double pending_ = 0;
  Index samples_ = 0;
  Index begin_ = 0;  // of the stretch without missing samples
  double squares_ = 0;
  std::vector<double> recent_;    // the last values, by index modulo the lags
  std::vector<double> products_;  // Σ e_t e_{t−k}
};

}  // namespace steelyard
