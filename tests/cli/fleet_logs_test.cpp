// Logs of fleets: broken, doubled, wrongly set up, hidden.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>

#include "fleet_program.hpp"

namespace {

using namespace fleet_program;
using program::Outcome;
using program::steelyard;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(FleetProgram, ALogThatCannotBeReadIsNamedAndTheOthersGoOn) {
  const std::string simulated = study_of("simulated.yaml", 8, " []");
  ASSERT_EQ(steelyard({"fleet", simulated, "--logs", path("logs"), "--quiet"}).code, 0);
  ASSERT_TRUE(fs::exists(folder_ / "logs" / "robot-3-2026-01-01.csv"));
  write_files_study(simulated);
  const Outcome whole = steelyard({"fleet", path("files.yaml"), "--out", path("out"), "--json"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(json::parse(whole.out)["robots"].size(), 8u);
  EXPECT_EQ(json::parse(whole.out)["robots"][2]["name"], "robot-3");

  std::ofstream(folder_ / "logs" / "robot-3-2026-01-01.csv") << "t_s,q1_rad\n0,1\n";
  const Outcome broken = steelyard({"fleet", path("files.yaml"), "--out", path("out"), "--json"});
  EXPECT_EQ(broken.code, 3);
  const json fleet = json::parse(broken.out);
  EXPECT_EQ(fleet["robots"].size(), 7u);
  ASSERT_EQ(fleet["problems"].size(), 1u);
  EXPECT_EQ(fleet["problems"][0]["robot"], "robot-3");
  EXPECT_THAT(fleet["lost"], ElementsAre("robot-3"));

  const Outcome none = steelyard({"run", path("files.yaml"), "--out", path("other")});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("steelyard fleet"));
  fs::remove_all(folder_ / "logs");
  EXPECT_EQ(steelyard({"fleet", path("files.yaml"), "--out", path("out")}).code, 2);
}

// Numbers of one CSV row, and what is done to them: time, positions of four joints, torques.
using Change = std::function<void(std::vector<double>&)>;

struct SetUpFault {
  const char* what;
  Change change;
  std::string finding;
};

// A log with every row changed; those that are emptied are lost.
void change_log(const fs::path& path, const std::string& original, const Change& change) {
  std::istringstream lines(original);
  std::ofstream out(path);
  std::string line;
  std::getline(lines, line);
  out << line << "\n";
  out.precision(17);
  while (std::getline(lines, line)) {
    std::vector<double> numbers;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) numbers.push_back(std::stod(cell));
    change(numbers);
    if (numbers.empty()) continue;
    for (std::size_t k = 0; k < numbers.size(); ++k) out << (k > 0 ? "," : "") << numbers[k];
    out << "\n";
  }
}

TEST_F(FleetProgram, ALogWithAWrongSetUpIsNamedByItsFindingAndLeavesTheFleet) {
  const std::string simulated = study_of("simulated.yaml", 6, " []");
  ASSERT_EQ(steelyard({"fleet", simulated, "--logs", path("logs"), "--quiet"}).code, 0);
  write_files_study(simulated);
  const fs::path log = folder_ / "logs" / "robot-4-2026-01-01.csv";
  const std::string original = text_of(log);
  fs::remove(log);
  const Outcome five = steelyard({"fleet", path("files.yaml"), "--out", path("out"), "--json"});
  ASSERT_EQ(five.code, 0) << five.err;
  const json others = json::parse(five.out)["parameters"];

  const SetUpFault faults[] = {
      {"degrees",
       [](std::vector<double>& row) {
         for (int j = 1; j <= 4; ++j) row[static_cast<std::size_t>(j)] *= 180 / 3.14159265358979;
       },
       "position-unit"},
      {"all torques negated",
       [](std::vector<double>& row) {
         for (int j = 5; j <= 8; ++j) row[static_cast<std::size_t>(j)] *= -1;
       },
       "torque-sign"},
      {"time twice as slow", [](std::vector<double>& row) { row[0] *= 2; }, "time-scale"},
      {"a frozen position", [](std::vector<double>& row) { row[2] = 0.3; }, "still-joint"},
      {"a dead torque", [](std::vector<double>& row) { row[6] = 0; }, "dead-channel"},
      {"mN·m",
       [](std::vector<double>& row) {
         for (int j = 5; j <= 8; ++j) row[static_cast<std::size_t>(j)] *= 1000;
       },
       "set-up"},
  };
  for (const SetUpFault& fault : faults) {
    change_log(log, original, fault.change);
    const Outcome outcome = steelyard({"fleet", path("files.yaml"), "--out", path("out"), "--json"});
    EXPECT_EQ(outcome.code, 3) << fault.what << outcome.err;
    const json fleet = json::parse(outcome.out);
    EXPECT_THAT(names(fleet), ElementsAre("robot-4")) << fault.what;
    EXPECT_THAT(fleet["lost"], ElementsAre("robot-4")) << fault.what;
    ASSERT_EQ(fleet["problems"].size(), 1u) << fault.what;
    EXPECT_EQ(fleet["problems"][0]["robot"], "robot-4");
    EXPECT_EQ(fleet["problems"][0]["log"], "2026-01-01");
    EXPECT_EQ(fleet["problems"][0]["finding"], fault.finding)
        << fault.what << fleet["problems"][0]["message"];
    EXPECT_EQ(cause_of(fleet, "robot-4")["kind"], "set-up") << fault.what;
    EXPECT_EQ(fleet["parameters"], others) << fault.what << ": the log has a part in the fleet's parameters";
  }
}

// One log under two robots, one under two days of a robot, one in other digits: all of them leave, both
// named.
TEST_F(FleetProgram, ALogUnderSeveralRobotsOrDaysIsNobodys) {
  const std::string simulated = study_of("simulated.yaml", 7, " []", 2);
  ASSERT_EQ(steelyard({"fleet", simulated, "--logs", path("logs"), "--quiet"}).code, 0);
  write_files_study(simulated);
  const auto log = [&](int robot, int day) {
    return folder_ / "logs" /
           ("robot-" + std::to_string(robot) + "-2026-01-0" + std::to_string(day) + ".csv");
  };
  const auto over = fs::copy_options::overwrite_existing;
  fs::copy_file(log(1, 1), log(2, 1), over);
  fs::copy_file(log(3, 1), log(3, 2), over);
  change_log(log(5, 1), text_of(log(4, 1)), [](std::vector<double>&) {});
  ASSERT_NE(text_of(log(5, 1)), text_of(log(4, 1)));
  const Outcome outcome = steelyard({"fleet", path("files.yaml"), "--out", path("out"), "--json"});
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  const json fleet = json::parse(outcome.out);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"robot-1 2026-01-01", "robot-2 2026-01-01"}, {"robot-2 2026-01-01", "robot-1 2026-01-01"},
      {"robot-3 2026-01-01", "robot-3 2026-01-02"}, {"robot-3 2026-01-02", "robot-3 2026-01-01"},
      {"robot-4 2026-01-01", "robot-5 2026-01-01"}, {"robot-5 2026-01-01", "robot-4 2026-01-01"}};
  ASSERT_EQ(fleet["problems"].size(), expected.size()) << fleet["problems"];
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const json& problem = fleet["problems"][k];
    EXPECT_EQ(problem["finding"], "same-log");
    EXPECT_EQ(problem["robot"].get<std::string>() + " " + problem["log"].get<std::string>(),
              expected[k].first);
    EXPECT_THAT(problem["message"].get<std::string>(), HasSubstr(expected[k].second));
  }
  EXPECT_THAT(fleet["lost"], ElementsAre("robot-3"));
  EXPECT_EQ(fleet["compared"], 6);

  for (int robot = 1; robot <= 7; ++robot)
    for (const int day : {1, 2})
      if (robot != 7 || day != 1) fs::copy_file(log(7, 1), log(robot, day), over);
  const Outcome none = steelyard({"fleet", path("files.yaml"), "--out", path("out")});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("same-log"));
}

// Zero of the shoulder off by 0.05 rad, too little for the doctor of a single log; more mass on the upper arm would explain half of it.
TEST_F(FleetProgram, AnEncoderZeroIsNoMass) {
  const std::string simulated = study_of("simulated.yaml", 12, " [{robot: 7, link: 3, mass: 3}]");
  ASSERT_EQ(steelyard({"fleet", simulated, "--logs", path("logs"), "--quiet"}).code, 0);
  write_files_study(simulated);
  const fs::path log = folder_ / "logs" / "robot-04-2026-01-01.csv";
  change_log(log, text_of(log), [](std::vector<double>& row) { row[2] += 0.05; });
  const Outcome outcome = steelyard({"fleet", path("files.yaml"), "--out", path("out"), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  const json fleet = json::parse(outcome.out);
  EXPECT_THAT(names(fleet), ElementsAre("robot-04", "robot-07"));
  const json zero = cause_of(fleet, "robot-04");
  EXPECT_EQ(zero["kind"], "zero") << zero;
  EXPECT_EQ(zero["of"], "shoulder");
  EXPECT_NEAR(zero["amount"], 0.05, 0.02);  // healthy masses and centres of mass differ by 2.5 %
  EXPECT_EQ(cause_of(fleet, "robot-07")["kind"], "mass") << cause_of(fleet, "robot-07");
}

// Samples are lost: no rows are made of what bridges them, and the robot is as the others.
TEST_F(FleetProgram, AGapInALogIsNoDifference) {
  const std::string simulated = study_of("simulated.yaml", 6, " []");
  ASSERT_EQ(steelyard({"fleet", simulated, "--logs", path("logs"), "--quiet"}).code, 0);
  write_files_study(simulated);
  const fs::path log = folder_ / "logs" / "robot-4-2026-01-01.csv";
  change_log(log, text_of(log), [](std::vector<double>& row) {
    if (row[0] > 2 && row[0] < 2.8) row.clear();
  });
  const Outcome outcome = steelyard({"fleet", path("files.yaml"), "--out", path("out"), "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json fleet = json::parse(outcome.out);
  EXPECT_TRUE(names(fleet).empty());
  EXPECT_TRUE(fleet["problems"].empty());
}

TEST_F(FleetProgram, PatternsLeaveHiddenFilesOutAndAreNotEmpty) {
  const std::string simulated = study_of("simulated.yaml", 4, " []");
  ASSERT_EQ(steelyard({"fleet", simulated, "--logs", path("logs"), "--quiet"}).code, 0);
  std::ofstream(folder_ / "logs" / ".robot-5-2026-01-01.csv") << "hidden";
  write_files_study(simulated, "logs/{robot}-*");
  const Outcome outcome = steelyard({"fleet", path("files.yaml"), "--out", path("out"), "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["robots"].size(), 4u);
  write_files_study(simulated, "logs/.{robot}-*");  // unless it says so
  EXPECT_THAT(steelyard({"fleet", path("files.yaml"), "--out", path("out")}).err, HasSubstr(".robot-5"));
  write_files_study(simulated, "");
  const Outcome empty = steelyard({"fleet", path("files.yaml"), "--out", path("out")});
  EXPECT_EQ(empty.code, 2);
  EXPECT_THAT(empty.err, HasSubstr("logs is empty"));
}

}  // namespace
