// Which fit predicts best, which base parameters are essential, whether gains changed between runs.
//
// held_out     time blocks are held out in turn (neighbours together, the same share of every run), gains and
//              parameters are fitted on the rest, and the currents of what was left out are predicted; rows
//              between a block that is trained on and one that is not belong to neither part
// essential    base parameters whose standard deviation, relative to their value, is more than `ratio` times
// the
//              smallest one leave, one at a time; gains and loads never do
// drift        v_j = (1 + ε_jr) v̂_j with one ε per joint and run, the first run excepted, estimated together
//              with everything else by the linear form of the prediction error. A gain that fell by one per
//              cent shows as ε = +0.01: the same torque takes more current.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/gains/fit.hpp"

namespace steelyard::inline STEELYARD_ABI {

using GainFitter = std::function<GainFit(const GainProblem& training)>;

// Residual of the currents over all groups. Throws InputError for fewer than two groups, and for runs with
// fewer blocks than groups.
CurrentResidual held_out_residual(const GainProblem& problem, const GainFitter& fit, int groups = 5);

struct EssentialGains {
  std::vector<std::string> eliminated;  // in the order of elimination
  GainProblem problem;                  // without them
  GainFit fit;
  double ratio = 1;  // largest relative standard deviation over the smallest, at the end
};

// `method`: wls or tls.
EssentialGains essential_gains(const GainProblem& problem, GainMethod method, const GainOptions& options = {},
                               double ratio = 30);

struct GainDrift {
  std::string run;
  std::string joint;
  double change = 0;  // ε
  double sigma = 0;
  bool significant = false;  // beyond 4 σ and `min_change`
};

// `fit` by prediction error. All joints of all runs but the first; runs of one block give none.
std::vector<GainDrift> gain_drift(const GainProblem& problem, const GainFit& fit,
                                  const GainOptions& options = {}, double min_change = 0.01);

}  // namespace steelyard
