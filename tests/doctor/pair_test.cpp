// Two faults at once in clean real logs: the first error must name one of them, and hardly any error anything else.
//
// Faults of the set-up are those that are plain alone (fault_test.cpp), of other joints than each other; every fourth pair has one
// of the signals beside one of the set-up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "faults.hpp"
#include "oracle/data_folder.hpp"
#include "oracle/sanitized.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/doctor/doctor.hpp"

namespace steelyard::testing {
namespace pair_test {

// What is injected: a mistake of the set-up, or something that happened to the signals.
struct Injected {
  std::string code, what;
  std::string joint;  // empty: all, or the run
  std::vector<int> joints;
  const Hypothesis* mend = nullptr;
  const SignalFault* signal = nullptr;
};

std::string names_of(const RealLog& log, const std::vector<int>& joints) {
  std::string text;
  for (const int j : joints) text += (text.empty() ? "" : ", ") + log.joints[static_cast<std::size_t>(j)];
  return text;
}

bool may_meet(const Injected& a, const Injected& b) {
  if (a.signal != nullptr && b.signal != nullptr) return false;
  if (a.signal != nullptr || b.signal != nullptr) return a.joint != b.joint || a.joint.empty();
  if (a.mend->robot && b.mend->robot) return false;
  if (a.joints.empty() || b.joints.empty()) return a.code != b.code;
  return std::none_of(a.joints.begin(), a.joints.end(), [&](int j) {
    return std::find(b.joints.begin(), b.joints.end(), j) != b.joints.end();
  });
}

// Findings that say what is wrong with a log or a set-up.
bool accuses(const Finding& finding) {
  static const std::set<std::string> kOthers = {"poor-excitation", "unexplained-effort",
                                                "joint-not-identifiable", "set-up-not-examined",
                                                "still-joint"};
  return finding.severity == Severity::error && kOthers.count(finding.code) == 0;
}

bool is_named(const Injected& fault, const Finding& finding, const RealLog& log) {
  return finding.code == fault.code &&
         (finding.joint == fault.joint || (fault.joint.empty() && finding.joint == log.name));
}

// Among the set-ups that explain the log as well as the one reported.
bool is_listed(const Injected& fault, const Finding& finding, const Examination& examination) {
  if (!examination.set_up || fault.mend == nullptr) return false;
  for (const auto& ties : {tied(*examination.set_up), tied_second(*examination.set_up)}) {
    if (ties.empty() || finding.evidence.find(ties.front()->hypothesis.what) != 0) continue;
    return std::any_of(ties.begin(), ties.end(), [&](const RankedHypothesis* tie) {
      return tie->hypothesis.code == fault.mend->code && tie->hypothesis.joints == fault.mend->joints;
    });
  }
  return false;
}

struct PairCount {
  int pairs = 0, first = 0, listed = 0, silent = 0, errors = 0, wrong = 0, wrong_and_unlisted = 0;
};

void add(PairCount& to, const PairCount& more) {
  to.pairs += more.pairs;
  to.first += more.first;
  to.listed += more.listed;
  to.silent += more.silent;
  to.errors += more.errors;
  to.wrong += more.wrong;
  to.wrong_and_unlisted += more.wrong_and_unlisted;
}

PairCount examined(const RealLog& log, const Injected& a, const Injected& b) {
  Robot robot = log.robot;
  steelyard::Run run = log.run;
  for (const Injected* fault : {&a, &b})
    if (fault->mend != nullptr)
      put(*fault->mend, robot, run);
    else
      fault->signal->apply(run);
  const Examination examination = examine(robot, {{run.label, [&] { return view_run(run); }}});
  PairCount count;
  count.pairs = 1;
  std::string said;
  bool is_first = true;
  for (const Finding& finding : examination.findings) {
    if (!accuses(finding)) continue;
    const bool named = is_named(a, finding, log) || is_named(b, finding, log);
    const bool listed = named || is_listed(a, finding, examination) || is_listed(b, finding, examination);
    ++count.errors;
    count.wrong += !named;
    count.wrong_and_unlisted += !listed;
    if (is_first) {
      count.first = named;
      count.listed = listed;
    }
    is_first = false;
    said += " | " + finding.code + "(" + finding.joint + ") " + finding.evidence;
  }
  count.silent = is_first;
  if (!count.first || count.wrong > 0)
    std::printf("  %s, %s + %s%s\n", log.name.c_str(), a.what.c_str(), b.what.c_str(),
                said.empty() ? ", nothing is said" : (", said" + said).c_str());
  return count;
}

void print(const std::string& name, const PairCount& count) {
  std::printf(
      "%-6s pairs %d, first error right %d, or listed with it %d, silent %d, errors %d, wrong %d, not listed "
      "either %d\n",
      name.c_str(), count.pairs, count.first, count.listed, count.silent, count.errors, count.wrong,
      count.wrong_and_unlisted);
}

class Pairs : public ::testing::TestWithParam<const char*> {};

std::uint64_t number_given(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Of a log; 75 are 300 in all. An examination of a pair takes two seconds.
int wanted_pairs() {
  return static_cast<int>(number_given("STEELYARD_PAIRS", oracle::is_sanitized() ? 1 : 4));
}

TEST_P(Pairs, OfFaultsAreNamedOneOfThemFirst) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const RealLog log = real_log(GetParam());
  const std::vector<Hypothesis> mends = set_up_faults(log);
  const std::vector<SignalFault> signals = signal_faults(log);
  const std::vector<double> clean = residual_logs(log.robot, log.run);
  std::vector<int> shows(mends.size(), -1);  // not known yet
  const auto is_visible = [&](std::size_t k) {
    if (shows[k] < 0) {
      const SetUpFault fault = inject(log, mends[k]);
      shows[k] = growth(clean, residual_logs(fault.robot, fault.run)).is_plain();
    }
    return shows[k] == 1;
  };
  Random random(number_given("STEELYARD_PAIR_SEED", 2026), "pairs of " + log.name);
  const auto draw = [&](std::size_t count) {
    return std::min(count - 1, static_cast<std::size_t>(random.uniform() * static_cast<double>(count)));
  };
  const auto of_set_up = [&] {
    std::size_t k = draw(mends.size());
    while (!is_visible(k)) k = draw(mends.size());
    const Hypothesis& mend = mends[k];
    return Injected{std::string(mend.code.text()), mend.what, names_of(log, mend.joints), mend.joints, &mend};
  };
  const auto of_signals = [&] {
    const SignalFault& fault = signals[draw(signals.size())];
    return Injected{fault.code, fault.name + " of " + fault.joint, fault.joint, {}, nullptr, &fault};
  };
  PairCount total, kinds[2];
  for (int pair = 0; pair < wanted_pairs(); ++pair) {
    const bool with_signals = pair % 4 == 3;
    Injected a = of_set_up(), b = with_signals ? of_signals() : of_set_up();
    while (!may_meet(a, b)) {
      a = of_set_up();
      b = with_signals ? of_signals() : of_set_up();
    }
    const PairCount count = examined(log, a, b);
    add(kinds[with_signals], count);
    add(total, count);
  }
  print(log.name + " set-up", kinds[0]);
  print(log.name + " mixed", kinds[1]);
  print(log.name, total);
  EXPECT_GE(total.listed, 0.5 * total.pairs);
}

// The wrist of the LWR4+ shows nothing but friction: a gain without end lets the others be explained without it, and is no gain.
TEST(LightJoint, ItsGainIsNotNamed) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const RealLog log = real_log("lwr3");
  const std::vector<SignalFault> signals = signal_faults(log);
  const auto cut = std::find_if(signals.begin(), signals.end(), [&](const SignalFault& fault) {
    return fault.name == "torque cut at 60 %" && fault.joint == log.joints[0];
  });
  ASSERT_NE(cut, signals.end());
  const std::vector<Hypothesis> mends = set_up_faults(log);
  const auto sign = std::find_if(mends.begin(), mends.end(), [](const Hypothesis& mend) {
    return mend.code == "torque-sign" && mend.joints == std::vector<int>{1};
  });
  ASSERT_NE(sign, mends.end());
  Robot robot = log.robot;
  steelyard::Run run = log.run;
  put(*sign, robot, run);
  cut->apply(run);
  const Examination found = examine(robot, {{run.label, [&] { return view_run(run); }}});
  bool named = false;
  for (const Finding& finding : found.findings) {
    EXPECT_NE(finding.code, "effort-scale") << finding.joint << " " << finding.evidence;
    named = named || (finding.code == "torque-sign" && finding.joint == log.joints[1]);
  }
  EXPECT_TRUE(named);
}

INSTANTIATE_TEST_SUITE_P(RealLogs, Pairs, ::testing::Values("panda", "ur10", "tx40", "lwr3"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace pair_test
}  // namespace steelyard::testing
