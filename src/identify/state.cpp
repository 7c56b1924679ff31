#include "identify/state.hpp"

#include <algorithm>

namespace steelyard {
inline namespace STEELYARD_ABI {

void StudyClock::report(const std::string& stage, double share) const {
  if (options_.progress) options_.progress(stage, std::clamp(share, 0.0, 1.0));
}

std::vector<Fold> fit_folds(const std::vector<RunState>& runs) {
  std::vector<Fold> folds;
  Index number = 0;
  for (const RunState& state : runs)
    if (state.is_fit())
      for (const FoldBlock& block : state.folds->folds.blocks()) {
        for (Fold& fold : block.all()) {
          fold.set_block(number);
          folds.push_back(std::move(fold));
        }
        ++number;
      }
  return folds;
}

VectorXd values_for(const Plan& plan, const Estimate& estimate) {
  VectorXd values = VectorXd::Zero(static_cast<Index>(plan.columns.size()));
  for (std::size_t k = 0; k < plan.columns.size(); ++k)
    if (const Index found = estimate.find(plan.columns[k]); found >= 0)
      values[static_cast<Index>(k)] = estimate.values[found];
  return values;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
