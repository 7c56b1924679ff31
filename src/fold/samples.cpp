#include "steelyard/fold/samples.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fold/aligned.hpp"
#include "fold/information.hpp"
#include "fold/tiles.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/fold/products.hpp"

namespace steelyard::inline STEELYARD_ABI {
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
    throw InputError(
        {fmt::format("the columns of the fold of row {} differ from the plan", quoted(layout.row)),
         {},
         "the columns of row_layouts",
         ""});
  }
}

using Rows = std::span<const RowInput>;

// Tile by tile: the regressor, then use(r, columns, count, valid) for the rows that are wanted.
template <typename Wanted, typename Use>
void walk(const Plan& plan, const Samples& samples, Rows rows, const Wanted& wanted, const Use& use) {
  std::size_t most_given = 0;  // columns that are copied
  for (const RowInput& row : rows) most_given = std::max(most_given, row.efforts.size() + row.extra.size());
  const Index stride = tile_stride(std::min(kTileSamples, samples.count));
  const AlignedBuffer tile = aligned_buffer(stride * (plan.stored_columns + static_cast<Index>(most_given)));
  std::vector<double*> columns;
  for (Index first = 0; first < samples.count; first += kTileSamples) {
    Samples part = samples;
    part.count = std::min(kTileSamples, samples.count - first);
    for (const double** channel : {&part.q, &part.qd, &part.qdd}) {
      if (*channel) *channel += first;
    }
    evaluate(plan, part, tile.get(), stride);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (!wanted(r)) continue;
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
      use(r, columns, part.count, valid);
    }
  }
}

// One tile of samples, spread over all.
struct Probe {
  std::vector<double> q, qd, qdd;
  std::vector<std::vector<double>> given;
  std::vector<std::vector<std::uint8_t>> masks;
  std::vector<RowInput> rows;
  Samples samples;

  Probe(const Plan& plan, const Samples& all, Rows inputs) {
    const auto pick = [&](const auto* from, auto& to) {
      for (Index k = 0; k < kTileSamples; ++k) to.push_back(from[k * all.count / kTileSamples]);
    };
    const auto channels = [&](const double* from, std::vector<double>& to) {
      for (Index j = 0; from != nullptr && j < plan.joints; ++j) pick(from + j * all.stride, to);
      return from != nullptr ? to.data() : nullptr;
    };
    samples = {channels(all.q, q), channels(all.qd, qd), channels(all.qdd, qdd), kTileSamples, kTileSamples};
    for (const RowInput& input : inputs) {
      RowInput& row = rows.emplace_back(input);
      row.weigh = nullptr;
      for (auto* list : {&row.efforts, &row.extra}) {
        for (const double*& column : *list) {
          pick(column, given.emplace_back());
          column = given.back().data();
        }
      }
      if (row.mask == nullptr) continue;
      pick(row.mask, masks.emplace_back());
      row.mask = masks.back().data();
    }
  }
};

// Result of a probe of each row. Weights of a row are computed once, in order: such a row is not probed.
std::vector<Information> informations(const Plan& plan, const Samples& samples, Rows rows,
                                      std::span<const Fold> folds) {
  std::vector<Information> list(rows.size());
  if (samples.count < kShortestInformation) return list;
  const Probe probe(plan, samples, rows);
  walk(
      plan, probe.samples, probe.rows, [&](std::size_t r) { return rows[r].weigh == nullptr; },
      [&](std::size_t r, std::span<double* const> columns, Index count, Index valid) {
        Fold some(folds[r].shared_layout());
        some.consume(columns, count, valid);
        list[r] = Information(some);
      });
  return list;
}

}  // namespace

void fold_samples(const Plan& plan, const Samples& samples, std::span<const RowInput> rows,
                  std::span<Fold> folds) {
  check(plan, rows, folds);
  std::vector<Information> information = informations(plan, samples, rows, folds);
  walk(
      plan, samples, rows, [](std::size_t) { return true; },
      [&](std::size_t r, std::span<double* const> columns, Index count, Index valid) {
        information[r].usable() ? information[r].add(columns, count, valid)
                                : folds[r].consume(columns, count, valid);
      });
  std::vector<bool> again(rows.size(), false);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (!information[r].usable()) continue;
    const std::optional<MatrixXd> R = information[r].factor();
    again[r] = !R.has_value();
    if (R) folds[r].merge(fold_of_triangle(folds[r].shared_layout(), *R, information[r].rows()));
  }
  if (std::none_of(again.begin(), again.end(), [](bool row) { return row; })) return;
  walk(
      plan, samples, rows, [&](std::size_t r) { return again[r]; },
      [&](std::size_t r, std::span<double* const> columns, Index count, Index valid) {
        folds[r].consume(columns, count, valid);
      });
}

void add_products(const Plan& plan, const Samples& samples, std::span<const RowInput> rows,
                  std::span<RowProducts> sums) {
  require(rows.size() == plan.rows.size() && sums.size() == plan.rows.size(),
          "one input and one sum per row");
  std::vector<double> nothing(static_cast<std::size_t>(tile_stride(kTileSamples)), 0.0);
  walk(
      plan, samples, rows, [](std::size_t) { return true; },
      [&](std::size_t r, std::span<double* const> columns, Index count, Index valid) {
        if (valid == 0) return;
        RowProducts& sum = sums[r];
        const auto size = static_cast<Index>(columns.size());
        const Index stride = fold_kernels::padded_size(size);
        if (sum.lower.size() == 0) sum.lower = MatrixXd::Zero(stride, stride);
        std::vector<double*> padded(columns.begin(), columns.end());
        padded.resize(static_cast<std::size_t>(stride), nothing.data());
        fold_kernels_in_use().gram(
            {padded.data(), fold_kernels::padded_size(count), size, sum.lower.data(), stride});
        sum.rows += valid;
      });
  for (const RowProducts& sum : sums)
    if (!sum.lower.allFinite())
      throw InputError(
          {"a column or an effort is not finite, or too large", {}, "squares that are finite", ""});
}

}  // namespace steelyard
