// Studies and fleets that contradict themselves or request the impossible: each is refused with a location
// and a remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "oracle/refusal.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/fleet/fleet.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard {
namespace refusals_test {

using testing::HasSubstr;

struct Case {
  std::string text;
  std::string words;
};

const std::string kRobot = "robot: two_r.yaml\n";
const std::string kRun =
    "runs:\n  - file: a.csv\n    columns: {time: t, position: \"q{j}\", torque: \"tau{j}\"}\n";

void expect_refused(const std::string& before, const Case& bad) {
  EXPECT_THAT(refusal([&] { read_study_text(before + bad.text, "study.yaml"); }), HasSubstr(bad.words))
      << bad.text;
}

TEST(StudyRefusals, OfConstraints) {
  const Case cases[] = {
      {"{bound: m1}", "has no limit"},
      {"{combination: [m1], at_most: 1}", "'combination' is not a map"},
      {"{combination: {m1: 1}, at_least: 2, at_most: 1}", "at least 2 and at most 1"},
      {"{com_ellipsoid: {link: link1, half_axes: [1, 0, 1]}}", "half axis of 0 m"},
      {"{com_mesh: {link: link1, file: a.stl, scale: -1}}", "scale = -1"},
      {"{bound: m1, total_mass: [0, 1], at_most: 1}", "second kind"},
      {"{name: nothing}", "constraint without a kind"},
      {"{total_mass: [0, 9], at_most: 1}", "takes no 'at_most'"},
  };
  for (const Case& bad : cases)
    expect_refused(kRobot + kRun, {"feasible: {constraints: [" + bad.text + "]}\n", bad.words});
}

// What `init` leaves open is named, all of it; words in quotes are words.
TEST(StudyRefusals, OfOpenValues) {
  const std::string label = "    label: \"EDIT\"\n";
  read_study_text(kRobot + kRun + label, "study.yaml");
  expect_refused(kRobot + kRun + label, {"    scale: {torque: [EDIT, EDIT]}\n    rate: EDIT\n",
                                         "not filled in: runs.scale.torque (line 6), runs.rate (line 7)"});
  expect_refused(kRobot + kRun, {"gains: {known: EDIT}\n", "gains.known (line 5)"});
}

TEST(StudyRefusals, OfNumbersOutOfRange) {
  const Case cases[] = {
      {"feasible: {objective: {base: {relative_sigma_below: 0}}}\n", "relative_sigma_below = 0"},
      {"feasible: {pull: {towards: robot, weight: -1}}\n", "weight = -1"},
      {"feasible: {intervals: {level: 1}}\n", "level = 1"},
      {"feasible: {margin: 1}\n", "margin = 1"},
      {"feasible: {starts: 10001}\n", "starts = 10001"},
      {"estimate: {intervals: {level: 0.1}}\n", "level = 0.1"},
      {"estimate: {intervals: {replicates: 3}}\n", "replicates = 3"},
      {"estimate: {prior: {from: robot, weight: 0}}\n", "weight = 0"},
      {"drives: {joints: [1]}\n", "'joints' is not a map"},
      {"excite: {output_rate: -1}\n", "output_rate = -1 Hz"},
      {"excite: {payloads: [0]}\n", "payloads = 0 kg"},
      {"signs: {threshold: [1], threshold_effort: [1]}\n", "both 'threshold' and 'threshold_effort'"},
      {"signs: {known: [{joint: joint1, from: 1, to: 5, sign: 2}]}\n", "sign = 2"},
      {"signs: {gains: {a_priori: [1, 0]}}\n", "an a-priori gain is zero"},
  };
  for (const Case& bad : cases) expect_refused(kRobot + kRun, bad);
}

TEST(StudyRefusals, OfGainsAndLoads) {
  const std::string current =
      kRobot + "runs:\n  - file: a.csv\n    columns: {time: t, position: \"q{j}\", current: \"i{j}\"}\n";
  const Case cases[] = {
      {"gains: {method: []}\n", "no method for gains"},
      {"gains: {known: [1, 1], blocks: 5}\n", "'blocks' beside known gains"},
      {"gains: {sigma: [1, 1]}\n", "'sigma' without known gains"},
      {"gains: {prior_sigma: [1, 1]}\n", "'prior_sigma' without 'prior'"},
      {"gains: {blocks: 1}\n", "blocks = 1"},
      {"gains: {}\npayloads: [{name: disk, known: [1]}]\n", "'known' is not a map"},
      {"", "the run 'run 1' has currents, but the study has no gains"},
  };
  for (const Case& bad : cases) expect_refused(current, bad);
  expect_refused(kRobot + kRun, {"gains: {}\n", "the run 'run 1' has no currents, but the study has gains"});
  expect_refused(kRobot,
                 {"runs:\n  - file: a.csv\n    columns: {time: t, position: \"q{j}\", current: \"i{j}\", "
                  "torque: \"tau{j}\"}\ngains: {}\n",
                  "the run 'run 1' has currents and torques"});
  const std::string loaded =
      "runs:\n  - file: a.csv\n    payload: disk\n"
      "    columns: {time: t, position: \"q{j}\", torque: \"tau{j}\"}\n";
  expect_refused(kRobot, {loaded, "the run 'run 1' has a payload, but torques instead of currents"});
}

TEST(StudyRefusals, OfSimulatedRuns) {
  const auto fourier = [](const std::string& rest) {
    return "{fourier: {omega: 1, q0: [0, 0], " + rest + "}}";
  };
  const std::string good = fourier("a: [[1, 1]], b: [[1, 1]]");
  const auto run = [&](const std::string& motion, const std::string& rest = "") {
    return kRobot + "runs:\n  - simulate: {rate: 100, motion: " + motion + rest + "}\n";
  };
  EXPECT_NO_THROW(read_study_text(run(good), "study.yaml"));
  const Case cases[] = {
      {run(fourier("a: [[1, 1], [1]], b: [[1, 1]]")), "row 2 of a has 1 entries"},
      {run(fourier("a: [[1, 1]], b: [[1, 1]], start: [0, 0]")), "start without a lead-in"},
      {run("{}"), "motion has 0 kinds"},
      {run(good, ", friction: {viscous: [1, 2], coulomb: [1, 2, 3]}"), "coulomb has 3 entries"},
      {run(good, ", load: 3"), "'load' is not a map"},
      {run(good, ", parameters: [1]"), "'parameters' is not a map"},
      {run(good) + "    file: a.csv\n", "both 'file' and 'simulate'"},
      {kRobot + "runs:\n  - file: \"${HOME\"\n    columns: {time: t, position: \"q{j}\", torque: \"t{j}\"}\n",
       "${ without }"},
      {kRobot + kRun + "    scale: {time: 2}\n", "scale of time"},
  };
  for (const Case& bad : cases) expect_refused("", bad);
}

TEST(StudyRefusals, OfReverseStudies) {
  const std::string source = "source: {table: g.csv}";
  const Case cases[] = {
      {"source: {program: []}", "a program without a name"},
      {"source: {table: g.csv, time_limit: 0}", "time_limit = 0 s"},
      {source + ", configurations: {count: 0}", "count = 0"},
      {source + ", relations: [{terms: [1]}]", "'terms' is not a map"},
      {source + ", weights: [1]", "'weights' is not a map"},
      {source + ", answers: {digits: 18}", "digits = 18"},
  };
  for (const Case& bad : cases) expect_refused(kRobot, {"reverse: {" + bad.text + "}\n", bad.words});
}

TEST(FleetRefusals, HaveAPlaceAndARemedy) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "steelyard_fleet_refusals.yaml";
  const std::string simulated =
      "simulate: {rate: 100, motion: {multi_sine: {center: [0, 0], reach: [1, 1]}}}, robots: 3, days: 2";
  const std::string logs =
      "logs: \"logs/{robot}.csv\", columns: {time: t, position: \"q{j}\", torque: \"tau{j}\"}";
  const auto fleet = [](const std::string& text) { return kRobot + "fleet: {" + text + "}\n"; };
  const auto said = [&](const std::string& text) {
    std::ofstream(path) << text;
    return refusal([&] { read_fleet_study(path.string()); });
  };
  EXPECT_EQ(said(fleet(simulated)), "accepted");
  EXPECT_EQ(said(fleet(logs)), "accepted");
  const Case cases[] = {
      {kRobot, "the study has no `fleet`"},
      {fleet(simulated + ", faults: [{robot: 1}]"), "a fault affects either one link or one joint"},
      {fleet(simulated + ", faults: [{robot: 4, link: 1, mass: 1}]"), "fault of robot 4"},
      {fleet(simulated + ", scatter: 0.5"), "scatter = 0.5"},
      {fleet("simulate: {rate: 100, motion: {multi_sine: {center: [0, 0], reach: [1, 1]}}}, robots: 0"),
       "a simulated fleet of 0 robots"},
      {fleet(simulated + ", level: 0.7"), "level = 0.7"},
      {fleet(simulated + ", " + logs), "a fleet has logs or is simulated"},
      {fleet(logs + ", robots: 3"), "`robots` for a fleet with logs"},
      {fleet("logs: \"logs/a.csv\", columns: {time: t, position: \"q{j}\", torque: \"tau{j}\"}"),
       "does not contain the robot's name"},
      {fleet(simulated) + "feasible: {}\n", "a fleet study with `feasible`"},
  };
  for (const Case& bad : cases) EXPECT_THAT(said(bad.text), HasSubstr(bad.words)) << bad.text;
  std::filesystem::remove(path);
}

}  // namespace refusals_test
}  // namespace steelyard
