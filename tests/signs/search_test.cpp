// The search against brute force over all patterns, and the tree against its own promises.
#include "steelyard/signs/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include <Eigen/QR>

#include "steelyard/core/random.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard {
namespace {

struct RandomForm {
  MatrixXd R;
  std::vector<int> known;
};

// Triangles with a hidden pattern at some noise; every fourth case is noise alone, every fifth knows a sign.
RandomForm random_form(std::uint64_t seed) {
  Random random(seed, "sign form");
  const auto size = static_cast<Index>(2 + random.below(17));
  VectorXd hidden(size);
  for (Index k = 0; k < size; ++k) hidden[k] = random.below(2) == 0 ? -1 : 1;
  RandomForm form{MatrixXd::Zero(size, size), std::vector<int>(static_cast<std::size_t>(size), 0)};
  const double noise = seed % 4 == 0 ? 1 : random.uniform(0.01, 0.6);
  for (Index i = 0; i < size; ++i) {
    for (Index j = i; j < size; ++j) form.R(i, j) = random.normal();
    const double mean =
        form.R.row(i).tail(size - i).dot(hidden.tail(size - i)) / static_cast<double>(size - i);
    if (seed % 4 != 0)
      for (Index j = i; j < size; ++j) form.R(i, j) += hidden[j] * (noise * random.normal() - mean);
  }
  if (seed % 5 == 0)
    form.known[static_cast<std::size_t>(random.below(static_cast<std::uint64_t>(size)))] = -1;
  return form;
}

// Residuals of all patterns that respect the known signs, by Gray code: one column a step.
double brute_force(const RandomForm& form, VectorXd& best) {
  const Index size = form.R.cols();
  VectorXd signs = VectorXd::Ones(size), Rs = form.R.rowwise().sum();
  double smallest = kInfinity;
  const auto look = [&] {
    for (Index k = 0; k < size; ++k) {
      const int known = form.known[static_cast<std::size_t>(k)];
      if (known != 0 && known != static_cast<int>(signs[k])) return;
    }
    if (Rs.squaredNorm() >= smallest) return;
    smallest = Rs.squaredNorm();
    best = signs;
  };
  look();
  for (std::uint64_t code = 1; code < (std::uint64_t{1} << size); ++code) {
    const Index flip = std::countr_zero(code);
    Rs -= 2 * signs[flip] * form.R.col(flip);
    signs[flip] = -signs[flip];
    look();
  }
  return smallest;
}

TEST(OrderedPatterns, FirstPatternIsThatOfBruteForceIn200RandomCases) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const RandomForm form = random_form(seed);
    VectorXd expected;
    const double smallest = brute_force(form, expected);
    OrderedPatterns patterns(form.R, form.known, 0, 10'000'000);
    const auto found = patterns.next(kInfinity);
    ASSERT_TRUE(found) << seed;
    // The sums of at most 18 squares in another order: 1e-12 of the form's size.
    EXPECT_NEAR(found->residual, smallest, 1e-12 * form.R.squaredNorm()) << seed;
    EXPECT_TRUE(found->signs == expected || found->signs == -expected) << seed;
  }
}

TEST(OrderedPatterns, ComeInOrderAndAreAllOfThem) {
  const RandomForm form = random_form(7);
  OrderedPatterns patterns(form.R, form.known, 0, 10'000'000);
  std::uint64_t count = 0;
  double last = 0;
  while (const auto next = patterns.next(kInfinity)) {
    EXPECT_GE(next->residual, last);
    EXPECT_GE(patterns.bound(), last);
    EXPECT_NEAR(next->residual, (form.R * next->signs).squaredNorm(), 1e-12 * form.R.squaredNorm());
    last = next->residual;
    ++count;
  }
  EXPECT_EQ(count, std::uint64_t{1} << (form.R.cols() - 1));  // s and −s are one
  EXPECT_EQ(patterns.bound(), kInfinity);
}

TEST(OrderedPatterns, WithoutNodesLeaveABoundThatHolds) {
  const RandomForm form = random_form(12);  // noise alone, 2 … 18 segments
  VectorXd best;
  const double smallest = brute_force(form, best);
  double before = -1;
  for (const std::uint64_t nodes : {4, 16, 64, 256}) {
    OrderedPatterns patterns(form.R, form.known, 0, nodes);
    if (patterns.next(kInfinity)) continue;
    EXPECT_TRUE(patterns.is_exhausted());
    EXPECT_LE(patterns.nodes(), nodes);
    EXPECT_LE(patterns.bound(), smallest);
    EXPECT_GE(patterns.bound(), before);
    before = patterns.bound();
  }
  EXPECT_GE(before, 0);
}

TEST(SpectralSigns, AreExactWithoutNoise) {
  Random random(3, "noise free");
  const Index size = 12;
  VectorXd hidden(size);
  for (Index k = 0; k < size; ++k) hidden[k] = random.below(2) == 0 ? -1 : 1;
  MatrixXd rows(30, size);
  for (Index i = 0; i < rows.rows(); ++i)
    for (Index j = 0; j < size; ++j) rows(i, j) = random.normal();
  rows -= (rows * hidden) * hidden.transpose() / static_cast<double>(size);  // rows · hidden = 0
  const MatrixXd R =
      Eigen::MatrixXd(rows).householderQr().matrixQR().topRows(size).triangularView<Eigen::Upper>();
  const VectorXd energy = rows.colwise().squaredNorm();
  std::vector<int> known(static_cast<std::size_t>(size), 0);
  const SignPattern pattern = spectral_signs(R, energy, known);
  EXPECT_TRUE(pattern.signs == hidden || pattern.signs == -hidden);
  known[4] = hidden[4] < 0 ? -1 : 1;
  EXPECT_EQ(spectral_signs(R, energy, known).signs, hidden);
}

TEST(Descend, NeverRaisesTheResidualAndKeepsKnownSigns) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomForm form = random_form(seed);
    form.known[0] = 1;
    SignPattern start{VectorXd::Ones(form.R.cols()), form.R.rowwise().sum().squaredNorm()};
    const SignPattern found = descend(form.R, start, form.known, {{1}});
    EXPECT_LE(found.residual, start.residual) << seed;
    EXPECT_EQ(found.signs[0], 1) << seed;
  }
}

TEST(WidestBeam, OfFullWidthIsExact) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomForm form = random_form(seed);
    if (form.R.cols() > 12) continue;
    VectorXd best;
    const double smallest = brute_force(form, best);
    std::uint64_t looked_at = 0;
    const SignPattern found = widest_beam(form.R, form.known, 1 << 12, &looked_at);
    EXPECT_NEAR(found.residual, smallest, 1e-12 * form.R.squaredNorm()) << seed;
    EXPECT_GE(looked_at, std::uint64_t{1} << (form.R.cols() - 1)) << seed;
  }
}

}  // namespace
}  // namespace steelyard
