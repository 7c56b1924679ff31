// Faults put into clean real logs, one at a time: each must be named with its joint.
//
// Some faults of the set-up do not show in a log: free parameters absorb them (the zero of a first joint with
// a vertical axis, of a last joint, the twist before a light wrist). Whether one shows is measured here, not
// listed: the log with the fault and the log without are fitted by the same model, four stretches held out in
// turn, and the fault does not show when the residuals are not larger within what they scatter by from
// stretch to stretch. Everything else counts. Faults that do not show are printed, and must not lead to a
// false error.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <span>

#include "faults.hpp"
#include "oracle/data_folder.hpp"
#include "oracle/sanitized.hpp"
#include "steelyard/doctor/doctor.hpp"

namespace steelyard::testing {
namespace fault_test {

struct Count {
  int injected = 0, visible = 0, plain = 0, named = 0, first = 0, wrong = 0;
  int named_of_visible = 0;
};

void print(const std::string& log, const std::map<std::string, Count>& table) {
  std::printf("%-6s %-18s %8s %8s %8s %8s %8s %8s %8s\n", "log", "fault", "injected", "visible", "named",
              "plain", "named", "first", "wrong");
  for (const auto& [code, count] : table)
    std::printf("%-6s %-18s %8d %8d %8d %8d %8d %8d %8d\n", log.c_str(), code.c_str(), count.injected,
                count.visible, count.named_of_visible, count.plain, count.named, count.first, count.wrong);
}

bool contains(const std::vector<Finding>& findings, const Finding& finding) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
    return other.code == finding.code && other.joint == finding.joint && other.evidence == finding.evidence;
  });
}

std::vector<Finding> signal_findings(const RealLog& log, const Run& run) {
  const std::unique_ptr<SampleSource> source = view_run(run);
  const std::vector<LogJoint> joints = log_joints(log.robot);
  return signal_findings(scan_signals(*source, joints), joints, log.name);
}

class SignalFaults : public ::testing::TestWithParam<const char*> {};

TEST_P(SignalFaults, AreNamedWithTheirJoint) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const RealLog log = real_log(GetParam());
  const std::vector<Finding> clean = signal_findings(log, log.run);
  std::map<std::string, Count> table;
  Count total;
  for (const SignalFault& fault : signal_faults(log)) {
    steelyard::Run run = log.run;
    fault.apply(run);
    bool named = false, wrong = false;
    for (const Finding& finding : signal_findings(log, run)) {
      if (contains(clean, finding)) continue;
      named |= finding.code == fault.code && finding.joint == fault.joint;
      wrong |= finding.severity == Severity::error && !finding.joint.empty() && finding.joint != log.name &&
               !fault.joint.empty() && finding.joint != fault.joint;
    }
    for (Count* count : {&table[fault.code], &total}) {
      ++count->injected;
      ++count->visible;
      ++count->plain;
      count->named_of_visible += named;
      count->named += named;
      count->wrong += wrong;
    }
    if (!named || wrong)
      std::printf("  %s, %s of %s: %s\n", log.name.c_str(), fault.name.c_str(), fault.joint.c_str(),
                  named ? "a wrong joint is named too" : "not named");
  }
  print(log.name, table);
  EXPECT_GE(total.named, 0.95 * total.injected);
  EXPECT_LE(total.wrong, 0.05 * total.injected);
}

INSTANTIATE_TEST_SUITE_P(RealLogs, SignalFaults, ::testing::Values("panda", "ur10", "tx40", "lwr3"),
                         [](const auto& test) { return std::string(test.param); });

// An examination takes a third of a second; sanitized, every fifteenth fault is tried, and one delay of
// three.
const std::size_t kStride = oracle::is_sanitized() ? 15 : 1, kDelays = oracle::is_sanitized() ? 1 : 3;

class SetUpFaults : public ::testing::TestWithParam<const char*> {};

TEST_P(SetUpFaults, AreNamedWithTheirJoint) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const RealLog log = real_log(GetParam());
  const SetUpOptions options;
  std::map<std::string, Count> table;
  Count total;
  const std::vector<Hypothesis> faults = set_up_faults(log);
  const std::vector<double> clean = residual_logs(log.robot, log.run);
  for (std::size_t k = 0; k < faults.size(); k += kStride) {
    const SetUpFault fault = inject(log, faults[k]);
    const Growth worse = growth(clean, residual_logs(fault.robot, fault.run));
    const bool visible = worse.shows(), plain = worse.is_plain();
    const Examination examination =
        examine(fault.robot, {{log.run.label, [&] { return view_run(fault.run); }}});
    bool named = false, first = false, wrong = false;
    std::string said;
    if (examination.set_up) {
      const std::vector<const RankedHypothesis*> ties = tied(*examination.set_up, options);
      const auto mends = [&](const RankedHypothesis* tie) {
        return tie->hypothesis.code == fault.mend.code && tie->hypothesis.joints == fault.mend.joints;
      };
      for (const RankedHypothesis* tie : ties) {
        named |= mends(tie);
        said += " | " + tie->hypothesis.what;
      }
      first = !ties.empty() && mends(ties.front());
      wrong = !ties.empty() && !named;
    }
    for (Count* count : {&table[std::string(fault.mend.code.text())], &total}) {
      ++count->injected;
      count->visible += visible;
      count->named_of_visible += named && visible;
      count->plain += plain;
      count->named += named && plain;
      count->first += first && plain;
      count->wrong += wrong;
    }
    if (!visible || !named || wrong)
      std::printf("  %s, mend: %s; residuals %+.2f ± %.2f%s%s\n", log.name.c_str(), fault.mend.what.c_str(),
                  worse.mean, worse.deviation,
                  plain     ? ""
                  : visible ? ": small"
                            : ": does not show",
                  said.empty() ? ", nothing is said" : (", said" + said).c_str());
  }
  table["all"] = total;
  print(log.name, table);
  // Limits of the doctor are set on other robots, so that correct logs are not accused (docs/doctor.md): what adds less than a quarter
  // of one joint's residual may stay unnamed, as some of the UR10's wrist do.
  const int spare = oracle::is_sanitized() ? 1 : 0;  // of three or four faults these shares are less than one
  EXPECT_GE(total.named + spare, 0.9 * total.plain);
  EXPECT_GE(total.named_of_visible + spare, 0.8 * total.visible);
  EXPECT_LE(total.wrong, 0.05 * total.injected + spare);
}

INSTANTIATE_TEST_SUITE_P(RealLogs, SetUpFaults, ::testing::Values("panda", "ur10", "tx40", "lwr3"),
                         [](const auto& test) { return std::string(test.param); });

RunDelay delay_of(const RealLog& log, const steelyard::Run& run) {
  return estimate_delays(log.robot, {{run.label, [&] { return view_run(run); }}}).front();
}

// Slow logs show 50 ms only: the efforts of the LWR4+ change little in 30 ms, and the joints of the UR10 disagree by as much.
double injected_delay(const RealLog& log) {
  return log.name == "lwr3" || log.name == "ur10" ? 0.05 : 0.03;
}

class EffortDelay : public ::testing::TestWithParam<const char*> {};

TEST_P(EffortDelay, OfAllJointsIsNamedWithItsSize) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const RealLog log = real_log(GetParam());
  for (const double seconds : {injected_delay(log), -injected_delay(log)}) {
    steelyard::Run run = log.run;
    delay_efforts(run, seconds, -1);
    const RunDelay delay = delay_of(log, run);
    std::printf("%s: %+.0f ms injected, %+.2f ± %.2f ms found, gain %.2f, joints", log.name.c_str(),
                1e3 * seconds, 1e3 * delay.common.seconds, 1e3 * delay.widened, delay.common.gain);
    for (const DelayValue& joint : delay.joints)
      std::printf(" %+.1f ± %.1f (%.2f)", 1e3 * joint.seconds, 1e3 * joint.half_width, joint.gain);
    std::printf("\n");
    // An interval of nearly half the delay on each side (the slow LWR4+) leaves it open.
    if (delay.widened < 0.4 * std::abs(seconds)) {
      EXPECT_TRUE(delay.of_all) << log.name;
    } else {
      EXPECT_EQ(log.name, "lwr3");
    }
  }
}

// Joints with a delay of 50 ms that is reported. The efforts of the UR10's wrists and of the slow LWR4+
// change little in 50 ms, and friction that builds up over a way explains what they do: as they are, the
// LWR4+'s joint 5 fits best 60 to 80 ms late, and the UR10's last wrist 70 ms. Those of the UR10's first two joints and
// of the Panda's last are found too far from what was injected, or at the end of the range. Nothing wrong may be said of
// them.
std::vector<std::size_t> joints_that_tell(const RealLog& log) {
  if (log.name == "ur10") return {2};
  if (log.name == "lwr3") return {};
  std::vector<std::size_t> all(log.joints.size() - (log.name == "panda"));
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

TEST_P(EffortDelay, OfOneJointIsNamedWithTheJoint) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const RealLog log = real_log(GetParam());
  const std::vector<double> clean = residual_logs(log.robot, log.run);
  const std::vector<std::size_t> tell = joints_that_tell(log);
  constexpr std::array kInjected = {0.05, 0.03, -0.05};
  for (const double seconds : std::span(kInjected).first(kDelays))
    for (std::size_t j = 0; j < log.joints.size(); ++j) {
      steelyard::Run run = log.run;
      delay_efforts(run, seconds, static_cast<int>(j));
      const RunDelay delay = delay_of(log, run);
      const bool named = !delay.of_all && delay.alone == std::vector<int>{static_cast<int>(j)};
      const Growth worse = growth(clean, residual_logs(log.robot, run));
      std::printf("  %s, %s: %+.0f ms injected, %+.1f ms found, gain %.2f, residuals %+.2f ± %.2f%s%s\n",
                  log.name.c_str(), log.joints[j].c_str(), 1e3 * seconds, 1e3 * delay.joints[j].seconds,
                  delay.joints[j].gain, worse.mean, worse.deviation, worse.shows() ? "" : ": does not show",
                  named ? "" : ", not named");
      if (seconds == 0.05 && std::find(tell.begin(), tell.end(), j) != tell.end()) {
        EXPECT_TRUE(named) << log.joints[j];
      }
      if (!named) {
        EXPECT_TRUE(!delay.of_all && delay.alone.empty())
            << log.joints[j] << ": said " << (delay.of_all ? "of all " : "of one ")
            << 1e3 * delay.common.seconds << " ± " << 1e3 * delay.widened << " ms";
      }
    }
}

INSTANTIATE_TEST_SUITE_P(RealLogs, EffortDelay, ::testing::Values("panda", "ur10", "tx40", "lwr3"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace fault_test
}  // namespace steelyard::testing
