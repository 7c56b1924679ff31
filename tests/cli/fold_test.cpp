// Fold files as users meet them: written, merged, estimated from, refused.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "in_folder.hpp"
#include "oracle/data_folder.hpp"
#include "program.hpp"

namespace fold_test {

using nlohmann::json;
using program::steelyard;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kWays =
    "drives: {friction: [viscous, coulomb, offset]}\n"
    "prepare: {filter: {order: 4, cutoff: 8}, columns: filtered}\n";

std::string simulated(const std::string& label, int seed) {
  return "  - label: " + label +
         "\n    simulate:\n      rate: 200\n      effort_noise: 0.05\n      friction: {viscous: 0.3, "
         "coulomb: 0.4}\n"
         "      motion: {multi_sine: {harmonics: 4, period: 5, center: [0, 0], reach: 1.5, seed: " +
         std::to_string(seed) + "}}\n";
}

class FoldFiles : public program::InFolder {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string bytes(const std::string& name) const {
    std::ifstream stream(path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }
  void study(const std::string& name, const std::string& runs, const std::string& rest,
             const std::string& robot = program::robot("two_r")) const {
    write(name, "robot: " + robot + "\nruns:\n" + runs + rest);
  }
  json result(const std::string& name, const std::string& out) const {
    const program::Outcome outcome = steelyard({"run", path(name), "--out", path(out), "--quiet"});
    EXPECT_THAT(outcome.code, testing::AnyOf(0, 3)) << outcome.err;
    return json::parse(bytes(out + "/result.json"));
  }
  void fold(const std::string& name, const std::string& out) const {
    const program::Outcome outcome = steelyard({"fold", path(name), "--out", path(out)});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
};

// Folds have no rows at standstill: what their residual is, only logs can say.
json without_standstill(json value) {
  for (json* part : {&value, value.is_object() && value.contains("residual") ? &value["residual"] : &value}) {
    if (!part->is_object()) continue;
    part->erase("with_standstill");
    if (part->contains("per_joint"))
      for (json& joint : (*part)["per_joint"]) joint.erase("with_standstill");
  }
  return value;
}

// What least squares found, to the last digit.
void expect_same_estimate(const json& log, const json& folds) {
  for (const char* key : {"base", "drives", "condition", "condition_scaled", "samples", "rows", "intervals",
                          "estimator", "cross_validation", "preparation", "links"}) {
    ASSERT_EQ(log.contains(key), folds.contains(key)) << key;
    if (!log.contains(key)) continue;
    EXPECT_EQ(without_standstill(log[key]).dump(), folds[key].dump()) << key;
  }
  EXPECT_EQ(log["residual"]["prepared"], folds["residual"]["prepared"]);
  EXPECT_EQ(log["residual"]["prepared_weighted"], folds["residual"]["prepared_weighted"]);
  EXPECT_TRUE(log["residual"].contains("raw"));
  EXPECT_FALSE(folds["residual"].contains("raw"));
  EXPECT_EQ(folds["passes"], 0);
  EXPECT_FALSE(folds.contains("bands"));
  const std::string list = folds["unavailable"].dump();
  for (const char* part : {"residual.raw", "whiteness", "curves", "doctor"})
    EXPECT_THAT(list, HasSubstr(part));
}

TEST_F(FoldFiles, GiveTheEstimateOfTheLogToTheLastDigit) {
  const std::string rest =
      std::string(kWays) +
      "estimate: {method: irls, essential: 30, intervals: {bias_check: false, replicates: 100}}\n"
      "validate: {cross: {blocks: 5, by: phase}}\nfeasible: {objective: torque}\n";
  study("logs.yaml", simulated("one", 3) + simulated("two", 4), rest);
  fold("logs.yaml", "folds");
  study("folds.yaml", "  - folds: folds/one.fold\n  - folds: folds/two.fold\n", rest);
  const json log = result("logs.yaml", "a"), folds = result("folds.yaml", "b");
  expect_same_estimate(log, folds);
  EXPECT_EQ(log["validation"][0]["left_out"].dump(), folds["validation"][0]["left_out"].dump());
  EXPECT_EQ(log["feasible"]["residual"]["prepared"], folds["feasible"]["residual"]["prepared"]);
  EXPECT_THAT(bytes("b/report.html"), HasSubstr("Not available in this result"));

  // Both runs in one file; `prepare` may be left out, the folds have theirs.
  const program::Outcome merged =
      steelyard({"merge", path("folds/one.fold"), path("folds/two.fold"), "--out", path("both.fold")});
  ASSERT_EQ(merged.code, 0) << merged.err;
  const std::string without = rest.substr(0, rest.find("prepare:")) + rest.substr(rest.find("estimate:"));
  study("merged.yaml", "  - folds: both.fold\n", without);
  const json both = result("merged.yaml", "c");
  EXPECT_EQ(both["base"].dump(), log["base"].dump());
  EXPECT_EQ(both["cross_validation"].dump(), without_standstill(log["cross_validation"]).dump());

  // Fewer blocks: a smaller file, the same values up to rounding, other blocks for the bootstrap.
  ASSERT_EQ(steelyard({"merge", path("both.fold"), "--blocks", "2", "--out", path("few.fold")}).code, 0);
  EXPECT_LT(bytes("few.fold").size(), bytes("both.fold").size());
  study("few.yaml", "  - folds: few.fold\n", without);
  const json few = result("few.yaml", "d");
  for (std::size_t k = 0; k < log["base"].size(); ++k)
    EXPECT_NEAR(few["base"][k]["value"].get<double>(), log["base"][k]["value"].get<double>(), 1e-10);
}

TEST_F(FoldFiles, AndLogsAreListedForMachines) {
  study("logs.yaml", simulated("one", 3), "");
  for (const char* verb : {"simulate", "fold"}) {
    const program::Outcome outcome = steelyard({verb, path("logs.yaml"), "--json", "--out", path(verb)});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const json listed = json::parse(outcome.out);
    ASSERT_EQ(listed["files"].size(), 1U);
    EXPECT_TRUE(std::filesystem::is_regular_file(listed["files"][0].get<std::string>()));
    EXPECT_EQ(listed.value("trustworthy", true), true);
  }
  const program::Outcome merged =
      steelyard({"merge", path("fold/one.fold"), "--json", "--out", path("week.fold")});
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(json::parse(merged.out)["runs"], 1);
}

TEST_F(FoldFiles, MixWithLogsAndTellWhatEachRunLacks) {
  study("logs.yaml", simulated("one", 3), kWays);
  fold("logs.yaml", "folds");
  std::string fresh = simulated("fresh", 5);
  fresh.insert(fresh.find("    simulate"), "    role: validate\n");
  study("mixed.yaml", "  - folds: folds/one.fold\n" + fresh, kWays);
  const json mixed = result("mixed.yaml", "out");
  EXPECT_TRUE(mixed["validation"][1]["residual"].contains("raw"));
  EXPECT_FALSE(mixed["validation"][0]["residual"].contains("raw"));
  EXPECT_THAT(mixed["unavailable"].dump(), AllOf(HasSubstr("[one]"), testing::Not(HasSubstr("[fresh]"))));
}

TEST_F(FoldFiles, CarryInstrumentsWhereTheStudyHasThem) {
  const std::string rest =
      std::string(kWays) + "estimate: {method: iv, intervals: {bias_check: false, replicates: 100}}\n";
  study("logs.yaml", simulated("one", 3), rest);
  fold("logs.yaml", "with");
  study("folds.yaml", "  - folds: with/one.fold\n", rest);
  const json log = result("logs.yaml", "a"), folds = result("folds.yaml", "b");
  EXPECT_EQ(folds["estimator"]["method"], "iv");
  EXPECT_EQ(log["base"].dump(), folds["base"].dump());
  EXPECT_EQ(log["estimator"]["instruments"].dump(), folds["estimator"]["instruments"].dump());

  // Beside a log, too, whose instruments are made here.
  study("both.yaml", simulated("one", 3) + simulated("two", 4), rest);
  study("mixed.yaml", "  - folds: with/one.fold\n" + simulated("two", 4), rest);
  const json both = result("both.yaml", "d"), mixed = result("mixed.yaml", "e");
  EXPECT_EQ(mixed["estimator"]["method"], "iv");
  EXPECT_TRUE(mixed["estimator"].contains("instruments"));
  ASSERT_EQ(mixed["base"].size(), both["base"].size());
  for (std::size_t k = 0; k < both["base"].size(); ++k)  // other instruments, the same motion
    EXPECT_NEAR(mixed["base"][k]["value"], both["base"][k]["value"],
                0.2 * both["base"][k]["sigma"].get<double>());

  study("plain.yaml", simulated("one", 3), kWays);
  fold("plain.yaml", "without");
  study("lacking.yaml", "  - folds: without/one.fold\n", rest);
  const json lacking = result("lacking.yaml", "c");
  EXPECT_NE(lacking["estimator"]["method"], "iv");
  EXPECT_THAT(lacking["unavailable"].dump(), HasSubstr("method iv"));
}

TEST_F(FoldFiles, OfOtherRobotsOrPreparationsAreRefusedByTheFirstDifference) {
  study("a.yaml", simulated("one", 3), kWays);
  study("b.yaml", simulated("two", 3),
        "drives: {friction: [viscous]}\nprepare: {filter: {order: 4, cutoff: 8}, columns: filtered}\n");
  study("c.yaml", simulated("three", 3),
        "drives: {friction: [viscous, coulomb, offset]}\nprepare: {filter: {order: 4, cutoff: 9}, columns: "
        "filtered}\n");
  for (const char* name : {"a", "b", "c"}) fold(std::string(name) + ".yaml", name);
  const auto merge = [&](const std::string& x, const std::string& y) {
    return steelyard({"merge", path(x), path(y), "--out", path("out.fold")});
  };
  program::Outcome outcome = merge("a/one.fold", "b/two.fold");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("two.fold"), HasSubstr("fc1")));
  outcome = merge("a/one.fold", "c/three.fold");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("three.fold"), HasSubstr("\"cutoff\":9.0")));
  outcome = merge("a/one.fold", "a/one.fold");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("labelled 'one'"));
  EXPECT_FALSE(std::filesystem::exists(path("out.fold")));
  const std::string before = bytes("a/one.fold");
  outcome = steelyard({"merge", path("a/one.fold"), "--blocks", "1", "--out", path("a/../a/one.fold")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("one of the files to merge"));
  EXPECT_EQ(bytes("a/one.fold"), before);
  study("other.yaml", "  - folds: c/three.fold\n", kWays);
  outcome = steelyard({"identify", path("other.yaml"), "--out", path("out")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("three.fold"), HasSubstr("preparation")));
  write("ur10.yaml", "robot: " + program::robot("ur10") + "\nruns:\n  - folds: a/one.fold\n" + kWays);
  EXPECT_EQ(steelyard({"identify", path("ur10.yaml"), "--out", path("out")}).code, 2);
}

// Expressions have no names in the layouts, or the same ones: with and without `prepare:`.
TEST_F(FoldFiles, OfOtherExpressionsAreRefusedByThem) {
  const std::string prepare = "prepare: {filter: {order: 4, cutoff: 8}, columns: filtered}\n",
                    drives = "drives: {friction: [viscous, coulomb, offset]}\n",
                    known = "known: [{joint: joint2, expression: \"0.5*sin(q2)\"}]\n",
                    other_known = "known: [{joint: joint2, expression: \"0.7*sin(q2)\"}]\n",
                    spring = "columns: [{name: spring, joint: joint2, expression: \"q2^2\"}]\n",
                    other_spring = "columns: [{name: spring, joint: joint2, expression: \"q2^3\"}]\n";
  const std::pair<std::string, std::string> made[] = {{"plain", ""}, {"known", known}, {"spring", spring}};
  for (const auto& [name, keys] : made) {
    study(name + ".yaml", simulated("one", 3), drives + prepare + keys);
    fold(name + ".yaml", name);
  }
  const auto run = [&](const std::string& name, const std::string& keys) {
    study("folds.yaml", "  - folds: " + name + "/one.fold\n", drives + keys);
    return steelyard({"identify", path("folds.yaml"), "--out", path("out")});
  };
  for (const std::string& own : {std::string(), prepare}) {
    for (const auto& [name, keys] : made) EXPECT_NE(run(name, own + keys).code, 2) << name;
    for (const auto& [name, keys, words] :
         {std::tuple{"plain", known, "none here and 'joint2:known 1=0.5*sin(q2)' there"},
          {"known", std::string(), "'joint2:known 1=0.5*sin(q2)' here and none there"},
          {"known", other_known, "'joint2:known 1=0.5*sin(q2)' here and 'joint2:known 1=0.7*sin(q2)' there"},
          {"spring", other_spring, "'joint2:spring=q2^2' here and 'joint2:spring=q2^3' there"}}) {
      const program::Outcome outcome = run(name, own + keys);
      EXPECT_EQ(outcome.code, 2) << name;
      EXPECT_THAT(outcome.err, AllOf(HasSubstr("one.fold"), HasSubstr(words)));
    }
  }
  EXPECT_NE(run("known", known).code, 2);
  EXPECT_THAT(bytes("out/result.json"), HasSubstr("0.5*sin(q2)"));
}

// Files of one name in two folders, runs of one label, with offsets of their own.
TEST_F(FoldFiles, AreRelabelledByWhatTellsThemApart) {
  const std::string own =
      "drives: {friction: [viscous, coulomb, offset], offset: per_run}\n"
      "prepare: {filter: {order: 4, cutoff: 8}, columns: filtered}\n";
  const std::string ways[] = {kWays, own};
  for (const std::string& rest : ways) {
    study("a.yaml", simulated("run", 3), rest);
    study("b.yaml", simulated("run", 4), rest);
    fold("a.yaml", "day/a");
    fold("b.yaml", "day/b");
    const auto merge = [&](const std::string& x, const std::string& y) {
      return steelyard({"merge", path(x), path(y), "--relabel", "--out", path("w.fold")});
    };
    program::Outcome outcome = merge("day/a/run.fold", "day/b/run.fold");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    study("merged.yaml", "  - folds: w.fold\n", rest);
    const json merged = result("merged.yaml", "merged");
    EXPECT_EQ(merged["validation"][0]["run"], "a/run run");
    EXPECT_EQ(merged["validation"][1]["run"], "b/run run");
    study("named.yaml", "  - {folds: day/a/run.fold, label: mon}\n  - {folds: day/b/run.fold, label: tue}\n",
          rest);
    const json named = result("named.yaml", "named");
    EXPECT_EQ(named["residual"]["prepared"], merged["residual"]["prepared"]);
    outcome = merge("day/a/run.fold", "day/a/run.fold");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, testing::Not(HasSubstr("--relabel")));
  }
}

TEST_F(FoldFiles, ThatAreDamagedTruncatedForeignOrOfAnotherVersionAreNamed) {
  study("a.yaml", simulated("one", 3), kWays);
  fold("a.yaml", "a");
  study("folds.yaml", "  - folds: bad.fold\n", kWays);
  const std::string good = bytes("a/one.fold");
  const auto complaint = [&](const std::string& content) {
    write("bad.fold", content);
    const program::Outcome outcome = steelyard({"run", path("folds.yaml"), "--out", path("out")});
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(path("out")));
    EXPECT_EQ(steelyard({"merge", path("bad.fold"), "--out", path("out.fold")}).code, 2);
    return outcome.err;
  };
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 1);
  for (const std::string& bad : {flipped, good.substr(0, good.size() / 2), good + "x"})
    EXPECT_THAT(complaint(bad), AllOf(HasSubstr("bad.fold"), HasSubstr("checksum")));
  EXPECT_THAT(complaint("t,q1\n0,1\n"), AllOf(HasSubstr("bad.fold"), HasSubstr("is not a fold file")));
  EXPECT_THAT(complaint(""), HasSubstr("bad.fold"));
}

TEST_F(FoldFiles, OfARealLogGiveItsEstimateToTheLastDigit) {
  const auto data = steelyard::oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  const std::string folder = data->string() + "/kuka_lwr4_flobaroid/";
  const auto logged = [&](int number) {
    const std::string n = std::to_string(number);
    return "  - file: " + folder + "lwr4_hw" + n + "_200Hz.csv\n    label: run " + n +
           (number == 3 ? "\n    role: validate" : "") +
           "\n    columns: {time: t_s, position: \"q{j}_rad\", velocity: \"dq{j}_radps\", torque: "
           "\"tau{j}_Nm\"}\n"
           "    units: {position: rad, velocity: rad/s, torque: N*m}\n";
  };
  const std::string rest = std::string(kWays) +
                           "estimate: {method: wls, intervals: {bias_check: false, replicates: 100}}\n"
                           "validate: {cross: {blocks: 5, by: phase}}\n";
  const std::string robot = folder + "kuka_lwr4.urdf";
  study("logs.yaml", logged(1) + logged(2) + logged(3), rest, robot);
  fold("logs.yaml", "folds");
  ASSERT_EQ(
      steelyard({"merge", path("folds/run_1.fold"), path("folds/run_2.fold"), "--out", path("both.fold")})
          .code,
      0);
  study("folds.yaml", "  - folds: both.fold\n  - folds: folds/run_3.fold\n    role: validate\n", rest, robot);
  const json log = result("logs.yaml", "a"), folds = result("folds.yaml", "b");
  expect_same_estimate(log, folds);
  EXPECT_EQ(log["validation"][2]["residual"]["prepared"], folds["validation"][2]["residual"]["prepared"]);
}

}  // namespace fold_test
