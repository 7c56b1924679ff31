#include "signs/effort_parts.hpp"

#include <utility>

namespace steelyard::inline STEELYARD_ABI {

void add_effort_parts(const SignRows& rows, const std::vector<Layout>& layouts, const MatrixXd& effort,
                      const std::vector<std::uint8_t>& mask, EffortParts& parts) {
  parts.resize(static_cast<std::size_t>(kEffortParts));
  const Index count = effort.rows();
  std::vector<std::shared_ptr<const Layout>> shared;
  for (const Layout& layout : with_extra_columns(layouts, rows.of.extra))
    shared.push_back(std::make_shared<const Layout>(layout));
  for (Index b = 0; b < kEffortStretches; ++b) {
    const Index part = b % kEffortParts;
    const Range range = effort_stretch(count, b);
    for (Index j = 0; j < effort.cols(); ++j) {
      Fold fold(shared[static_cast<std::size_t>(j)], part);
      add_rows(rows, j, range, mask.data() + j * count, effort.col(j).data(), fold);
      if (fold.rows() > 0) parts[static_cast<std::size_t>(part)].push_back(std::move(fold));
    }
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
