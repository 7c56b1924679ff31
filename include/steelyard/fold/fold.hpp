// A fold: many rows of [Y | E] kept as the triangular factor R with RᵀR = [Y | E]ᵀ[Y | E].
//
// R has a non-negative diagonal; with fewer rows than columns it is trapezoidal. Least squares needs only R,
// at a cost that does not depend on the number of rows: ‖Y π − E γ‖ = ‖R (π; −γ)‖ for all π, γ. It cannot
// give back single rows: no other filters or delays, no sample-wise weights, no residual curves.
//
// R is found by Householder reflections: its error is some ε of each column's own norm, whatever the other
// columns' scales (for long calls of fold_samples see there). Squares of entries must neither overflow nor
// vanish: columns with norms outside 1e±140 are refused or lost. Folding in another grouping or order gives
// the same R up to rounding, not the same bytes; the same operations in the same order give the same bytes
// for avx2 and avx512, and for any number of threads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/layout.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Rows to add: sample s of column k (columns, then efforts) is columns[k][s].
struct Tile {
  std::span<const double* const> columns;
  Index count = 0;
};

class Fold {
 public:
  Fold() = default;
  // No rows yet. Throws InputError for layouts that are not valid.
  explicit Fold(Layout layout, Index block = 0);
  explicit Fold(std::shared_ptr<const Layout> layout, Index block = 0);

  const Layout& layout() const { return *layout_; }
  const std::shared_ptr<const Layout>& shared_layout() const { return layout_; }
  Index size() const { return layout_->size(); }  // columns and efforts
  Index rows() const { return rows_; }            // that were folded
  Index depth() const { return depth_; }          // rows of R: at most size()
  Index block() const { return block_; }
  void set_block(Index block) { block_ = block; }

  // Entry of R; i < depth(), i ≤ j.
  double operator()(Index i, Index j) const { return (*triangle_)[place(i, j)]; }
  MatrixXd R() const;        // depth × size
  MatrixXd columns() const;  // depth × columns: the part of Y
  MatrixXd efforts() const;  // depth × efforts

  // Folds rows. Throws InputError naming the first column that is not finite or too large; the fold is then
  // as before.
  void add(const Tile& tile);
  void add(const MatrixXd& rows);  // rows × size()

  // The same without copying: `columns` are overwritten, each must hold count rounded up to a multiple of
  // eight, and samples past `count` must be zero. Samples that are zero in all columns are no rows: `valid`
  // is the number of the others. On an error the fold is empty.
  void consume(std::span<double* const> columns, Index count, Index valid);

  // Adds the rows of the other fold. Throws InputError naming the first difference of the layouts.
  void merge(const Fold& other);

  // All rows times a weight, which must be positive and finite.
  void scale(double weight);

 private:
  friend Fold embed(const Fold& fold, std::shared_ptr<const Layout> layout);
  friend Fold fold_rows(std::shared_ptr<const Layout> layout, const MatrixXd& rows, Index row_count,
                        Index block);

  friend Fold fold_of_triangle(std::shared_ptr<const Layout> layout, const MatrixXd& R, Index row_count,
                               Index block);

  // R row by row from the diagonal on.
  using Triangle = std::vector<double>;
  // Of entry i ≤ j.
  std::size_t place(Index i, Index j) const {
    return static_cast<std::size_t>(i * (2 * size() - i - 1) / 2 + j);
  }
  Triangle zeros() const;
  void replace(Triangle triangle);
  void run(std::span<double* const> columns, Index count, bool upper);
  void add_few(const MatrixXd& rows);
  void check_finite() const;
  [[noreturn]] void refuse(Index column) const;

  std::shared_ptr<const Layout> layout_ = std::make_shared<const Layout>();
  // Null while there are no rows. Never changed, only replaced: copies of a fold share it.
  std::shared_ptr<const Triangle> triangle_;
  Index rows_ = 0;
  Index depth_ = 0;
  Index block_ = 0;
};

// A fold of the rows of a matrix, in a layout with as many columns; `row_count` when it stands for more (or
// fewer) rows than it has, as a factor does.
Fold fold_rows(Layout layout, const MatrixXd& rows);
Fold fold_rows(std::shared_ptr<const Layout> layout, const MatrixXd& rows, Index row_count, Index block = 0);

// A fold with this R, as another one gave it: upper triangular or trapezoidal, diagonal not negative, finite;
// otherwise InputError.
Fold fold_of_triangle(std::shared_ptr<const Layout> layout, const MatrixXd& R, Index row_count,
                      Index block = 0);

// The fold in a layout that has all of its columns and efforts; those it does not have are zero. Units must
// agree, or the new unit is "1". Throws InputError naming the first column that is missing.
Fold embed(const Fold& fold, const Layout& layout);
Fold embed(const Fold& fold, std::shared_ptr<const Layout> layout);

// [Y' | E'] = [Y | E] C with C size() × layout.size(): base parameters, payloads that are known, signs,
// gains. Throws InputError when the sizes do not fit or C is not finite.
Fold combine_columns(const Fold& fold, const MatrixXd& C, const Layout& layout);

// The fold without some columns, in the order of the given names; efforts stay. E.g. the lead columns of a
// base.
Fold select_columns(const Fold& fold, const std::vector<std::string>& columns);

}  // namespace steelyard
