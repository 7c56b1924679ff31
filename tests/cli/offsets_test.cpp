// Offsets of an individual robot and day: refitted on runs that a model has not seen, and named where they matter.
// Drive terms of a model are never left out silently.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "in_folder.hpp"
#include "program.hpp"

namespace offsets_test {

using nlohmann::json;
using program::Outcome;
using program::steelyard;
using ::testing::HasSubstr;
using ::testing::Not;

// Of the arm: two joints in a vertical plane.
constexpr const char* kRobot =
    "name: arm\nconvention: frames\njoints:\n"
    "  - {name: shoulder, axis: [0, 1, 0], limits: {position: [-3, 3]}, link: {mass: 8, com: [0.1, 0.02, "
    "0.05], "
    "inertia: {xx: 0.02, yy: 0.05, zz: 0.06}}}\n"
    "  - {name: elbow, axis: [0, 1, 0], xyz: [0.3, 0, 0], limits: {position: [-3, 3]}, link: {mass: 3, com: "
    "[0.1, "
    "0.02, 0.05], inertia: {xx: 0.02, yy: 0.05, zz: 0.06}}}\n";

class Offsets : public program::InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    std::ofstream(path("robot.yaml")) << kRobot;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static std::string run_text(const std::string& label, const std::string& role, int seed,
                              const std::string& offset) {
    return "  - label: " + label + "\n    role: " + role +
           "\n    simulate:\n      rate: 200\n      effort_noise: 0.1\n      velocity: none\n"
           "      rotor_inertia: 0.2\n      friction: {viscous: 0.5, coulomb: 0.4, offset: " +
           offset +
           "}\n      motion: {multi_sine: {harmonics: 4, period: 10, duration: 20, center: [0.2, -0.3], "
           "reach: " +
           "[0.6, 0.9], seed: " + std::to_string(seed) + "}}\n";
  }
  std::string study(const std::string& name, const std::string& drives, const std::string& runs) {
    std::ofstream(path(name)) << "robot: robot.yaml\ndrives: {" << drives
                              << "}\nprepare: {filter: {order: 4, cutoff: "
                              << "10}, columns: filtered, decimate: auto}\nestimate: {method: wls}\nruns:\n"
                              << runs;
    return path(name);
  }
  json result_of(const std::vector<std::string>& command) {
    std::vector<std::string> all = command;
    all.emplace_back("--json");
    const Outcome outcome = steelyard(all);
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 3) << outcome.err;
    return outcome.out.empty() ? json::object() : json::parse(outcome.out);
  }
  static std::vector<std::string> differing(const json& result) {
    std::vector<std::string> joints;
    for (const json& finding : result["findings"])
      if (finding["code"] == "offset-differs") joints.push_back(finding["joint"]);
    return joints;
  }
};

constexpr const char* kDrives = "friction: [viscous, coulomb, offset], rotor_inertia: true";
constexpr const char* kPerRun = "friction: [viscous, coulomb], offset: per_run, rotor_inertia: true";

TEST_F(Offsets, OfAnotherRobotAreRecoveredAndNamed) {
  const std::string fit = run_text("monday", "fit", 3, "[0.2, -0.3]");
  // The elbow's amplifier is 0.9 N m further up on the other robot; the shoulder is the same.
  const std::string other = run_text("other", "validate", 5, "[0.2, 0.6]");
  const std::string same = run_text("tuesday", "validate", 6, "[0.2, -0.3]");
  for (const char* drives : {kDrives, kPerRun}) {
    const std::string model = study("model.yaml", drives, fit);
    result_of({"run", model, "--out", path("model")});
    const std::string fresh =
        study("fresh.yaml", drives, run_text("first", "fit", 7, "[0.2, -0.3]") + other + same);
    const json checked = result_of({"validate", path("model/result.json"), fresh, "--out", path("checked")});
    ASSERT_EQ(checked["validation"].size(), 3u);
    EXPECT_THAT(differing(checked), testing::ElementsAre("elbow")) << drives;
    for (const json& run : checked["validation"]) {
      ASSERT_EQ(run["offsets"].size(), 2u);
      for (const json& joint : run["offsets"]) {
        const bool elbow = joint["name"] == "elbow", differs = elbow && run["run"] == "other";
        const double truth = differs ? 0.9 : 0;
        // Four standard deviations, which contain the model's.
        EXPECT_NEAR(joint["refitted"].get<double>() - joint["model"].get<double>(), truth,
                    4 * joint["sigma"].get<double>())
            << run["run"] << joint["name"];
        EXPECT_LT(joint["sigma"].get<double>(), 0.05);
      }
      const double with_model = run["residual"]["prepared"],
                   refitted = run["refitted_offsets"]["residual"]["prepared"];
      EXPECT_LE(refitted, with_model);
      if (run["run"] == "other") {
        EXPECT_LT(refitted, 0.3 * with_model);
      }
    }
    const Outcome text = steelyard({"validate", path("model/result.json"), fresh, "--out", path("checked")});
    EXPECT_THAT(text.out, HasSubstr("with offsets refitted on it: prepared"));
    EXPECT_THAT(text.out, HasSubstr("offset-differs"));
  }
  // The same in one study: the runs with `role: validate`.
  const json one = result_of({"run", study("one.yaml", kDrives, fit + other + same), "--out", path("one")});
  EXPECT_THAT(differing(one), testing::ElementsAre("elbow"));
  EXPECT_FALSE(one["validation"][0].contains("offsets"));  // fitted
  EXPECT_EQ(one["validation"][1]["offsets"].size(), 2u);
}

TEST_F(Offsets, AndOtherTermsOfAModelAreNotLeftOutSilently) {
  result_of(
      {"run", study("model.yaml", kDrives, run_text("monday", "fit", 3, "0.2")), "--out", path("model")});
  const std::string fresh = run_text("tuesday", "fit", 5, "0.2");
  const std::vector<std::vector<std::string>> cases = {
      {"friction: [viscous, coulomb], rotor_inertia: true", "fo1", "offset"},
      {"friction: [viscous, offset], rotor_inertia: true", "fc1", "coulomb"},
      {"friction: [coulomb, offset], rotor_inertia: true", "fv1", "viscous"}};
  for (const auto& item : cases) {
    const std::string other = study("fresh.yaml", item[0], fresh);
    for (const char* verb : {"validate", "forecast"}) {
      std::vector<std::string> command = {verb, path("model/result.json"), other};
      if (std::string(verb) == "validate") command.insert(command.end(), {"--out", path("checked")});
      const Outcome outcome = steelyard(command);
      EXPECT_EQ(outcome.code, 2) << outcome.out;
      EXPECT_THAT(outcome.err, HasSubstr("the model has '" + item[1] + "'"));
      EXPECT_THAT(outcome.err, HasSubstr(item[2]));
    }
  }
  // A rotor inertia is part of other base parameters, or one of its own.
  const Outcome rotors = steelyard({"validate", path("model/result.json"),
                                    study("fresh.yaml", "friction: [viscous, coulomb, offset]", fresh),
                                    "--out", path("checked")});
  EXPECT_EQ(rotors.code, 2) << rotors.out;
  EXPECT_THAT(rotors.err, HasSubstr("study that made the model"));
}

}  // namespace offsets_test
