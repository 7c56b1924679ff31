// Parts of a result, one a method: what it did and found.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/elastic/options.hpp"
#include "steelyard/export/model.hpp"

namespace steelyard::inline STEELYARD_ABI {

// What the estimator of a study did beyond weights by joint: part of the result.

// Instrumental variables (docs/estimate.md): how the instruments were made and what they are worth.
struct InstrumentSummary {
  double cutoff = 0;       // [Hz] of the motion that was followed
  bool simulated = false;  // false: the motion itself, because the parameters could not be simulated
  double correlation = 0;  // smallest canonical correlation of Y and Z
  std::optional<double> first_stage;  // F; absent when infinite
  bool weak = false;
  double hausman = 0;  // least squares against instruments
  std::int64_t hausman_degrees = 0;
  bool least_squares_biased = false;
};

// Weights of single rows (docs/estimate.md), one entry per joint.
struct JointRows {
  std::string name;
  double sigma = 0;          // of the rows, by the median
  double reduced_share = 0;  // rows with a weight below 1
  double far_share = 0;      // of all rows, with weight 0
};

// Essential parameters (docs/estimate.md).
struct EssentialSummary {
  double limit = 0;                     // of the ratio
  std::optional<double> ratio;          // at the end; absent when a value is not determined
  std::int64_t count = 0;               // parameters that stay
  std::vector<std::string> eliminated;  // in the order in which they left
  double residual = 0;                  // ‖τ − τ̂‖ / ‖τ‖ of the rows given to the estimator
  double residual_full = 0;
};

struct EstimatorSummary {
  std::string method;  // "ols", "wls", "irls", "irls_blocks", "huber", "iv"
  std::int64_t iterations = 0;
  bool converged = true;
  std::optional<InstrumentSummary> instruments;
  std::vector<JointRows> rows;
  std::optional<EssentialSummary> essential;
};

// Signs of efforts that were logged without (docs/signs.md).

struct SegmentSummary {
  std::string run;
  std::string joint;
  std::int64_t from = 0;  // samples of the run's grid, `to` not included
  std::int64_t to = 0;
  double start = 0;  // the same in seconds of the run
  double end = 0;
  int sign = 1;
  std::optional<double> confidence;  // deviations; absent: known beforehand
  bool decided = false;
  std::optional<double> probability = {};  // that the sign is right; absent: known beforehand
  std::optional<int> group = {};           // in `groups`, from 1
};

// Segments whose signs the log ties to each other but not to the rest: all of them are right, or all are wrong.
struct SignGroup {
  std::vector<std::string> joints;
  int segments = 0;
  double probability = 0;  // that its signs are right
  std::string evidence;
};

// The published tree search: what it kept on every level (docs/signs.md).
struct SignTreeNode {
  double cost = 0;
  int parent = 0;  // among the nodes of the level before, from 1; on the first level 0
  int sign = 1;    // of the segment that the level added
};
struct SignTreeLevel {
  int segment = 0;  // in `segments`, from 1: the one that was added, on the first level the last of them
  std::vector<SignTreeNode> nodes;  // best first
};
struct SignTree {
  std::string node_cost;  // "phi1", "phi2", "residual", "residual + phi1"
  std::string order;      // "longest", "distal", "given", "informative", "shuffled"
  std::string retrieval;  // "convex", "penalty"
  int s0 = 0;
  int w = 0;
  std::int64_t nodes = 0;                // with a cost
  double cost = 0;                       // φ2 of its signs
  int differs = 0;                       // segments with another sign than `segments` has
  std::vector<std::string> significant;  // base parameters with a relative deviation below a quarter
  std::vector<SignTreeLevel> levels;
};

// Samples outside the decided segments (docs/signs.md).
struct CompletedSummary {
  bool used = false;                 // by the fit
  std::vector<std::string> guessed;  // joints without one decided segment that are part of it
  double sure_share = 0;             // of the samples of its joints: signs decided or sure
  double held_out = 0;               // |effort| that was held out, deviations
  double held_out_segments = 0;      // the same for the decided segments alone
};

// A drive gain that was found with the signs.
struct SignGain {
  std::string joint;
  std::string status;   // "identified", "given" (the fixed joint), "not_identifiable" (the a-priori value)
  double value = 1;     // effort per logged unit
  double a_priori = 1;  // the same as the study has it
  std::optional<double> sigma;
  std::optional<std::pair<double, double>> interval;
};

struct SignsSummary {
  std::vector<SegmentSummary> segments;
  std::string certified;     // "feasible-optimal", "residual-optimal", "bound-only"
  double kept_share = 0;     // of all samples of the joints
  double decided_share = 0;  // of the kept samples
  double cost = 0;           // φ2, weighted squares
  double lower_bound = 0;    // of φ2 over all patterns
  std::int64_t nodes = 0;
  std::int64_t fits = 0;
  std::optional<CompletedSummary> completed;
  std::vector<SignGain> gains;  // empty: none were wanted
  std::string scale;            // joint whose unknown gain counts as 1: the unit of the model; empty: SI
  std::vector<SignGroup> groups;
  std::optional<SignTree> tree;
};

// `gains` and `payloads` of a result: drive gains by method, loads in the tool frame.

// A number with what is known of its error.
struct UncertainValue {
  double value = 0;
  std::optional<double> sigma;
  std::optional<double> sigma_classical;
  std::optional<std::pair<double, double>> interval;
};

struct GainValue {
  std::string joint;
  std::string status;                  // "identified", "prior", "biased", "not_identifiable", "given"
  std::optional<UncertainValue> gain;  // absent when it is not identifiable
};

struct GainMethodSummary {
  std::string method;  // "ls", "wls", "tls", "prediction_error", "feasible", "given"
  bool converged = true;
  std::optional<double> residual;  // of the currents, rms over the joints' relative ones
  std::optional<double> held_out;  // the same for blocks that were held out
  std::optional<double> gap;       // tls: ratio of the two smallest singular values
  std::optional<int> essential;    // base parameters that remain
  std::vector<GainValue> joints;
};

struct DriftSummary {
  std::string run;
  std::string joint;
  double change = 0;  // of the current that the same torque takes
  double sigma = 0;
};

struct GainsSummary {
  std::string used;  // method whose gains gave the torques
  int columns = 0;   // unknowns and the scale
  std::vector<GainMethodSummary> methods;
  std::vector<DriftSummary> drift;  // significant ones
};

struct PayloadSummary {
  std::string name;
  std::string run;                                   // that it was identified from
  std::map<std::string, UncertainValue> parameters;  // m, mx … Jzz in the tool frame
  std::optional<double> known_mass;
  std::optional<UncertainValue> shown_mass = {};  // by the currents alone, where gains and mass are given
  double mass_sigma_noise = 0;                    // parts of the mass's deviation
  double mass_sigma_gains = 0;
  bool gains_dominate = false;
  // The nearest body that can exist; absent when there is none.
  std::optional<double> mass;
  Vector3 com = Vector3::Zero();
  Vector6 inertia_com = Vector6::Zero();
  Vector6 inertia_origin = Vector6::Zero();
};

// `elastic` of a result: springs, motors and links of a robot with elastic joints (docs/elastic.md).

// Base parameter of the links alone.
struct ElasticLinkValue {
  std::string name;
  ElasticValue value;
};

struct ElasticSummary {
  std::string equations;  // "motors_and_links", "elastic_torque", "links"
  bool converged = false;
  int iterations = 0;
  std::vector<ElasticJoint> joints;
  std::vector<ElasticLinkValue> links;
};

// The model behind a table of g(q) and M(q), as a result has it (reverse/, docs/reverse.md).

struct ReverseComponent {
  std::string name;  // "g2", "M31"; a joint for torques
  std::int64_t count = 0;
  double mean_square = 0;
  double largest = 0;
  double scale = 0;  // RMS of the entries themselves
};

// Errors of the model on one set of configurations, or of its torques on a run; of a reference's coefficients
// on the training set.
struct ReverseErrors {
  std::string label;
  std::string role;  // "training", "validation", "loaded", "torque", "reference"
  std::int64_t configurations = 0;
  double relative = 0;
  std::vector<ReverseComponent> components;
};

struct ReverseCoefficient {
  std::string name;
  std::string expression;
  double value = 0;
  std::optional<double> sigma;
};

// One of the fits: gravity alone, inertia alone, both.
struct ReversePart {
  std::string rows;
  std::int64_t unknowns = 0;
  std::int64_t rank = 0;
  std::optional<double> condition;
  std::optional<double> condition_scaled;
  double relative = 0;
  std::vector<ReverseCoefficient> coefficients;
};

struct ReverseTilt {
  double angle = 0;  // [rad]
  double sigma = 0;
  Vector3 rotation = Vector3::Zero();
  Vector3 gravity = Vector3::Zero();
};

struct ReverseKinematics {
  std::string axes;  // "base", "tool"
  Vector3 offset = Vector3::Zero();
  double angular = 0;
  double linear = 0;
};

// Factor between gravity and inertia (docs/reverse.md).
struct ReverseGravityScale {
  double scale = 1;
  double apart = 0;
  double together = 0;
};

struct ReverseMass {
  std::string from;  // lead of the base parameter
  double coefficient = 0;
  double mass = 0;
  std::optional<double> sigma;
};

struct ReverseParameter {
  std::string name;  // "m", "mx", …
  double value = 0;
  std::optional<double> sigma;
};

struct ReversePayload {
  std::string link;
  std::vector<ReverseParameter> parameters;  // those that are seen
  std::vector<ReverseMass> masses;
  double unexplained = 0;
};

// How good the configurations are, beside random ones of the same number.
struct ReverseDesign {
  std::int64_t least = 0;               // configurations that would show everything
  std::optional<double> efficiency;     // (det / median random det)^(1/p)
  std::optional<double> mean_variance;  // over that of the median random set
};

// Coefficients that others found, by lead; ours are the result's base.
struct ReverseReference {
  std::string label;
  std::vector<ReverseParameter> values;
};

struct ReverseSummary {
  std::string source;
  std::vector<ReversePart> parts;
  std::vector<ReverseErrors> errors;
  std::optional<ReverseTilt> tilt;
  std::optional<ReverseKinematics> kinematics;
  std::optional<ReverseGravityScale> gravity_scale;
  std::optional<double> skew_symmetry;  // largest |xᵀ(Ṁ − 2S)x| / (|x|² |M| |q̇|)
  std::optional<ReversePayload> payload;
  std::optional<ReverseDesign> design;
  std::optional<ReverseReference> reference;
  std::vector<std::string> unknown;  // standard parameters that no such table shows
};

// Files that were exported beside a result: what read them back, how exactly, and what they could not carry.

struct ExportSummary {
  std::vector<std::string> paths;  // file names in the output folder
  std::string format;
  std::vector<std::string> checked_by;  // what read it back
  double max_error = 0;                 // relative, of the worst reader
  std::vector<NotCarried> not_carried;
  std::vector<std::string> notes;
};

// Self-checks: two ways to compute the same number, compared before a result is returned.
//
//   rows       ‖Y π − τ‖² and ‖τ‖² of every joint from its folds, and row by row in long double over the same
//              log; share of ‖τ‖². Not for logs that are too long for one more pass
//   model      efforts of the base parameters by the regressor, and by Newton and Euler; share of the largest
//   gradient   of the sum of squares at the estimate, columns scaled to norm one; share of ‖τ‖. Least squares
//              only
//   bodies     how far the links' margins δ (and friction and rotor inertia, over the largest of their kind)
//              fall short of what was claimed, in long double
//
// A difference above its limit is a bug: finding self-check-failed, verdict not trustworthy.

struct SelfCheck {
  std::string what;  // rows, model, gradient, bodies
  double difference = 0;
  double limit = 0;

  bool passed() const { return difference <= limit; }
};

}  // namespace steelyard
