// The noise of a run's encoders, and a source with more of it: together they show its effect on an estimate
// (bias.hpp).
//
// Six samples further on a motion is known from the samples before; what is not is noise. With the divided
// difference D = Σ w_i q_i over seven neighbours at their own stamps, w_i = 1 / Π_{k≠i} (t_i − t_k),
//   s² = mean of D² / Σ w_i²,     of 4096 samples each the largest fiftieth of D² left out, as a normal number would have it
// exact for white noise and for positions that are polynomials of degree five over seven samples; a sine of
// frequency f at the rate r adds (2π f / r)⁶ of its amplitude / 30. Noise that only exists below the cut-off,
// as behind a drive's own filter, is not detected; vibration near the Nyquist frequency counts as noise.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "steelyard/core/random.hpp"
#include "steelyard/log/forwarding_source.hpp"
#include "steelyard/log/run.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Standard deviation of the white noise on equidistant samples, from the median of their sixth differences; 0 for fewer than 16.
double white_noise(const double* x, Index count);

// Standard deviation of the noise of every joint's position, or of another encoder. Reads the source once.
// Without the channel, or for runs of fewer than seven samples: 0.
VectorXd position_noise(SampleSource& source, std::string_view channel = channel::kPosition);

// The source with noise added to the positions, or another encoder: sign · deviation[j] · normal numbers of
// (seed, channel, joint), the same in every pass.
class DisturbedSource : public ForwardingSource {
 public:
  DisturbedSource(std::unique_ptr<SampleSource> source, const VectorXd& deviation, double sign,
                  std::uint64_t seed, std::string_view channel = channel::kPosition);

  void rewind() override;
  void read(Index samples, SampleBlock& block) override;

 private:
  void restart();

  std::string channel_;
  VectorXd deviation_;
  double sign_;
  std::uint64_t seed_;
  std::vector<Random> random_;  // one per joint
};

}  // namespace steelyard
