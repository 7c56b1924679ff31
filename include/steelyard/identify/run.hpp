// From a study to its result: reads the robot and the logs, folds, estimates, predicts.
//
//   pass 1  every run is prepared and folded, chunk by chunk        → base parameters by least squares on the
//   folds pass 2  every run is predicted with them, sample by sample      → raw residuals, curves, period of
//   the motion
// Cross-validation works on the folds of pass 1. Nothing is written here; that is the program's task.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/engines/engine.hpp"
#include "steelyard/fold/fold_file.hpp"
#include "steelyard/result/result.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct StudyOptions {
  int threads = 1;
  std::function<void(const std::string& stage, double share)> progress;  // may be empty; share from 0 to 1
  std::vector<EngineKind> engines;  // that validate_study() plays the runs in
  bool examine = true;              // fold_study(): also what the doctor finds, for the fold files
};

struct StageTime {
  std::string stage;
  double seconds = 0;
};

struct StudyOutcome {
  Result result;
  std::vector<EffortCurve> curves;
  std::vector<Complaint> warnings;  // about the robot file
  std::vector<StageTime> times;     // wall time; for run.json
  std::vector<ExportedFile> files;  // of `export:`, read back
};

StudyOutcome run_study(const Study& study, const StudyOptions& options = {});

// The signs of the runs that log |effort| only, and nothing more. Throws InputError when there is none.
struct SignsOutcome {
  SignsSummary signs;
  std::vector<Finding> findings;
  std::vector<Complaint> warnings;
};
SignsOutcome find_signs(const Study& study, const StudyOptions& options = {});

// A model that was found before, tried on the runs of a study: nothing is fitted, every run is fresh. The
// result is the model's, with findings, validation and verdict of these runs, and with what engines make of
// the model's feasible links. Throws InputError when the study's robot does not have the model's base
// parameters, MachineError for engines that are not there.
StudyOutcome validate_study(const Study& study, const Result& model, const StudyOptions& options = {});

// Several models on the same runs: the outcome of the first, with `comparison` of all their sets of
// parameters (base values, and links where a model has them).
struct NamedModel {
  std::string name;
  Result result;
};
StudyOutcome compare_models(const Study& study, const std::vector<NamedModel>& models,
                            const StudyOptions& options = {});

// Feasible parameters from base values that were found before, in a result.json or a YAML file
// `base: {mx2: {value: 2.1, sigma: 0.02}}`: min φ1 under the study's constraints. Runs of the study are not
// read. Throws InputError when the values are not those of the study's robot.
StudyOutcome retrieve_study(const Study& study, const std::string& base_values_path,
                            const StudyOptions& options = {});

// Pass 1 alone: the folds of every run, for fold files, with what the doctor finds in their logs. Signals are
// watched in the pass itself; of logs above 100 000 samples the set-up is examined on the first of them
// (docs/doctor.md).
std::vector<FoldedRun> fold_study(const Study& study, const StudyOptions& options = {});

// The robot of a study: read, with the study's drive terms added.
Robot study_robot(const Study& study, std::vector<Complaint>* warnings = nullptr);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
