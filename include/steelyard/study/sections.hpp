// The sections of a study, one struct each (docs/study.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/elastic/options.hpp"
#include "steelyard/estimate/options.hpp"
#include "steelyard/excite/motion.hpp"
#include "steelyard/feasible/options.hpp"
#include "steelyard/gains/options.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/reverse/options.hpp"
#include "steelyard/signs/options.hpp"

namespace steelyard::inline STEELYARD_ABI {

// What a study says of drives beyond terms for all joints: forms of friction, joints that differ, offsets of
// single runs, further columns and known efforts as expressions (docs/friction.md).

struct FrictionSpec {
  bool automatic = false;  // linear, sigmoid or stribeck, with load or without, by held-out blocks
  FrictionForm form = FrictionForm::linear;
  bool viscous = false;
  bool coulomb = false;
  bool offset = false;
  LoadFriction load = LoadFriction::none;

  bool is_linear() const { return !automatic && form == FrictionForm::linear && load == LoadFriction::none; }
};

// Efforts that repeat with the joint's position: sin and cos of `order` times it, alone and with the sign of the
// velocity (docs/friction.md).
struct RippleSpec {
  bool automatic = false;      // orders by held-out blocks
  std::vector<double> orders;  // per turn of the joint; of a joint that slides rad/m

  bool any() const { return automatic || !orders.empty(); }
};

// Friction that changes with the temperature of its drive: a coefficient per K for the viscous term, for the Coulomb
// term (docs/friction.md).
struct TemperatureSpec {
  bool automatic = false;  // which terms of which joints, by held-out blocks
  bool viscous = false, coulomb = false;

  bool any() const { return automatic || viscous || coulomb; }
};

struct JointDriveSpec {
  std::optional<FrictionSpec> friction;  // instead of that of all joints and of the robot file
  std::optional<RippleSpec> ripple;      // instead of that of all joints
  std::optional<bool> rotor_inertia;
  Place place;
};

// A column, or an effort, of one joint as an expression: q, qd, qdd of the joint itself, q1, qd1, qdd1, … of
// all joints.
struct EffortExpression {
  std::string name;
  std::string joint;
  std::string text;
  Place place;
};

struct DriveSpec {
  std::optional<FrictionSpec> friction;  // of all joints, when it is not linear
  RippleSpec ripple;                     // of all joints
  TemperatureSpec temperature;           // of all joints
  std::map<std::string, JointDriveSpec> joints;
  bool offset_per_run = false;
  std::vector<EffortExpression> columns;  // of the regressor
  std::vector<EffortExpression> known;    // subtracted from the measured effort
};

// What a study says of its estimator beyond the weights by joint: instruments, single rows, essential
// parameters.

struct InstrumentSpec {
  double cutoff = 0;        // [Hz] of the motion the simulation follows; 0: 0.4 of the study's cut-off
  double bandwidth = 10;    // [Hz] of the simulated control
  int max_iterations = 6;   // simulations; each costs a pass
  double tolerance = 0.05;  // change of all values in σ at which they end
};

struct EstimatorSpec {
  bool instruments = false;  // method: iv
  bool single_rows = false;  // method: huber
  InstrumentSpec instrument;
  RobustOptions robust;
  std::optional<EssentialOptions> essential;
};

// `feasible:` of a study as written: constraints by names, to be turned into those of the feasible stage once
// the robot and its columns are known (docs/study.md).

enum class ConstraintKind {
  bound,        // of one quantity
  combination,  // of linear quantities
  expression,
  total_mass,
  body,      // pseudo-inertia with a margin
  triangle,  // inequality of the principal moments alone
  inertia_floor,
  com_box,
  com_ellipsoid,
  com_mesh,
};
const char* to_string(ConstraintKind kind);  // the key in a study

struct ConstraintSpec {
  ConstraintKind kind = ConstraintKind::bound;
  std::string name;
  Place place;
  std::string text;                                   // quantity or expression
  std::vector<std::pair<std::string, double>> terms;  // combination
  double lower = -kInfinity;
  double upper = kInfinity;
  std::string link;   // number from 1, name, or "all"
  double amount = 0;  // margin of a body, floor of the inertia
  bool about_com = true;
  Vector3 first = Vector3::Zero();   // lower corner, centre, xyz of a mesh
  Vector3 second = Vector3::Zero();  // upper corner, half axes, rpy of a mesh
  std::string path;                  // of a mesh
  std::string path_as_written;
  double scale = 1;
};

enum class PullKind { euclidean, divergence };

enum class PullTowards { robot, uniform };  // robot: its file, uniform bodies where that gives none

struct PullSpec {
  PullTowards towards = PullTowards::robot;
  // Of the data's squares; none: the strongest that loses nothing; 0: only where the data leave links open.
  std::optional<double> weight;
  PullKind kind = PullKind::divergence;
  std::vector<std::string> links;  // empty: all
  Place place;
};

struct FeasibleSpec {
  FeasibleMethod method = FeasibleMethod::automatic;
  bool fits_torque = true;  // φ2; false: φ1 of the base parameters
  CoefficientOptions coefficients;
  PhysicalOptions physical;
  std::vector<ConstraintSpec> constraints;
  PullSpec pull;
  std::optional<double> interval_level;  // provable intervals at this level
  bool joint_forces = false;             // … of what the joints carry, too
  int random_starts = 8;
  Place place;
};

// What a study says of runs that log |effort| only: the section `signs` (docs/signs.md).

// A stretch of a run whose sign is known.
struct KnownSign {
  std::string run;
  std::string joint;
  Range range;
  int sign = 1;
  Place place;
};

// Which samples are fitted (docs/signs.md): those of decided segments; all of their joints' samples
// where held-out |effort| says that this helps; the same and joints without one decided segment, where that
// helps, too; these always.
enum class CompleteSigns { none, decided, automatic, guess };

// Drive gains that are found with the signs (docs/signs.md).
struct SignGainsSpec {
  VectorXd a_priori;  // per joint, of what the log has; empty: one
  std::string fixed;  // joint whose a-priori gain is right; empty: that with most effort
  Place place;
};

// exact: with a proof; tree: the published search; both: exact, and the tree beside it.
enum class SignMethod { exact, tree, both };

struct SignsSpec {
  SegmentOptions segments;    // cuts at reversals follow the friction model unless given
  bool filter_given = false;  // otherwise the filter is that of the columns, where the study has one
  bool reversals_given = false;
  std::vector<std::string> with_sign;  // joints that are logged with their sign
  std::vector<KnownSign> known;
  SignOptions search;
  CompleteSigns complete = CompleteSigns::automatic;
  std::optional<SignGainsSpec> gains;
  int reweigh = 2;  // further searches with the weights of the residuals
  SignMethod method = SignMethod::exact;
  TreeOptions tree = {.start = 0};
};

// Keys `gains` and `payloads` of a study (docs/gains.md).

struct GainSpec {
  // Tried, in this order; not used when the gains are known.
  std::vector<GainMethod> methods = {GainMethod::ls, GainMethod::wls, GainMethod::tls,
                                     GainMethod::prediction_error, GainMethod::feasible};
  std::optional<GainMethod> use;    // not given: the best on held-out currents
  VectorXd known;                   // given gains, one per joint: nothing is identified
  VectorXd sigma;                   // of the known ones, relative: none, one for all, or one per joint
  VectorXd prior;                   // a-priori gains, one per joint; empty: none
  VectorXd prior_sigma;             // relative: none (start and sign only), one for all, or one per joint
  std::optional<double> essential;  // ratio
  int blocks = 5;                   // groups that are held out
  RowSide rows = RowSide::joint;    // of ls, wls, tls
};

// What a study says of elastic joints: how to identify them, and how to simulate them (docs/elastic.md).

// `elastic:` of a study. Extra columns are those of the study.
struct ElasticSpec {
  ElasticOptions options;
};

// `simulate: {elastic: …}` of a run: springs between the study's robot and its motors.
struct ElasticSimulationSpec {
  VectorXd stiffness;  // one for all joints, or one per joint
  VectorXd damping;
  double bandwidth = 5;             // [Hz] of the control
  VectorXd motor_noise;             // of the motor encoders; position_noise is the link encoders'
  VectorXd relative_encoder_noise;  // of both, as share of the RMS deflection
  VectorXd elastic_torque_noise;
};

// `reverse:` of a study: where g(q) and M(q) come from, what is known, what they are tried on
// (docs/reverse.md).

enum class SourceKind { table, program, library, robot, mujoco };
const char* to_string(SourceKind kind);

struct SourceSpec {
  SourceKind kind = SourceKind::table;
  std::string path;  // of the table, library, robot or model
  std::string path_as_written;
  std::vector<std::string> command;  // of a program
  std::string folder;                // in which it runs
  std::string function = "steelyard_source";
  std::vector<std::string> joints;  // of a MuJoCo model, by name
  SourceLimits limits;
  ReverseColumns columns;                                 // of a table
  std::string position_unit, gravity_unit, inertia_unit;  // as written
  Place place;
};

// q_j = center_j + amplitude_j sin(2π t / period_j), asked every `step`.
struct SinusoidSpec {
  VectorXd amplitude;
  VectorXd period;
  VectorXd center;  // empty: zero
  double duration = 60;
  double step = 0.12;
};

// A set of configurations: asked of a source, or read.
struct ReverseSetSpec {
  std::string label;
  std::optional<SourceSpec> source;  // none: the study's
  Index count = 0;                   // configurations; 0: all of a table
  bool best = false;                 // D-optimal; otherwise random
  std::uint64_t index = 0;           // of the random numbers
  std::optional<SinusoidSpec> sinusoids;
  Place place;
};

// What is done to the answers of a source before they are used, for studies of a source's quality.
struct AnswerSpec {
  int digits = 0;            // significant digits that are kept; 0: all
  double gravity_noise = 0;  // [N·m or N]
  double inertia_noise = 0;
};

struct LeaveOutSpec {
  std::vector<std::string> components;
  std::string where;  // empty: everywhere
  Place place;
};

// Coefficients that others found, set beside ours: a result.json, or `base: {lead: value}` in YAML.
struct ReferenceSpec {
  std::string label;
  std::string path;
  std::string path_as_written;
  Place place;
};

struct ReverseSpec {
  ReverseSetSpec training;  // its source is given
  std::vector<ReverseSetSpec> validation;
  std::optional<ReverseSetSpec> loaded;
  AnswerSpec answers;
  ReverseOptions options;  // left_out is filled from leave_out, which needs the robot
  std::vector<LeaveOutSpec> leave_out;
  bool tilt = false;
  bool fits_torques = false;  // of runs with the role fit, together with g and M; otherwise predicted
  std::optional<ReferenceSpec> reference;
  Place place;
};
// Numbers the sets, on which random configurations depend, and labels those without a label.
void number_sets(ReverseSpec& spec);

// The study's section `excite`: which motion is wanted, within which limits (docs/excite.md).

struct LimitOverride {
  std::string joint;  // name; empty: all joints
  Limits limits;      // infinite: as the robot file says
};

struct CapsuleSpec {
  std::string link;  // name of the link; "base"
  Capsule capsule;
};

struct ExciteSpec {
  ExciteOptions options;     // limits, capsules' links, prior, noise and information are filled in later
  double output_rate = 100;  // [Hz] of the files
  std::vector<LimitOverride> limits;
  std::vector<CapsuleSpec> capsules;
  double skeleton_radius = 0;            // [m]; > 0: a capsule along every link
  std::vector<double> friction_viscous;  // prior, for efforts: none, one for all, or one per joint
  std::vector<double> friction_coulomb;
  std::vector<std::string> folds;  // fold files of earlier runs
  std::vector<std::string> folds_as_written;
  std::vector<double> payloads;  // [kg] known loads at the tool that `next` tries, for the gains of drives
  Index configurations = 12;     // poses that `next` weighs against motions
};

// Which files a study writes beside its result: `export:`.

enum class ExportFormat { c, urdf, sdf, mjcf, yaml, json };
inline constexpr ExportFormat kExportFormats[] = {ExportFormat::c,    ExportFormat::urdf, ExportFormat::sdf,
                                                  ExportFormat::mjcf, ExportFormat::yaml, ExportFormat::json};
const char* to_string(ExportFormat format);

struct ExportRequest {
  ExportFormat format = ExportFormat::c;
  std::string name;  // file name without folder; c: stem of the two files and prefix of all names
  std::string from;  // urdf: path of the file that is edited
  std::string from_as_written = {};
};

struct ExportedFile {
  std::string name;
  std::string text;
};

}  // namespace steelyard
