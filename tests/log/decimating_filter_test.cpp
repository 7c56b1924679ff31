#include "steelyard/log/decimating_filter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "log/filter/block_sums_kernel.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard {
namespace {

// Columns of `samples` steps of a random walk about a large constant, one below the other.
std::vector<double> random_walks(Index columns, Index samples) {
  Random random(1, "decimating filter");
  std::vector<double> x;
  for (Index c = 0; c < columns; ++c) {
    double value = 10 * random.normal();
    for (Index i = 0; i < samples; ++i) x.push_back(value += 0.1 * random.normal());
  }
  return x;
}

std::vector<double> decimated(const DecimatingFilter& filter, const std::vector<double>& x, Index columns,
                              Index first, Index count) {
  const Index samples = static_cast<Index>(x.size()) / columns, blocks = samples / filter.factor;
  std::vector<double> sums(static_cast<std::size_t>(blocks * filter.sums() * columns)), last;
  block_sums(filter, x.data(), columns, samples, blocks, sums.data());
  for (Index c = 0; c < columns; ++c) last.push_back(x[c * samples + blocks * filter.factor - 1]);
  std::vector<double> y(static_cast<std::size_t>(columns * count));
  filtered_from_sums(filter, sums.data(), last.data(), columns, blocks, first, count, y.data(), count);
  return y;
}

TEST(DecimatingFilter, IsTheZeroPhaseFilterAtTheKeptSamples) {
  for (int order = 1; order <= 10; ++order) {
    for (const double cutoff : {2.0, 5.0, 40.0, 200.0}) {
      SCOPED_TRACE("order " + std::to_string(order) + ", " + std::to_string(cutoff) + " Hz");
      const LowPass low_pass = design_low_pass(order, cutoff, 1000);
      for (const Index factor : {1, 4, 13, 80}) {
        const DecimatingFilter filter = decimating_filter(low_pass, factor);
        const Index columns = 11, before = low_pass.halo / factor + 2, count = 20;
        const Index samples = (2 * before + count) * factor;
        const std::vector<double> x = random_walks(columns, samples);
        std::vector<double> reference = x;
        filter_zero_phase(low_pass, reference.data(), samples, columns, samples, {false, false});
        const std::vector<double> y = decimated(filter, x, columns, before, count);
        for (Index c = 0; c < columns; ++c) {
          for (Index k = 0; k < count; ++k) {
            const double expected = reference[c * samples + (before + k) * factor];
            // Residues alternate in sign and grow with the order: rounding is some hundred ulps at order 10.
            ASSERT_NEAR(y[c * count + k], expected, (order > 6 ? 1e-11 : 1e-13) * (20 + std::abs(expected)))
                << "column " << c << ", sample " << k;
          }
        }
      }
    }
  }
}

TEST(DecimatingFilter, ConstantsPass) {
  const DecimatingFilter filter = decimating_filter(design_low_pass(4, 5, 1000), 80);
  const std::vector<double> x(800, -3.25), y = decimated(filter, x, 1, 0, 10);
  for (const double value : y) EXPECT_NEAR(value, -3.25, 1e-14);
}

TEST(DecimatingFilter, AllInstructionSetsGiveTheSameBytes) {
  for (const int order : {1, 4, 7, 10}) {
    const DecimatingFilter filter = decimating_filter(design_low_pass(order, 12, 1000), 33);
    const kernels::SumWeights weights{filter.table.data(), filter.width, 2 * filter.weights, filter.factor};
    for (Index columns = 1; columns <= kernels::kSumColumns; ++columns) {
      const std::vector<double> x = random_walks(columns, 40);
      std::vector<std::vector<double>> results;
      for (const kernels::BlockSum sum : kernels::available_block_sums()) {
        results.emplace_back(static_cast<std::size_t>(2 * order * columns));
        sum(weights, {x.data(), 40, columns}, results.back().data(), columns);
      }
      for (const std::vector<double>& result : results) EXPECT_EQ(result, results[0]) << columns;
      double first = 0;
      for (Index j = 0; j < filter.factor; ++j) first += filter.table[j * filter.width] * x[j];
      EXPECT_NEAR(results[0][0], first, 1e-12 * std::abs(first));
    }
  }
}

}  // namespace
}  // namespace steelyard
