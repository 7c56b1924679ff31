// Effort of a loaded joint that no model has: a ripple over the joint's position.
#include <gtest/gtest.h>

#include <cmath>

#include "simulated_logs.hpp"
#include "steelyard/doctor/doctor.hpp"

namespace steelyard::testing {
namespace unexplained_test {

// By a share of the joint's rms.
void add_ripple(steelyard::Run& run, int joint, double share) {
  const double* q = run.samples.row(run.samples.find(channel::kPosition), joint);
  double* x = run.samples.row(run.samples.find(channel::kTorque), joint);
  const Index n = run.samples.size();
  double square = 0;
  for (Index s = 0; s < n; ++s) square += x[s] * x[s];
  const double size = share * std::sqrt(2 * square / static_cast<double>(n));
  for (Index s = 0; s < n; ++s) x[s] += size * std::sin(12 * q[s]);
}

// Severity of what is said of unexplained effort, and of which joint; "-": nothing.
std::string said(const Robot& robot, const steelyard::Run& run) {
  std::string text = "-";
  for (const Finding& finding : examine(robot, {{run.label, [&] { return view_run(run); }}}).findings) {
    if (finding.code != "unexplained-effort") continue;
    text = (finding.severity == Severity::error ? "error " : "warning ") + finding.joint;
  }
  return text;
}

TEST(Unexplained, EffortIsAWarningFromAFifthAndAnErrorFromAHalf) {
  for (const std::uint64_t seed : {3001, 3002}) {
    const SimulatedLog log = random_log(static_cast<int>(seed / 1000), 0.01, seed);
    for (const auto& [share, expected] :
         {std::pair{0.0, "-"}, {0.15, "-"}, {0.35, "warning j1"}, {1.2, "error j1"}}) {
      steelyard::Run run = log.run;
      add_ripple(run, 0, share);
      EXPECT_EQ(said(log.robot, run), expected) << seed << ": " << share;
    }
  }
}

}  // namespace unexplained_test
}  // namespace steelyard::testing
