#include "steelyard/fold/fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "fold/aligned.hpp"
#include "fold/tiles.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using fold_kernels::kPanel;
using fold_kernels::padded_size;

std::shared_ptr<const Layout> checked(Layout layout) {
  layout.validate();
  return std::make_shared<const Layout>(std::move(layout));
}

}  // namespace

Fold::Fold(Layout layout, Index block) : layout_(checked(std::move(layout))), block_(block) {}
Fold::Fold(std::shared_ptr<const Layout> layout, Index block) : layout_(std::move(layout)), block_(block) {
  require(layout_ != nullptr, "a fold has a layout");
}

Fold::Triangle Fold::zeros() const {
  return Triangle(static_cast<std::size_t>(size() * (size() + 1) / 2), 0.0);
}

void Fold::replace(Triangle triangle) {
  triangle_ = std::make_shared<const Triangle>(std::move(triangle));
}

MatrixXd Fold::R() const {
  MatrixXd R = MatrixXd::Zero(depth_, size());
  for (Index i = 0; i < depth_; ++i) {
    for (Index j = i; j < size(); ++j) R(i, j) = (*this)(i, j);
  }
  return R;
}

MatrixXd Fold::columns() const {
  return R().leftCols(static_cast<Index>(layout_->columns.size()));
}
MatrixXd Fold::efforts() const {
  return R().rightCols(static_cast<Index>(layout_->efforts.size()));
}

void Fold::refuse(Index column) const {
  throw InputError({fmt::format("column {} of row {} has a value that is not finite or too large",
                                quoted(layout_->name(column)), quoted(layout_->row)),
                    {},
                    "finite numbers with norms below 1e140",
                    "look for gaps and overflows in the samples"});
}

// A value that is not finite makes the diagonal of its column so, and of no earlier one.
void Fold::check_finite() const {
  for (Index k = 0; k < size(); ++k) {
    if (!std::isfinite((*this)(k, k))) refuse(k);
  }
}

// The kernels' triangle is square and padded. Folds are kept in half the memory: there are many.
void Fold::run(std::span<double* const> columns, Index count, bool upper) {
  const Index padded = padded_size(size());
  std::vector<double*> pointers(columns.begin(), columns.end());
  AlignedBuffer zero_column;
  if (padded > size()) {
    zero_column = aligned_buffer(count);
    std::fill_n(zero_column.get(), count, 0.0);
    pointers.resize(static_cast<std::size_t>(padded), zero_column.get());
  }
  const AlignedBuffer square = aligned_buffer(padded * padded);
  std::fill_n(square.get(), padded * padded, 0.0);
  for (Index i = 0; triangle_ != nullptr && i < size(); ++i)
    std::copy_n(triangle_->data() + place(i, i), size() - i, square.get() + i * padded + i);
  fold_kernels_in_use().fold({pointers.data(), count, size(), square.get(), padded, upper});
  Triangle folded = zeros();
  for (Index i = 0; i < size(); ++i)
    std::copy_n(square.get() + i * padded + i, size() - i, folded.data() + place(i, i));
  replace(std::move(folded));
}

// Rows that are too few to fill the triangle: a dense decomposition, which keeps the trapezoid exact.
void Fold::add_few(const MatrixXd& rows) {
  const Index total = depth_ + rows.rows(), n = size();
  for (Index k = 0; k < n; ++k) {
    if (!std::isfinite(rows.col(k).squaredNorm())) refuse(k);
  }
  MatrixXd stacked(total, n);
  stacked << R(), rows;
  const Eigen::MatrixXd turned = Qr(stacked).R();
  Triangle folded = zeros();
  for (Index i = 0; i < total; ++i) {
    const double sign = turned(i, i) < 0 ? -1 : 1;
    for (Index j = i; j < n; ++j) folded[place(i, j)] = sign * turned(i, j);
  }
  replace(std::move(folded));
  depth_ = total;
}

void Fold::consume(std::span<double* const> columns, Index count, Index valid) {
  require(static_cast<Index>(columns.size()) == size(), "a tile has the columns of its fold");
  require(valid <= count, "a tile has no more rows than samples");
  if (valid <= 0 || size() == 0) return;
  try {
    if (depth_ + valid < size()) {
      MatrixXd rows(valid, size());
      Index r = 0;
      for (Index s = 0; s < count; ++s) {
        const bool zero =
            std::all_of(columns.begin(), columns.end(), [s](const double* c) { return c[s] == 0; });
        if (zero || r == valid) continue;
        for (Index k = 0; k < size(); ++k) rows(r, k) = columns[static_cast<std::size_t>(k)][s];
        ++r;
      }
      add_few(rows.topRows(r));
    } else {
      run(columns, (count + kPanel - 1) / kPanel * kPanel, false);
      depth_ = size();
    }
    check_finite();
  } catch (...) {
    triangle_.reset();
    rows_ = depth_ = 0;
    throw;
  }
  rows_ += valid;
}

void Fold::add(const Tile& tile) {
  require(static_cast<Index>(tile.columns.size()) == size(), "a tile has the columns of its fold");
  if (tile.count <= 0 || size() == 0) return;
  const Index stride_of_tile = tile_stride(kTileSamples);
  const AlignedBuffer buffer = aligned_buffer(stride_of_tile * size());
  std::vector<double*> columns;
  for (Index k = 0; k < size(); ++k) columns.push_back(buffer.get() + k * stride_of_tile);
  Fold after = *this;
  for (Index first = 0; first < tile.count; first += kTileSamples) {
    const Index count = std::min(kTileSamples, tile.count - first);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      std::copy_n(tile.columns[k] + first, count, columns[k]);
      std::fill(columns[k] + count, columns[k] + padded_size(count), 0.0);
    }
    after.consume(columns, count, count);
  }
  *this = std::move(after);
}

void Fold::add(const MatrixXd& rows) {
  require(rows.cols() == size(), "rows have the columns of their fold");
  std::vector<const double*> columns;
  for (Index k = 0; k < size(); ++k) columns.push_back(rows.data() + k * rows.rows());
  add(Tile{columns, rows.rows()});
}

void Fold::merge(const Fold& other) {
  if (layout_ != other.layout_) {
    if (const auto difference = first_difference(*layout_, *other.layout_)) {
      throw InputError({"folds of different layouts cannot be merged: " + *difference,
                        {},
                        "equal layouts",
                        "embed or combine the columns first"});
    }
  }
  if (other.depth_ == 0) {
    rows_ += other.rows_;
    return;
  }
  const Index rows = rows_ + other.rows_;
  if (depth_ == 0) {
    triangle_ = other.triangle_;
    depth_ = other.depth_;
  } else if (depth_ + other.depth_ < size()) {
    add_few(other.R());
  } else {
    const Index samples = padded_size(other.depth_), step = tile_stride(samples);
    const AlignedBuffer buffer = aligned_buffer(step * size());
    std::fill_n(buffer.get(), step * size(), 0.0);
    std::vector<double*> columns;
    for (Index k = 0; k < size(); ++k) {
      double* column = columns.emplace_back(buffer.get() + k * step);
      for (Index i = 0; i < std::min(k + 1, other.depth_); ++i) column[i] = other(i, k);
    }
    run(columns, samples, true);
    depth_ = size();
  }
  rows_ = rows;
}

void Fold::scale(double weight) {
  if (!(weight > 0) || !std::isfinite(weight)) {
    throw InputError({fmt::format("a weight of rows {} is {}", quoted(layout_->row), weight),
                      {},
                      "a positive finite number",
                      ""});
  }
  if (triangle_ == nullptr) return;
  Triangle scaled = *triangle_;
  for (double& entry : scaled) entry *= weight;
  replace(std::move(scaled));
}

}  // namespace steelyard
