// Whether recovered signs belong to a model that fits, or only to the best available one.
//
// Two faults that no sign pattern can repair:
//   a change of sign inside a segment   the segment is predicted by a model of all others, m; the squares of
//                                       ±|τ| − m that go away when the sign may change at one sample, the
//                                       best of all, as a share of those under the better single sign
//   friction that is not modelled       mean of r sign(q̇) of a joint, in σ of its noise, r the
//                                       residual s |τ| − Y π
// Both are hints from a model that was fitted with the fault in it: a change inside the only segment of a
// joint, or friction that other parameters imitate, may stay below the limits.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/signs/problem.hpp"
#include "steelyard/signs/segments.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct GoodnessOptions {
  double correlation = 1;       // rows per independent row, as in SignOptions
  double min_gain = 0.5;        // of a segment's squares
  double min_misfit = 0.2;      // RMS misfit of such a segment over its RMS effort
  double least_deviations = 6;  // of friction
  double min_friction = 0.02;   // of the joint's RMS effort
};

struct HiddenChange {
  Index segment = 0;
  Index sample = 0;  // of the run: cut there
  double gain = 0;   // share of the segment's squares that goes away
};

struct MissingFriction {
  Index joint = 0;
  double effort = 0;      // mean of r sign(q̇)
  double deviations = 0;  // over its own
};

struct SignGoodness {
  std::vector<HiddenChange> changes;  // worst first
  std::vector<MissingFriction> friction;
  VectorXd misfit;  // per joint: RMS residual over RMS effort of the segments' samples; 0 without any
};

// Least squares under these signs (0: left out), of all segments and without each one.
struct SignModel {
  std::vector<std::string> columns;
  VectorXd values;
  MatrixXd without;  // columns × segments
};
SignModel model_of_signs(const std::vector<Fold>& folds, const SignProblem& problem, const VectorXd& signs);

// One run of the model: `first` is the index of its first segment.
SignGoodness judge_signs(const RowColumns& of, const SampleBlock& samples, const SegmentedRun& run,
                         const VectorXd& signs, const SignModel& model, Index first = 0,
                         const GoodnessOptions& options = {});

}  // namespace steelyard
