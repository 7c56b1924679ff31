// Runs that log |effort| only, through the program: the published KR5 study, and clear answers to bad input.
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
