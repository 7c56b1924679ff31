// From a study to its result: reads the robot and the logs, folds, estimates, predicts.
//
//   pass 1   every run is prepared and folded, chunk by chunk     → base parameters by least squares
//   pass 2   every run is predicted with them, sample by sample   → raw residuals, curves, motion period
//
// Cross-validation works on the folds of pass 1. No files are written here; that is up to the program.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/engines/engine.hpp"
#include "steelyard/fold/fold_file.hpp"
#include "steelyard/report/report.hpp"
#include "steelyard/result/result.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct MotionSamples;  // feasible/compare.hpp

struct StudyOptions {
  int threads = 1;
  std::function<void(const std::string& stage, double share)> progress;  // may be empty; share from 0 to 1
  std::vector<EngineKind> engines;  // in which validate_study() simulates the runs
  bool examine = true;              // fold_study(): store the doctor's findings in the fold files
  bool keep_motion = false;         // run_study(): of the first fitted run, for what its joints carry
};

struct StageTime {
  std::string stage;
  double seconds = 0;
  double cpu_seconds = 0;  // of all threads of the program
};

struct StudyOutcome {
  Result result;
  std::vector<EffortCurve> curves;
  std::vector<Complaint> warnings;              // about the robot file
  std::vector<StageTime> times;                 // wall time; for run.json
  std::vector<ExportedFile> files;              // of `export:`, verified by reading them back
  std::shared_ptr<const MotionSamples> motion;  // where it was to be kept, and there is a log
};

StudyOutcome run_study(const Study& study, const StudyOptions& options = {});

// Only the signs of the runs that log |effort|, and what the doctor finds in all runs. Throws InputError when there are none.
struct SignsOutcome {
  SignsSummary signs;
  std::vector<Finding> findings;
  std::vector<StudyFix> fixes;
  std::vector<Complaint> warnings;
};
SignsOutcome recover_study_signs(const Study& study, const StudyOptions& options = {});

// Validates an earlier model on the runs of a study: nothing is fitted, every run is fresh. The result is the
// model's, with findings, validation and verdict of these runs, and the comparison with physics engines for
// its feasible links. Throws InputError when the study's robot does not have the model's base parameters,
// MachineError for engines that are not installed.
StudyOutcome validate_study(const Study& study, const Result& model, const StudyOptions& options = {});

// The error to expect of an earlier model on the motions of a study, relative to the efforts that the model predicts:
// efforts of the runs are not used, and runs need none. Throws InputError for models without a forecast and for
// those of another robot.
struct RunForecast {
  std::string run;
  MotionForecast estimate;
  std::optional<MotionForecast> links;  // of the feasible parameters
};
struct ForecastOutcome {
  std::vector<RunForecast> runs;
  std::vector<Complaint> warnings;  // about the robot file
};
ForecastOutcome forecast_study(const Study& study, const Result& model, const StudyOptions& options = {});
std::string to_json(const ForecastOutcome& outcome);

// The joints with the largest shares of a forecast, the worst first; those with none are left out.
std::vector<JointForecast> worst_joints(const MotionForecast& forecast, std::size_t count);

// Several models on the same runs: the outcome of the first, with a `comparison` of all parameter sets (base
// values, and links where a model has them).
struct NamedModel {
  std::string name;
  Result result;
  std::string parameters = "base";  // what its base values are those of: "base", or given "links"
};
StudyOutcome compare_models(const Study& study, const std::vector<NamedModel>& models,
                            const StudyOptions& options = {});

// What --beside names: a result (.json); a file with `base:` (published coefficients), `links:` or `standard:` (published
// links), or a robot file with other links. What the file does not have of the drives is the model's.
NamedModel model_beside(const Study& study, const Result& model, const std::string& path);

// Ten standard parameters per link that such a file gives: `links:`, `standard:`, or a robot file.
VectorXd given_link_parameters(const Robot& robot, const std::string& path);

// The model with other links (CAD data, published parameters) in place of its own, and its friction and rotors. Their frames
// may be others than those of the study's robot. Throws InputError for another robot and for links without an inertia.
NamedModel model_with_links(const Study& study, const Result& model, const Robot& links,
                            const std::string& name);

// Feasible parameters from earlier base values, in a result.json or a YAML file
// `base: {mx2: {value: 2.1, sigma: 0.02}}`: min φ1 under the study's constraints. The study's runs are not
// read. Throws InputError when the values do not belong to the study's robot.
StudyOutcome retrieve_study(const Study& study, const std::string& base_values_path,
                            const StudyOptions& options = {});

// Pass 1 alone: the folds of every run, for fold files, with the doctor's findings about their logs. Signals
// are examined during the pass; for logs above 100 000 samples the set-up is examined on the first 100 000
// (docs/doctor.md).
std::vector<FoldedRun> fold_study(const Study& study, const StudyOptions& options = {});

// The robot of a study: read, with the study's drive terms added.
Robot study_robot(const Study& study, std::vector<Complaint>* warnings = nullptr);

// What the report draws of a study: its robot and the motions of its runs.
//
// Every run is read once more, from the beginning to the end, and thinned out on the way: memory does not
// grow with its length. Runs without positions of the joints have no motion, and neither have runs that are
// simulated with another robot than the study's (reverse studies).

Scene study_scene(const Study& study);

}  // namespace steelyard
