// From a study to a motion: `steelyard excite` and `steelyard next`.
//
// excite: the best motion for the study's robot and drives, after the fold files it names (if any).
// next:   the study's fit runs are folded and estimated; what would the next run add? Candidates are the best
//         Fourier motion, the best point-to-point motion and holding still at the best poses, all of the same
//         duration, with the noise and the rows per second of the runs so far. σ is √(A₀ + A)⁻¹: rows are
//         assumed independent. The best is the one after which the forecast of the error on typical motions
//         (docs/forecast.md) is lowest; motions are searched for that. By log det where there is no forecast.
//
// A known load adds known efforts and no column: where efforts are torques it identifies nothing more than
// the same motion without it; it identifies the gains of drives that log currents. Candidates with a payload
// play the best motion with it, and give the expected accuracy of every gain if all were unknown
// (docs/excite.md); without a load one common factor of them is open.
#pragma once

#include <string>
#include <vector>

#include "steelyard/identify/run.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct ExciteOutcome {
  Robot robot;
  BaseParameters base;
  ExciteOptions options;  // complete
  ExcitedMotion found;
  double output_rate = 0;
  std::vector<Complaint> warnings;
};
ExciteOutcome excite_study(const Study& study, const StudyOptions& options = {});

struct NextCandidate {
  std::string kind;  // "fourier", "points", "configurations", "payload"
  std::optional<ExcitedMotion> motion;
  MatrixXd poses;       // of configurations
  VectorXd sigma;       // predicted of every parameter
  double load = 0;      // [kg] of candidates with a payload
  VectorXd gain_sigma;  // of those: standard deviation of every drive's gain, if gains are unknown
  std::string shrinks;  // the parameter whose interval shrinks most
  double most = 1;      // by this factor
  double log_det = 0;   // of all runs, including this one
  std::optional<MotionForecast> forecast;  // on typical motions, after it
};

struct NextOutcome {
  Robot robot;
  BaseParameters base;
  ExciteOptions options;
  double output_rate = 0;
  std::vector<std::string> parameters;
  VectorXd sigma;                          // now
  std::optional<MotionForecast> forecast;  // on typical motions, now
  std::string no_forecast;                 // why there is none
  std::vector<NextCandidate> candidates;   // best first, by the forecast, or by log det
  std::vector<Complaint> warnings;
};
NextOutcome next_study(const Study& study, const StudyOptions& options = {});

// Predicted and actual shrinkage of a standard deviation by the best candidate of an earlier next.json.
struct Shrinkage {
  std::string parameter;
  double predicted = 1;
  double achieved = 1;
};
// `previous`: the text of that next.json; throws InputError when it is not one.
std::vector<Shrinkage> shrinkages(const NextOutcome& outcome, const std::string& previous);

std::string to_json(const ExciteOutcome& outcome);
// `previous`: an earlier next.json; its predicted shrinkage is compared with the actual one.
std::string to_json(const NextOutcome& outcome, const std::string& previous = {});

}  // namespace steelyard
