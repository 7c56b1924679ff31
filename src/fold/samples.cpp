#include "steelyard/fold/samples.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fold/aligned.hpp"
#include "fold/tiles.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

void check(const Plan& plan, std::span<const RowInput> rows, std::span<Fold> folds) {
  require(rows.size() == plan.rows.size() && folds.size() == plan.rows.size(),
          "one fold and one input per row");
  for (std::size_t r = 0; r < folds.size(); ++r) {
    const Layout& layout = folds[r].layout();
    require(rows[r].efforts.size() == layout.efforts.size(), "one pointer per effort column");
    const std::vector<int>& columns = plan.rows[r].columns;
    const bool same = columns.size() + rows[r].extra.size() == layout.columns.size() &&
                      std::equal(columns.begin(), columns.end(), layout.columns.begin(),
                                 [&](int c, const std::string& name) {
                                   return plan.columns[static_cast<std::size_t>(c)] == name;
                                 });
    if (same) continue;
    throw InputError({fmt::format("the fold of row {} has other columns than the plan", quoted(layout.row)),
                      {},
                      "the columns of row_layouts",
                      ""});
  }
}

}  // namespace

void fold_samples(const Plan& plan, const Samples& samples, std::span<const RowInput> rows,
                  std::span<Fold> folds) {
  check(plan, rows, folds);
  std::size_t most_given = 0;  // columns that are copied
  for (const RowInput& row : rows) most_given = std::max(most_given, row.efforts.size() + row.extra.size());
  const Index stride = tile_stride(kTileSamples);
  const AlignedBuffer tile = aligned_buffer(stride * (plan.stored_columns + static_cast<Index>(most_given)));
  std::vector<double*> columns;
  for (Index first = 0; first < samples.count; first += kTileSamples) {
    Samples part = samples;
    part.count = std::min(kTileSamples, samples.count - first);
    for (const double** channel : {&part.q, &part.qd, &part.qdd}) {
      if (*channel) *channel += first;
    }
    evaluate(plan, part, tile.get(), stride);
    for (std::size_t r = 0; r < folds.size(); ++r) {
      columns.clear();
      const Row& row = plan.rows[r];
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        columns.push_back(tile.get() + (row.offset + static_cast<Index>(k)) * stride);
      }
      double* to = tile.get() + stride * plan.stored_columns;
      for (const auto* given : {&rows[r].extra, &rows[r].efforts}) {
        for (const double* from : *given) {
          std::copy_n(from + first, part.count, to);
          columns.push_back(to);
          to += stride;
        }
      }
      const std::uint8_t* mask = rows[r].mask ? rows[r].mask + first : nullptr;
      const Index valid =
          rows[r].weigh ? weigh_and_blank(columns, part.count, mask, *rows[r].weigh, static_cast<Index>(r))
                        : blank(columns, part.count, mask);
      folds[r].consume(columns, part.count, valid);
    }
  }
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
