// Same samples, same bytes: batch or single, any count, avx2 or avx512, any number of threads.
#include <gtest/gtest.h>

#include <thread>

#include "regressor/regressor_cases.hpp"
#include "steelyard/regressor/simd.hpp"

namespace steelyard {
namespace {

class RegressorBytes : public PerIsa {};
INSTANTIATE_TEST_SUITE_P(Isa, RegressorBytes, testing::ValuesIn(available_levels()), isa_name);

std::vector<Plan> plans_of(Robot robot) {
  declare_all_drives(robot);
  std::vector<Plan> plans;
  for (const RowKind kind : {RowKind::torque, RowKind::gravity, RowKind::inertia}) {
    PlanOptions options;
    options.kind = kind;
    plans.push_back(make_plan(robot, options));
  }
  return plans;
}

TEST_P(RegressorBytes, ASampleIsTheSameAloneAndInAnyBatch) {
  for (const Robot& robot : robots_of_all_kinds()) {
    for (const Plan& plan : plans_of(robot)) {
      const Batch batch = random_batch(41, robot.size(), 29);
      const MatrixXd whole = tile_of(plan, batch);
      ASSERT_TRUE(whole.allFinite());
      for (const Index count : {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17}) {
        const Batch part{batch.q.topRows(count), batch.qd.topRows(count), batch.qdd.topRows(count)};
        ASSERT_TRUE(same_bytes(tile_of(plan, part), whole.topRows(count))) << robot.name << ", " << count;
      }
    }
  }
}

TEST_P(RegressorBytes, OnlyTheTileIsWritten) {
  const Robot robot = robots_of_all_kinds()[5];
  const Plan plan = make_plan(robot);
  const Index count = 13, stride = 24;
  const Batch batch = random_batch(42, robot.size(), count);
  const double mark = -123.5;
  std::vector<double> memory(static_cast<std::size_t>(stride * plan.stored_columns + 16), mark);
  evaluate(plan, batch.samples(), memory.data() + 8, stride);
  for (Index c = -1; c <= plan.stored_columns; ++c) {
    for (Index s = 0; s < stride; ++s) {
      const Index at = 8 + c * stride + s;
      if (at < 0 || at >= static_cast<Index>(memory.size())) continue;
      const bool padding = c >= 0 && c < plan.stored_columns && s < 16;
      if (!padding) {
        ASSERT_EQ(memory[static_cast<std::size_t>(at)], mark) << c << ", " << s;
      }
    }
  }
}

TEST_P(RegressorBytes, ThreadsShareAPlan) {
  const Robot robot = robots_of_all_kinds()[17];
  const Plan plan = plans_of(robot)[0];
  const Batch batch = random_batch(43, robot.size(), 200);
  const MatrixXd expected = tile_of(plan, batch);
  std::vector<int> same(4, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < 20; ++k)
        same[static_cast<std::size_t>(t)] += same_bytes(tile_of(plan, batch), expected);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(4, 20));
}

MatrixXd tile_at(IsaLevel level, const Plan& plan, const Batch& batch) {
  const IsaLevel before = isa_level();
  set_isa_level(level);
  const MatrixXd tile = tile_of(plan, batch);
  set_isa_level(before);
  return tile;
}

TEST(InstructionSets, Avx2AndAvx512GiveTheSameBytes) {
  if (!is_available(IsaLevel::avx512)) GTEST_SKIP() << "this processor has no AVX-512";
  for (const Robot& robot : robots_of_all_kinds()) {
    for (const Plan& plan : plans_of(robot)) {
      const Batch batch = random_batch(44, robot.size(), 27);
      ASSERT_TRUE(same_bytes(tile_at(IsaLevel::avx2, plan, batch), tile_at(IsaLevel::avx512, plan, batch)));
    }
  }
}

TEST(InstructionSets, BaselineAgreesWithAvx2) {
  if (!is_available(IsaLevel::avx2)) GTEST_SKIP() << "this processor has no AVX2";
  for (const Robot& robot : robots_of_all_kinds()) {
    for (const Plan& plan : plans_of(robot)) {
      const Batch batch = random_batch(45, robot.size(), 27);
      const MatrixXd a = tile_at(IsaLevel::baseline, plan, batch), b = tile_at(IsaLevel::avx2, plan, batch);
      // Natural scale of an entry: the largest of its sample, since all are built from the same motion.
      for (Index s = 0; s < a.rows(); ++s) {
        const double scale = b.row(s).cwiseAbs().maxCoeff();
        ASSERT_LT((a.row(s) - b.row(s)).cwiseAbs().maxCoeff(), 1e-13 * scale);
      }
    }
  }
}

const simd::Table& table_of(IsaLevel level) {
  if (level == IsaLevel::avx512) return *simd::avx512_table();
  return level == IsaLevel::avx2 ? *simd::avx2_table() : *simd::baseline_table();
}

class LaneSinCos : public PerIsa {};
INSTANTIATE_TEST_SUITE_P(Isa, LaneSinCos, testing::ValuesIn(available_levels()), isa_name);

TEST_P(LaneSinCos, IsRightTo2e16UpToAMillionRadians) {
  oracle::Random random(46);
  std::vector<double> q;
  for (const double range : {1e-9, 0.8, 3.2, 7.0, 100.0, 1e4, 0.999999e6}) {
    for (int k = 0; k < 20000; ++k) q.push_back(random.uniform(-range, range));
  }
  // Next to multiples of π/2, where one of the two is small.
  for (int k = -600000; k <= 600000; k += 37) q.push_back(k * 1.5707963267948966);
  q.insert(q.end(), {0.0, -0.0, 1e-300});
  std::vector<double> s(q.size()), c(q.size());
  table_of(GetParam()).sin_cos(q.data(), s.data(), c.data(), static_cast<simd::Size>(q.size()));
  double worst = 0;
  for (std::size_t k = 0; k < q.size(); ++k) {
    const long double angle = q[k];
    worst = std::max<double>(worst, static_cast<double>(std::abs(s[k] - std::sin(angle))));
    worst = std::max<double>(worst, static_cast<double>(std::abs(c[k] - std::cos(angle))));
  }
  EXPECT_LT(worst, 2e-16);
}

TEST_P(LaneSinCos, IsNothingBeyondItsRange) {
  const std::vector<double> q = {1e6, -1e6, 1e300, INFINITY, -INFINITY, std::nan("")};
  std::vector<double> s(q.size()), c(q.size());
  table_of(GetParam()).sin_cos(q.data(), s.data(), c.data(), static_cast<simd::Size>(q.size()));
  for (std::size_t k = 0; k < q.size(); ++k) EXPECT_TRUE(std::isnan(s[k]) && std::isnan(c[k])) << q[k];
}

}  // namespace
}  // namespace steelyard
