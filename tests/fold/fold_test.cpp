// The operations of a fold against dense algebra in long double.
#include "steelyard/fold/fold.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "fold/fold_cases.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

using fold_tests::expect_factor_of;
using fold_tests::layout_of;
using fold_tests::random_rows;
using testing::HasSubstr;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

class FoldOperations : public fold_tests::EachIsa {};
INSTANTIATE_TEST_SUITE_P(Isa, FoldOperations, fold_tests::every_isa(), fold_tests::isa_name);

TEST_P(FoldOperations, AddingRowsGivesTheirFactor) {
  Random random(1, "add");
  // Around the panel width, the tile length and the padding of samples.
  for (const int columns : {1, 3, 7, 8, 9, 16, 17, 31, 47}) {
    for (const int rows : {columns + 1, 60, 191, 192, 193, 400}) {
      const MatrixXd A = random_rows(rows, columns + 1, random);
      if (rows <= columns) continue;
      const Fold fold = fold_rows(layout_of(columns), A);
      EXPECT_EQ(fold.rows(), rows);
      expect_factor_of(A, fold.R(), 40 * std::sqrt(rows));
    }
  }
}

TEST_P(FoldOperations, FewerRowsThanColumnsStayATrapezoid) {
  Random random(2, "few");
  Fold fold(layout_of(12));
  MatrixXd all(0, 13);
  for (const int rows : {1, 3, 0, 5, 3, 2, 30}) {
    const MatrixXd A = random_rows(rows, 13, random);
    fold.add(A);
    all.conservativeResize(all.rows() + rows, 13);
    all.bottomRows(rows) = A;
    EXPECT_EQ(fold.depth(), std::min<Index>(13, all.rows()));
    EXPECT_EQ(fold.rows(), all.rows());
    // Square and nearly square random matrices are worse conditioned than tall ones.
    expect_factor_of(all, fold.R(), 4000);
  }
}

TEST_P(FoldOperations, ColumnsOfZerosStayExactlyZero) {
  Random random(3, "zeros");
  MatrixXd A = random_rows(300, 20, random);
  A.col(0).setZero();
  A.col(9).setZero();
  A.col(19).setZero();
  const MatrixXd R = fold_rows(layout_of(19), A).R();
  for (const int k : {0, 9, 19}) EXPECT_EQ(R.col(k).cwiseAbs().maxCoeff(), 0.0) << k;
  // What is left of the residual's place is the norm of nothing.
  EXPECT_NEAR((R.transpose() * R - A.transpose() * A).cwiseAbs().maxCoeff(), 0, 1e-12 * 300);
}

TEST_P(FoldOperations, DependentColumnsGiveTheRightGram) {
  Random random(4, "dependent");
  MatrixXd A = random_rows(500, 30, random);
  A.col(17) = 3 * A.col(2) - A.col(5);
  const MatrixXd R = fold_rows(layout_of(29), A).R();
  const MatrixXd gram = A.transpose() * A;
  // Both Grams carry 500 roundings of numbers near 500.
  EXPECT_LT((R.transpose() * R - gram).cwiseAbs().maxCoeff(), 500 * 2.2e-16 * gram.cwiseAbs().maxCoeff());
  EXPECT_LT(R(17, 17), 1e-12 * A.col(17).norm());
}

TEST_P(FoldOperations, EmptyTilesChangeNothing) {
  Random random(5, "empty");
  Fold fold = fold_rows(layout_of(9), random_rows(40, 10, random));
  const MatrixXd before = fold.R();
  fold.add(MatrixXd(0, 10));
  fold.merge(Fold(layout_of(9)));
  EXPECT_EQ(fold.R(), before);
  EXPECT_EQ(fold.rows(), 40);
  Fold empty(layout_of(9));
  EXPECT_EQ(empty.R().rows(), 0);
  empty.merge(fold);
  EXPECT_EQ(empty.R(), before);
}

TEST_P(FoldOperations, ValuesThatAreNotFiniteAreRefusedByName) {
  Random random(6, "nan");
  for (const double bad : {std::nan(""), kInfinity, -kInfinity, 1e200}) {
    for (const int rows : {4, 300}) {
      Fold fold = fold_rows(layout_of(12), random_rows(50, 13, random));
      const MatrixXd before = fold.R();
      MatrixXd A = random_rows(rows, 13, random);
      A(rows - 1, 10) = bad;
      A(rows - 1, 11) = bad;
      EXPECT_THAT(message_of([&] { fold.add(A); }), HasSubstr("column 'c10' of row 'torque:one'")) << bad;
      EXPECT_EQ(fold.R(), before);
      Fold young(layout_of(12));
      EXPECT_THAT(message_of([&] { young.add(A); }), HasSubstr("column 'c10'")) << bad << ", " << rows;
    }
  }
}

TEST_P(FoldOperations, EmbeddingAddsColumnsOfZeros) {
  Random random(7, "embed");
  const MatrixXd A = random_rows(100, 6, random);
  Layout wide = layout_of(5, 1);
  wide.columns = {"new0", "c0", "c1", "new1", "c2", "c3", "c4", "new2"};
  const MatrixXd R = embed(fold_rows(layout_of(5), A), wide).R();
  MatrixXd B = MatrixXd::Zero(100, 9);
  B.col(1) = A.col(0), B.col(2) = A.col(1), B.col(4) = A.col(2), B.col(5) = A.col(3), B.col(6) = A.col(4);
  B.col(8) = A.col(5);
  for (Index k = 0; k < R.rows(); ++k) EXPECT_GE(R(k, k), 0.0);
  EXPECT_LT((R.transpose() * R - B.transpose() * B).cwiseAbs().maxCoeff(), 100 * 2.2e-16 * 200);

  // Rows that come later make it a full triangle again.
  const MatrixXd C = random_rows(50, 9, random);
  Fold fold = embed(fold_rows(layout_of(5), A), wide);
  fold.add(C);
  MatrixXd both(150, 9);
  both << B, C;
  expect_factor_of(both, fold.R(), 400);
}

TEST_P(FoldOperations, EmbeddingIntoAnotherOrderIsAFactorOfTheReorderedRows) {
  Random random(8, "order");
  const MatrixXd A = random_rows(100, 5, random);
  Layout other = layout_of(4);
  other.columns = {"c3", "c0", "c2", "c1"};
  MatrixXd B(100, 5);
  B << A.col(3), A.col(0), A.col(2), A.col(1), A.col(4);
  expect_factor_of(B, embed(fold_rows(layout_of(4), A), other).R(), 400);
}

TEST_P(FoldOperations, ScalingIsScalingOfTheRows) {
  Random random(9, "scale");
  const MatrixXd A = random_rows(100, 9, random);
  Fold fold = fold_rows(layout_of(8), A);
  fold.scale(0.3);
  expect_factor_of(0.3 * A, fold.R(), 400);
  for (const double weight : {0.0, -1.0, std::nan(""), kInfinity}) {
    EXPECT_THAT(message_of([&] { fold.scale(weight); }), HasSubstr("a weight of rows 'torque:one'"));
  }
}

TEST_P(FoldOperations, CombiningColumnsIsAProductOnTheRight) {
  Random random(10, "combine");
  const MatrixXd A = random_rows(200, 13, random);
  for (const int columns : {3, 9, 20}) {
    const MatrixXd C = random_rows(13, columns + 2, random);
    const Fold fold = combine_columns(fold_rows(layout_of(12), A), C, layout_of(columns, 2));
    EXPECT_EQ(fold.rows(), 200);
    const MatrixXd R = fold.R(), B = A * C;
    if (columns < 12) {
      // The condition of C enters; its random columns are far from parallel.
      expect_factor_of(B, R, 20000);
    } else {
      EXPECT_EQ(R.rows(), 13);
      EXPECT_LT((R.transpose() * R - B.transpose() * B).norm(), 1e-12 * (B.transpose() * B).norm());
    }
  }
}

TEST_P(FoldOperations, SelectedColumnsAreFoldedAsIfAlone) {
  Random random(11, "select");
  const MatrixXd A = random_rows(90, 6, random);
  MatrixXd B(90, 3);
  B << A.col(4), A.col(1), A.col(5);
  const Fold fold = select_columns(fold_rows(layout_of(5), A), {"c4", "c1"});
  EXPECT_EQ(fold.layout().columns, (std::vector<std::string>{"c4", "c1"}));
  expect_factor_of(B, fold.R(), 400);
  EXPECT_THAT(message_of([&] { select_columns(fold, {"c44"}); }), HasSubstr("did you mean 'c4'"));
}

TEST(FoldLayout, TheFirstDifferenceIsNamed) {
  const auto refusal = [](const std::function<void(Layout&)>& change) {
    Layout other = layout_of(3);
    change(other);
    return message_of([&] { Fold(layout_of(3)).merge(Fold(other)); });
  };
  EXPECT_THAT(refusal([](Layout& l) { l.row = "torque:two"; }),
              HasSubstr("the row is 'torque:one' here and 'torque:two' there"));
  EXPECT_THAT(refusal([](Layout& l) { l.columns[1] = "x"; }),
              HasSubstr("column 2 is 'c1' here and 'x' there"));
  EXPECT_THAT(refusal([](Layout& l) { l.columns.push_back("x"); }),
              HasSubstr("column 4, 'x', is only there"));
  EXPECT_THAT(refusal([](Layout& l) { l.efforts[0] = "current"; }),
              HasSubstr("effort column 1 is 'e0' here"));
  EXPECT_THAT(refusal([](Layout& l) { l.unit = "N"; }), HasSubstr("the unit is 'N*m' here and 'N' there"));
  EXPECT_THAT(refusal([](Layout& l) { l.effort_units[0] = "A"; }), HasSubstr("the unit of effort column 1"));
  EXPECT_THAT(refusal([](Layout& l) { l.robot = "r2"; }), HasSubstr("the robot is"));
  EXPECT_THAT(refusal([](Layout& l) { l.preparation = "5 Hz"; }), HasSubstr("the preparation is"));
}

TEST(FoldLayout, NonsenseIsRefused) {
  Layout twice = layout_of(3);
  twice.columns[2] = "c0";
  EXPECT_THAT(message_of([&] { Fold{twice}; }), HasSubstr("two columns 'c0'"));
  Layout unnamed = layout_of(3);
  unnamed.efforts[0] = "";
  EXPECT_THAT(message_of([&] { Fold{unnamed}; }), HasSubstr("column 4 of row 'torque:one' has no name"));
  Layout unitless = layout_of(3);
  unitless.effort_units.clear();
  EXPECT_THAT(message_of([&] { Fold{unitless}; }), HasSubstr("0 units"));
  Layout small = layout_of(2);
  EXPECT_THAT(message_of([&] { embed(Fold(layout_of(3)), small); }), HasSubstr("'c2'"));
  Layout newtons = layout_of(3);
  newtons.unit = "N";
  EXPECT_THAT(message_of([&] { embed(Fold(layout_of(3)), newtons); }), HasSubstr("its unit 'N*m'"));
  EXPECT_THAT(message_of([&] { combine_columns(Fold(layout_of(3)), MatrixXd::Zero(3, 3), layout_of(2)); }),
              HasSubstr("3 × 3"));
}

}  // namespace
}  // namespace steelyard
