// Stiffness, motors and links of a robot with elastic joints, from the channels of its log.
//
//   links    Y(q, q̇, q̈) π = τ_J,   τ_J = K (θ − q − δ0)             π: base parameters of the links
//   motors   B θ̈ + fv θ̇ + fc sign θ̇ + fo + τ_J = τ
//
// θ and τ are those of the motors, seen at the joint; δ0 is the difference of the two encoders at rest.
//
//   motors_and_links   q, θ, τ: both equations. Plain least squares on the rows [Y | −(θ−q)] = 0 and
//                      [θ̈, friction, θ−q] = τ with K shared underestimates K, since its column contains the
//                      encoder noise. Instead the measured deflection is predicted:
//                        θ − q = Y π / K + δ0 + noise,      τ = Y π + B θ̈ + friction + noise
//                      row kinds weighted by their residuals: Gauss-Newton in (π, 1/K, δ0, B, friction).
//   elastic_torque     q and τ_J of torque sensors: Y π = τ_J as for a rigid robot; with θ also K, with τ
//                      also B and friction (τ − τ_J).
//   links              q and τ only: differentiating the links twice and inserting the motors,
//                        τ = Y π + ν d(Y π)/dt + κ d²(Y π)/dt² + B q̈ + friction(q̇),    κ = B/K, ν = fv/K
//                      linear for given κ and ν (variable projection). Needs four derivatives of q: it fails
//                      at low encoder noise, and Coulomb friction follows q̇ instead of θ̇: reject slow rows.
//
// δ0 is one per run: encoders start anew. Everything is computed from one fold per joint of all columns, by
// combine_columns: one pass over the log, regardless of the number of iterations, and two more for the bias.
//
// Not modelled: nonlinear springs, hysteresis, backlash, friction on the link side, gyroscopic torques of the
// rotors. They appear as residuals of the deflection, and a joint whose deflection exceeds them by less than
// `min_snr` is reported as not identifiable; so is one where the motor equation alone contradicts the
// result.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/elastic/options.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/estimate/intervals.hpp"
#include "steelyard/fold/pass.hpp"
#include "steelyard/regressor/base.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Columns and rows of a robot's elastic equations.
struct ElasticModel {
  ElasticOptions options;
  std::vector<std::string> names;    // of the joints
  std::vector<bool> is_elastic;      // by joint
  BaseParameters base;               // of the links alone
  Plan plan;                         // torque rows of the leads
  std::vector<ExtraColumns> extra;   // columns behind the plan's
  std::vector<std::string> efforts;  // channels
  std::vector<Layout> layouts;       // of the rows that are folded, one a joint
  bool has_theta = false;
  bool has_torque = false;
};

// `channels`: those of the runs. Throws InputError for joints the robot does not have, channels that the
// equations need and the runs lack, and robots with mimic joints or coupled wrists.
ElasticModel elastic_model(const Robot& robot, const std::vector<std::string>& channels,
                           const ElasticOptions& options = {});

// The source with the motor's position in the place of the link's for joints that have no spring.
std::unique_ptr<SampleSource> elastic_source(std::unique_ptr<SampleSource> source, const ElasticModel& model);

// Preparation that also filters and differentiates θ.
PrepareOptions elastic_preparation(PrepareOptions prepare, const ElasticModel& model);

// Blocks of all runs.
struct ElasticFolds {
  std::vector<Fold> folds;
  Index blocks = 0;
  std::vector<Index> runs;     // the first block of each
  double effective_share = 1;  // of the rows (intervals.hpp)
};

// Adds the blocks of a run. Throws InputError for `links` without a filter of the columns: its derivatives
// need one.
void fold_elastic(PreparedRun& run, const ElasticModel& model, ElasticFolds& out, PassOptions pass = {});

struct ElasticFit {
  ElasticEquations equations = ElasticEquations::motors_and_links;
  std::vector<ElasticJoint> joints;
  Estimate
      estimate;  // of the equations linearised at the result; columns x<j> are 1/K in some unit of the joint
  Intervals intervals;              // in its columns
  std::vector<std::string> biased;  // values that noise of the encoders moves: they have no interval
  int iterations = 0;
  bool converged = false;
  std::vector<Finding> findings;
};

ElasticFit fit_elastic(const ElasticModel& model, const ElasticFolds& folds);

// The source with the noise of its encoders once more, `sign` times; 0: as it is.
std::unique_ptr<SampleSource> disturbed_encoders(std::unique_ptr<SampleSource> source, double sign,
                                                 std::uint64_t seed);

// The same from folds of all runs, made with disturbed_encoders() of a sign. With `bias_check` also at ±1: with
//   b̂ = ½ (x(+1) + x(−1)) − x(0)       (estimate/bias.hpp)
// a value with |b̂| > σ/2 is biased and has no interval, and a stiffness with |b̂| > K / min_snr is not identifiable.
ElasticFit fit_elastic(const ElasticModel& model, const std::function<ElasticFolds(double sign)>& fold);

// A column of the fit with its interval; nothing when it is not determined.
std::optional<ElasticValue> elastic_value(const ElasticFit& fit, const std::string& column);

// All of it for runs in memory: prepares, folds, fits.
ElasticFit identify_elastic(const Robot& robot, const std::vector<Run>& runs, const PrepareOptions& prepare,
                            const ElasticOptions& options = {});

}  // namespace steelyard
