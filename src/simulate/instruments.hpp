// What clocks, encoders and current sensors make of the truth; a function of the sample's number.
#pragma once

#include <string_view>

#include "simulate/noise.hpp"
#include "steelyard/simulate/simulate.hpp"

namespace steelyard::inline STEELYARD_ABI {

class Instruments {
 public:
  // Throws InputError for lists that do not fit the number of joints.
  Instruments(const SimulateOptions& options, Index joints);

  // Share of the joint's RMS effort that is noise; the standard deviations below do not know it until it is
  // set.
  const VectorXd& relative_effort_noise() const { return relative_; }
  void set_effort_rms(const VectorXd& rms);
  const VectorXd& effort_deviation() const { return effort_deviation_; }

  VectorXd instants(Index first, Index count) const;  // when samples are taken
  VectorXd stamp_errors(Index first, Index count) const;

  // In place; one column per joint, the first row is sample `first`.
  void measure_positions(Index first, MatrixXd& q) const;
  void measure_efforts(Index first, MatrixXd& effort) const;

  // The sample whose values are logged as this one.
  Index source(Index sample) const;

 private:
  NoiseKey key(std::string_view purpose, Index joint = 0) const { return {seed_, purpose, joint}; }

  double rate_, jitter_, stamp_noise_, repeat_;
  bool unsigned_;
  std::uint64_t seed_;
  VectorXd position_deviation_, quantum_, effort_deviation_, relative_, scale_;
};

}  // namespace steelyard
