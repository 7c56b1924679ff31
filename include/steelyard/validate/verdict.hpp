// How far a model can be trusted, in three levels and plain words.
//
//   not trustworthy   a finding reports that something is wrong, or over 30 % of the effort is unexplained on
//                     held-out rows
//   good              no warning, at most 10 %, and tested on a motion that was not fitted
//   usable            everything between; also a model that was not tested on another motion
//
// The worst held-out residual decides, from the strongest test available: fresh motions, then motions held
// out in turn, then runs that repeat a fitted motion, then blocks held out in turn, then the fitted rows. Residuals
// are those at the band of the log where the cut-off is below it.
//
// For which motions: a model whose error on typical motions is forecast above 30 %, or above 10 % and twice that
// of the fitted motion, says so first, and is not good.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class VerdictLevel { good, usable, not_trustworthy };
const char* to_string(VerdictLevel level);

struct Verdict {
  VerdictLevel level = VerdictLevel::not_trustworthy;
  std::vector<std::string> reasons;  // plain words, the most important first
};

inline constexpr double kGoodResidual = 0.10;
inline constexpr double kUsableResidual = 0.30;

// A forecast is right within a factor of 1.7 in most cases (docs/forecast.md): from 2 on the difference is real.
inline constexpr double kFarWorse = 2;

// Shares of the effort that the model does not explain.
struct HeldOutRun {
  std::string run;
  double residual = 0;
  std::string repeats;                      // fitted run with the same motion; empty: the motion is new
  std::optional<double> links = {};         // of the feasible links
  std::optional<double> below_cutoff = {};  // where `residual` is that of a wider band
};
// Of the error on motions that were not measured (docs/forecast.md).
struct ForecastEvidence {
  double expected = 0, upper = 0;  // on typical motions
  std::string worst;               // joint
  std::optional<double> feasible;  // expected of the feasible links
};
// The log has efforts above the cut-off, and is judged with them [Hz].
struct BandEvidence {
  double cutoff = 0, band = 0;
  double fitted = 0;  // unexplained below the cut-off
  std::optional<double> blocks = {};
};
struct Evidence {
  // Words for what was tested: sets of configurations with entries of g and M instead of runs with efforts.
  bool of_tables = false;
  std::vector<Finding> findings;
  std::optional<double> fitted;      // none: the values were given without rows
  std::optional<double> blocks;      // left out in turn
  std::vector<HeldOutRun> motions;   // left out in turn
  std::vector<HeldOutRun> not_used;  // for the fit
  std::optional<ForecastEvidence> forecast = {};
  std::optional<BandEvidence> band = {};
};

Verdict judge(const Evidence& evidence);

}  // namespace steelyard
