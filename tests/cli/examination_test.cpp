// Ways around the doctor that are none: folds, columns of the study, runs that are not fitted, logs that were
// fitted before, preparations that are refused.
#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "in_folder.hpp"
#include "program.hpp"

namespace examination_test {

using nlohmann::json;
using program::Outcome;
using program::steelyard;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kRest =
    "drives: {friction: [viscous, coulomb, offset]}\n"
    "prepare: {filter: {order: 4, cutoff: 10}, columns: filtered}\n"
    "estimate: {method: wls, intervals: {bias_check: false, replicates: 100}}\n";

std::string simulated(const std::string& label, int seed) {
  return "  - label: " + label +
         "\n    simulate:\n      rate: 200\n      effort_noise: 0.02\n      friction: {viscous: 0.3, "
         "coulomb: 0.4}\n      velocity: none\n"
         "      motion: {multi_sine: {harmonics: 4, period: 8, center: [0, 0], reach: 1.5, seed: " +
         std::to_string(seed) + "}}\n";
}

using Row = std::vector<double>;  // t, q1, q2, tau1, tau2
using Change = std::function<void(Row&, int)>;

class Examination : public program::InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write("simulate.yaml",
          "robot: " + program::robot("two_r") + "\nruns:\n" + simulated("a", 3) + simulated("b", 4) + kRest);
    ASSERT_EQ(steelyard({"simulate", path("simulate.yaml"), "--out", path("logs")}).code, 0);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string content(const std::string& name) const {
    std::ifstream stream(path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }
  // A log with every row changed; rows are counted from 0.
  void change(const std::string& from, const std::string& to, const Change& change) const {
    std::istringstream lines(content("logs/" + from + ".csv"));
    std::string line, text;
    std::getline(lines, line);
    text = line + "\n";
    for (int k = 0; std::getline(lines, line); ++k) {
      std::istringstream cells(line);
      Row row;
      for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
      change(row, k);
      std::ostringstream out;
      out.precision(17);
      for (std::size_t c = 0; c < row.size(); ++c) out << (c ? "," : "") << row[c];
      text += out.str() + "\n";
    }
    write("logs/" + to + ".csv", text);
  }
  static std::string logged(const std::string& label, const std::string& file,
                            const std::string& role = "fit") {
    return "  - label: " + label + "\n    role: " + role + "\n    file: logs/" + file +
           ".csv\n    columns: {time: t_s, position: \"q{j}_rad\", torque: \"tau{j}_Nm\"}\n";
  }
  std::string study(const std::string& name, const std::string& runs, const std::string& more = "") const {
    write(name, "robot: " + program::robot("two_r") + "\nruns:\n" + runs + kRest + more);
    return path(name);
  }
  json result(const std::string& folder) const { return json::parse(content(folder + "/result.json")); }
};

std::string codes(const json& findings) {
  std::string list;
  for (const json& finding : findings) list += finding["code"].get<std::string>() + " ";
  return list;
}

const Change kDead = [](Row& row, int) { row[3] = 0; };
const Change kNegated = [](Row& row, int) { row[3] = -row[3], row[4] = -row[4]; };
const Change kClipped = [](Row& row, int) { row[4] = std::min(row[4], 4.0); };
const Change kDegrees = [](Row& row, int) { row[1] *= 180 / M_PI, row[2] *= 180 / M_PI; };

TEST_F(Examination, FindingsGoWithTheFolds) {
  const std::pair<std::string, Change> faults[] = {
      {"dead-channel", kDead}, {"saturation", kClipped}, {"torque-sign", kNegated}};
  for (const auto& [code, fault] : faults) {
    change("a", "a_bad", fault);
    const std::string logs = study("logs.yaml", logged("a", "a_bad") + logged("b", "b", "validate"));
    const Outcome from_logs = steelyard({"run", logs, "--out", path("from_logs")});
    EXPECT_EQ(from_logs.code, 3) << code;
    const Outcome fold = steelyard({"fold", logs, "--out", path("folds")});
    EXPECT_EQ(fold.code, 3) << code << fold.err;
    EXPECT_THAT(fold.out, AllOf(HasSubstr(code), HasSubstr("run 'a'")));
    const std::string folds =
        study("folds.yaml", "  - folds: folds/a.fold\n  - {folds: folds/b.fold, role: validate}\n");
    EXPECT_EQ(steelyard({"run", folds, "--out", path("from_folds")}).code, 3) << code;
    const json a = result("from_logs"), b = result("from_folds");
    EXPECT_EQ(b["verdict"]["level"], "not_trustworthy");
    EXPECT_THAT(codes(b["findings"]), HasSubstr(code));
    EXPECT_EQ(a["base"].dump(), b["base"].dump()) << "findings change no digit";
    const Outcome check = steelyard({"check", folds});
    EXPECT_EQ(check.code, 3) << code;
    EXPECT_THAT(check.out, AllOf(HasSubstr(code), HasSubstr("2 runs examined, when folded")));
    // Through a merge with new labels, too.
    const Outcome merged = steelyard(
        {"merge", path("folds/a.fold"), path("folds/b.fold"), "--relabel", "--out", path("both.fold")});
    EXPECT_EQ(merged.code, 0) << merged.err;
    EXPECT_THAT(merged.out, AllOf(HasSubstr(code), HasSubstr("run 'a a'")));
    const std::string both = study("both.yaml", "  - folds: both.fold\n");
    EXPECT_EQ(steelyard({"check", both}).code, 3) << code;
    // What a study waives is waived.
    study("waived.yaml", logged("a", "a_bad") + logged("b", "b", "validate"), "waive: [" + code + "]\n");
    EXPECT_EQ(steelyard({"fold", path("waived.yaml"), "--out", path("waived")}).code, 0) << code;
  }
}

TEST_F(Examination, FoldsOfGoodLogsAreAsGoodAsTheLogs) {
  const std::string logs = study("logs.yaml", logged("a", "a") + logged("b", "b", "validate"));
  const Outcome fold = steelyard({"fold", logs, "--out", path("folds")});
  EXPECT_EQ(fold.code, 0) << fold.err;
  EXPECT_THAT(fold.out, Not(HasSubstr("Findings")));
  const std::string folds =
      study("folds.yaml", "  - folds: folds/a.fold\n  - {folds: folds/b.fold, role: validate}\n");
  const Outcome run = steelyard({"run", folds, "--out", path("out")});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("Not available in this result"));
  EXPECT_EQ(result("out")["verdict"]["level"], "good");
  EXPECT_THAT(steelyard({"check", folds}).out, HasSubstr("no problems found in this study"));
}

TEST_F(Examination, FoldsThatNobodyExaminedSaySo) {
  const std::string logs = study("logs.yaml", logged("a", "a") + logged("b", "b", "validate"));
  const Outcome fold = steelyard({"fold", logs, "--no-check", "--out", path("folds")});
  EXPECT_EQ(fold.code, 0) << fold.err;
  EXPECT_THAT(fold.out, HasSubstr("not-examined"));
  const std::string folds =
      study("folds.yaml", "  - folds: folds/a.fold\n  - {folds: folds/b.fold, role: validate}\n");
  EXPECT_EQ(steelyard({"run", folds, "--out", path("out")}).code, 0);
  EXPECT_EQ(result("out")["verdict"]["level"], "usable");
  EXPECT_THAT(codes(result("out")["findings"]), HasSubstr("not-examined"));
  const Outcome check = steelyard({"check", folds});
  EXPECT_THAT(check.out, AllOf(HasSubstr("0 of 2 runs examined"), HasSubstr("2 warnings"),
                               Not(HasSubstr("no problems found in this study"))));
}

// The set-up of a long log is examined on its beginning, its signals on all of it.
TEST_F(Examination, LongLogsAreExaminedWhileTheyAreFolded) {
  std::string text = simulated("long", 3);
  text.replace(text.find("rate: 200"), 9, "rate: 1000");
  text.replace(text.find("period: 8"), 9, "period: 8, duration: 150");
  write("long.yaml", "robot: " + program::robot("two_r") + "\nruns:\n" + text + kRest);
  const Outcome simulate = steelyard({"simulate", path("long.yaml"), "--out", path("long")});
  ASSERT_EQ(simulate.code, 0) << simulate.err;
  write("logs/long.csv", content("long/long.csv"));
  change("long", "frozen", [](Row& row, int k) {
    if (k > 120000 && k < 121000) row[4] = 1.25;
  });
  const Outcome frozen = steelyard({"fold", study("frozen.yaml", logged("x", "frozen")), "--out", path("o")});
  EXPECT_EQ(frozen.code, 3) << frozen.err;
  EXPECT_THAT(frozen.out, HasSubstr("frozen-channel (joint2)"));
  change("long", "negated", kNegated);
  const Outcome negated =
      steelyard({"fold", study("negated.yaml", logged("x", "negated")), "--out", path("o")});
  EXPECT_EQ(negated.code, 3) << negated.err;
  EXPECT_THAT(negated.out, HasSubstr("torque-sign"));
}

TEST_F(Examination, ColumnsAndKnownEffortsOfTheStudyDoNotSwitchItOff) {
  change("a", "a_bad", kNegated);
  // The truth has a spring that is known.
  const Change spring = [](Row& row, int) { row[3] += 6 * row[1]; };
  change("a", "a_spring", spring);
  change("a_spring", "a_spring_bad", kNegated);
  const std::string column = "columns: [{name: k, joint: joint2, expression: \"sin(q2)*q1\"}]\n";
  const std::string known = "known: [{joint: joint1, expression: \"6*q1\"}]\n";
  EXPECT_EQ(steelyard({"check", study("s.yaml", logged("a", "a"), column)}).code, 0);
  EXPECT_EQ(steelyard({"check", study("s.yaml", logged("a", "a_spring"), known)}).code, 0);
  for (const auto& [file, more] : {std::pair{"a_bad", column}, {"a_spring_bad", known}}) {
    const Outcome check = steelyard({"check", study("s.yaml", logged("a", file), more)});
    EXPECT_EQ(check.code, 3) << file << check.out;
    EXPECT_THAT(check.out, AllOf(HasSubstr("torque-sign"), Not(HasSubstr("set-up-not-examined")))) << file;
  }
}

TEST_F(Examination, AColumnThatIsNotFiniteIsAWarning) {
  const Outcome check =
      steelyard({"check", study("s.yaml", logged("a", "a"),
                                "columns: [{name: k, joint: joint2, expression: \"sqrt(q2)\"}]\n")});
  EXPECT_EQ(check.code, 0) << check.out << check.err;
  EXPECT_THAT(check.out, AllOf(HasSubstr("set-up-not-examined"), HasSubstr("1 warning"),
                               HasSubstr("expressions"), Not(HasSubstr("no problems found in this study"))));
}

TEST_F(Examination, ValidationRunsAreTriedAgainstTheFittedModel) {
  const std::pair<std::string, Change> faults[] = {
      {"position-unit", kDegrees},
      {"torque-sign", kNegated},
      {"effort-scale", [](Row& row, int) { row[3] *= 1000, row[4] *= 1000; }},
      {"time-scale", [](Row& row, int) { row[0] *= 2; }}};
  for (const auto& [code, fault] : faults) {
    change("b", "b_bad", fault);
    const std::string path_of = study("s.yaml", logged("a", "a") + logged("b", "b_bad", "validate"));
    const Outcome check = steelyard({"check", path_of});
    EXPECT_EQ(check.code, 3) << code << check.out;
    EXPECT_THAT(check.out, AllOf(HasSubstr(code), HasSubstr("run 'b'"), Not(HasSubstr("run 'a'")))) << code;
    EXPECT_EQ(steelyard({"identify", path_of, "--out", path("out")}).code, 3);
    EXPECT_THAT(codes(result("out")["findings"]), AllOf(HasSubstr(code), Not(HasSubstr("validation-gap"))));
  }
  // Half as much again in one joint is a payload or a brake: no set-up is blamed for it.
  change("b", "b_loaded", [](Row& row, int) { row[3] += 3 * std::sin(row[1]) + 1; });
  const Outcome loaded =
      steelyard({"check", study("s.yaml", logged("a", "a") + logged("b", "b_loaded", "validate"))});
  EXPECT_EQ(loaded.code, 0) << loaded.out;
}

TEST_F(Examination, ADeadChannelOfOneRunDoesNotHideTheOthers) {
  change("a", "a_bad", kNegated);
  change("b", "b_dead", kDead);
  const Outcome check =
      steelyard({"check", study("s.yaml", logged("a", "a_bad") + logged("b", "b_dead", "validate"))});
  EXPECT_EQ(check.code, 3);
  EXPECT_THAT(check.out, AllOf(HasSubstr("torque-sign"), HasSubstr("dead-channel (joint1)"),
                               HasSubstr("run 'b': the torque is 0")));
}

TEST_F(Examination, AModelIsNotProvenOnTheLogItWasFittedTo) {
  const std::string both = study("s.yaml", logged("a", "a") + logged("b", "b", "validate"));
  ASSERT_EQ(steelyard({"identify", both, "--out", path("model")}).code, 0);
  write("logs/copy.csv", content("logs/a.csv"));
  const Outcome fitted = steelyard(
      {"validate", path("model/result.json"), study("v.yaml", logged("x", "copy")), "--out", path("v")});
  EXPECT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_THAT(fitted.out,
              AllOf(HasSubstr("fitted"), Not(HasSubstr("not fitted:")), HasSubstr("Verdict: usable")));
  EXPECT_THAT(codes(result("v")["findings"]), HasSubstr("fitted-run"));
  EXPECT_EQ(result("v")["validation"][0]["fresh"], false);
  const Outcome fresh = steelyard(
      {"validate", path("model/result.json"), study("v.yaml", logged("x", "b")), "--out", path("v")});
  EXPECT_THAT(fresh.out, AllOf(HasSubstr("not fitted:"), HasSubstr("Verdict: good")));
}

TEST_F(Examination, CheckSaysWhatRunRefuses) {
  change("a", "pause", [](Row& row, int k) { row[0] += k >= 700 ? 3600 : 0; });
  change("a", "ms", [](Row& row, int) { row[0] *= 1000; });
  const auto both = [&](const std::string& file) {
    const std::string path_of = study("s.yaml", logged("a", file));
    const Outcome check = steelyard({"check", path_of}),
                  run = steelyard({"run", path_of, "--out", path("out")});
    EXPECT_EQ(check.code, 3) << file << check.out;
    EXPECT_THAT(check.out, AllOf(HasSubstr("preparation-refused (a)"),
                                 Not(HasSubstr("no problems found in this study"))));
    EXPECT_EQ(run.code, 2) << file;
    EXPECT_THAT(run.err, HasSubstr("logs/" + file + ".csv"));
    return run.err;
  };
  EXPECT_THAT(both("pause"), AllOf(HasSubstr("gap of 3600 s after sample 700"), HasSubstr("cut it there")));
  EXPECT_THAT(both("ms"), AllOf(HasSubstr("stamps are 5 s apart"), HasSubstr("units: {time: ms}")));
}

TEST_F(Examination, AnImpossibleValueIsNamedWithItsLogAndSample) {
  for (const double value : {1e300, 1e18}) {
    change("a", "spike", [&](Row& row, int k) {
      if (k == 500) row[2] = value;
    });
    const std::string path_of = study("s.yaml", logged("a", "spike"));
    const Outcome check = steelyard({"check", path_of});
    EXPECT_EQ(check.code, 3) << check.out << check.err;
    EXPECT_THAT(check.out, AllOf(HasSubstr("impossible-value (joint2)"), HasSubstr("at 2.5 s"),
                                 Not(HasSubstr("encoder-wrap"))));
    const Outcome run = steelyard({"run", path_of, "--out", path("out")});
    EXPECT_THAT(run.code, testing::AnyOf(2, 3));
    EXPECT_THAT(run.code == 2 ? run.err : run.out,
                AllOf(HasSubstr("position"), HasSubstr("joint2"), HasSubstr("2.5 s")));
    if (run.code == 2) {
      EXPECT_THAT(run.err, AllOf(HasSubstr("spike.csv"), HasSubstr("sample 501")));
    }
  }
}

}  // namespace examination_test
