// Before the experiment: how accurately a motion and a candidate load identify each gain.
//
// Currents of the two motions are simulated without noise for nominal parameters, the rows of the prediction
// error (fit.hpp) are made linear at the truth, and with the noise that currents will have behind the filter,
//   σ(g)² = (Σ_j J_jᵀ J_j / σ_j²)⁻¹.
// Errors of the model (friction of another form, noise of positions) are not in it: a real experiment is not
// better than this. Relative standard deviations of gains hardly depend on the nominal gains.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/gains/fit.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/simulate/drives.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct AdviceOptions {
  double rate = 200;           // [Hz] of the log
  double cutoff = 5;           // [Hz] of the filter of the rows
  double current_noise = 0.1;  // white, as a share of each joint's rms current
  bool ten_known = false;      // the load's ten parameters are known, not the mass alone
  double max_relative_sigma = 0.25;

  void validate() const;  // throws InputError
};

struct GainAdvice {
  std::string joint;
  double relative_sigma = 0;  // of the gain; infinite when it is not determined
  bool identifiable = false;
};

// One entry per joint. `nominal`: parameters, friction and gains that are expected; `load` in the tool frame.
std::vector<GainAdvice> advise_gains(const Robot& robot, const TrueParameters& nominal,
                                     const Trajectory& unloaded, const Trajectory& loaded,
                                     const Inertia& load, const AdviceOptions& options = {});

}  // namespace steelyard
