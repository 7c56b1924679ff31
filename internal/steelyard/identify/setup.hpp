// Step 1 of a study: what turns samples into rows. The robot with its drive terms, its base parameters and
// their columns, the gains of its drives, the preparation of its logs.
//
//   open → Setup → open_runs → Runs → fold_runs → Folded → fit_rows → Fit → check_fit → Checks → summarize → Result
//
// Every step is a function of earlier values and returns its own, with the findings it has made
// (identify/run.cpp is the list). A step that changes the set-up (friction forms, gains identified with
// signs) returns a new Setup.
#pragma once

#include <chrono>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "steelyard/core/finding.hpp"
#include "steelyard/doctor/delay.hpp"
#include "steelyard/estimate/friction.hpp"
#include "steelyard/estimate/friction_fit.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Wall time of the stages, and progress.
class StudyClock {
 public:
  explicit StudyClock(const StudyOptions& options) : options_(options) {}

  template <typename Work>
  auto time(const std::string& stage, Work work) {
    report(stage, 0);
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpu = std::clock();
    const auto end = [&] {
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      times_.push_back({stage, seconds.count(), static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC});
      report(stage, 1);
    };
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      end();
    } else {
      auto value = work();
      end();
      return value;
    }
  }
  void report(const std::string& stage, double share) const;
  const std::vector<StageTime>& times() const { return times_; }

 private:
  const StudyOptions& options_;
  std::vector<StageTime> times_;
};

// The request; all three outlive the steps.
struct Job {
  const Study* study = nullptr;
  const StudyOptions* options = nullptr;
  StudyClock* clock = nullptr;
};

// The friction of joints that have a form of their own: which one, and its shape.
struct FrictionForms {
  std::vector<FrictionJoint> joints;
  std::vector<FrictionModel> models;  // one each; empty until they are fitted
  std::vector<std::string> reasons;   // why a form was chosen; may be empty
  std::vector<FrictionStatus> statuses;
  std::map<std::string, double> load_values;  // of the links' columns: the load of gears that take of it
};

// How the cut-off was chosen; empty where the study gives it.
struct CutoffChoice {
  std::vector<CutoffCandidate> candidates;
  std::string choice;
  int passes = 0;     // over every fit run
  double chosen = 0;  // [Hz]; 0: not yet
};

// By how much the efforts of a run are later than its positions, with `effort_delay` in the study.
struct EffortDelay {
  std::string run;  // label
  std::string how;  // see EffortDelaySummary
  VectorXd undone;  // [s] per joint
  std::optional<RunDelay> estimate;
};

// A term of friction that changes with the temperature of its drive.
struct TemperatureTerm {
  Index row = 0;        // of the plan
  Index channel = 0;    // of the samples' joints
  int number = 1;       // of the joint's names
  bool viscous = true;  // per K of the viscous term, or of the Coulomb term
};

struct DriveGains;

struct Setup {
  Job job;
  Robot robot;  // with the study's drive terms
  std::string robot_hash;
  std::vector<Complaint> warnings;  // about the robot file
  BaseParameters base;
  Plan plan;               // of the lead columns
  PrepareOptions prepare;  // the study's, with what was chosen automatically
  CutoffChoice cutoff;
  std::vector<EffortDelay> delays;          // run by run; empty: the study does not ask for them
  std::shared_ptr<const DriveGains> gains;  // null: the study has torques
  VectorXd sign_gains;                      // identified with signs; empty: those that the study assumes
  FrictionForms friction;
  std::vector<EffortExpression>
      ripple;  // columns of the orders that the study or a model gives, or that were found
  std::vector<TemperatureTerm> temperature;  // likewise
  std::vector<std::string> offset_runs;      // labels of the runs with offsets of their own
  std::vector<Finding> findings;             // about the gains
  bool motions_only = false;                 // efforts of the runs are not used: those without any have zeros

  const Study& study() const { return *job.study; }
  const StudyOptions& options() const { return *job.options; }
  int threads() const { return job.options->threads; }
  StudyClock& clock() const { return *job.clock; }
};

// Robot, drive gains where the study has currents, delays of efforts where it asks for them, and the cut-off where it is
// automatic.
Setup open(const Job& job);

// Linear friction does not hold while a joint creeps: share of its largest velocity that counts as standstill.
double creep_of_linear_friction(const Study& study);

// The parts of it. open_robot() takes the preparation as the study gives it.
Setup open_robot(const Job& job);
Setup with_robot(Setup setup, Robot robot);  // base parameters and columns of another robot
Setup with_gains(Setup setup);               // nothing without `gains:` in the study
Setup with_given_delays(Setup setup);        // nothing without numbers for `effort_delay` in the study
Setup with_delays(Setup setup);              // nothing without `effort_delay: auto`
Setup with_cutoff(Setup setup);              // nothing where the study gives it
// Both, where each needs the other.
Setup with_gains_and_cutoff(Setup setup);
// The candidate near the middle that the runs allow [Hz]: where to start.
double first_cutoff(const Setup& setup);
// The same without a search: that of the folds, otherwise this one [Hz], 0: no filter.
Setup with_given_cutoff(Setup setup, double cutoff);

// The preparation of a run, of options that are the study's otherwise: the efforts `channel` at their own time.
PrepareOptions of_run(const Setup& setup, const StudyRun& run, PrepareOptions options);
PrepareOptions of_run(const Setup& setup, const StudyRun& run, PrepareOptions options,
                      std::string_view channel);
// Its delay as far as it is undone; empty: nothing is.
VectorXd undone_delay(const Setup& setup, const StudyRun& run);

}  // namespace steelyard
