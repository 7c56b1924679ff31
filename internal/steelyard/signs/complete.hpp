// All samples of runs without signs, once most signs are recovered: also those outside the segments.
//
// Segments leave out what is below the threshold, their edges, and what stayed undecided. A model from the
// decided segments predicts m there, and with noise of standard deviation σ a logged a = |τ| has the
// expectation
//   E[τ | a] = a tanh(a m / σ²)                                     of one sample
//   E[τ | a] = a tanh(Σ a m / (c σ²)) over an undecided segment     with its one sign, c rows per
//                                                                   independent one
// (the odds of the two signs under Gaussian noise). Where a and m are large that is ± a, where the sign is
// open it is about zero; a sign(m) instead would be biased away from zero there. The expected efforts are put
// together in time, filtered as |τ| was, and fitted; the fit predicts again, until the efforts converge:
// expectation and maximisation for a folded normal distribution. σ is that of each joint's residual.
//
// A joint without one decided segment has no rows, or starts as a guess: from the best pattern that the
// search has found, which is only the best of several about equally good ones. Its |τ| is still known, and
// shows whether a model with the guess predicts it better than a model fitted without the joint: `automatic`
// takes the guess if it does, on held-out |τ| of all joints, guessed ones included. |τ| cannot distinguish a
// guess from its mirror image; a joint that is guessed wrong is predicted with the wrong sign.
//
// It converges to the model nearest to its start, not the best of all. It is used where that misfit is smaller,
// and the residual of the decided segments' samples not larger by more than half: on |τ| of
// every fourth of sixteen sections, predicted from the others: `held_out` by completed efforts,
// `held_out_segments` by the decided segments alone, the root mean of (a² + m² − 2σ² ln cosh(a m / σ²)) / σ²
// over the joints of the fit. (| |τ| − |m| | would be unfair near zero, where noise lifts |τ|.) Signs and
// expectations use all sections, only parameters do not.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/fold.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/signs/rows.hpp"
#include "steelyard/signs/segments.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class GuessJoints { never, automatic, always };

struct CompleteOptions {
  double correlation = 1;                  // c, as in SignOptions
  GuessJoints guess = GuessJoints::never;  // joints without a decided segment as well
  double sure = 0.99;                      // probability from which a sign counts as certain
  int max_rounds = 30;
  double tolerance = 1e-3;  // change of the efforts, of the residual

  void validate() const;  // throws InputError
};

struct DecidedRun {
  const SampleBlock* samples = nullptr;  // |τ| before the filter of the segments
  const SegmentedRun* segmented = nullptr;
  VectorXd signs;                  // the best pattern
  VectorXd decided;                // the same, 0 where it is not decided
  const SignRows* rows = nullptr;  // none: made here
};

struct Completion {
  std::vector<MatrixXd> efforts;  // per run: samples × joints, expected and filtered
  std::vector<bool> has_rows;     // per joint: it is part of the fit
  std::vector<bool> is_guess;     // per joint: not one segment of it was decided, and it is part of the fit
  std::vector<std::string> columns;
  VectorXd values;
  VectorXd sigma;                // per joint, of samples before the filter
  VectorXd sure_share;           // per joint: of samples with a decided or certain sign
  double held_out = 0;           // standard deviations of |τ| from the model, completed efforts
  double held_out_segments = 0;  // the same, decided segments alone; 0 where none is decided
  double held_out_certain = 0;   // the same, completed efforts without the guess; 0: not tested
  int rounds = 0;
  bool converged = false;

  bool is_better = false;  // than the decided segments alone, see above

  bool helps() const { return is_better; }
};

// Throws InputError when no segment is decided (and none is to be guessed).
Completion complete_efforts(const Plan& plan, const std::vector<Layout>& layouts,
                            const std::vector<DecidedRun>& runs, const CompleteOptions& options = {});

}  // namespace steelyard
