// The one result type: the results of a study, how far they can be trusted, and their provenance.
//
// `result.json` is this struct (schema in docs/result.schema.json, explained in docs/result.md). It holds
// nothing that varies between runs of the same study: times, threads and host go to run.json. Numbers are
// finite; what is not known is absent, and a finding gives the reason. `residual`, `condition` and `base` are
// those of the unconstrained estimate.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/result/fix.hpp"
#include "steelyard/result/summaries.hpp"
#include "steelyard/validate/residuals.hpp"
#include "steelyard/validate/verdict.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr int kResultFormat = 1;

struct BaseValue {
  std::string name;  // lead column
  std::string expression;
  std::map<std::string, double> terms;
  double value = 0;
  std::optional<double> sigma;
  std::optional<double> sigma_classical;
  std::optional<double> relative_sigma;
  std::optional<std::pair<double, double>> interval;
  std::string method;                   // of sigma and interval: "classical", "bootstrap"
  std::string status;                   // "determined", "dependent", "zero", "eliminated", …
  std::optional<double> feasible = {};  // the value that the feasible parameters have
};

// Friction of a form that was requested or chosen (docs/friction.md).
struct FrictionValues {
  std::string model;                         // "linear", "asymmetric", "sigmoid", "stribeck"
  std::map<std::string, double> parameters;  // fv, fc, fo; phi1, phi2, phi3; fs, vs; fp, fn; mu, vl
  std::map<std::string, double> sigma;       // of those that have one
  std::string status;                        // "determined", or what a degenerate form fell back to
  std::string reason;                        // of a choice or a fallback; may be empty
  std::string load = {};                     // "load", "load_directional"; empty: none
};

// What holds a joint at rest, about its load and offset: −down − μ |load| … up + μ |load|, μ `driving` towards where the load
// does not want to go, `driven` towards where it does.
struct RestValues {
  double up = 0, down = 0;         // [N·m, N]
  double driving = 0, driven = 0;  // shares of the load
};

struct DriveValues {
  std::string joint;
  std::map<std::string, double> values;  // fv, fc, fo, Ia, …
  std::string status;
  std::optional<FrictionValues> friction = {};
  std::optional<RestValues> rest = {};  // of joints with dry or load friction
};

// A cut-off that was tested: its error on held-out raw efforts, as a fraction of them.
struct CutoffCandidate {
  double cutoff = 0;  // [Hz]
  double score = 0;
};

// By how much the efforts of a run are later than its positions.
struct EffortDelaySummary {
  std::string run;
  std::string how;                        // "given", "estimated", or why there is no estimate
  std::vector<double> undone;             // [s] per joint
  std::optional<double> common = {};      // [s] the estimate for all joints together
  std::optional<double> half_width = {};  // of its interval
  std::vector<double> joints = {};        // [s] the estimates of each; empty: none
  std::vector<double> joint_half_widths = {};
};

// "12.3 ± 0.4 ms later, undone".
std::string delay_text(const EffortDelaySummary& delay);

struct PreparationSummary {
  double rate = 0;  // [Hz] of the uniform grid
  std::optional<double> cutoff;
  std::int64_t decimation = 1;
  double kept_share = 1;  // rows given to the estimator over those before rejection and trimming
  std::vector<CutoffCandidate> candidates;  // of an automatic cut-off, ascending; empty: it was given
  std::string choice;                       // in words
  std::optional<double> band = {};          // [Hz] of the efforts, of an automatic cut-off (docs/validate.md)
  std::vector<EffortDelaySummary> effort_delays = {};  // run by run; empty: the study does not ask for them
};

// How the intervals of `base` were made.
struct IntervalSummary {
  double level = 0.95;
  std::string method;       // "classical", "bootstrap"
  std::int64_t blocks = 0;  // of the bootstrap
  double effective_rows = 0;
  bool bias_checked = false;  // refits at other cut-offs were made
};

// Named constraint at the feasible parameters; satisfied when the margin is not negative.
struct ConstraintMargin {
  std::string name;
  std::optional<double> margin;  // in its own unit; absent where it has no value
  bool active = false;
};

// Physically feasible parameters (docs/feasible.md). Without a residual: the constraints contradict each
// other, or there were base values only and no rows.
// How parameters scatter, for forecasts of further motions: Σ = Σ d dᵀ over all directions d.
struct SpreadDirection {
  std::vector<double> values;  // in the order of the columns
};
struct SpreadSummary {
  std::vector<std::string> columns;
  std::vector<SpreadDirection> scatter;   // one per group that was left out
  std::vector<SpreadDirection> expected;  // of what the rows do not show
  std::vector<SpreadDirection> changes;   // from day to day
  std::map<std::string, double> noise;    // by row kind: RMS residual [N·m or N]
};
struct ForecastSummary {
  int groups = 0;          // that were left out in turn
  MotionForecast typical;  // random motions within the robot's limits
  std::optional<MotionForecast> feasible_typical;
  SpreadSummary spread;
  std::optional<SpreadSummary> feasible_spread;
};

// A pull towards reference bodies that was tried.
struct PullCandidate {
  double weight = 0;
  double fitted = 0;  // ‖τ − τ̂‖ / ‖τ‖ of weighted rows, with bodies as only constraints
  std::optional<double> left_out = {};  // the same of rows left out in turn
};
struct PullSummary {
  double weight = 0;                    // of the data's squares
  std::string by;                       // "given", "left-out", "tolerance"
  std::vector<std::string> references;  // by link: "file", "repaired", "uniform", "data"
  double reference_mass = 0;            // [kg] of all links
  std::vector<PullCandidate> candidates;
};

struct FeasibleSummary {
  std::string method;  // that gave the parameters: "convex", "penalty", "annealing"
  std::optional<ResidualSummary> residual;
  std::optional<CrossValidationSummary> cross_validation;
  std::optional<double> gap;          // by how much at most the objective is above its optimum, as a fraction
  std::optional<double> moved_sigma;  // RMS distance from the unconstrained estimate, over its σ
  std::vector<ConstraintMargin> constraints;
  std::vector<std::string> violated;  // names of constraints the parameters violate
  std::vector<std::string> conflict;  // names of constraints that contradict each other, an irreducible set
  std::vector<DriveValues> drives;    // drive columns of the feasible parameters
  std::map<std::string, double> columns = {};  // all columns beside those of the links, by name
  std::optional<PullSummary> pull = {};
  std::optional<double> phi1 = {};  // Σ (base value of these parameters − its estimate)², SI
  std::optional<double> phi2 = {};  // Σ (predicted − measured effort)² over the fitted rows, unweighted
};

// Interval of a parameter over all feasible parameters that explain the data; an open end is absent.
struct KnownInterval {
  std::optional<double> lower;
  std::optional<double> upper;
};

// Force and moment in a joint at the instant of the motion where its force is largest by the feasible
// parameters, and the intervals over all of them that explain the data.
struct KnownWrench {
  std::string run;                  // "sinusoids" where no log was read
  double time = 0;                  // [s] of the run
  Vector6 value = Vector6::Zero();  // fx fy fz mx my mz in link axes about the link frame's origin
  std::array<KnownInterval, 6> known = {};
};

// Shares of a link's ten parameters (docs/feasible.md); their sum is one.
struct LinkOrigin {
  double measured = 0;  // by the efforts
  double inferred = 0;  // because it must be a body, and by the constraints
  double chosen = 0;    // by the reference body
};

struct LinkValues {
  std::string name;
  double mass = 0;
  Vector3 com = Vector3::Zero();
  Vector6 inertia_com = Vector6::Zero();     // xx xy xz yy yz zz about the centre of mass
  Vector6 inertia_origin = Vector6::Zero();  // about the link frame's origin
  double margin = 0;                         // largest δ with P ⪰ δ m diag(ℓ², ℓ², ℓ², 1)
  std::vector<std::string> chosen;           // parameters that the data does not determine
  std::map<std::string, KnownInterval> known;
  std::optional<KnownWrench> wrench = {};
  std::optional<LinkOrigin> origin = {};
};

// m, m·c, J about the link frame's origin: ten a link, in their order.
VectorXd link_parameters(const std::vector<LinkValues>& links);

// Mean square errors of one set of parameters on the runs of a validation, per joint [(N·m)² or N²].
struct RunSquares {
  std::string run;
  std::vector<double> mse;
};
struct ModelErrors {
  std::string model;        // as it was given: a path
  std::string parameters;   // "base" or "links"
  std::vector<double> mse;  // mean over the runs
  std::vector<RunSquares> runs;
};

struct InputFile {
  std::string path;  // as the study writes it
  std::string sha256;
};

struct Provenance {
  std::vector<InputFile> inputs;
  std::string options;  // the study with all defaults written out, as JSON text
  std::uint64_t seed = 1;
  std::string version;
  std::string isa;
};

// What the base parameters of a robot depend on, to compare robots by.
struct RobotProbe {
  std::vector<double> gravity;  // in the base frame [m/s²]
  std::vector<double> efforts;  // of made-up bodies on the links: of all coordinates at rest, then in motion
};

struct Result {
  std::string robot_name;
  std::string robot_hash;
  std::optional<RobotProbe> robot_probe;  // absent in older results
  int dof = 0;
  std::int64_t samples = 0;  // of the fit runs
  std::int64_t rows = 0;     // given to the estimator
  int passes = 0;            // over the fit runs
  Verdict verdict;
  std::vector<Finding> findings;
  std::vector<StudyFix> fixes;  // values of the study that would undo findings
  std::optional<double> condition;
  std::optional<double> condition_scaled;
  ResidualSummary residual;
  std::optional<EstimatorSummary> estimator;  // absent where nothing was estimated from rows
  PreparationSummary preparation;
  std::optional<CrossValidationSummary> cross_validation;
  std::optional<ForecastSummary> forecast;  // of the error on other motions
  std::optional<IntervalSummary> intervals;
  std::vector<JointBand> bands;
  std::vector<BaseValue> base;
  std::vector<DriveValues> drives;
  std::optional<FeasibleSummary> feasible;
  std::vector<LinkValues> links;
  std::optional<ElasticSummary> elastic;
  std::optional<ReverseSummary> reverse;
  std::optional<GainsSummary> gains;  // of studies with currents
  std::vector<PayloadSummary> payloads;
  std::optional<SignsSummary> signs;  // of runs without them
  std::vector<RunValidation> validation;
  std::vector<ModelErrors> comparison;  // of several models on these runs; empty: there is one
  std::vector<ExportSummary> exports;   // files beside the result
  std::vector<EngineCheck> engines;     // where engines were requested
  std::vector<SelfCheck> self_checks;
  std::vector<std::string> unavailable;
  Provenance provenance;
};

// Same result, same bytes. Throws InternalError for numbers that are not finite.
std::string to_json(const Result& result);
std::string to_json(const SignsSummary& signs);  // its part of a result
// Throws InputError for text that is not a result of this format.
Result result_from_json(const std::string& text, const std::string& name);

}  // namespace steelyard
