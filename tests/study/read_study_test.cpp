// Studies as text: what is read, and what is refused with its place and a remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "steelyard/core/error.hpp"
#include "steelyard/fleet/fleet.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard {
namespace read_study_test {

using testing::HasSubstr;

const std::string kSource = STEELYARD_SOURCE_DIR;

std::string complaint_about(const std::string& text) {
  try {
    read_study_text(text, "examples/x/study.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

const std::string kRun =
    "runs:\n"
    "  - file: a.csv\n"
    "    columns: {time: t, position: \"q{j}\", torque: \"tau{j}\"}\n";

TEST(ReadStudy, PathsAreRelativeToTheStudysFolder) {
  const Study study = read_study_text("robot: ../../robots/panda.yaml\n" + kRun, "examples/x/study.yaml");
  EXPECT_EQ(study.robot_path, "robots/panda.yaml");
  EXPECT_EQ(study.runs.at(0).file.path, "examples/x/a.csv");
  EXPECT_EQ(study.runs.at(0).path_as_written, "a.csv");
}

TEST(ReadStudy, EnvironmentVariablesInPathsMustBeSet) {
  ::setenv("STEELYARD_TEST_FOLDER", "/logs", 1);
  ::unsetenv("STEELYARD_TEST_NOTHING");
  const std::string robot = "robot: panda.yaml\n";
  const std::string columns = "    columns: {time: t, position: \"q{j}\", torque: \"tau{j}\"}\n";
  const Study study =
      read_study_text(robot + "runs:\n  - file: ${STEELYARD_TEST_FOLDER}/a.csv\n" + columns, "study.yaml");
  EXPECT_EQ(study.runs.at(0).file.path, "/logs/a.csv");
  EXPECT_EQ(study.runs.at(0).path_as_written, "${STEELYARD_TEST_FOLDER}/a.csv");
  const std::string text =
      complaint_about(robot + "runs:\n  - file: ${STEELYARD_TEST_NOTHING}/a.csv\n" + columns);
  EXPECT_THAT(text, HasSubstr("study.yaml:3"));
  EXPECT_THAT(text, HasSubstr("STEELYARD_TEST_NOTHING is not set"));
}

TEST(ReadStudy, NumbersMayBeExpressions) {
  const Study study =
      read_study_text("robot: r.yaml\n" + kRun + "prepare: {filter: {cutoff: 10/2}}\n", "study.yaml");
  EXPECT_EQ(study.prepare.filter.cutoff, 5);
  EXPECT_EQ(study.prepare.column_filter.cutoff, 0);
}

TEST(ReadStudy, FilteredColumnsPutThePositionsFilterAnOctaveHigher) {
  const Study study = read_study_text(
      "robot: r.yaml\n" + kRun + "prepare: {filter: {cutoff: 5, order: 3}, columns: filtered}\n",
      "study.yaml");
  EXPECT_EQ(study.prepare.column_filter.cutoff, 5);
  EXPECT_EQ(study.prepare.column_filter.order, 3);
  EXPECT_EQ(study.prepare.filter.cutoff, 10);
}

TEST(ReadStudy, WindowsAndSplitsAreRunsOfTheirOwn) {
  const auto runs = [](const std::string& keys) {
    return read_study_text("robot: r.yaml\n" + kRun + keys, "study.yaml").runs;
  };
  const std::vector<StudyRun> cut = runs("    label: a\n    from: 2\n    to: 30\n");
  ASSERT_EQ(cut.size(), 1U);
  EXPECT_EQ(cut[0].window, (TimeWindow{2, 30}));
  EXPECT_EQ(cut[0].file.label.label, "a");

  const std::vector<StudyRun> parts =
      runs("    label: a\n    windows: [[null, 10], [12, 20.5], [30, null]]\n");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_TRUE(std::isinf(parts[0].window.from));
  EXPECT_EQ(parts[0].window.to, 10);
  EXPECT_EQ(parts[1].window, (TimeWindow{12, 20.5}));
  EXPECT_EQ(parts[1].file.label.label, "a part 2");
  EXPECT_TRUE(std::isinf(parts[2].window.to));

  const std::vector<StudyRun> halves = runs("    label: a\n    from: 5\n    split: {fit: 0.6}\n");
  ASSERT_EQ(halves.size(), 2U);
  EXPECT_EQ(halves[0].file.label.role, RunRole::fit);
  EXPECT_EQ(halves[1].file.label.role, RunRole::validate);
  EXPECT_EQ(halves[1].window.from, 5);
  EXPECT_EQ(*halves[1].fit_share, 0.6);
}

TEST(ReadStudy, WindowsThatContradictAreRefused) {
  const auto refused = [](const std::string& keys) {
    return complaint_about("robot: r.yaml\n" + kRun + keys);
  };
  EXPECT_THAT(refused("    from: 5\n    to: 5\n"), HasSubstr("`from` below `to`"));
  EXPECT_THAT(refused("    windows: [[3, 2]]\n"), HasSubstr("is reversed"));
  EXPECT_THAT(refused("    windows: [[3, 5], [4, 8]]\n"), HasSubstr("one after the other"));
  EXPECT_THAT(refused("    windows: [[3, 5]]\n    to: 4\n"), HasSubstr("leave `from` and `to` out"));
  EXPECT_THAT(refused("    windows: [[3, 5]]\n    split: {fit: 0.5}\n"),
              HasSubstr("`split` beside `windows`"));
  EXPECT_THAT(refused("    split: {fit: 0.5}\n    role: fit\n"), HasSubstr("`role` beside `split`"));
  EXPECT_THAT(refused("    split: {fit: 1}\n"), HasSubstr("0.5 is a half"));
  EXPECT_THAT(refused("    split: {}\n    windows: []\n"), HasSubstr("windows"));
}

TEST(ReadStudy, StandstillIsAShareOrAWordAndNoSecondLimit) {
  const auto standstill = [](const std::string& reject) {
    return read_study_text("robot: r.yaml\n" + kRun + "prepare: {reject: {" + reject + "}}\n", "study.yaml")
        .standstill;
  };
  EXPECT_FALSE(standstill("").is_given());
  EXPECT_TRUE(standstill("standstill: keep").keep);
  EXPECT_EQ(standstill("standstill: 0.05").share, 0.05);
  EXPECT_FALSE(standstill("standstill: auto").share);
  const std::string robot = "robot: r.yaml\n" + kRun;
  EXPECT_THAT(complaint_about(robot + "prepare: {reject: {standstill: 0.7}}\n"), HasSubstr("standstill"));
  EXPECT_THAT(complaint_about(robot + "prepare: {reject: {standstill: 0, velocity_below: 1}}\n"),
              HasSubstr("beside `velocity_below`"));
}

TEST(ReadStudy, WhatIsWrongIsNamedWithPlaceAndRemedy) {
  const std::string robot = "robot: r.yaml\n";
  EXPECT_THAT(complaint_about(robot + kRun + "prepair: {}\n"), HasSubstr("did you mean 'prepare'?"));
  EXPECT_THAT(complaint_about(robot + kRun + "prepair: {}\n"), HasSubstr("study.yaml:5:1"));
  EXPECT_THAT(complaint_about(kRun), HasSubstr("has no 'robot'"));
  EXPECT_THAT(complaint_about(robot), HasSubstr("has no 'runs'"));
  EXPECT_THAT(complaint_about(robot + "runs: []\n"), HasSubstr("no run has the role 'fit'"));
  EXPECT_THAT(complaint_about(robot + "runs:\n  - {file: a.csv, columns: {time: t, position: q}}\n"),
              HasSubstr("columns has no torque"));
  EXPECT_THAT(complaint_about(robot + "runs:\n  - {file: a.csv, columns: {position: q, torque: t}}\n"),
              HasSubstr("neither a time column nor a rate"));
  EXPECT_THAT(
      complaint_about(robot + "runs:\n  - {file: a.csv, columns: {time: t, postion: q, torque: t}}\n"),
      HasSubstr("did you mean 'position'?"));
  EXPECT_THAT(complaint_about(robot + kRun + "    units: {velocity: rad/s}\n"),
              HasSubstr("columns has no such channel"));
  EXPECT_THAT(complaint_about(robot + kRun + "prepare: {columns: filtered}\n"),
              HasSubstr("there is no filter"));
  EXPECT_THAT(complaint_about(robot + kRun + "prepare: {filter: {cutoff: fast}}\n"), HasSubstr("cutoff"));
  EXPECT_THAT(complaint_about(robot + kRun + "prepare: {decimate: 2.5}\n"), HasSubstr("is not a count"));
  EXPECT_THAT(complaint_about(robot + kRun + "estimate: {method: wsl}\n"), HasSubstr("did you mean 'wls'?"));
  EXPECT_THAT(complaint_about(robot + kRun + "validate: {cross: {blocks: 1}}\n"), HasSubstr("2 to 128"));
  EXPECT_THAT(complaint_about(robot + kRun + "drives: {friction: [viscos]}\n"),
              HasSubstr("did you mean 'viscous'?"));
  EXPECT_THAT(complaint_about(robot + kRun + kRun.substr(6)), HasSubstr("accepted"));
  EXPECT_THAT(complaint_about(robot + "runs:\n  - {label: a, simulate: {motion: {points: {}}}}\n"),
              HasSubstr("has no 'points'"));
  EXPECT_THAT(complaint_about("robot: [\n"), HasSubstr("study.yaml"));
}

TEST(ReadStudy, TwoRunsMayNotShareALabel) {
  const std::string run =
      "  - {file: a.csv, label: x, columns: {time: t, position: \"q{j}\", torque: \"tau{j}\"}}\n";
  EXPECT_THAT(complaint_about("robot: r.yaml\nruns:\n" + run + run), HasSubstr("two runs are labelled 'x'"));
}

TEST(ReadStudy, AllExamplesAreValid) {
  ::setenv("STEELYARD_DATA", std::getenv("STEELYARD_DATA") ? std::getenv("STEELYARD_DATA") : "/nowhere", 1);
  int studies = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource + "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ++studies;
    const std::string path = entry.path().string();
    if (path.find("examples/fleet/") != std::string::npos) {
      EXPECT_NO_THROW(read_fleet_study(path)) << path;
    } else {
      EXPECT_NO_THROW(read_study(path)) << path;
    }
  }
  EXPECT_GE(studies, 7);
}

}  // namespace read_study_test
}  // namespace steelyard
