// Delays of any fraction of a sample are recovered, and their intervals hold. STEELYARD_EVERY_FAULT=1 tries the matrix of
// docs/doctor.md (scripts/effort-delays).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "simulated_logs.hpp"
#include "steelyard/doctor/delay.hpp"

namespace steelyard::testing {
namespace delay_recovery_test {

constexpr double kDelays[] = {-0.03,  -0.0173, -0.008, -0.003, -0.0004, 0,
                              0.0007, 0.002,   0.0061, 0.011,  0.0199,  0.03};

struct Count {
  int logs = 0, recovered = 0, held = 0, late = 0, named = 0, healthy = 0, named_healthy = 0;
  double half_widths = 0;  // samples
};

void estimate_one(double rate, double noise, double late, std::uint64_t seed, Count& count) {
  const int joints = 2 + static_cast<int>(seed % 6);
  const SimulatedLog log =
      late_log(joints, rate, noise, late, 1000 * static_cast<std::uint64_t>(joints) + seed);
  const RunDelay found =
      estimate_delays(log.robot, {{log.run.label, [&] { return view_run(log.run); }}}).front();
  ASSERT_EQ(found.why_not, "");
  const double error = std::abs(found.common.seconds - late);
  ++count.logs;
  count.recovered += error <= std::max(0.2 / rate, 0.1 * std::abs(late));
  count.held += error <= found.common.half_width;
  count.half_widths += found.common.half_width * rate;
  const bool named = found.of_all || !found.alone.empty();
  ++(late == 0 ? count.healthy : count.late);
  (late == 0 ? count.named_healthy : count.named) += named;
}

TEST(DelayRecovery, WithinAFifthOfASampleOrATenth) {
  const bool every = std::getenv("STEELYARD_EVERY_FAULT") != nullptr;
  Count all;
  std::printf(
      "| rate | noise | recovered | interval holds | half width | named | named healthy "
      "|\n|---|---|---|---|---|---|---|\n");
  std::uint64_t seed = 0;
  for (const double rate : {50.0, 100.0, 200.0, 500.0, 1000.0})
    for (const double noise : {0.01, 0.02, 0.05, 0.1, 0.2}) {
      if (!every && !((rate == 50 || rate == 1000) && (noise == 0.01 || noise == 0.1))) continue;
      Count count;
      for (const double late : kDelays)
        for (int k = 0; k < (every ? 6 : 1); ++k) estimate_one(rate, noise, late, ++seed, count);
      std::printf("| %g Hz | %g %% | %d of %d | %d of %d | %.2f samples | %d of %d | %d of %d |\n", rate,
                  100 * noise, count.recovered, count.logs, count.held, count.logs,
                  count.half_widths / count.logs, count.named, count.late, count.named_healthy,
                  count.healthy);
      all.logs += count.logs;
      all.recovered += count.recovered;
      all.held += count.held;
      all.named_healthy += count.named_healthy;
    }
  std::printf("| all | | %d of %d | %d of %d | | | %d |\n", all.recovered, all.logs, all.held, all.logs,
              all.named_healthy);
  EXPECT_GE(all.recovered, 0.9 * all.logs);
  EXPECT_GE(all.held, 0.9 * all.logs);  // of 95 % intervals
  EXPECT_EQ(all.named_healthy, 0);
}

// One joint's efforts at another time than the others': the others stay where they are.
TEST(DelayRecovery, OfOneJointLeavesTheOthers) {
  constexpr double kLate = 0.0213;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const SimulatedLog late = late_log(4, 200, 0.01, kLate, seed);
    SimulatedLog log = late_log(4, 200, 0.01, 0, seed);
    SampleBlock& samples = log.run.samples;
    const int torque = samples.find(channel::kTorque);
    std::copy_n(late.run.samples.row(torque, 1), samples.size(), samples.row(torque, 1));
    const RunDelay found =
        estimate_delays(log.robot, {{log.run.label, [&] { return view_run(log.run); }}}).front();
    for (int j = 0; j < 4; ++j)
      EXPECT_NEAR(found.joints[static_cast<std::size_t>(j)].seconds, j == 1 ? kLate : 0,
                  std::max(1.5 * found.joints[static_cast<std::size_t>(j)].half_width, 1e-4));
    EXPECT_FALSE(found.of_all);
    EXPECT_EQ(found.alone, (std::vector<int>{1}));
  }
}

// A second run with another delay has its own.
TEST(DelayRecovery, OfEveryRunAlone) {
  const SimulatedLog first = late_log(3, 100, 0.01, 0.004, 7), second = late_log(3, 100, 0.01, -0.012, 7);
  const std::vector<RunDelay> found = estimate_delays(
      first.robot, {{first.run.label, [&] { return view_run(first.run); }},
                    {{"other", RunRole::validate, ""}, [&] { return view_run(second.run); }}});
  EXPECT_NEAR(found[0].common.seconds, 0.004, 0.001);
  EXPECT_NEAR(found[1].common.seconds, -0.012, 0.001);
  EXPECT_TRUE(found[0].of_all && found[1].of_all);
}

}  // namespace delay_recovery_test
}  // namespace steelyard::testing
