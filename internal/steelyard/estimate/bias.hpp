// Has differentiation biased an estimate? Least squares shrinks the parameters of noisy columns, and no
// interval accounts for it: noisy positions give noisy velocities and very noisy accelerations.
//
// Two ways to detect it, both from refits:
//
// Other cut-offs. Noise behind two derivatives and a cut-off f has the power f⁵, behind one f³, and the bias
// grows with it:
//   b̂ = π(f) − π(f/2)                  31/32 of a bias that grows with f⁵, 7/8 with f³
//   b̂ = (π(2f) − π(f)) / (2³ − 1)      of use for small ones: what is lost in the noise above is 7 to 31
//                                       times larger here
// only where the difference is more than 2.5 of its own standard deviations, which come from the blocks of
// the two estimates and are at most σ. It takes no assumption about the noise, but has no power where a bias
// is about σ and does not grow with f as above: where contributions of velocities and accelerations cancel,
// or where columns are mostly noise at 2f.
//
// More noise. With the measured noise once more on the positions, n, and its opposite,
//   b̂ = ½ (π(q + n) + π(q − n)) − π(q)
// What is odd in n cancels, errors of the efforts and of the positions among it; what stays is even, and its
// mean is the bias while that is small (of a column whose noise is as large as its signal, a third of it).
// It takes white noise of a known size.
//
// A parameter with |b̂| > σ/2 is "biased by differentiation" and gets no interval: it would not have its
// nominal coverage. Instrumental variables (instrument.hpp) have no such bias.
#pragma once

#include <span>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard::inline STEELYARD_ABI {

// An estimate from the same blocks of the same run at another cut-off, and its block_influences().
struct OtherCutoff {
  const Estimate* estimate = nullptr;
  MatrixXd influences;
  double ratio = 1;  // of the cut-offs, the other one over that of the estimate
};

struct DifferentiationBias {
  VectorXd bias;             // b̂ in the order of the estimate's columns, the largest
  std::vector<bool> biased;  // |b̂| > σ/2
};

// b̂ by more noise: the mean of the two estimates minus the given one, 0 where one of them lacks the column.
VectorXd shift_by_noise(const Estimate& given, const Estimate& plus, const Estimate& minus);

// `sigma`: of the intervals. Ratios between 0.7 and 1.4 carry no information and are skipped. `shift`: by
// more noise, in the order of the estimate's columns; empty when that was not tested.
DifferentiationBias differentiation_bias(const Estimate& estimate, const MatrixXd& influences,
                                         const VectorXd& sigma, std::span<const OtherCutoff> others,
                                         const VectorXd& shift = {});

}  // namespace steelyard
