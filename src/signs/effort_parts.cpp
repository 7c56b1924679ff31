#include "signs/effort_parts.hpp"

#include <utility>

#include "steelyard/fold/samples.hpp"

namespace steelyard::inline STEELYARD_ABI {

void add_effort_parts(const Plan& plan, const std::vector<Layout>& layouts, const SampleBlock& samples,
                      const MatrixXd& effort, const std::vector<std::uint8_t>& mask, EffortParts& parts) {
  parts.resize(static_cast<std::size_t>(kEffortParts));
  const auto row = [&](std::string_view channel) { return samples.row(samples.find(channel)); };
  const Index count = samples.size();
  for (Index b = 0; b < kEffortStretches; ++b) {
    const Index part = b % kEffortParts;
    const Range range = effort_stretch(count, b);
    if (range.size() == 0) continue;
    std::vector<Fold> folds;
    std::vector<RowInput> inputs;
    for (const Row& plan_row : plan.rows) {
      folds.emplace_back(std::make_shared<const Layout>(layouts[static_cast<std::size_t>(plan_row.i)]), part);
      RowInput& input = inputs.emplace_back();
      input.efforts = {effort.col(plan_row.i).data() + range.begin};
      input.mask = mask.data() + plan_row.i * count + range.begin;
    }
    fold_samples(plan,
                 {row(channel::kPosition) + range.begin, row(channel::kVelocity) + range.begin,
                  row(channel::kAcceleration) + range.begin, samples.stride(), range.size()},
                 inputs, folds);
    for (Fold& fold : folds)
      if (fold.rows() > 0) parts[static_cast<std::size_t>(part)].push_back(std::move(fold));
  }
}

Estimate fit_effort_parts(const EffortParts& parts, Index left_out) {
  std::vector<Fold> folds;
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (static_cast<Index>(p) != left_out) folds.insert(folds.end(), parts[p].begin(), parts[p].end());
  EstimateOptions options;
  options.weighting = Weighting::by_row;
  options.conditions = false;
  return estimate(folds, options);
}

}  // namespace steelyard
