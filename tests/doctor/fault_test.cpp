// Faults put into clean real logs, one at a time: each must be named with its joint.
//
// A fault of the set-up counts as visible when the right set-up beats the faulty one by the doctor's own
// margin on the log it is put into; what free parameters absorb no residual can show (the zero of a first
// joint with a vertical axis, of a last joint, the twist before a light wrist). Invisible ones are printed,
// and must not lead to a false error.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "faults.hpp"
#include "oracle/data_folder.hpp"
#include "steelyard/doctor/doctor.hpp"

namespace steelyard::testing {
namespace {

struct Count {
  int injected = 0, visible = 0, named = 0, wrong = 0;
};

void print(const std::string& log, const std::map<std::string, Count>& table) {
  std::printf("%-6s %-18s %8s %8s %8s %8s\n", "log", "fault", "injected", "visible", "named", "wrong");
  for (const auto& [code, count] : table)
    std::printf("%-6s %-18s %8d %8d %8d %8d\n", log.c_str(), code.c_str(), count.injected, count.visible,
                count.named, count.wrong);
}

bool contains(const std::vector<Finding>& findings, const Finding& finding) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
    return other.code == finding.code && other.joint == finding.joint && other.evidence == finding.evidence;
  });
}

std::vector<Finding> signal_findings(const RealLog& log, const Run& run) {
  const std::unique_ptr<SampleSource> source = view_run(run);
  const std::vector<LogJoint> joints = log_joints(log.robot);
  return find_signals(scan_signals(*source, joints), joints, log.name);
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

// By how much the right set-up beats the faulty one.
double visibility(const RealLog& log, const SetUpFault& fault) {
  const std::unique_ptr<SampleSource> source = view_run(fault.run);
  const TimeScan time = scan_time(*source);
  const CoarseRun run = coarse_run(view_run(fault.run), log.name, time, DoctorOptions().coarse);
  const Trial trial(fault.robot, {run});
  const SetUp given = SetUp::as_given(trial.joints());
  const double faulty = trial.fit(trial.given(), given).score;
  return faulty - (fault.mend.robot ? trial.fit(given, log.robot) : trial.fit(fault.mend.set_up)).score;
}

// An examination takes a third of a second; sanitized, every fifth fault is tried.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kStride = 5;
#else
constexpr std::size_t kStride = 1;
#endif

class SetUpFaults : public ::testing::TestWithParam<const char*> {};

TEST_P(SetUpFaults, AreNamedWithTheirJoint) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const RealLog log = real_log(GetParam());
  const SetUpOptions options;
  std::map<std::string, Count> table;
  Count total;
  const std::vector<Hypothesis> faults = set_up_faults(log);
  for (std::size_t k = 0; k < faults.size(); k += kStride) {
    const SetUpFault fault = inject(log, faults[k]);
    const bool visible = visibility(log, fault) > options.least_gain;
    const Examination examination =
        examine(fault.robot, {{log.run.label, [&] { return view_run(fault.run); }}});
    bool named = false, wrong = false;
    std::string said;
    if (examination.set_up) {
      const std::vector<const RankedHypothesis*> ties = tied(*examination.set_up, options);
      for (const RankedHypothesis* tie : ties) {
        named |= tie->hypothesis.code == fault.mend.code && tie->hypothesis.joints == fault.mend.joints;
        said += " | " + tie->hypothesis.what;
      }
      wrong = !ties.empty() && !named;
    }
    for (Count* count : {&table[fault.mend.code], &total}) {
      ++count->injected;
      count->visible += visible;
      count->named += named && visible;
      count->wrong += wrong;
    }
    if (!visible || !named || wrong)
      std::printf("  %s, mend: %s%s%s\n", log.name.c_str(), fault.mend.what.c_str(),
                  visible ? "" : ": not visible",
                  said.empty() ? ", nothing is said" : (", said" + said).c_str());
  }
  print(log.name, table);
  EXPECT_GE(total.named, 0.95 * total.visible);
  EXPECT_LE(total.wrong, 0.05 * total.injected);
}

INSTANTIATE_TEST_SUITE_P(RealLogs, SetUpFaults, ::testing::Values("panda", "ur10", "tx40", "lwr3"),
                         [](const auto& test) { return std::string(test.param); });

TEST(EffortDelay, OfAllJointsIsNamedWithItsSize) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  int named = 0, injected = 0;
  for (const char* name : {"panda", "ur10", "tx40", "lwr3"}) {
    const RealLog log = real_log(name);
    // The slowest log shows 50 ms only: its efforts change little in 30 ms.
    const double late = log.name == "lwr3" ? 0.05 : 0.03;
    for (const double seconds : {late, -late}) {
      steelyard::Run run = log.run;
      delay_efforts(run, seconds, -1);
      const std::unique_ptr<SampleSource> source = view_run(run);
      const TimeScan time = scan_time(*source);
      const Trial trial(log.robot, {coarse_run(view_run(run), name, time, DoctorOptions().coarse)});
      const Delays delays = examine_delays(trial);
      const std::vector<Finding> findings = find_delays(delays, log.robot, time.median_step);
      ++injected;
      const bool found =
          findings.size() == 1 && findings[0].code == "effort-delay" && findings[0].joint.empty();
      named += found;
      std::printf("%s: %+.0f ms injected, %+.1f ms found, gain %.2f%s\n", name, 1e3 * seconds,
                  1e3 * delays.common.seconds, delays.common.gain, found ? "" : ": not named");
    }
  }
  EXPECT_EQ(named, injected);
}

}  // namespace
}  // namespace steelyard::testing
