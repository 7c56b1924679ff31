// Signs, with a proof: the best feasible model over all sign patterns.
//
//   φ2(s) = residual(s) + min over feasible x of ‖R_YY (K x − π(s))‖²  ≥  residual(s)
//
// Patterns are enumerated in order of residual; φ2 of each is computed by the convex fit, or bounded from
// below by a base parameter that is negative (negative friction or inertia) or by earlier fits. When the next
// residual is above the best φ2, no remaining pattern can be better:
//
//   feasible_optimal   no other pattern has a smaller φ2 at these weights
//   residual_optimal   no other pattern has a smaller residual; some may have a smaller φ2
//   bound_only         the search reached its limits: no pattern has a φ2 below `lower_bound`
//
// This proves the best fit at the stated weights, not the truth: a model without friction, or a segment with
// a sign change inside, also has a best fit.
//
// s and −s differ by feasibility alone, and so do the two signs of every group of joints that is weakly
// coupled to the others: groups are tested explicitly, and are undecided where both signs fit about equally
// well.
//
// Confidence of a segment: √((φ2 of the best pattern that differs there − φ2) / σ²), in standard deviations
// of the noise, σ² per independent row: the margin if the model were exact. Its probability is computed from
// the errors that the model has (signs/evidence.hpp), and decides.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/feasible/constraints.hpp"
#include "steelyard/feasible/objective.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/robot.hpp"
#include "steelyard/signs/options.hpp"
#include "steelyard/signs/problem.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class SignProof { feasible_optimal, residual_optimal, bound_only, not_searched };
const char* to_string(SignProof proof);  // "feasible-optimal", …

struct SegmentSign {
  int sign = 0;
  double confidence = 0;   // standard deviations
  double probability = 0;  // that the sign is right, from the errors of the fit
  double share = 0;        // of the effort that the model predicts without it
  bool decided = false;
  Index group = -1;  // of SignSearch::groups
};

// Segments that are undecided because one pattern flips all of them.
struct SignGroupFlip {
  std::vector<Index> segments;
  double probability = 0;  // that their signs are right
  double deviations = 0;   // of the fit's errors, between the two patterns
  double misfit = 0;       // largest of its joints: RMS error of a segment that is left out, over its effort
};

struct SignSearch {
  VectorXd signs;  // all segments
  std::vector<SegmentSign> segments;
  std::vector<SignGroupFlip> groups;
  double residual = 0;     // ‖R_EE s‖²
  double cost = 0;         // φ2
  double lower_bound = 0;  // of φ2 over all other patterns
  double second = 0;       // residual of the next pattern; 0 if it was not reached
  SignProof proof = SignProof::bound_only;
  std::uint64_t nodes = 0;
  int fits = 0;
  VectorXd x;                        // feasible parameters of the best pattern
  std::vector<std::string> columns;  // of x

  // Signs, 0 where undecided.
  VectorXd decided() const;
};

// The robot and the base parameters behind the problem's columns, and what a feasible model is.
struct SignPhysics {
  const Robot* robot = nullptr;
  const BaseParameters* base = nullptr;
  // None: the physical ones (feasible/constraints.hpp). The convex part of others counts.
  std::optional<std::vector<Constraint>> constraints = std::nullopt;
  // Adds terms to φ2 that do not depend on the signs, never negative ones: a pull towards known bodies.
  std::function<void(const Quantities&, Objective&)> pull = nullptr;
};

SignSearch recover_signs(const SignProblem& problem, const SignPhysics& physics,
                         const SignOptions& options = {});

// These signs, with what is known about them: from another search.
SignSearch assess_signs(const SignProblem& problem, const SignPhysics& physics, const VectorXd& signs,
                        const SignOptions& options = {});

// The same with reweighting: search, weight by residual_weights, and search again until the signs
// converge, at most `rounds` more times.
struct WeighedSearch {
  SignProblem problem;
  SignSearch search;
};
WeighedSearch recover_signs_reweighed(const std::vector<Fold>& folds,
                                      const std::vector<SignSegment>& segments, const VectorXd& weights,
                                      const SignPhysics& physics, const SignOptions& options = {},
                                      int rounds = 3);

}  // namespace steelyard
