#include "steelyard/signs/rows.hpp"

#include <algorithm>
#include <cmath>

#include "signs/model_efforts.hpp"
#include "steelyard/log/low_pass.hpp"

namespace steelyard::inline STEELYARD_ABI {

double RowBand::correlation() const {
  if (!(filter.cutoff > 0)) return 1;
  return std::max(1.0, rate / (2 * filter.cutoff * static_cast<double>(factor)));
}

void RowBand::pass(double* data, Index samples, Index columns) const {
  if (filter.cutoff > 0)
    filter_zero_phase(design_low_pass(filter.order, filter.cutoff, rate), data, samples, columns, samples);
}

RowBand row_band(double rate, const FilterOptions& filter) {
  constexpr double kPerCutoff = 10;
  RowBand band{rate, filter, 1};
  if (filter.cutoff > 0)
    band.factor = std::max<Index>(1, static_cast<Index>(rate / (kPerCutoff * filter.cutoff)));
  return band;
}

SignRows make_sign_rows(const RowColumns& of, const SampleBlock& samples, const RowBand& band) {
  SignRows rows{band, of, {}};
  const Index count = samples.size(), kept = (count + band.factor - 1) / band.factor;
  for (std::size_t r = 0; r < of.plan->rows.size(); ++r) {
    MatrixXd all;
    visit_rows(of, samples, [&](const RowTile& tile) {
      if (tile.row != r) return;
      const auto columns = static_cast<Index>(tile.columns.size());
      if (all.size() == 0) all.resize(count, columns);
      for (Index c = 0; c < columns; ++c)
        std::copy_n(tile.columns[static_cast<std::size_t>(c)], tile.count, all.col(c).data() + tile.begin);
    });
    const Index columns = all.cols();
    band.pass(all.data(), count, columns);
    if (band.factor == 1) {
      rows.columns.push_back(std::move(all));
      continue;
    }
    MatrixXd& own = rows.columns.emplace_back(kept, columns);
    for (Index c = 0; c < columns; ++c)
      for (Index k = 0; k < kept; ++k) own(k, c) = all(k * band.factor, c);
  }
  return rows;
}

void add_rows(const SignRows& rows, Index joint, Range range, const std::uint8_t* mask, const double* effort,
              Fold& fold) {
  const Index factor = rows.band.factor;
  const MatrixXd& columns = rows.columns[static_cast<std::size_t>(joint)];
  std::vector<Index> kept;
  for (Index k = (range.begin + factor - 1) / factor; k * factor < range.end; ++k)
    if (mask == nullptr || mask[k * factor] != 0) kept.push_back(k);
  if (kept.empty()) return;
  const auto count = static_cast<Index>(kept.size());
  MatrixXd own(count, columns.cols() + 1);
  for (Index c = 0; c < columns.cols(); ++c)
    for (Index k = 0; k < count; ++k) own(k, c) = columns(kept[static_cast<std::size_t>(k)], c);
  for (Index k = 0; k < count; ++k)
    own(k, columns.cols()) = effort[kept[static_cast<std::size_t>(k)] * factor];
  fold.add(own);
}

}  // namespace steelyard
