// How much noise of positions and currents is in the columns of a run's rows, for total least squares.
//
//   σ of a signal        white noise from its sixth differences: median |Δ⁶x| / (0.6745 √924); a motion of a
//                        few Hz sampled at 100 Hz or more vanishes in Δ⁶, jumps of Coulomb friction do not
//                        move the median
//   behind the filters   σ² · 2/fs ∫ |H₁|⁴ |H₂|⁴ d(f)² df with H₁ of the positions, H₂ of the columns, d the
//                        gain of the differences (currents: H₂ alone)
//   in the columns       Y(q + δq, q̇ + δq̇, q̈ + δq̈) − Y(q, q̇, q̈) at some hundred samples of the run
//
// Columns of Coulomb friction jump with the sign of a velocity. Noise near a reversal flips them: that adds
// nothing to their squares, and counting it as an error corrects far too much. They are kept separately;
// their effect is added to the standard deviations of the fit (fit.hpp).
//
// δq, δq̇, δq̈ are drawn independently. Valid for noise that is white before the filters; encoder
// quantisation counts as white when the motion crosses many steps.
#pragma once

#include <cstdint>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/gains/current_rows.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Per joint, of the samples as logged.
struct SignalNoise {
  VectorXd position;
  VectorXd velocity;  // zero unless it is measured
  VectorXd current;
};

// The same behind filters and differences.
struct FilteredNoise {
  VectorXd position;
  VectorXd velocity;
  VectorXd acceleration;
  VectorXd current;
};
FilteredNoise filtered_noise(const SignalNoise& noise, const Preparation& preparation);

// One fold per row: expected squares of the errors of one sample, or of all rows of a run.
struct RowErrors {
  std::vector<Fold> smooth;
  std::vector<Fold> jumps;
};

struct RunErrors {
  SignalNoise noise;
  FilteredNoise filtered;
  RowErrors rows;  // as fold_currents gives them, of one sample
};

struct ErrorOptions {
  Index samples = 2048;  // at which columns are disturbed
  std::uint64_t seed = 1;
};

// One pass.
RunErrors run_errors(PreparedRun& run, const CurrentRows& rows, const ErrorOptions& options = {});

}  // namespace steelyard
