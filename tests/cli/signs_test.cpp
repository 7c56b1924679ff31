// Runs that log |effort| only, through the program: the published KR5 study, and clear answers to bad input.
#include <set>

#include "sign_studies.hpp"

namespace {

using namespace sign_studies;

TEST_F(Signs, OfTheKr5AreAllRightProvenAndPredictANewMotion) {
  const Outcome outcome = steelyard({"run", kStudy, "--out", (folder_ / "out").string(), "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json result = json::parse(text_of(folder_ / "out/result.json"));
  EXPECT_EQ(result["base"].size(), 36U);
  const json& signs = result["signs"];
  EXPECT_EQ(signs["certified"], "feasible-optimal");
  EXPECT_GE(signs["segments"].size(), 30U);
  EXPECT_LE(signs["segments"].size(), 70U);
  EXPECT_GE(signs["kept_share"].get<double>(), 0.55);
  EXPECT_EQ(signs["decided_share"].get<double>(), 1);
  EXPECT_TRUE(signs["completed"]["used"].get<bool>());
  EXPECT_LT(signs["completed"]["held_out"].get<double>(),
            signs["completed"]["held_out_segments"].get<double>());

  const auto log = true_log();  // t, six positions, six velocities, six torques
  ASSERT_EQ(log.size(), 19U);
  ASSERT_EQ(log[0].size(), 667U);
  for (const json& segment : signs["segments"]) {
    const auto joint = static_cast<std::size_t>(segment["joint"].get<std::string>().back() - '1');
    for (auto s = segment["from"].get<std::size_t>(); s < segment["to"].get<std::size_t>(); ++s)
      EXPECT_GT(log[13 + joint][s] * segment["sign"].get<int>(), 0) << segment;
    EXPECT_NEAR(segment["start"].get<double>(), log[0][segment["from"].get<std::size_t>()], 1e-9);
  }

  for (const json& run : result["validation"]) {
    if (!run["fresh"].get<bool>()) continue;
    EXPECT_LE(run["residual"]["prepared"].get<double>(), 0.01);
    EXPECT_LE(run["feasible"]["residual"]["prepared"].get<double>(), 0.01);
    double mean = 0;
    for (const json& joint : run["residual"]["per_joint"]) mean += joint["prepared"].get<double>() / 6;
    EXPECT_LE(mean, 0.01);
  }
  const std::string report = text_of(folder_ / "out/report.html");
  EXPECT_THAT(report, HasSubstr("<section id=\"signs\""));
  std::size_t drawings = 0;
  for (std::size_t at = report.find("<svg class=\"signs\""); at != std::string::npos;
       at = report.find("<svg class=\"signs\"", at + 1))
    ++drawings;
  EXPECT_EQ(drawings, 6U);  // one a joint of the run without signs
}

TEST_F(Signs, AreTheSameBytesForAnyNumberOfThreads) {
  std::vector<std::string> results;
  for (const char* threads : {"1", "3"}) {
    const std::string out = (folder_ / threads).string();
    ASSERT_EQ(steelyard({"run", kStudy, "--out", out, "--quiet", "--threads", threads}).code, 0);
    results.push_back(text_of(out + "/result.json"));
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST_F(Signs, AloneArePrintedAndNothingIsWritten) {
  Outcome outcome = steelyard({"signs", kStudy});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("feasible-optimal"));
  EXPECT_THAT(outcome.out, HasSubstr("joint6: "));
  outcome = steelyard({"signs", kStudy, "--json"});
  EXPECT_EQ(json::parse(outcome.out)["certified"], "feasible-optimal");
}

TEST_F(Signs, ThatAreKnownAreKept) {
  const json found = json::parse(steelyard({"signs", kStudy, "--json"}).out)["segments"];
  const auto last =
      std::find_if(found.begin(), found.end(), [](const json& s) { return s["joint"] == "joint6"; });
  ASSERT_NE(last, found.end());
  const int wrong = -(*last)["sign"].get<int>();
  const std::string study =
      study_with({{"low_minimum: 0.8",
                   "low_minimum: 0.8, known: [{joint: joint6, from: " + (*last)["from"].dump() +
                       ", to: " + (*last)["to"].dump() + ", sign: " + std::to_string(wrong) + "}]"}});
  const json segments = json::parse(steelyard({"signs", study, "--json"}).out)["segments"];
  const json& same = segments[static_cast<std::size_t>(last - found.begin())];
  EXPECT_EQ(same["sign"].get<int>(), wrong);
  EXPECT_FALSE(same.contains("confidence"));  // it was not found, but given
}

TEST_F(Signs, AloneAreFittedWhereCompletedEffortsAreNotWanted) {
  const std::string out = (folder_ / "out").string();
  const Outcome outcome =
      steelyard({"run", study_with({{"low_minimum: 0.8", "low_minimum: 0.8, complete: none"}}), "--out", out,
                 "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json result = json::parse(text_of(folder_ / "out/result.json"));
  EXPECT_FALSE(result["signs"].contains("completed"));
  for (const json& run : result["validation"])
    if (run["fresh"].get<bool>()) {
      EXPECT_LE(run["residual"]["prepared"].get<double>(), 0.01);
    }
}

// A slow filter and a low threshold hide changes of sign of one joint: the finding reports where to split.
TEST_F(Signs, OfSegmentsThatChangeInsideAreAFindingThatSaysWhereToCut) {
  const auto log = true_log();
  const Outcome outcome =
      steelyard({"signs", study_with({{"cutoff: 5", "cutoff: 2.5"},
                                      {"threshold: 0.5", "threshold: [0.1, 0.5, 0.5, 0.5, 0.5, 0.5]"},
                                      {"low_minimum: 0.8", "low_minimum: 0"}})});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t finding = outcome.out.find("mixed-segment (joint1)");
  ASSERT_NE(finding, std::string::npos) << outcome.out;
  const std::size_t cut = outcome.out.find("splitting it at ", finding);
  ASSERT_NE(cut, std::string::npos);
  const double time = std::stod(outcome.out.substr(cut + 16));
  double nearest = 1e9;
  for (std::size_t s = 1; s < log[13].size(); ++s)
    if (log[13][s - 1] * log[13][s] < 0) nearest = std::min(nearest, std::abs(log[0][s] - time));
  EXPECT_LT(nearest, 0.1);  // half of the filter's 0.2 s
}

TEST_F(Signs, AloneAreThoseOfTheResult) {
  const std::string study = study_with({{"relative_effort_noise: 0.05", "relative_effort_noise: 0.4"}});
  const Outcome alone = steelyard({"signs", study, "--json"});
  ASSERT_EQ(steelyard({"run", study, "--out", (folder_ / "out").string(), "--quiet"}).code, 0);
  const json result = json::parse(text_of(folder_ / "out/result.json"));
  json signs = json::parse(alone.out);
  const json findings = signs["findings"];
  signs.erase("findings");
  EXPECT_EQ(signs, result["signs"]);
  for (const json& finding : findings)
    EXPECT_NE(std::find(result["findings"].begin(), result["findings"].end(), finding),
              result["findings"].end())
        << finding;
  for (const json& segment : signs["segments"]) {
    EXPECT_EQ(segment["decided"].get<bool>(), segment["probability"].get<double>() >= 0.99);
    if (segment.contains("group")) {
      EXPECT_FALSE(segment["decided"].get<bool>());
      EXPECT_LE(segment["group"].get<std::size_t>(), signs["groups"].size());
    }
  }
}

// An encoder that stands for five seconds is an error of the doctor.
TEST_F(Signs, AloneEndWithThreeWhereAFindingIsAnError) {
  const std::vector<std::vector<double>> log = true_log();
  std::ofstream out(folder_ / "frozen.csv");
  out << "t";
  for (int j = 1; j <= 6; ++j) out << ",q" << j;
  for (int j = 1; j <= 6; ++j) out << ",tau" << j;
  for (std::size_t s = 0; s < log[0].size(); ++s) {
    out << "\n" << log[0][s];
    for (std::size_t j = 1; j <= 6; ++j) out << ',' << (j == 2 && s > 150 && s < 400 ? 0.5 : log[j][s]);
    for (std::size_t j = 13; j <= 18; ++j) out << ',' << std::abs(log[j][s]);
  }
  out.close();
  std::ofstream(folder_ / "frozen.yaml")
      << "robot: " << kRoot << "/robots/kr5.yaml\nruns:\n  - file: frozen.csv\n    unsigned: true\n"
      << "    columns: {time: t, position: \"q{j}\", torque: \"tau{j}\"}\n"
      << "prepare: {decimate: 1, differences: 6}\nsigns: {filter: {order: 4, cutoff: 5}, nodes: 1000}\n";
  const Outcome outcome = steelyard({"signs", (folder_ / "frozen.yaml").string(), "--json"});
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  std::set<std::string> errors;
  const json found = json::parse(outcome.out);
  for (const json& finding : found["findings"])
    if (finding["severity"] == "error") errors.insert(finding["code"].get<std::string>());
  EXPECT_TRUE(errors.contains("frozen-channel"));
}

// The true masses are 14 kg in all: what the study asserts is part of φ2, and so is a pull.
TEST_F(Signs, HeedTheConstraintsAndThePullOfTheStudy) {
  const auto cost = [&](const std::string& more, int code = 0) {
    const std::string study = study_with({{"objective: torque}", "objective: torque" + more + "}"},
                                          {"low_minimum: 0.8", "low_minimum: 0.8, reweigh: 0"}});
    const Outcome outcome = steelyard({"signs", study, "--json"});
    EXPECT_EQ(outcome.code, code) << outcome.err;
    return json::parse(outcome.out)["cost"].get<double>();
  };
  const double free = cost("");
  EXPECT_NEAR(cost(", constraints: [{total_mass: [0.1, 1000]}]"), free, 1e-3 * free);
  EXPECT_GT(cost(", constraints: [{bound: m2, equal: 0.01}, {bound: mx2, equal: 0.1}]"), 1.2 * free);
  EXPECT_GT(cost(", pull: {towards: uniform, weight: 0.01, kind: euclidean}", 3),
            1.2 * free);  // nothing is decided by a model that is this wrong
}

TEST_F(Signs, RefuseByNameWhatTheyCannotTake) {
  for (const auto& [key, words] : std::vector<std::pair<std::string, std::string>>{
           {"known: [{joint: joint2, expression: \"10*q\"}]", "`known` of joint2"}}) {
    const Outcome outcome =
        steelyard({"signs", study_with({{"seed: 1\nruns:", "seed: 1\n" + key + "\nruns:"}})});
    EXPECT_EQ(outcome.code, 2) << key;
    EXPECT_THAT(outcome.err, HasSubstr(words)) << key;
  }
  const Outcome outcome = steelyard(
      {"signs", study_with({{"low_minimum: 0.8",
                             "low_minimum: 0.8, known: [{joint: joint6, from: 0, to: 1, sign: 1}]"}})});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("has no segment"));
}

// The paper's tree beside the exact search, by one study; φ2 in its nodes, as φ1 needs more than a test has.
TEST_F(Signs, OfThePublishedTreeAreComparedWithTheExactOnes) {
  const std::string out = (folder_ / "out").string();
  const Outcome outcome = steelyard(
      {"run",
       study_with({{"low_minimum: 0.8", "low_minimum: 0.8, method: both, node_cost: residual, reweigh: 0"}}),
       "--out", out, "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json signs = json::parse(text_of(out + "/result.json"))["signs"];
  EXPECT_EQ(signs["certified"], "feasible-optimal");
  const json& tree = signs["tree"];
  EXPECT_EQ(tree["differs"], 0);
  EXPECT_EQ(tree["w"], 5);
  const auto first = tree["s0"].get<std::size_t>();
  EXPECT_GE(first, 4U);  // 4 to 10 segments, longest first, determine the columns
  EXPECT_LE(first, 12U);
  ASSERT_EQ(tree["levels"].size(), signs["segments"].size() - first + 1);
  EXPECT_NEAR(tree["cost"].get<double>(), signs["cost"].get<double>(), 1e-4 * signs["cost"].get<double>());
  for (const json& level : tree["levels"]) {
    EXPECT_LE(level["nodes"].size(), 5U);
    double last = 0;
    for (const json& node : level["nodes"]) {
      EXPECT_GE(node["cost"].get<double>(), last);
      last = node["cost"];
    }
  }
  EXPECT_THAT(text_of(out + "/report.html"), HasSubstr("Tree search (T-PBPR)"));

  const Outcome alone = steelyard(
      {"signs",
       study_with({{"low_minimum: 0.8", "low_minimum: 0.8, method: tree, s0: 5, node_cost: residual"}}),
       "--json"});
  ASSERT_EQ(alone.code, 0) << alone.err;
  const json found = json::parse(alone.out);
  EXPECT_EQ(found["certified"], "not-searched");
  EXPECT_EQ(found["tree"]["s0"], 5);
  for (std::size_t k = 0; k < signs["segments"].size(); ++k)
    EXPECT_EQ(found["segments"][k]["sign"], signs["segments"][k]["sign"]);

  const Outcome keys = steelyard({"signs", study_with({{"low_minimum: 0.8", "low_minimum: 0.8, w: 3"}})});
  EXPECT_EQ(keys.code, 2);
  EXPECT_THAT(keys.err, HasSubstr("`w` without a tree"));
}

TEST_F(Signs, OfStudiesThatHaveThemAreRefused) {
  const Outcome outcome = steelyard({"signs", kRoot + "/examples/demo/study.yaml"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("unsigned: true"));
}

// Forms would be fitted to |effort|; whatever they turn out to be, they are refused before.
TEST_F(Signs, AreRefusedBesideFrictionOtherThanLinear) {
  for (const char* form : {"auto", "sigmoid"}) {
    const std::string study =
        study_with({{"seed: 1\nruns:", std::string("seed: 1\ndrives: {friction: ") + form + "}\nruns:"}});
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"signs", study}, {"check", study}, {"run", study, "--out", "out"}}) {
      const Outcome outcome = steelyard(words);
      EXPECT_EQ(outcome.code, 2) << words[0];
      EXPECT_THAT(outcome.err, HasSubstr("friction other than linear cannot be fitted to |effort|"));
    }
  }
}

TEST_F(Signs, OfALogThatHasThemAreRefusedWithTheFirstNegativeEffort) {
  true_log();
  std::ofstream(folder_ / "mistake.yaml")
      << "robot: " << kRoot
      << "/robots/kr5.yaml\nruns:\n  - file: logs/without_signs.csv\n    unsigned: true\n"
      << "    columns: {time: t_s, position: \"q{j}_rad\", torque: \"tau{j}_Nm\"}\n";
  for (const char* verb : {"signs", "run"}) {
    std::vector<std::string> words = {verb, (folder_ / "mistake.yaml").string()};
    if (std::string(verb) == "run") words.insert(words.end(), {"--out", (folder_ / "out").string()});
    const Outcome outcome = steelyard(words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("is negative, so it has a sign"));
    EXPECT_THAT(outcome.err, HasSubstr("unsigned"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(Signs, WithoutASegmentSayWhatToLower) {
  const Outcome outcome = steelyard({"signs", study_with({{"threshold: 0.5", "threshold: 50"}})});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("|effort| is nowhere above its threshold for long enough"));
  EXPECT_THAT(outcome.err, HasSubstr("lower `threshold`"));
}

TEST_F(Signs, OfAllZeroEffortsAreRefused) {
  std::ofstream log(folder_ / "zero.csv");
  log << "t,q1,q2,tau1,tau2\n";
  for (int k = 0; k < 300; ++k)
    log << 0.02 * k << ',' << std::sin(0.1 * k) << ',' << std::cos(0.13 * k) << ",0,0\n";
  log.close();
  std::ofstream(folder_ / "zero.yaml")
      << "robot: " << kRoot << "/robots/two_r.yaml\nruns:\n  - file: zero.csv\n    unsigned: true\n"
      << "    columns: {time: t, position: \"q{j}\", torque: \"tau{j}\"}\n";
  const Outcome outcome = steelyard({"signs", (folder_ / "zero.yaml").string()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("all efforts are zero"));
}

TEST_F(Signs, OfAJointWithoutSegmentsAreAFindingAndTheOthersAreFound) {
  const Outcome outcome =
      steelyard({"signs", study_with({{"threshold: 0.5", "threshold: [0.5, 0.5, 0.5, 50, 0.5, 0.5]"}})});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("no-segments"));
  EXPECT_THAT(outcome.out, HasSubstr("joint4"));
  EXPECT_THAT(outcome.out, HasSubstr("feasible-optimal"));
}

}  // namespace
