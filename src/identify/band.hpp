// Step 5 of a study: the model at the band of the log, where its cut-off was chosen.
//
// The lowest cut-off that predicts as well as the best (cutoff.cpp) may be far below the frequencies of the motion:
// rows at 2 Hz are explained well because what is hard to explain was filtered out. The same values are scored once
// more on rows filtered at the band of the measured efforts (occupied_band()); nothing is fitted again.
#pragma once

#include <optional>
#include <vector>

#include "identify/feasible.hpp"
#include "steelyard/identify/folded.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Shares of the effort that are unexplained at the band; empty where the cut-off is not below it.
struct BandScore {
  std::optional<double>
      band;  // [Hz] of the fit runs' efforts; none: the cut-off was given, or nothing but noise
  std::optional<double> fitted, fitted_links;
  std::vector<double> runs, links;
  int passes = 0;  // over the fit runs
};
BandScore score_at_band(const Setup& setup, const Runs& runs, const Estimate& estimate,
                        const std::optional<FeasibleModel>& feasible);
// The same at the band of an earlier model.
BandScore score_at_band_of(const Result& model, const Setup& setup, const Runs& runs,
                           const Estimate& estimate, const std::optional<FeasibleModel>& feasible);

}  // namespace steelyard
