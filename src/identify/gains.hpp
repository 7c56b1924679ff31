// Gains and loads of a study with currents: before everything else, since torques follow from them.
//
//   currents → folds → gains by every method → the best on held-out currents → τ = mix · (g v)
//
// From there on the study works on torques. What loads add to them is taken off as a known effort, with the
// parameters that were given or found: `base` is the robot without load.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "steelyard/fold/extra.hpp"
#include "steelyard/gains/current_rows.hpp"
#include "steelyard/gains/fit.hpp"
#include "steelyard/log/source.hpp"
#include "steelyard/result/result.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct StudyState;

struct GainState {
  CurrentRows rows;
  VectorXd values;                        // used
  MatrixXd covariance;                    // of them
  std::map<std::string, Vector10> loads;  // in the tool frame
  GainsSummary summary;
  std::vector<PayloadSummary> payloads;
};

// Nothing without `gains:` in the study.
void find_gains(StudyState& state);
// Gains and loads of a model that was found before.
void restore_gains(const Result& model, StudyState& state);

// The samples of a run, with torques where the study has gains.
std::unique_ptr<SampleSource> open_source(const StudyState& state, const StudyRun& run);

// What the load of a run adds to the efforts of its rows; nothing without load.
std::vector<ExtraColumns> load_efforts(const StudyState& state, const StudyRun& run);

// Into the result.
void summarize_gains(StudyState& state);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
