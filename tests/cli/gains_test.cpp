// Gains and loads through the program: advice before the experiment, clear answers to bad input.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "in_folder.hpp"
#include "program.hpp"

namespace gains_test {

using nlohmann::json;
using program::Outcome;
using program::steelyard;
using ::testing::HasSubstr;

const std::string kRoot = STEELYARD_SOURCE_DIR;
const std::string kExample = kRoot + "/examples/tx40-gains/study.yaml";

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// A short run of a two-joint arm with currents, with or without its load.
std::string arm_run(const std::string& label, const std::string& load, int seed,
                    const std::string& gains = "12, 7") {
  return "  - label: " + label + (load.empty() ? "" : "\n    payload: plate") +
         "\n    simulate: {effort: current, rate: 100, velocity: none, gain: [" + gains +
         "], seed: " + std::to_string(seed) +
         ", relative_effort_noise: 0.02, friction: {viscous: 1, coulomb: 2}" +
         (load.empty() ? "" : ", load: {" + load + "}") +
         ", motion: {multi_sine: {period: 10, duration: 20, center: [0, 0.5], reach: [1.5, 1.2], velocity: "
         "4, seed: " +
         std::to_string(seed) + "}}}\n";
}

const std::string kHead =
    "robot: " + kRoot +
    "/robots/two_r.yaml\nseed: 1\ndrives: {friction: [viscous, coulomb, offset]}\nruns:\n";
const std::string kTail =
    "prepare: {filter: {cutoff: 5, position_cutoff: 5}, columns: filtered}\nestimate: {method: wls}\n";
const std::string kPlate = "m: 3, mz: 0.2, Jxx: 0.02, Jyy: 0.02, Jzz: 0.01";
const std::string kKnownPlate =
    "{name: plate, known: {mx: 0, my: 0, Jxy: 0, Jxz: 0, Jyz: 0, " + kPlate + "}}";

class Gains : public program::InFolder {
 protected:
  Outcome run_of(const std::string& runs, const std::string& payloads, const std::string& gains = "{}") {
    std::ofstream(folder_ / "study.yaml")
        << kHead << runs << "payloads:\n  - " << payloads << "\ngains: " << gains << "\n"
        << kTail;
    return steelyard(
        {"identify", (folder_ / "study.yaml").string(), "--quiet", "--out", (folder_ / "out").string()});
  }

  void expect_refused(const Outcome& outcome, const std::string& words) {
    EXPECT_EQ(outcome.code, 2) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(words));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out")) << "nothing is written";
  }
};

TEST_F(Gains, AreFoundAndStandBesideTheOtherValuesOfTheirDrives) {
  const Outcome outcome = run_of(arm_run("free", "", 1) + arm_run("loaded", kPlate, 2), kKnownPlate,
                                 "{method: [tls, prediction_error]}");
  ASSERT_TRUE(outcome.code == 0 || outcome.code == 3) << outcome.err;
  const json result = json::parse(text_of((folder_ / "out/result.json").string()));
  // 2 % noise before a filter that leaves a tenth of its power.
  EXPECT_NEAR(result.at("drives").at(0).at("gain").get<double>(), 12, 0.36);
  EXPECT_NEAR(result.at("drives").at(1).at("gain").get<double>(), 7, 0.21);
  EXPECT_EQ(result.at("payloads").size(), 1U);
}

// Torques need gains, the cut-off needs torques, and gains need rows: all three are found.
TEST_F(Gains, AreFoundWithTheCutoffWhereItIsAutomatic) {
  const std::string runs = arm_run("free", "", 1) + arm_run("loaded", kPlate, 2);
  for (const bool known : {false, true}) {
    std::ofstream(folder_ / "study.yaml")
        << kHead << runs << "payloads:\n  - " << kKnownPlate
        << "\ngains: " << (known ? "{known: [12, 7]}" : "{method: [tls, prediction_error]}")
        << "\nprepare: {filter: {cutoff: auto}, columns: filtered}\nestimate: {method: wls}\n";
    const std::string study = (folder_ / "study.yaml").string(), out = (folder_ / "out").string();
    const Outcome outcome = steelyard({"identify", study, "--quiet", "--out", out});
    ASSERT_TRUE(outcome.code == 0 || outcome.code == 3) << outcome.err;
    const json result = json::parse(text_of(out + "/result.json"));
    // As with a given cut-off: 2 % noise before a filter that leaves a tenth of its power.
    EXPECT_NEAR(result.at("drives").at(0).at("gain").get<double>(), 12, 0.36);
    EXPECT_NEAR(result.at("drives").at(1).at("gain").get<double>(), 7, 0.21);
    // The motion ends at 3 Hz or so; the candidates begin at 2 Hz, and noise is white.
    EXPECT_LE(result.at("preparation").at("cutoff").get<double>(), 20);
    EXPECT_GE(result.at("preparation").at("candidates").size(), 3U);
    EXPECT_THAT(result.at("preparation").at("choice").get<std::string>(),
                HasSubstr("gains and cut-off in turn"));
    EXPECT_LT(result.at("residual").at("prepared").get<double>(), 0.05);
    // The model is read back, and the study examined.
    EXPECT_NE(steelyard({"check", study}).code, 2);
    const Outcome again = steelyard({"validate", out + "/result.json", study, "--out", out + "2", "--quiet"});
    EXPECT_TRUE(again.code == 0 || again.code == 3) << again.err;
  }
}

TEST_F(Gains, AChangeBetweenTheRunsIsFound) {
  const Outcome outcome = run_of(arm_run("free", "", 1) + arm_run("loaded", kPlate, 2, "12, 6.3"),
                                 kKnownPlate, "{method: prediction_error}");
  ASSERT_TRUE(outcome.code == 0 || outcome.code == 3) << outcome.err;
  const json result = json::parse(text_of((folder_ / "out/result.json").string()));
  ASSERT_EQ(result.at("gains").at("drift").size(), 1U);
  const json& drift = result.at("gains").at("drift").at(0);
  EXPECT_EQ(drift.at("joint"), "joint2");
  EXPECT_EQ(drift.at("run"), "loaded");
  EXPECT_NEAR(drift.at("change").get<double>(), 7 / 6.3 - 1, 4 * drift.at("sigma").get<double>());
  EXPECT_EQ(result.at("findings").at(0).at("code"), "gain-drift");
}

// Both joints feel the mass only together with its moment along the arm: weighing it does not set the scale.
TEST_F(Gains, AMassThatTheArmCannotTellFromItsMomentGivesNoGain) {
  const Outcome outcome = run_of(arm_run("free", "", 1) + arm_run("loaded", kPlate, 2),
                                 "{name: plate, mass: 3}", "{method: prediction_error}");
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  const json result = json::parse(text_of((folder_ / "out/result.json").string()));
  for (const json& joint : result.at("gains").at("prediction_error").at("joints"))
    EXPECT_EQ(joint.at("status"), "not_identifiable");
  for (const json& drive : result.at("drives")) EXPECT_FALSE(drive.contains("gain"));
}

TEST_F(Gains, MissingLoadsAndImpossibleMassesAreRefused) {
  const std::string free = arm_run("free", "", 1), loaded = arm_run("loaded", kPlate, 2);
  expect_refused(run_of(free, "{name: plate, mass: 3}"), "none of the 1 runs carries a load");
  expect_refused(run_of(loaded, "{name: plate, mass: 3}"), "all runs carry the load 'plate'");
  expect_refused(run_of(free + loaded, "{name: plate, mass: 0}"), "the mass of the load is 0");
  expect_refused(run_of(free + loaded, "{name: plate, mass: -3}"), "mass = -3");
  expect_refused(run_of(free + loaded, "{name: plate}"), "the scale of the gains is undetermined");
  expect_refused(run_of(free + loaded, "{name: plate, mass: 3}", "{prior: [12, 7, 5]}"), "prior has 3 gains");
  expect_refused(run_of(free + loaded, "{name: plate, mass: 3}", "{rows: motors}"), "did you mean 'motor'");
}

TEST_F(Gains, TheSameDataTwiceAndOtherJointCountsAreRefused) {
  const auto log = [&](const std::string& name, int joints, int seed) {
    std::ofstream file(folder_ / name);
    file << "t";
    for (const char* stem : {"q", "i"})
      for (int j = 1; j <= joints; ++j) file << "," << stem << j;
    for (int k = 0; k < 2000; ++k) {
      const double t = 0.01 * k;
      file << "\n" << t;
      for (int j = 0; j < joints; ++j) file << "," << std::sin((1.1 + 0.3 * j) * t + seed);
      for (int j = 0; j < joints; ++j) file << "," << std::cos((0.7 + 0.4 * j) * t) + 0.01 * (k * 7 % 13);
    }
    file << "\n";
  };
  log("free.csv", 2, 1);
  log("three.csv", 3, 2);
  const auto file_run = [](const std::string& file, const std::string& columns, bool loaded) {
    return "  - {file: " + file + ", label: " + (loaded ? "loaded" : "free") +
           (loaded ? ", payload: plate" : "") + ", columns: {time: t, " + columns + "}}\n";
  };
  const std::string by_joint = "position: \"q{j}\", current: \"i{j}\"";
  expect_refused(run_of(file_run("free.csv", by_joint, false) + file_run("free.csv", by_joint, true),
                        "{name: plate, mass: 3}"),
                 "are the same data");
  const std::string three = "position: [q1, q2, q3], current: [i1, i2, i3]";
  const Outcome other = run_of(file_run("free.csv", by_joint, false) + file_run("three.csv", three, true),
                               "{name: plate, mass: 3}");
  expect_refused(other, "3");
  EXPECT_THAT(other.err, HasSubstr("2"));
}

// The log of a robot with a coupled wrist, given to a robot file that does not have the coupling.
TEST_F(Gains, ACouplingThatTheRobotFileDoesNotHaveIsAMisfitOfItsJoint) {
  const std::string logs = (folder_ / "logs").string();
  ASSERT_EQ(steelyard({"simulate", kExample, "--quiet", "--out", logs}).code, 0);
  std::string robot = text_of(kRoot + "/robots/tx40.yaml");
  for (const char* line : {"  coupling: [{motor: joint6, joint: joint5, ratio: 32}]\n"}) {
    const std::size_t at = robot.find(line);
    ASSERT_NE(at, std::string::npos);
    robot.erase(at, std::string(line).size());
  }
  std::ofstream(folder_ / "tx40.yaml") << robot;
  const auto run = [&](const std::string& file, const std::string& label, const std::string& load) {
    return "  - {file: \"" + logs + "/" + file + "\", label: " + label + load +
           ", columns: {time: t_s, position: \"q{j}_rad\", current: \"i{j}_A\"}}\n";
  };
  std::ofstream(folder_ / "study.yaml")
      << "robot: tx40.yaml\nseed: 1\nruns:\n"
      << run("unloaded.csv", "free", "") << run("with_the_weighed_load.csv", "loaded", ", payload: plate")
      << "payloads: [{name: plate, mass: 4.59}]\ngains: {method: prediction_error}\n"
      << kTail;
  const Outcome outcome = steelyard(
      {"identify", (folder_ / "study.yaml").string(), "--quiet", "--out", (folder_ / "out").string()});
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  const json result = json::parse(text_of((folder_ / "out/result.json").string()));
  std::vector<std::string> joints;
  for (const json& finding : result.at("findings"))
    if (finding.at("code") == "gain-misfit") joints.push_back(finding.at("joint"));
  EXPECT_THAT(joints, ::testing::ElementsAre("joint5"));
}

TEST_F(Gains, AdviceBeforeTheExperimentSaysHowWellEachGainWouldBeKnown) {
  const Outcome outcome = steelyard({"gains", kExample, "--load", "1", "--load", "8", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json advice = json::parse(outcome.out);
  ASSERT_EQ(advice["loads"].size(), 3U);
  EXPECT_EQ(advice["loads"][0]["name"], "weighed");
  EXPECT_EQ(advice["cutoff"], 5);
  for (std::size_t j = 0; j < 6; ++j) {
    const auto sigma = [&](std::size_t load) -> double {
      return advice["loads"][load]["joints"][j]["relative_sigma"];
    };
    EXPECT_LT(sigma(2), sigma(1)) << "8 kg tell more than 1 kg";
    // Over 200 draws the gains scatter by 0.4 to 1.4 % (bench/gains_bench); noise of positions is not in it.
    EXPECT_GT(sigma(0), 0.002);
    EXPECT_LT(sigma(0), 0.015);
  }
  const Outcome text = steelyard({"gains", kExample});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr("joint6"));
  const Outcome zero = steelyard({"gains", kExample, "--load", "0"});
  EXPECT_EQ(zero.code, 2);
  EXPECT_THAT(zero.err, HasSubstr("the mass of the load is 0"));
}

const json& case_of(const json& tables, const std::string& method, const std::string& known) {
  for (const json& one : tables.at("cases"))
    if (one.at("method") == method && one.at("known") == known) return one;
  throw std::runtime_error("no case " + method + ", " + known);
}

// The simulated TX-40: its gains are known, and so is which methods are biased.
TEST_F(Gains, TablesOfThePaperForEveryMethod) {
  const std::string study = kRoot + "/examples/tx40-gains/tables.yaml";
  const Outcome outcome = steelyard({"gains", study, "--tables", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json tables = json::parse(outcome.out);
  EXPECT_EQ(tables.at("cases").size(), 11U);  // a priori; five methods with ten parameters and with the mass
  const double truth[] = {33.9, 32.4, 24.2, -9.21, 16.3, 6.79};
  const auto mean_error = [&](const json& one) {
    double sum = 0;
    for (std::size_t j = 0; j < 6; ++j)
      sum += std::abs(one.at("gains")[j].at("value").get<double>() / truth[j] - 1) / 6;
    return sum;
  };
  // Published order: WLS with the mass alone is worst; over 20 draws the means are 4.8 % and 0.55 %.
  EXPECT_GT(mean_error(case_of(tables, "wls", "mass")), 2 * mean_error(case_of(tables, "tls", "mass")));
  EXPECT_LT(mean_error(case_of(tables, "tls", "mass")), 0.02);
  for (const char* method : {"ls", "wls", "tls", "tls_rows"}) {
    const json& own = case_of(tables, method, "mass");
    EXPECT_FALSE(own.at("eliminated").empty()) << method;
    EXPECT_EQ(own.at("eliminated").size() + own.at("parameters").size(), 61U + 10U) << method;
  }
  int tried = 0, masses = 0;
  for (const json& run : tables.at("runs")) {
    EXPECT_GT(run.at("condition"), 10);
    tried += run.contains("torque_errors");
    if (!run.contains("masses_by_case")) continue;
    ++masses;
    ASSERT_EQ(run.at("masses_by_case").size(), 11U);
    const double weighed = run.at("weighed").get<double>();
    // Table 7: 0.65 % by case 4. One draw of one motion: three times that.
    for (std::size_t c = 0; c < 11; ++c)
      if (tables.at("cases")[c].at("method") == "tls") {
        EXPECT_NEAR(run.at("masses_by_case")[c].get<double>(), weighed, 0.02 * weighed) << run.at("run");
      }
  }
  EXPECT_EQ(tried, 3);   // runs that were not fitted, with the load that was
  EXPECT_EQ(masses, 6);  // and with the second one
}

TEST_F(Gains, TablesOfAnArmOfOnesOwn) {
  std::ofstream(folder_ / "study.yaml")
      << kHead << arm_run("free", "", 1) << arm_run("loaded", kPlate, 2) << "payloads:\n  - " << kKnownPlate
      << "\ngains: {method: [wls, tls_rows]}\n"
      << kTail;
  const std::string study = (folder_ / "study.yaml").string();
  const Outcome outcome = steelyard({"gains", study, "--tables"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* words : {"wls, ten", "tls_rows, mass", "Essential parameters", "Condition", "loaded"})
    EXPECT_THAT(outcome.out, HasSubstr(words));
  const Outcome both = steelyard({"gains", study, "--tables", "--load", "2"});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("--load beside --tables"));
  const Outcome torques = steelyard({"gains", kRoot + "/examples/demo/study.yaml", "--tables"});
  EXPECT_EQ(torques.code, 2);
  EXPECT_THAT(torques.err, HasSubstr("no key `gains`"));
}

}  // namespace gains_test
