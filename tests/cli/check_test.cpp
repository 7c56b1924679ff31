// The doctor through the program: its findings, and exit code 3 for errors that are not waived.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "in_folder.hpp"
#include "oracle/data_folder.hpp"
#include "program.hpp"

namespace check_test {

namespace fs = std::filesystem;
using program::Outcome;
using program::steelyard;
using ::testing::HasSubstr;

const std::string kRoot = STEELYARD_SOURCE_DIR;

class Check : public program::InFolder {
 protected:
  std::string study(const std::string& text) {
    std::ofstream(folder_ / "study.yaml") << text;
    return (folder_ / "study.yaml").string();
  }

  // The demo's log, read with the torque of joint 4 the wrong way round.
  std::string flipped(const std::string& more) {
    EXPECT_EQ(
        steelyard({"simulate", kRoot + "/examples/demo/study.yaml", "--out", (folder_ / "logs").string()})
            .code,
        0);
    return study("robot: " + kRoot +
                 "/robots/panda.yaml\ndrives: {friction: [viscous, coulomb, offset]}\nruns:\n"
                 "  - file: logs/excitation.csv\n"
                 "    columns: {time: t_s, position: \"q{j}_rad\", torque: \"tau{j}_Nm\"}\n"
                 "    sign: {torque: [1, 1, 1, -1, 1, 1, 1]}\n"
                 "prepare: {filter: {order: 4, cutoff: 10}, columns: filtered}\n" +
                 more);
  }
};

TEST_F(Check, NothingSpeaksAgainstTheDemo) {
  const Outcome outcome = steelyard({"check", kRoot + "/examples/demo/study.yaml", "--threads", "1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("0 errors"));
}

TEST_F(Check, AFlippedTorqueIsNamedWithItsJointAndIsExitCodeThree) {
  const std::string path = flipped("");
  const Outcome outcome = steelyard({"check", path, "--json"});
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  const auto check = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(check["trustworthy"], false);
  bool named = false;
  for (const auto& finding : check["findings"])
    named |= finding["code"] == "torque-sign" && finding["joint"] == "panda_joint4";
  EXPECT_TRUE(named) << outcome.out;
  EXPECT_EQ(steelyard({"identify", path, "--out", (folder_ / "out").string()}).code, 3);
  EXPECT_TRUE(fs::exists(folder_ / "out" / "result.json"));  // done and written, but not to be trusted
}

TEST_F(Check, WaivedFindingsStayInTheTextAndDoNotCount) {
  const Outcome outcome = steelyard({"check", flipped("waive: [torque-sign]\n")});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("torque-sign (panda_joint4), waived"));
}

// Every fault that `check` finds in this log is gone from the study that --fix writes; the user's comments are not.
class Fixes : public Check {
 protected:
  void SetUp() override {
    Check::SetUp();
    ASSERT_EQ(
        steelyard({"simulate", kRoot + "/examples/demo/study.yaml", "--out", (folder_ / "logs").string()})
            .code,
        0);
  }

  // `lines` of the run in place of the right columns, `log` instead of the demo's.
  void expect_fixed(const std::string& code, const std::string& lines,
                    const std::string& log = "excitation.csv") {
    const std::string text =
        "# my arm\nrobot: " + kRoot +
        "/robots/panda.yaml\ndrives: {friction: [viscous, coulomb, offset]}   # linear\nruns:\n"
        "  - file: logs/" +
        log + "   # of monday\n" + lines + "prepare: {filter: {order: 4, cutoff: 10}, columns: filtered}\n";
    fs::remove(folder_ / "study-fixed.yaml");
    const std::string path = study(text);
    const auto found = [&](const Outcome& outcome) {
      const auto check = nlohmann::json::parse(outcome.out);
      int number = 0;
      for (const auto& finding : check["findings"])
        number += finding["code"] == code && finding["severity"] != "note";
      return number;
    };
    ASSERT_GE(found(steelyard({"check", study(text), "--fix", "--json"})), 1) << code;
    const std::string fixed = (folder_ / "study-fixed.yaml").string();
    ASSERT_TRUE(fs::exists(fixed)) << code;
    const Outcome again = steelyard({"check", fixed, "--json"});
    EXPECT_EQ(found(again), 0) << code << "\n" << read("study-fixed.yaml");
    const auto left = nlohmann::json::parse(again.out);
    for (const auto& fix : left["fixes"])
      for (const auto& finding : fix["findings"])
        EXPECT_FALSE(finding.get<std::string>().starts_with(code)) << finding;
    for (const char* comment : {"# my arm", "# linear", "# of monday"})
      EXPECT_THAT(read("study-fixed.yaml"), HasSubstr(comment));
    EXPECT_EQ(read("study.yaml"), text);
  }

  std::string read(const std::string& name) {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // The demo's log with every line changed: number of the line, fields.
  template <typename Change>
  void write_log(const std::string& name, const Change& change) {
    std::ifstream from(folder_ / "logs/excitation.csv");
    std::ofstream to(folder_ / "logs" / name);
    int number = 0;
    for (std::string line; std::getline(from, line); ++number)
      if (const std::string changed = change(number, line); !changed.empty()) to << changed << "\n";
  }

  const std::string columns_ = "    columns: {time: t_s, position: \"q{j}_rad\", torque: \"tau{j}_Nm\"}\n";
};

TEST_F(Fixes, OfSignsZerosUnitsAndOrder) {
  expect_fixed("torque-sign", columns_ + "    sign: {torque: [1, 1, 1, -1, 1, 1, 1]}\n");
  expect_fixed("position-sign", columns_ + "    sign:\n      position: [1, -1, 1, 1, 1, 1, 1]\n");
  expect_fixed("joint-zero", columns_ + "    offset: {position: [0, 0, 0, pi/2, 0, 0, 0]}\n");
  expect_fixed("position-unit", columns_ + "    units: {position: deg}\n");
  expect_fixed(
      "effort-order",
      "    columns:\n      time: t_s\n      position: \"q{j}_rad\"\n      torque: [tau1_Nm, tau4_Nm, "
      "tau3_Nm, tau2_Nm, tau5_Nm, tau6_Nm, tau7_Nm]   # as wired\n");
}

TEST_F(Fixes, OfAxesScalesAndWholeJoints) {
  expect_fixed("axis-sign",
               columns_ + "    sign: {position: [1, 1, 1, -1, 1, 1, 1], torque: [1, 1, 1, -1, 1, 1, 1]}\n");
  expect_fixed("effort-scale", columns_ + "    scale: {torque: [1, 1, 1, 0.1, 1, 1, 1]}\n");
  expect_fixed("joint-order",
               "    columns:\n      time: t_s\n"
               "      position: [q1_rad, q4_rad, q3_rad, q2_rad, q5_rad, q6_rad, q7_rad]\n"
               "      torque: [tau1_Nm, tau4_Nm, tau3_Nm, tau2_Nm, tau5_Nm, tau6_Nm, tau7_Nm]\n");
  expect_fixed("position-order",
               "    columns:\n      time: t_s\n"
               "      position: [q1_rad, q4_rad, q3_rad, q2_rad, q5_rad, q6_rad, q7_rad]\n"
               "      torque: \"tau{j}_Nm\"\n");
}

// Differences of the demo's positions, in all joints half of what they should be, or late.
TEST_F(Fixes, OfVelocities) {
  const auto velocities = [&](const std::string& name, double factor, int late) {
    std::vector<std::vector<double>> positions;
    write_log(name, [&](int number, const std::string& line) {
      if (number == 0) return line + ",dq1,dq2,dq3,dq4,dq5,dq6,dq7";
      std::istringstream fields(line);
      std::vector<double>& own = positions.emplace_back();
      std::string field;
      for (int k = 0; k < 8 && std::getline(fields, field, ','); ++k) own.push_back(std::stod(field));
      const int at = static_cast<int>(positions.size()) - 1 - late;
      if (at < 1) return std::string();
      std::string out = line;
      for (std::size_t j = 1; j < own.size(); ++j) {
        const auto& [now, before] =
            std::pair{positions[static_cast<std::size_t>(at)], positions[static_cast<std::size_t>(at) - 1]};
        out += "," + std::to_string((j == 3 ? factor : 1) * (now[j] - before[j]) / (now[0] - before[0]));
      }
      return out;
    });
  };
  const std::string columns =
      "    columns: {time: t_s, position: \"q{j}_rad\", velocity: \"dq{j}\", torque: \"tau{j}_Nm\"}\n";
  velocities("half.csv", 0.5, 0);
  expect_fixed("velocity-scale", columns, "half.csv");
  velocities("late.csv", 1, 20);
  expect_fixed("velocity-delay", columns, "late.csv");
}

TEST_F(Fixes, OfStampsInMilliseconds) {
  write_log("ms.csv", [](int number, const std::string& line) {
    return number == 0 ? line : std::to_string(number - 1) + line.substr(line.find(','));
  });
  expect_fixed("time-scale", columns_, "ms.csv");
}

TEST_F(Fixes, OfDelaysAndGaps) {
  // Efforts of 15 samples earlier: written 15 ms late.
  std::vector<std::string> efforts;
  write_log("late.csv", [&](int number, const std::string& line) {
    std::size_t at = 0;
    for (int field = 0; field < 8; ++field) at = line.find(',', at) + 1;
    efforts.push_back(line.substr(at));
    if (number == 0) return line;
    return number <= 15 ? std::string() : line.substr(0, at) + efforts[static_cast<std::size_t>(number) - 15];
  });
  expect_fixed("effort-delay", columns_, "late.csv");
  write_log("gaps.csv", [](int number, const std::string& line) {
    return (number > 7000 && number < 7900) || (number > 15000 && number < 15800) ? std::string() : line;
  });
  expect_fixed("gaps", columns_, "gaps.csv");
}

TEST_F(Fixes, AreShownAndNeverWrittenOverAFile) {
  const std::string path = flipped("");
  Outcome outcome = steelyard({"check", path, "--fix"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.out, HasSubstr("    run 1: sign: {torque: 1}\n"));
  EXPECT_THAT(outcome.out, HasSubstr("Written: " + (folder_ / "study-fixed.yaml").string()));
  outcome = steelyard({"check", path, "--fix"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("already exists"));
  // A run ends its findings with the same lines; so do its result and its report.
  outcome = steelyard({"run", path, "--out", (folder_ / "out").string()});
  EXPECT_THAT(outcome.out, HasSubstr("    run 1: sign: {torque: 1}\n"));
  const auto fix = nlohmann::json::parse(read("out/result.json"))["fixes"][0];
  EXPECT_EQ(fix["findings"][0], "torque-sign (panda_joint4)");
  EXPECT_EQ(fix["edits"][0].dump(), R"({"path":["runs","0","sign","torque"],"value":"1"})");
  EXPECT_NE(read("out/report.html").find("torque-sign (panda_joint4)"), std::string::npos);
}

TEST_F(Fixes, WhatNobodyCanTypeIsSaid) {
  const std::string path = study("robot: " + kRoot +
                                 "/robots/panda.yaml\ndrives: {friction: [viscous, coulomb, offset]}\nruns:\n"
                                 "  - file: logs/excitation.csv\n" +
                                 columns_ + "prepare: {filter: {order: 4, cutoff: 10}, columns: filtered}\n");
  const Outcome outcome = steelyard({"check", path, "--fix"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("nothing to fix"));
  EXPECT_FALSE(fs::exists(folder_ / "study-fixed.yaml"));
}

// A study of one of the Kinova's logs.
std::string kinova(const fs::path& data, const std::string& log, const std::string& more) {
  const std::string folder = fs::absolute(data / "kinova_gen3").string();
  return "robot: " + folder +
         "/gen3.urdf\ndrives: {friction: [viscous, coulomb, offset]}\nruns:\n  - file: " + folder + "/gen3_" +
         log +
         "_1kHz.csv\n"
         "    columns: {time: t_s, position: \"q{j}_rad\", velocity: \"dq{j}_radps\", torque: "
         "\"tau_sensor{j}_Nm\"}\n" +
         more;
}

TEST_F(Check, TheKinovaLogIsNotTrustworthy) {
  const auto data = steelyard::oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  const std::string path =
      study(kinova(*data, "RunTrajectory1", "prepare: {filter: {order: 4, cutoff: 5}, columns: filtered}\n"));
  const Outcome outcome = steelyard({"identify", path, "--out", (folder_ / "out").string(), "--json"});
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  const auto result = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(result["verdict"]["level"], "not_trustworthy");
  std::string codes;
  for (const auto& finding : result["findings"]) codes += finding["code"].get<std::string>() + " ";
  EXPECT_THAT(codes, HasSubstr("dead-channel"));
  EXPECT_THAT(codes, HasSubstr("poor-excitation"));
}

// 37 rows a joint at 8 Hz, nine at half of that, for 66 parameters: done and written, with the reasons.
TEST_F(Check, TheShortestKinovaLogByInstrumentsIsDoneAndNotTrustworthy) {
  const auto data = steelyard::oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  const std::string path = study(kinova(*data, "opti_traj_testing2",
                                        "prepare: {filter: {order: 4, cutoff: 8}, columns: filtered}\n"
                                        "estimate: {method: iv}\n"));
  const Outcome outcome = steelyard({"identify", path, "--out", (folder_ / "out").string(), "--json"});
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  const auto result = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(result["verdict"]["level"], "not_trustworthy");
  EXPECT_EQ(result["estimator"]["method"], "iv");
  std::string codes;
  for (const auto& finding : result["findings"]) codes += finding["code"].get<std::string>() + " ";
  EXPECT_THAT(codes, HasSubstr("too-few-rows"));
}

}  // namespace check_test
