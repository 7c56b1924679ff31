#include "steelyard/validate/motions.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::vector<LeftOutMotion> leave_one_motion_out(const std::vector<std::vector<Fold>>& runs,
                                                const EstimateOptions& options,
                                                std::span<const Fold> priors) {
  std::vector<LeftOutMotion> left_out;
  if (runs.size() < 2) return left_out;
  EstimateOptions quick = options;
  quick.conditions = false;
  for (std::size_t out = 0; out < runs.size(); ++out) {
    std::vector<Fold> training;
    for (std::size_t r = 0; r < runs.size(); ++r)
      if (r != out) training.insert(training.end(), runs[r].begin(), runs[r].end());
    const Estimate fitted = estimate(training, quick, priors);
    left_out.push_back({fitted.status, residuals(runs[out], fitted.columns, fitted.values)});
  }
  return left_out;
}

}  // namespace steelyard
