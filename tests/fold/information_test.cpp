// The information form: as accurate as claimed, and not used where it would not be.
#include "fold/information.hpp"

#include <gmock/gmock.h>

#include <Eigen/LU>
#include <cmath>
#include <cstring>

#include "fold/fold_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/fold/samples.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace {

using fold_tests::layout_of;
using fold_tests::random_rows;

// Promised for ‖R v‖², relative, for every v.
constexpr double kPromised = 1e-10;

// Largest |‖R v‖² − ‖A v‖²| / ‖A v‖² over v, ‖A v‖ = ‖exact v‖: eigenvalues of WᵀW − 1, W = R exact⁻¹.
double whitened_error(const MatrixXd& R, const oracle::LongMatrix& exact) {
  const oracle::LongMatrix W =
      exact.triangularView<Eigen::Upper>().solve<Eigen::OnTheRight>(R.cast<long double>());
  const oracle::LongMatrix E = W.transpose() * W - oracle::LongMatrix::Identity(R.cols(), R.cols());
  return static_cast<double>(E.norm());
}

class InformationForm : public fold_tests::EachIsa {};
INSTANTIATE_TEST_SUITE_P(Isa, InformationForm, fold_tests::every_isa(), fold_tests::isa_name);

// The rows of A by the information form, the probe taken from every twentieth of them.
std::optional<MatrixXd> by_information(const MatrixXd& A) {
  Fold probe(layout_of(static_cast<int>(A.cols()) - 1));
  MatrixXd some(A.rows() / 20, A.cols());
  for (Index k = 0; k < some.rows(); ++k) some.row(k) = A.row(20 * k);
  probe.add(some);
  Information information(probe);
  if (!information.usable()) return std::nullopt;
  for (Index first = 0; first < A.rows(); first += kTileSamples) {
    const Index count = std::min(kTileSamples, A.rows() - first);
    const AlignedBuffer memory = aligned_buffer(kTileSamples * A.cols());
    MatrixXd::MapType tile(memory.get(), kTileSamples, A.cols());
    tile.setZero();
    tile.topRows(count) = A.middleRows(first, count);
    std::vector<double*> columns;
    for (Index k = 0; k < A.cols(); ++k) columns.push_back(tile.col(k).data());
    information.add(columns, count, count);
  }
  EXPECT_EQ(information.rows(), A.rows());
  return information.factor();
}

TEST_P(InformationForm, IsRightToItsPromiseWhateverTheScales) {
  for (const int columns : {1, 2, 5, 11, 24, 46}) {
    Random random(static_cast<std::uint64_t>(columns), "information");
    // Gaussian columns with a common part: trace Ĝ⁻¹ up to some thousands.
    MatrixXd A = random_rows(4200, columns + 1, random);
    for (Index k = 1; k <= columns; ++k) A.col(k) += 8 * A.col(0);
    for (Index k = 0; k <= columns; ++k) A.col(k) *= std::pow(10, random.uniform(-8, 8));
    const std::optional<MatrixXd> R = by_information(A);
    ASSERT_TRUE(R.has_value()) << columns;
    EXPECT_LT(whitened_error(*R, oracle::long_double_r(A)), kPromised) << columns;
    EXPECT_TRUE((R->diagonal().array() > 0).all());
  }
}

TEST_P(InformationForm, LosesNothingToDependentColumns) {
  Random random(2, "dependent");
  MatrixXd A = random_rows(5000, 20, random);
  A.col(7) = 3 * A.col(2) - A.col(5);                            // to the last digit
  A.col(11) = A.col(0) + A.col(10) + 1e-9 * A.col(11);           // nearly
  A.col(15).setZero();                                           // absent
  A.col(19) = A.leftCols(7).rowwise().sum() + 1e-7 * A.col(19);  // an effort with little noise
  const std::optional<MatrixXd> R = by_information(A);
  ASSERT_TRUE(R.has_value());
  // As by reflections: ‖R v‖ = ‖A v‖ to some ε of the columns' norms, also where they cancel. From G alone
  // the root of ε would be left of them.
  VectorXd exactly = VectorXd::Zero(20), nearly = exactly, effort = exactly;
  exactly(7) = 1, exactly(2) = -3, exactly(5) = 1;
  nearly(11) = 1, nearly(0) = nearly(10) = -1;
  effort(19) = 1, effort.head(7).setConstant(-1);
  for (const VectorXd& v : {exactly, nearly, effort}) {
    const oracle::LongVector Av = A.cast<long double>() * v.cast<long double>();
    const oracle::LongVector Rv = R->cast<long double>() * v.cast<long double>();
    const double size = A.colwise().norm().dot(v.cwiseAbs());
    EXPECT_NEAR(static_cast<double>(Rv.norm()), static_cast<double>(Av.norm()), 10 * 2.2e-16 * size);
  }
  EXPECT_EQ(R->col(15).norm(), 0.0);
  const MatrixXd gram = A.transpose() * A;
  // Both Grams carry roundings of 5000 products.
  EXPECT_LT((R->transpose() * *R - gram).cwiseAbs().maxCoeff(), 5000 * 2.2e-16 * gram.cwiseAbs().maxCoeff());
}

TEST_P(InformationForm, IsRefusedWhenItsDigitsWouldNotDo) {
  // Powers of x: each is half in the space of the others.
  MatrixXd A(5000, 16);
  for (Index s = 0; s < A.rows(); ++s) {
    for (Index k = 0; k < A.cols(); ++k) A(s, k) = std::pow(static_cast<double>(s) / 5000, k);
  }
  EXPECT_FALSE(by_information(A).has_value());

  // A probe that promises more than the rows hold: columns that differ at every twentieth sample only, where
  // they are small.
  Random random(3, "promise");
  MatrixXd B = random_rows(5000, 12, random);
  for (Index s = 0; s < B.rows(); ++s) {
    if (s % 20 == 0)
      B.row(s) *= 1e-3;
    else
      B(s, 1) = B(s, 0);
  }
  EXPECT_FALSE(by_information(B).has_value());
}

// A motion of the Panda that excites its base parameters, and one that hardly moves.
struct PandaCase {
  Robot robot = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/panda.yaml").robot;
  Plan plan;
  MatrixXd q, qd, qdd, tau;

  PandaCase(Index samples, double size) {
    for (Joint& joint : robot.joints) joint.drive.viscous = joint.drive.coulomb = joint.drive.offset = true;
    BaseOptions base;
    base.expressions = false;
    PlanOptions options;
    for (const BaseParameter& b : base_parameters(robot, base).base) options.wanted.push_back(b.lead);
    plan = make_plan(robot, options);
    q.resize(samples, 7);
    qd = qdd = tau = q;
    Random random(4, "torque");
    for (Index j = 0; j < 7; ++j) {
      const double w = 0.7 + 0.31 * static_cast<double>(j);
      for (Index s = 0; s < samples; ++s) {
        const double t = 0.002 * static_cast<double>(s);
        q(s, j) = size * (std::sin(w * t) + 0.4 * std::cos(2.7 * w * t));
        qd(s, j) = size * w * (std::cos(w * t) - 0.4 * 2.7 * std::sin(2.7 * w * t));
        qdd(s, j) = -size * w * w * (std::sin(w * t) + 0.4 * 2.7 * 2.7 * std::cos(2.7 * w * t));
        tau(s, j) = random.normal();
      }
    }
  }

  // In calls of at most `call` samples.
  std::vector<Fold> fold(Index call) const {
    std::vector<Fold> folds;
    for (const Layout& layout : row_layouts(plan, robot)) folds.emplace_back(layout);
    for (Index first = 0; first < q.rows(); first += call) {
      std::vector<RowInput> rows;
      for (Index j = 0; j < 7; ++j) rows.push_back({{&tau(first, j)}});
      fold_samples(plan,
                   {&q(first, 0), &qd(first, 0), &qdd(first, 0), q.rows(), std::min(call, q.rows() - first)},
                   rows, folds);
    }
    return folds;
  }
};

bool same_bytes(const MatrixXd& a, const MatrixXd& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

constexpr Index kSeveralTiles = 10 * kTileSamples;  // too few for the information form

TEST_P(InformationForm, AgreesWithReflectionsOnALongMotion) {
  const PandaCase panda(9000, 1.0);
  const std::vector<Fold> long_call = panda.fold(9000), reflected = panda.fold(kSeveralTiles);
  for (std::size_t r = 0; r < 7; ++r) {
    const MatrixXd a = long_call[r].R(), b = reflected[r].R();
    EXPECT_EQ(long_call[r].rows(), 9000);
    EXPECT_FALSE(same_bytes(a, b)) << "row " << r << " was folded by reflections";
    if (r > 0) {
      EXPECT_LT(whitened_error(a, b.cast<long double>()), kPromised) << r;
    } else {
      // Row 1 does not feel gravity: some of its columns are zero or depend on others.
      const VectorXd norms = b.colwise().norm().cwiseMax(1e-300);
      const MatrixXd scale = norms * norms.transpose();
      EXPECT_LT(((a.transpose() * a - b.transpose() * b).array() / scale.array()).abs().maxCoeff(), 1e-13);
    }
  }
}

TEST_P(InformationForm, IsNotUsedForAMotionThatHardlyMoves) {
  const PandaCase panda(5000, 1e-3);
  const std::vector<Fold> long_call = panda.fold(5000), reflected = panda.fold(kSeveralTiles);
  for (const std::size_t r : {1, 2, 3}) EXPECT_TRUE(same_bytes(long_call[r].R(), reflected[r].R())) << r;
}

TEST_P(InformationForm, NotANumberNamesItsColumn) {
  PandaCase panda(5000, 1.0);
  panda.tau(4321, 2) = std::nan("");
  try {
    panda.fold(5000);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("column 'torque' of row 'torque:"));
  }
}

TEST(InformationBytes, AreTheSameForTheTwoWideInstructionSets) {
  if (!is_available(IsaLevel::avx512)) GTEST_SKIP() << "this processor has no avx512";
  const IsaLevel before = isa_level();
  const PandaCase panda(5000, 1.0);
  std::vector<Fold> folds[2];
  for (const bool wide : {false, true}) {
    set_isa_level(wide ? IsaLevel::avx512 : IsaLevel::avx2);
    folds[wide ? 1 : 0] = panda.fold(5000);
  }
  set_isa_level(before);
  for (std::size_t r = 0; r < 7; ++r) EXPECT_TRUE(same_bytes(folds[0][r].R(), folds[1][r].R())) << r;
}

}  // namespace
}  // namespace steelyard
