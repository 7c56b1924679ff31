#include "steelyard/log/resample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard {
namespace {

// Stamps with steps between 0.5 and 1.5 ms, and a polynomial in each row.
Run jittered_run(std::uint64_t seed, Index samples, int degree) {
  Random random(seed, "jitter");
  Run run;
  run.samples = SampleBlock({"position", "torque"}, 2, samples);
  MatrixXd p(4, degree + 1);
  for (double& c : p.reshaped()) c = random.normal();
  double t = 12;
  for (Index i = 0; i < samples; ++i) {
    run.samples.time()[i] = t;
    for (Index r = 0; r < 4; ++r) {
      double value = 0;
      for (int k = degree; k >= 0; --k) value = value * (t - 12) + p(r, k);
      run.samples.row(0)[r * run.samples.stride() + i] = value;
    }
    t += random.uniform(0.5e-3, 1.5e-3);
  }
  return run;
}

TEST(TimeScan, DescribesTheStamps) {
  TimeScanner scanner;
  scanner.add(std::vector<double>{0, 1, 2, 3, 4.5});
  scanner.add(std::vector<double>{5.25, 15.25, 16.25});
  const TimeScan scan = scanner.result();
  EXPECT_EQ(scan.samples, 8);
  EXPECT_EQ(scan.first, 0);
  EXPECT_EQ(scan.last, 16.25);
  EXPECT_EQ(scan.median_step, 1);
  EXPECT_EQ(scan.shortest_step, 0.75);
  EXPECT_EQ(scan.longest_step, 10);
  EXPECT_EQ(scan.gaps, 1);
  EXPECT_FALSE(scan.is_uniform());
  const double mean = 16.25 / 7;
  double squares = 0;
  for (const double step : {1.0, 1.0, 1.0, 1.5, 0.75, 10.0, 1.0}) squares += std::pow(step - mean, 2);
  EXPECT_NEAR(scan.jitter, std::sqrt(squares / 7), 1e-14);
}

TEST(TimeScan, PartsAppendedAreTheWhole) {
  Random random(3, "parts");
  std::vector<double> stamps = {5};
  for (int i = 0; i < 999; ++i) stamps.push_back(stamps.back() + random.uniform(1e-4, 9e-3));
  TimeScanner whole;
  whole.add(stamps);
  const TimeScan expected = whole.result();
  for (const std::vector<std::size_t>& cuts :
       {std::vector<std::size_t>{0, 0, 1000}, {0, 1, 2, 500, 1000}, {0, 998, 999, 1000}, {0, 1, 1, 1000}}) {
    TimeScanner all;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      TimeScanner part;
      part.add(std::span(stamps).subspan(cuts[k], cuts[k + 1] - cuts[k]));
      all.append(part);
    }
    const TimeScan scan = all.result();
    EXPECT_EQ(scan.samples, expected.samples);
    EXPECT_EQ(scan.first, expected.first);
    EXPECT_EQ(scan.last, expected.last);
    EXPECT_EQ(scan.mean_step, expected.mean_step);
    EXPECT_EQ(scan.shortest_step, expected.shortest_step);
    EXPECT_EQ(scan.longest_step, expected.longest_step);
    EXPECT_EQ(scan.gaps, expected.gaps);
    // Sums of a thousand numbers in another order.
    EXPECT_NEAR(scan.median_step / expected.median_step, 1, 1e-13);
    EXPECT_NEAR(scan.jitter / expected.jitter, 1, 1e-12);
  }
}

TEST(TimeScan, GapsAreListedWithTheirTimes) {
  std::vector<double> stamps;
  double t = 3;
  for (int i = 0; i < 5000; ++i) {
    stamps.push_back(t);
    t += 1e-3 * (1 + 0.2 * (i % 3));
    if (i % 1000 == 999 && i < 4000) t += 0.1 + 1e-5 * i;
  }
  TimeScanner whole;
  whole.add(stamps);
  std::vector<TimeScan> scans = {whole.result()};
  for (const std::size_t border : {2345, 2000, 2}) {  // within a stretch, at a gap, at the beginning
    TimeScanner first, second;
    first.add({stamps.data(), border});
    second.add({stamps.data() + border, stamps.size() - border});
    first.append(second);
    scans.push_back(first.result());
  }
  TimeScanner full, rest;  // the gap is alone in its stretch
  full.add({stamps.data() + 2000 - 129, 129});
  rest.add({stamps.data() + 2000, 100});
  full.append(rest);
  ASSERT_EQ(full.result().longest_gaps.size(), 1u);
  EXPECT_EQ(full.result().longest_gaps[0].begin, stamps[1999]);
  for (const TimeScan& scan : scans) {
    EXPECT_EQ(scan.gaps, 4);
    ASSERT_EQ(scan.longest_gaps.size(), 4u);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(scan.longest_gaps[k].begin, stamps[1000 * k + 999]);
      EXPECT_EQ(scan.longest_gaps[k].length, stamps[1000 * k + 1000] - stamps[1000 * k + 999]);
    }
  }
}

TEST(TimeScan, OfManyGapsTheLongestAreListed) {
  std::vector<double> stamps;
  double t = 0;
  for (int i = 0; i < 4000; ++i) {
    stamps.push_back(t);
    t += i % 8 == 7 ? 0.01 + 1e-6 * i : 1e-3;
  }
  TimeScanner scanner;
  scanner.add(stamps);
  const TimeScan scan = scanner.result();
  EXPECT_EQ(scan.gaps, 499);
  ASSERT_EQ(scan.longest_gaps.size(), kListedGaps);
  EXPECT_EQ(scan.longest_gaps.front().begin, stamps[(499 - kListedGaps) * 8 + 7]);
}

TEST(TimeScan, MedianIsTheMedian) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed, "median");
    std::vector<double> stamps = {5}, steps;
    for (int i = 0; i < 501; ++i) {
      stamps.push_back(stamps.back() + random.uniform(1e-4, 9e-3));
      steps.push_back(stamps[i + 1] - stamps[i]);
    }
    TimeScanner scanner;
    scanner.add(stamps);
    std::nth_element(steps.begin(), steps.begin() + 250, steps.end());
    EXPECT_NEAR(scanner.result().median_step / steps[250], 1, 1e-5) << "seed " << seed;
  }
}

TEST(UniformGrid, TakesUniformStampsAsTheyAre) {
  steelyard::Run run;
  run.samples = SampleBlock({"position"}, 1, 1000);
  for (Index i = 0; i < 1000; ++i)
    run.samples.time()[i] = std::round(0.3125e3 * i) * 1e-6 + 100;  // µs resolution
  for (Index i = 0; i < 1000; ++i) run.samples.row(0)[i] = std::sin(i);
  // 312.5 µs steps printed as 312 and 313 µs are not uniform to a thousandth; with 0.1 µs they are.
  EXPECT_FALSE(scan_time(*view_run(run)).is_uniform());
  for (Index i = 0; i < 1000; ++i) run.samples.time()[i] = 3.125e-4 * i + 100;
  const TimeScan scan = scan_time(*view_run(run));
  const UniformGrid grid = uniform_grid(scan);
  EXPECT_EQ(grid.interpolation, Interpolation::none);
  EXPECT_EQ(grid.samples, 1000);
  EXPECT_NEAR(grid.step, 3.125e-4, 1e-12);
  const auto source = on_grid(view_run(run), scan, grid);
  const SampleBlock same = read_all(*source);
  ASSERT_EQ(same.size(), 1000);
  for (Index i = 0; i < 1000; ++i) ASSERT_EQ(same.row(0)[i], run.samples.row(0)[i]);
}

TEST(UniformGrid, RefusesRatesFarFromTheLogs) {
  const auto run = jittered_run(1, 50, 1);
  const TimeScan scan = scan_time(*view_run(run));
  EXPECT_THROW(uniform_grid(scan, 1e6), InputError);
  EXPECT_THROW(uniform_grid(scan, 1), InputError);
  EXPECT_THROW(uniform_grid(scan, -5), InputError);
  EXPECT_NEAR(uniform_grid(scan, 250).step, 4e-3, 1e-17);
}

TEST(Resample, CubicsAreExactByCubicsAndLinesByLines) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const auto& [method, degree] : {std::pair{Interpolation::cubic, 3}, {Interpolation::linear, 1}}) {
      for (const Index samples : {4, 5, 300}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << " degree " << degree << " samples " << samples);
        const auto run = jittered_run(seed, samples, degree);
        const TimeScan scan = scan_time(*view_run(run));
        const UniformGrid grid = uniform_grid(scan, 0, method);
        const auto source = on_grid(view_run(run), scan, grid);
        const SampleBlock even = read_all(*source);
        ASSERT_EQ(even.size(), grid.samples);
        EXPECT_LE(even.time()[even.size() - 1], scan.last + 1e-12);
        EXPECT_GT(even.time()[even.size() - 1] + grid.step, scan.last);
        // Divided differences of the row, at stamps spread over the run, as an independent interpolation.
        for (Index r = 0; r < 4; ++r) {
          const double* t = run.samples.time();
          const double* x = run.samples.row(0) + r * run.samples.stride();
          const auto poly = [&](double at) {
            double sum = 0;
            for (int i = 0; i <= degree; ++i) {
              double w = x[i * (samples - 1) / degree];
              for (int k = 0; k <= degree; ++k) {
                const double ti = t[i * (samples - 1) / degree], tk = t[k * (samples - 1) / degree];
                if (k != i) w *= (at - tk) / (ti - tk);
              }
              sum += w;
            }
            return sum;
          };
          // Stamps near 12 s have 2e-15 s of rounding, 2e-12 of a step.
          for (Index i = 0; i < even.size(); ++i) {
            ASSERT_NEAR(even.row(0)[r * even.stride() + i], poly(even.time()[i]), 1e-11);
          }
        }
      }
    }
  }
}

TEST(Resample, GapsAreBridgedLinearly) {
  steelyard::Run run;
  run.samples = SampleBlock({"position"}, 1, 20);
  for (Index i = 0; i < 20; ++i) run.samples.time()[i] = i < 10 ? i : i + 10;
  for (Index i = 0; i < 20; ++i) run.samples.row(0)[i] = i % 2;
  const TimeScan scan = scan_time(*view_run(run));
  EXPECT_EQ(scan.gaps, 1);
  const auto source = on_grid(view_run(run), scan, uniform_grid(scan));
  const SampleBlock even = read_all(*source);
  ASSERT_EQ(even.size(), 30);
  for (Index i = 9; i <= 20; ++i) EXPECT_NEAR(even.row(0)[i], 1 - (i - 9) / 11.0, 1e-13);
}

TEST(Resample, BlocksOfAnySizeGiveTheSameBytes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    const auto run = jittered_run(seed, 10000, 5);
    const TimeScan scan = scan_time(*view_run(run));
    const UniformGrid grid = uniform_grid(scan, 1300);
    const auto source = on_grid(view_run(run), scan, grid);
    const SampleBlock whole = read_all(*source);
    // The pure function on the whole run is the referee of the stream.
    std::vector<double> direct(static_cast<std::size_t>(4 * grid.samples));
    const ResampleInput input{
        run.samples.time(),           10000, 0, 10000, run.samples.data(), 4, run.samples.stride(),
        kGapFactor * scan.median_step};
    ASSERT_EQ(resample(input, grid, 0, grid.samples, direct.data(), grid.samples), grid.samples);
    for (Index r = 0; r < 4; ++r) {
      for (Index i = 0; i < grid.samples; ++i) {
        ASSERT_EQ(whole.row(0)[r * whole.stride() + i], direct[r * grid.samples + i]);
      }
    }
    Random random(seed, "blocks");
    source->rewind();
    SampleBlock block;
    Index at = 0;
    for (source->read(1, block); block.size() > 0;
         source->read(1 + static_cast<Index>(random.below(900)), block)) {
      for (Index r = 0; r < 4; ++r) {
        for (Index i = 0; i < block.size(); ++i) {
          ASSERT_EQ(block.row(0)[r * block.stride() + i], whole.row(0)[r * whole.stride() + at + i]);
        }
      }
      at += block.size();
    }
    EXPECT_EQ(at, whole.size());
  }
}

}  // namespace
}  // namespace steelyard
