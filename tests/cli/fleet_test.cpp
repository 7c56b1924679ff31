// Fleets: who is named, what survives a kill, who drifts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "fleet_program.hpp"

namespace {

using namespace fleet_program;
using program::Outcome;
using program::steelyard;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(FleetProgram, OfAHundredRobotsTheThreeWithAFaultAreNamedAndNoOther) {
  const std::string study = study_of(
      "study.yaml", 100,
      " [{robot: 17, link: 3, mass: 0.8}, {robot: 42, joint: 2, friction: 1.4}, {robot: 71, joint: 1, "
      "gain: 1.08}]");
  const Outcome outcome = steelyard({"fleet", study, "--out", path("out"), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json fleet = json::parse(outcome.out);
  EXPECT_THAT(names(fleet), ElementsAre("robot-017", "robot-042", "robot-071"));
  const json heavy = cause_of(fleet, "robot-017");
  EXPECT_EQ(heavy["kind"], "mass");
  EXPECT_EQ(heavy["of"], "forearm");
  // Healthy links scatter by 2.5 %: 0.09 kg of the forearm's 3.5 kg; three of these.
  EXPECT_NEAR(heavy["amount"], 0.8, 0.27);
  const json worn = cause_of(fleet, "robot-042");
  EXPECT_EQ(worn["kind"], "friction");
  EXPECT_EQ(worn["of"], "shoulder");
  EXPECT_NEAR(worn["amount"], 0.4, 0.1);
  const json wrong = cause_of(fleet, "robot-071");
  EXPECT_EQ(wrong["kind"], "gain");
  EXPECT_EQ(wrong["of"], "column");
  EXPECT_NEAR(wrong["amount"], 0.08, 0.03);
  EXPECT_THAT(text_of(folder_ / "out" / "fleet.html"), HasSubstr("heavier by"));
}

TEST_F(FleetProgram, KilledHalfWayAndResumedItWritesTheSameBytes) {
  const std::string study = study_of("study.yaml", 24, " [{robot: 5, joint: 2, friction: 1.6}]");
  ASSERT_EQ(steelyard({"fleet", study, "--out", path("once"), "--threads", "1"}).code, 0);
  const std::string out = path("twice");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    execl(STEELYARD_PROGRAM, STEELYARD_PROGRAM, "fleet", study.c_str(), "--out", out.c_str(), "--threads",
          "1", "--quiet", static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  bool is_over = false;
  while (!is_over && count_files(out + ".state", ".fold") < 4) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    is_over = waitpid(child, &status, WNOHANG) == child;
  }
  if (!is_over) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  ASSERT_TRUE(WIFSIGNALED(status)) << "it was over before it could be killed";
  EXPECT_FALSE(fs::exists(out));
  const std::size_t kept = count_files(out + ".state", ".fold");
  EXPECT_LT(kept, 24u);
  ASSERT_EQ(steelyard({"fleet", study, "--out", out, "--threads", "3"}).code, 0);
  EXPECT_EQ(count_files(out + ".state", ".fold"), 24u);
  EXPECT_EQ(text_of(fs::path(out) / "fleet.json"), text_of(folder_ / "once" / "fleet.json"));
  const std::string page = text_of(fs::path(out) / "fleet.html");
  EXPECT_FALSE(page.empty());
  // Stored folds are rebuilt, other files stay.
  std::ofstream(out + ".state/mine.fold") << "mine";
  ASSERT_EQ(steelyard({"fleet", study, "--out", out, "--fresh", "--quiet"}).code, 0);
  EXPECT_EQ(count_files(out + ".state", ".fold"), 25u);
  EXPECT_EQ(text_of(out + ".state/mine.fold"), "mine");
}

TEST_F(FleetProgram, GrossFaultsInSmallFleetsAreNamed) {
  const std::pair<const char*, const char*> faults[] = {
      {"link: 3, mass: 20", "mass"}, {"joint: 2, friction: 20", "friction"}, {"joint: 1, gain: 1.5", "gain"}};
  for (const int robots : {6, 16})
    for (const auto& [fault, kind] : faults) {
      const std::string study = study_of("study.yaml", robots, std::string(" [{robot: 3, ") + fault + "}]");
      const Outcome outcome = steelyard({"fleet", study, "--out", path("out"), "--json"});
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      const json fleet = json::parse(outcome.out);
      const std::string name = robots < 10 ? "robot-3" : "robot-03";
      EXPECT_THAT(names(fleet), ElementsAre(name)) << robots << " " << fault;
      EXPECT_EQ(cause_of(fleet, name)["kind"], kind) << robots << " " << fault;
    }
}

TEST_F(FleetProgram, AFleetThatIsTooSmallSaysSo) {
  const Outcome three = steelyard({"fleet", study_of("study.yaml", 3, " []"), "--out", path("out")});
  EXPECT_EQ(three.code, 3);
  EXPECT_THAT(three.out, HasSubstr("3 robots are too few"));
  EXPECT_THAT(three.out, ::testing::Not(HasSubstr("No robot differs")));
  const Outcome four = steelyard({"fleet", study_of("study.yaml", 4, " []"), "--out", path("out")});
  EXPECT_EQ(four.code, 0);
  EXPECT_THAT(four.out, HasSubstr("With 4 robots to compare"));
}

// No robot is named for its logs, and none is missing.
void expect_whole(const Outcome& outcome) {
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json fleet = json::parse(outcome.out);
  EXPECT_TRUE(fleet["problems"].empty()) << fleet["problems"];
  EXPECT_TRUE(fleet["lost"].empty()) << fleet["lost"];
  for (const json& robot : fleet["robots"])
    for (const json& cause : robot["causes"])
      EXPECT_TRUE(cause["kind"] != "fit" && cause["kind"] != "set-up") << robot["name"] << cause["text"];
}

// All days of the worn robot together fit no single model, each of them by itself fits.
TEST_F(FleetProgram, AStrongDriftIsADriftAndNotALogThatDoesNotFit) {
  for (const auto& [wear, days] : {std::pair{0.1, 4}, std::pair{0.5, 5}}) {
    const std::string study =
        study_of("study.yaml", 8, " [{robot: 2, joint: 3, wear: " + std::to_string(wear) + "}]", days);
    const Outcome outcome = steelyard({"fleet", study, "--out", path("out"), "--json"});
    expect_whole(outcome);
    const json fleet = json::parse(outcome.out);
    for (const json& robot : fleet["robots"]) {
      if (robot["name"] == "robot-2") continue;
      EXPECT_TRUE(robot["drifts"].empty()) << robot["name"] << robot["drifts"];
    }
    const json drifts = fleet["robots"][1]["drifts"];
    ASSERT_FALSE(drifts.empty()) << wear;
    EXPECT_EQ(drifts[0]["parameter"], "fc3");
    EXPECT_FALSE(drifts[0].contains("since"));
    // Friction of healthy robots differs by up to 6 % of the fleet's, and wear is a share of the robot's own.
    EXPECT_NEAR(drifts[0]["relative"], wear, 0.1 * wear + 0.01);
  }
}

TEST_F(FleetProgram, AChangeBetweenTwoDaysIsToldWithItsDayAndSize) {
  const std::string study =
      study_of("study.yaml", 12,
               " [{robot: 5, link: 3, mass: 2, from: 3}, {robot: 9, joint: 2, friction: 1.5, from: 4}]", 6);
  const Outcome outcome = steelyard({"fleet", study, "--out", path("out"), "--json"});
  expect_whole(outcome);
  const json fleet = json::parse(outcome.out);
  for (const json& robot : fleet["robots"]) {
    const std::string name = robot["name"];
    if (name == "robot-05" || name == "robot-09") continue;
    EXPECT_TRUE(robot["drifts"].empty()) << name << robot["drifts"];
  }
  const json tool = fleet["robots"][4]["drifts"], worn = fleet["robots"][8]["drifts"];
  ASSERT_FALSE(tool.empty());
  EXPECT_EQ(tool[0]["since"], "3");
  ASSERT_FALSE(worn.empty());
  EXPECT_EQ(worn[0]["since"], "4");
  EXPECT_THAT(worn[0]["text"].get<std::string>(), HasSubstr("friction of joint 2 is higher by"));
  EXPECT_NEAR(worn[0]["relative"], 0.5, 0.08);  // as above
}

// 200 kg on a forearm are no fault of a robot: its log is not part of the fleet, and is reported as such.
TEST_F(FleetProgram, WhatNoRobotCanHaveIsAProblemOfItsLogs) {
  const std::string study = study_of("study.yaml", 12, " [{robot: 2, link: 3, mass: 200}]", 2);
  const Outcome outcome = steelyard({"fleet", study, "--out", path("out"), "--json"});
  EXPECT_EQ(outcome.code, 3);
  const json fleet = json::parse(outcome.out);
  EXPECT_THAT(names(fleet), ElementsAre("robot-02"));
  EXPECT_EQ(fleet["robots"][1]["causes"].size(), 1u) << fleet["robots"][1]["causes"];
  EXPECT_THAT(fleet["lost"], ElementsAre("robot-02"));
  ASSERT_EQ(fleet["problems"].size(), 2u);
  for (const json& problem : fleet["problems"]) {
    EXPECT_EQ(problem["robot"], "robot-02");
    EXPECT_EQ(problem["finding"], "set-up");
  }
  EXPECT_EQ(fleet["compared"], 11);
}

TEST_F(FleetProgram, TheExampleNamesItsThreeRobotsAndTellsTheOneThatWears) {
  const Outcome outcome = steelyard({"fleet", kFleet + "study.yaml", "--out", path("out"), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json fleet = json::parse(outcome.out);
  EXPECT_THAT(names(fleet), ::testing::IsSupersetOf({"robot-07", "robot-19", "robot-28"}));
  for (const json& robot : fleet["robots"]) {
    const std::string name = robot["name"];
    if (name == "robot-33") continue;
    EXPECT_TRUE(robot["drifts"].empty()) << name << robot["drifts"];
  }
  const json worn = fleet["robots"][32]["drifts"];
  ASSERT_FALSE(worn.empty());
  EXPECT_THAT(worn[0]["text"].get<std::string>(), HasSubstr("friction of joint 3 rises"));
  // 10 % a day of Coulomb or viscous friction, each known to a few per cent a log.
  EXPECT_NEAR(worn[0]["relative"], 0.1, 0.05);
}

}  // namespace
