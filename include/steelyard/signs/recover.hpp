// Signs, with a proof: the best feasible model over all sign patterns.
//
//   φ2(s) = residual(s) + min over feasible x of ‖R_YY (K x − π(s))‖²  ≥  residual(s)
//
// Patterns come in order of residual; φ2 of each is found by the convex fit, or bounded from below by a base
// parameter that no feasible robot has negative (friction that drives, an inertia below zero) or by what
// earlier fits have shown. When the next
// residual is above the best φ2 found, no pattern that is left can be better:
//   feasible_optimal   no other pattern has a smaller φ2 at these weights
//   residual_optimal   the least-squares residual is proven smallest; other patterns may still have a smaller
//   φ2 bound_only         the limits of the search were reached: no pattern has a φ2 below `lower_bound`
// This is about the best fit at the stated weights. It is no proof that the fit is the truth: a model without
// its friction, or a segment with a change of sign inside, has a best fit too.
//
// s and −s differ by feasibility alone, and so do the two signs of every group of joints that the data ties
// weakly to the others: groups are tried explicitly, and are undecided where both signs fit about as well.
//
// Confidence of a segment: √((φ2 of the best pattern that differs there − φ2) / σ²), in units of the noise,
// σ² per independent row. A segment is decided when that is at least `least_confidence`, the cost of the
// group flips that change it is at least `least_ratio` times the best, and the model predicts at least
// `least_share` of its effort without having seen its sign.
#pragma once

#include <cstdint>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/feasible/constraints.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/robot.hpp"
#include "steelyard/signs/problem.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

enum class SignProof { feasible_optimal, residual_optimal, bound_only };
const char* to_string(SignProof proof);  // "feasible-optimal", …

struct SignOptions {
  std::uint64_t most_nodes = 2'000'000;  // of the tree, 24 bytes each
  int most_fits = 400;                   // convex fits
  double most_seconds = 0;               // 0: no limit. With a limit the result depends on the machine
  double correlation = 1;                // rows per independent row: rate / (2 cut-off) of the filter
  double least_confidence = 4;           // deviations
  double least_ratio = 1.2;              // of costs, for flips of a third of a joint or more
  double least_share = 0.3;              // of the effort
  Index beam = 64;                       // width where the tree is not finished
  double fit_gap = 1e-5;                 // of the convex fits that compare patterns

  void validate() const;  // throws InputError
};

struct SegmentSign {
  int sign = 0;
  double confidence = 0;  // deviations
  double ratio = 0;       // cost of the best group flip that changes it over the best cost
  double share = 0;       // of the effort that the model predicts without it
  bool decided = false;
};

struct SignSearch {
  VectorXd signs;  // all segments
  std::vector<SegmentSign> segments;
  double residual = 0;     // ‖R_EE s‖²
  double cost = 0;         // φ2
  double lower_bound = 0;  // of φ2 over all other patterns
  double second = 0;       // residual of the next pattern, when it came out; 0: not
  SignProof proof = SignProof::bound_only;
  std::uint64_t nodes = 0;
  int fits = 0;
  VectorXd x;                        // feasible parameters of the best pattern
  std::vector<std::string> columns;  // of x

  // Signs with 0 for those that are not decided.
  VectorXd decided() const;
};

// The model behind the problem: whose base the columns are leads of. Constraints beside the physical ones
// (feasible/constraints.hpp) may be given.
struct SignPhysics {
  const Robot* robot = nullptr;
  const BaseParameters* base = nullptr;
  std::vector<Constraint> further;
};

SignSearch recover_signs(const SignProblem& problem, const SignPhysics& physics,
                         const SignOptions& options = {});

// The same with weights that follow the residuals: searched, weighed by residual_weights, searched again
// until the signs stay, at most `rounds` times more.
struct WeighedSearch {
  SignProblem problem;
  SignSearch search;
};
WeighedSearch recover_signs_reweighed(const std::vector<Fold>& folds,
                                      const std::vector<SignSegment>& segments, const VectorXd& weights,
                                      const SignPhysics& physics, const SignOptions& options = {},
                                      int rounds = 3);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
