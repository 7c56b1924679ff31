// Gains and loads of a study with currents: before everything else, since torques follow from them.
//
//   currents → folds → gains by every method → the best on held-out currents → τ = mix · (g v)
//
// From there on the study works on torques. The efforts of loads are subtracted as known, with their given or
// estimated parameters: `base` is the robot without load.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "steelyard/fold/layout.hpp"
#include "steelyard/gains/carried.hpp"
#include "steelyard/gains/current_rows.hpp"
#include "steelyard/gains/fit.hpp"
#include "steelyard/identify/setup.hpp"
#include "steelyard/log/source.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct DriveGains {
  CurrentRows rows;
  VectorXd values;                        // used
  MatrixXd covariance;                    // of them
  std::map<std::string, Vector10> loads;  // in the tool frame
  DriveErrors errors;                     // of gains and loads; no columns: they are exact
  std::vector<Fold> error_rows;           // drive_rows() of the fitted runs
  GainsSummary summary;
  std::vector<PayloadSummary> payloads;
  std::vector<Finding> findings;
};

// Gains and loads alone, by one method, without their standard deviations.
DriveGains gain_values(const Setup& setup);

// Gains and loads of an earlier model.
Setup with_gains_of(const Result& model, Setup setup);

// What the payload of a run adds to the values of the plan's columns; empty without one.
VectorXd payload_values(const Setup& setup, const StudyRun& run);

// What it adds to the efforts of the run's rows, through the gears of this plan; nothing without payload.
std::vector<ExtraColumns> load_efforts(const Setup& setup, const StudyRun& run, const Plan& plan);

// The gains that were used, beside the other values of their drives; also those identified with signs.
void add_gains(const Setup& setup, const std::optional<SignsSummary>& signs,
               std::vector<DriveValues>& drives);

}  // namespace steelyard
