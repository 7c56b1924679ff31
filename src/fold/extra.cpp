#include "steelyard/fold/layout.hpp"

#include <fmt/format.h>

#include <utility>

#include "fold/extra_places.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {

ExtraColumns extra_column(std::string name, Index row,
                          std::function<void(const SampleBlock&, Index, Index, double*)> fill) {
  return {{{std::move(name), row}},
          [fill = std::move(fill)](const SampleBlock& block, Index first, Index count, double* const* out) {
            fill(block, first, count, out[0]);
          }};
}

std::vector<Layout> with_extra_columns(std::vector<Layout> layouts, std::span<const ExtraColumns> extra) {
  for (const ExtraColumns& group : extra) {
    for (const ExtraColumn& column : group.columns) {
      if (column.row < 0 || column.row >= static_cast<Index>(layouts.size())) {
        throw InputError({fmt::format("extra column {} is for row {}", quoted(column.name), column.row + 1),
                          {},
                          fmt::format("rows 1 to {}", layouts.size()),
                          ""});
      }
      layouts[static_cast<std::size_t>(column.row)].columns.push_back(column.name);
    }
  }
  for (const Layout& layout : layouts) layout.validate();
  return layouts;
}

Index count_columns(std::span<const ExtraColumns> extra) {
  Index count = 0;
  for (const ExtraColumns& group : extra) count += static_cast<Index>(group.columns.size());
  return count;
}

std::vector<std::vector<Index>> columns_of_rows(std::span<const ExtraColumns> extra, std::size_t rows) {
  std::vector<std::vector<Index>> places(rows);
  Index next = 0;
  for (const ExtraColumns& group : extra) {
    for (const ExtraColumn& column : group.columns)
      places.at(static_cast<std::size_t>(column.row)).push_back(next++);
  }
  return places;
}

void fill_columns(std::span<const ExtraColumns> extra, const SampleBlock& block, Index first, Index count,
                  double* to, Index stride) {
  std::vector<double*> out;
  for (const ExtraColumns& group : extra) {
    out.clear();
    for (std::size_t k = 0; k < group.columns.size(); ++k, to += stride) out.push_back(to);
    group.fill(block, first, count, out.data());
  }
}

MatrixXd evaluate_columns(std::span<const ExtraColumns> extra, const SampleBlock& block, Index first,
                          Index count) {
  MatrixXd values = MatrixXd::Zero(count, count_columns(extra));
  fill_columns(extra, block, first, count, values.data(), count);
  if (values.allFinite()) return values;
  Index next = 0;
  for (const ExtraColumns& group : extra) {
    for (const ExtraColumn& column : group.columns) {
      if (!values.col(next++).allFinite())
        throw InputError({fmt::format("column {} is not finite", quoted(column.name)), {}, "", ""});
    }
  }
  throw InternalError("the non-finite column was not identified");
}

}  // namespace steelyard
