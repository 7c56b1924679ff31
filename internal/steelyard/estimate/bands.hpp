// Prediction bands: how far measured efforts lie from predicted ones, from errors on data that were held out.
//
//   half width  h = the `level` quantile of |τ − τ̂| over samples whose block was left out of the fit behind τ̂
//
// Errors of held-out samples contain both parts: what is not modelled (noise, other friction) and the
// uncertainty of the parameters. Coverage is out of sample: group g is counted within the half width that the
// other groups give. No distribution is assumed; a band is valid for motions like those it was made from; its
// coverage on a fresh run shows whether it is.
//
// Errors are counted in bins of 1/64 octave (1.1 %), so memory does not depend on the length of the run.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Counts of |error| in logarithmic bins.
class ErrorCounts {
 public:
  void add(double error);
  void add(const ErrorCounts& other);

  std::int64_t total() const { return total_; }
  // Upper edge of the bin below which at least this share of the errors lies; 0 without errors.
  double quantile(double share) const;
  // Share of the errors in bins up to this size.
  double share_within(double size) const;

 private:
  std::map<int, std::int64_t> bins_;  // few are ever used: errors span some octaves
  std::int64_t zeros_ = 0;
  std::int64_t total_ = 0;
};

struct Band {
  double half_width = 0;
  double coverage = 0;  // share of held-out samples within the half width of the other groups
  std::int64_t samples = 0;
};

// groups: errors of one joint by group of blocks; empty ones are left out. Throws InputError for levels
// outside 0.5 … 0.999.
Band calibrate_band(const std::vector<ErrorCounts>& groups, double level = 0.95);

}  // namespace steelyard
