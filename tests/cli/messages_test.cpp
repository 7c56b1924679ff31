// Mistakes that users make, and the words they get: what, where, the limit, the remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "in_folder.hpp"
#include "program.hpp"

namespace {

using program::Outcome;
using program::steelyard;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kRobot = "robot: " + program::robot("two_r") + "\n";
constexpr const char* kRun =
    "runs:\n  - file: log.csv\n    columns: {time: t, position: \"q{j}\", torque: \"tau{j}\"}\n";

// 2 s at 1 kHz.
std::string log_text(const std::string& separator = ",", const std::string& end = "\n", char point = '.') {
  std::string text =
      "t" + separator + "q1" + separator + "q2" + separator + "tau1" + separator + "tau2" + end;
  for (int k = 0; k < 2000; ++k) {
    const double t = 0.001 * k;
    std::string row;
    for (const double value :
         {t, std::sin(5 * t), std::cos(7 * t), std::cos(5 * t), 9 * std::sin(7 * t) - 20})
      row += (row.empty() ? "" : separator) + std::to_string(value);
    for (char& c : row)
      if (c == '.') c = point;
    text += row + end;
  }
  return text;
}

class Messages : public program::InFolder {
 protected:
  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  // Of `check` on a study with this text behind robot and run; the exit code must be 2.
  std::string refusal(const std::string& rest, const std::string& run = kRun) const {
    const Outcome outcome = steelyard({"check", put("study.yaml", kRobot + run + rest)});
    EXPECT_EQ(outcome.code, 2) << rest << outcome.out;
    return outcome.err;
  }
};

TEST_F(Messages, NumbersThatCannotBeComeWithLineAndRemedy) {
  put("log.csv", log_text());
  const std::string at = "study.yaml:5:";
  for (const char* rest :
       {"prepare: {filter: {order: 0, cutoff: 5}}\n", "prepare: {filter: {order: 11, cutoff: 5}}\n"})
    EXPECT_THAT(refusal(rest), AllOf(HasSubstr(at), HasSubstr("1 to 10"), HasSubstr("4 is a good choice")));
  EXPECT_THAT(refusal("prepare: {decimate: 0}\n"), AllOf(HasSubstr(at), HasSubstr("1 keeps every row")));
  for (const char* rate : {"-1", "0"})
    EXPECT_THAT(refusal("prepare: {resample: " + std::string(rate) + "}\n"),
                AllOf(HasSubstr(at), HasSubstr(rate), HasSubstr("leave `resample` out")));
  EXPECT_THAT(refusal("", std::string(kRun) + "    scale: {torque: 0}\n"),
              AllOf(HasSubstr(at), HasSubstr("scale of torque is 0"), HasSubstr("1 leaves the column")));
}

TEST_F(Messages, CutOffsAreThoseOfTheUser) {
  put("log.csv", log_text());
  for (const char* columns : {"plain", "filtered"}) {
    const auto study = [&](const std::string& cutoff) {
      return "prepare: {filter: {cutoff: " + cutoff + "}, columns: " + columns + "}\n";
    };
    EXPECT_THAT(refusal(study("-3")), AllOf(HasSubstr("study.yaml:5:"), HasSubstr("cutoff = -3 Hz"),
                                            HasSubstr("leave `filter` out")));
    EXPECT_THAT(refusal(study("0")), AllOf(HasSubstr("cutoff = 0 Hz"), HasSubstr("leave `filter` out")));
  }
  const std::string study =
      put("study.yaml", kRobot + kRun + "prepare: {filter: {cutoff: 300}, columns: filtered}\n");
  const Outcome outcome = steelyard({"run", study, "--out", (folder_ / "out").string()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("300 Hz"), HasSubstr("250 Hz"), HasSubstr("position_cutoff"),
                                 Not(HasSubstr("600"))));
}

TEST_F(Messages, WaivedCodesMustExist) {
  put("log.csv", log_text());
  EXPECT_THAT(refusal("waive: [large-residal]\n"),
              AllOf(HasSubstr("study.yaml:5:"), HasSubstr("did you mean 'large-residual'?")));
  EXPECT_THAT(refusal("waive: [no-such-code]\n"), HasSubstr("docs/findings.md"));
}

TEST_F(Messages, SeedsAreWholeNumbers) {
  put("log.csv", log_text());
  const std::string study = put("study.yaml", kRobot + kRun);
  for (const char* seed : {"-1", "99999999999999999999999", "1.5", "0x10", ""}) {
    const Outcome outcome =
        steelyard({"run", study, "--out", (folder_ / "out").string(), std::string("--seed=") + seed});
    EXPECT_EQ(outcome.code, 2) << seed;
    EXPECT_THAT(outcome.err, HasSubstr("--seed")) << seed;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out")) << seed;
  }
}

TEST_F(Messages, StampsThatAreNoSecondsAreNamedWithTheirUnit) {
  std::string text = log_text();
  for (const auto& [factor, unit] : {std::pair{1e3, "ms"}, {1e6, "us"}, {1e9, "ns"}}) {
    std::istringstream lines(text);
    std::string line, log;
    std::getline(lines, line);
    log = line + "\n";
    while (std::getline(lines, line))
      log += std::to_string(factor * std::stod(line)) + line.substr(line.find(',')) + "\n";
    put("log.csv", log);
    for (const char* cutoff : {"auto", "5"}) {
      const std::string study =
          put("study.yaml", kRobot + kRun + "prepare: {filter: {cutoff: " + cutoff + "}}\n");
      const Outcome outcome = steelyard({"run", study, "--out", (folder_ / "out").string()});
      EXPECT_EQ(outcome.code, 2) << outcome.out;
      EXPECT_THAT(outcome.err, HasSubstr(std::string("`units: {time: ") + unit + "}`")) << cutoff;
      EXPECT_THAT(outcome.err, HasSubstr("log.csv"));
    }
  }
}

TEST_F(Messages, TimeLimitsArePositive) {
  for (const char* limit : {"0", "-1", "nan", "soon"}) {
    const Outcome outcome = steelyard({"excite", "study.yaml", "--time-limit", limit});
    EXPECT_EQ(outcome.code, 2) << limit;
    EXPECT_THAT(outcome.err, HasSubstr("positive number of seconds")) << limit;
  }
}

TEST_F(Messages, AnUnknownInstructionSetIsTheCommandLinesFault) {
  const Outcome outcome = steelyard({"check", put("study.yaml", kRobot + kRun), "--isa", "neon"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("--isa"), HasSubstr("'neon'"), HasSubstr("baseline"),
                                 Not(HasSubstr("study.yaml"))));
}

TEST_F(Messages, AnEmptyStudyIsAStudy) {
  for (const char* text : {"", "\n\n", "# nothing yet\n"}) {
    const Outcome outcome = steelyard({"check", put("study.yaml", text)});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err,
                AllOf(HasSubstr("a study"), HasSubstr("docs/study.md"), Not(HasSubstr("robot"))));
  }
}

TEST_F(Messages, LineEndsAndDecimalCommasOfLogsAreNamed) {
  put("log.csv", log_text(",", "\r"));
  EXPECT_THAT(refusal(""),
              AllOf(HasSubstr("log.csv"), HasSubstr("CR only"), HasSubstr("convert the line endings")));
  put("log.csv", log_text(",", "\n", ','));
  EXPECT_THAT(refusal(""), AllOf(HasSubstr("log.csv:2"), HasSubstr("decimal commas, write points")));
  put("log.csv", log_text(";", "\n", ','));
  EXPECT_THAT(refusal(""), HasSubstr("write decimal points, not commas"));
  for (const char* end : {"\n", "\r\n"}) {
    put("log.csv", log_text(",", end));
    EXPECT_NE(steelyard({"check", put("study.yaml", kRobot + kRun)}).code, 2) << end;
  }
}

TEST_F(Messages, GapsAreCountedAndMeasuredInFittingUnits) {
  std::string text = log_text();
  // From the middle of the log on an hour later.
  std::string late;
  std::istringstream lines(text);
  std::string line;
  for (int k = 0; std::getline(lines, line); ++k) {
    if (k > 1000) line = std::to_string(3600 + 0.001 * (k - 1)) + line.substr(line.find(','));
    late += line + "\n";
  }
  put("log.csv", late);
  const Outcome outcome = steelyard({"check", put("study.yaml", kRobot + kRun)});
  EXPECT_THAT(outcome.out, HasSubstr("one gap of 60 min where 1 ms is typical"));
}

}  // namespace
