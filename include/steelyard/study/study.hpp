// A study: which robot, which logs, how to prepare and estimate. One YAML file (docs/study.md), or made in code
// with a robot and samples in memory:
//
//   Study study;
//   study.robot = read_robot("arm.urdf").robot;
//   study.runs.push_back(run_from_arrays("monday", time, q, tau));
//
// Paths are relative to the study's folder; ${NAME} in paths is an environment variable, which must be set.
// Unknown keys are errors with line, column and the nearest known key; numbers may be expressions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/fold/fold_file.hpp"
#include "steelyard/log/options.hpp"
#include "steelyard/log/run_file.hpp"
#include "steelyard/log/source.hpp"
#include "steelyard/robot/robot.hpp"
#include "steelyard/simulate/simulate.hpp"
#include "steelyard/simulate/trajectory.hpp"
#include "steelyard/study/sections.hpp"

namespace steelyard::inline STEELYARD_ABI {

// A simulated run: the study's robot with the parameters of its file, on a motion.
struct SimulationSpec {
  bool commands_efforts = false;  // `motion` is one of efforts, which drive the robot from `start`
  VectorXd start;                 // of such a run; none: zero
  std::variant<FourierSeries, RandomMotion, PointToPoint, RestToRest> motion;
  std::uint64_t motion_seed = 1;  // of a random motion
  std::vector<Drive> drives;      // friction, rotor inertia, gains; none, or one for all, or one per joint
  std::map<std::string, double> parameters;           // by machine name, over those of the robot
  std::vector<double> gains;                          // of the drives: none, one for all, or one per joint
  SimulateOptions options;                            // its seed is set by set_seed
  bool own_seed = false;                              // the study gives this run a seed of its own
  std::optional<ElasticSimulationSpec> elastic = {};  // springs between links and motors
};

// A run is a log, samples in memory, folds, or a simulation.
struct StudyRun {
  RunFile file;                        // label and role always; the rest for files
  std::string path_as_written;         // before ${…} is replaced, for provenance
  std::shared_ptr<const Run> samples;  // in memory, SI; then `file` has label and role
  std::optional<SimulationSpec> simulation;
  std::shared_ptr<const FoldedRun> folded;  // then there are no samples, and `file` has path, label and role
  bool unsigned_effort = false;             // the log has |effort| only
  std::optional<Place> no_efforts = {};  // the place of columns without them: a motion, for forecasts alone
  TimeWindow window;                     // of the log, the samples or the simulation
  std::vector<TimeWindow> windows = {};  // as written: divided() makes a run of each
  std::optional<double> fit_share =
      {};             // `split` as written: divided() makes a run to fit and one to validate
  int part = 0;       // 1, 2, … of a divided run
  std::string folds;  // path of a fold file whose runs this stands for while a study is read
  bool label_given = false;
  Place place;
};

struct CrossOptions {
  int blocks = 10;
  bool by_phase = true;          // the default; falls back to index when the motion is not periodic
  std::optional<double> period;  // [s]; not given: found from the positions
};

// Intervals of the parameters (docs/uncertainty.md).
struct IntervalSpec {
  double level = 0.95;
  IntervalMethod method = IntervalMethod::bootstrap;
  int replicates = 1000;
  bool bias_check = true;  // refits at other cut-offs and with noisier positions, nine more readings
};

// Options of `cutoff: auto`.
struct CutoffSpec {
  bool automatic = false;          // `prepare` then has 1 Hz as a placeholder
  std::optional<double> position;  // [Hz] of the positions, when it is given
};

// Rows of joints with dry friction that stand still (docs/log.md).
struct StandstillSpec {
  bool keep = false;  // they are fitted
  std::optional<double> share =
      {};  // of a joint's largest velocity that counts as standstill; none: automatic

  bool is_given() const { return keep || share.has_value(); }
};

// By how much the efforts of a log are later than its positions; undone before anything else (docs/log.md).
struct EffortDelaySpec {
  bool automatic = false;  // estimated, run by run
  VectorXd seconds;        // given: one for all joints, or one each; empty: none

  bool any() const { return automatic || seconds.size() > 0; }
};

struct PriorOptions {
  bool from_robot = false;  // the robot file's own parameters
  double weight = 0;        // relative to the data; 0: none
};

struct Study {
  std::string path;            // of the study's file
  std::optional<Robot> robot;  // in memory; otherwise read from `robot_path`
  std::string robot_path;
  std::string robot_as_written;
  std::uint64_t seed = 1;
  DriveTerms drives;  // added to those the robot declares
  DriveSpec drive_spec;
  std::vector<StudyRun> runs;
  PrepareOptions prepare;
  bool prepare_given = false;  // otherwise runs of folds are taken as they were prepared
  CutoffSpec cutoff;
  StandstillSpec standstill;
  EffortDelaySpec effort_delay;
  EstimateOptions estimate;
  IntervalSpec intervals;
  EstimatorSpec estimator;
  PriorOptions prior;
  std::optional<FeasibleSpec> feasible;
  std::optional<ElasticSpec> elastic;
  std::optional<ReverseSpec> reverse;  // then `runs` may be empty, and are predicted only
  std::optional<GainSpec> gains;       // runs have currents
  std::vector<Load> payloads;
  SignsSpec signs;
  std::optional<CrossOptions> cross;
  std::optional<ExciteSpec> excite;
  std::vector<ExportRequest> exports;
  bool report = true;
  std::vector<std::string> waive;
};

// Without runs where they are not needed: retrieval from base values. Without efforts where motions are enough:
// forecasts; everything else refuses runs that have none.
Study read_study(const std::string& path, bool needs_runs = true, bool needs_efforts = true);
Study read_study_text(const std::string& text, const std::string& path, bool needs_runs = true,
                      bool needs_efforts = true);
void require_efforts(const Study& study);  // throws InputError

// A run of samples in memory: channels by name (log/run.hpp), SI.
StudyRun run_from_samples(const std::string& label, Run run);
// The same from arrays, samples × joints in the order of the robot's independent joints [s, rad, m, N·m, N].
// Without velocity and acceleration these are differences. Throws InputError for sizes that do not match.
StudyRun run_from_arrays(const std::string& label, const VectorXd& time, const MatrixXd& position,
                         const MatrixXd& torque, const MatrixXd& velocity = {},
                         const MatrixXd& acceleration = {});

// The runs that a run with `windows` or a split stands for, with labels of their own; otherwise the run itself. Studies that
// are read contain them already.
std::vector<StudyRun> divided(const StudyRun& run);

// Throws InputError for runs of the same label, of no samples or of two kinds, and for runs, gains and payloads
// that contradict each other. Read studies have passed it; those made in code are checked when they are used.
void validate(const Study& study);

// By what the study says of the run's columns.
bool has_channel(const StudyRun& run, std::string_view channel);

// Another seed for the study, and with it for the noise of simulated runs that have none of their own.
void set_seed(Study& study, std::uint64_t seed);

// Friction that is fitted to the log before anything is folded.
bool has_friction_forms(const DriveSpec& spec);  // or ripple
bool looks_for_ripple(const DriveSpec& spec);
// Some run has |effort| only; some run consists of folds, and the first of these or null.
bool has_unsigned_runs(const Study& study);
bool has_folded_runs(const Study& study);
const StudyRun* first_folded(const Study& study);

// SHA-256 of the robot: of its file, or of what is in memory.
std::string robot_hash(const Study& study);

// The samples of a run, on the joint side. Simulations take the robot's own parameters. Throws InputError for
// samples in memory that are not finite, go back in time or have another number of joints, as for files.
std::unique_ptr<SampleSource> open_study_run(const StudyRun& run, const Robot& robot);

// The files that a study reads: outputs never replace them.

// The study's own file, the robot, logs and folds, meshes, tables and models, robots that exports start from;
// behind them `others`.
std::vector<std::filesystem::path> study_inputs(const Study& study,
                                                const std::vector<std::string>& others = {});

}  // namespace steelyard
