// Prediction errors: their parts of a result, and the curves of a report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// ‖τ − τ̂‖ / ‖τ‖ as fractions. prepared: the rows given to the estimator; raw: every valid raw sample,
// unfiltered effort, nothing rejected. Totals are over joints of the unit that most joints have.
struct JointResidual {
  std::string name;
  double rms = 0;                  // of the prepared residual [N·m or N]
  std::optional<double> prepared;  // none where the joint's effort is zero throughout: a dead channel
  std::optional<double> raw;
  std::optional<double> with_standstill = {};
};
struct ResidualSummary {
  double prepared = 0;
  std::optional<double> prepared_weighted;  // every joint's rows divided by their standard deviation
  std::optional<double> raw;
  std::vector<JointResidual> per_joint;
  std::optional<double> band =
      {};  // prepared, but at the band of the log, where the cut-off was chosen below it
  std::optional<double> with_standstill =
      {};  // prepared rows and those at standstill; none: all are prepared
};

// Band around the predicted effort of a joint that holds `level` of the samples (docs/uncertainty.md).
struct JointBand {
  std::string joint;
  double half_width = 0;      // [N·m or N]
  double parameter_part = 0;  // rms standard deviation of the prediction by the parameters alone
  double coverage = 0;        // share of held-out samples inside
};

// The error to expect on a motion (docs/forecast.md), as shares of its effort.
struct JointForecast {
  std::string name;
  double rms = 0;                  // expected [N·m or N]
  std::optional<double> expected;  // none where the joint takes no effort
  std::optional<double> upper;     // with a probability of 90 % not more
};
struct MotionForecast {
  double expected = 0;
  double lower = 0, upper = 0;  // each with a probability of 90 %
  std::vector<JointForecast> per_joint;
};

struct CrossValidationSummary {
  int blocks = 0;
  std::string by;  // "index" or "phase"
  ResidualSummary residual;
};

// Autocorrelation of the raw residual, averaged over the estimator's sampling step (docs/validate.md).
struct JointWhiteness {
  std::string name;
  double p_value = 1;   // of correlations this large, for white residuals
  double coloured = 0;  // fraction of the residual's power predicted from the previous step
};

// The offset of a joint that fits a run best, all other parameters as the model has them (docs/validate.md).
struct OffsetRefit {
  std::string name;             // of the joint
  double model = 0;             // [N·m or N]
  double refitted = 0;          // the same
  std::optional<double> sigma;  // of their difference; none: the run has too few blocks
  bool differs = false;         // by more than chance, and by enough to matter
};

struct RunValidation {
  std::string run;
  bool fresh = false;  // not used for fitting
  ResidualSummary residual;
  std::string repeats;                      // run with the same motion; empty: none
  std::optional<ResidualSummary> left_out;  // of a model fitted on all other runs, when there are some
  std::vector<JointWhiteness> whiteness;
  std::optional<ResidualSummary> feasible;  // of the feasible parameters
  std::vector<double> band_coverage = {};  // share of the samples within the band, per joint; empty: no bands
  std::optional<MotionForecast> forecast = {};           // of runs that were not fitted
  std::optional<MotionForecast> feasible_forecast = {};  // the same of the feasible parameters
  std::vector<OffsetRefit> offsets = {};  // of runs that were not fitted, by joint with an offset
  std::optional<ResidualSummary> refitted_offsets = {};  // of the model with these offsets
};

// Power density of a signal by frequency.
struct Spectrum {
  std::vector<double> frequency;  // [Hz]
  std::vector<double> density;    // [unit²/Hz]
};

// What is drawn but not kept in result.json: measured and predicted effort of one joint in one run, as
// envelopes that keep peaks (minimum and maximum of each section of samples).
struct EffortCurve {
  std::string run;
  std::string joint;
  std::string unit;
  std::vector<double> time;  // beginning of each section [s]
  std::vector<double> measured_min, measured_max;
  std::vector<double> predicted_min, predicted_max;
  std::vector<double> residual_min, residual_max;
  Spectrum effort_spectrum = {};         // of every sample, in bands; empty: the run is too short
  Spectrum residual_spectrum = {};       // at the same frequencies
  std::vector<double> correlation = {};  // r_1 … of the residual averaged over the estimator's step
  std::int64_t correlation_samples = 0;  // of that average
};

// A logged motion in a physics engine, with the identified robot: what each joint takes there.
struct EngineJoint {
  std::string joint;
  double mean = 0;  // of measured − engine [N·m or N]
  double rms = 0;
  double effort = 0;  // RMS of the engine's
  double ours = 0;    // relative
};

// Distances between the tool's poses.
struct PoseError {
  double position_mean = 0, position_max = 0;                     // [m]
  double turn_mean = 0, turn_max = 0;                             // [rad]
  Vector3 rpy_mean = Vector3::Zero(), rpy_max = Vector3::Zero();  // [rad] sizes of roll, pitch and yaw
};

struct EngineCheck {
  std::string engine;
  std::string run;
  std::optional<double> drive_step;  // [s] of engines whose joints are driven
  std::vector<EngineJoint> joints;
  std::vector<double> stiffness, damping;  // of the feedback, per coordinate; empty: not followed
  double follow_step = 0;
  double heavier = 1;
  std::optional<PoseError> followed, followed_heavier;
  double command_step = 0;  // [s] between commands to its joints' motors; 0: not commanded
  std::optional<PoseError> by_velocity, by_position;
};

}  // namespace steelyard
