// The doctor through the program: its findings, and exit code 3 for errors that are not waived.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

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
