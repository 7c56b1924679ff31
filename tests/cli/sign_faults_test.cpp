// Runs without signs: gains that are not known either, friction that the model lacks, intervals.
#include <map>

#include "sign_studies.hpp"

namespace {

using namespace sign_studies;

const std::string kNoise = "      relative_effort_noise: 0.05\n";
// Of the size of a TX-40's drives [N·m/A], and what a data sheet says of them: joint 2 is right.
const std::vector<double> kGains = {32.96, 32.48, 25.66, 11.52, 18.48, 7.68};
const std::string kCurrent = "      effort: current\n      gain: [32.96, 32.48, 25.66, 11.52, 18.48, 7.68]\n";
const std::string kAssumed = "gains: {a_priori: [40, 32.48, 19, 14, 14, 9.5], fixed: joint2}";

class SignGains : public Signs {
 protected:
  std::string study_with_currents(const std::string& gains) {
    return study_with({{kNoise, kNoise + kCurrent}, {"low_minimum: 0.8", "low_minimum: 0.8, " + gains}});
  }
};

TEST_F(SignGains, OfCurrentsAreFoundWithTheSignsWithinTheirIntervals) {
  const auto log = true_log();
  const std::string out = (folder_ / "out").string();
  const Outcome outcome = steelyard({"run", study_with_currents(kAssumed), "--out", out, "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json result = json::parse(text_of(folder_ / "out/result.json"));
  const json& signs = result["signs"];
  EXPECT_EQ(signs["certified"], "feasible-optimal");
  for (const json& segment : signs["segments"]) {
    const auto joint = static_cast<std::size_t>(segment["joint"].get<std::string>().back() - '1');
    for (auto s = segment["from"].get<std::size_t>(); s < segment["to"].get<std::size_t>(); ++s)
      ASSERT_GT(log[13 + joint][s] * segment["sign"].get<int>(), 0) << segment;
  }
  ASSERT_EQ(signs["gains"].size(), 6U);
  int inside = 0;
  for (std::size_t j = 0; j < 6; ++j) {
    const json& gain = signs["gains"][j];
    EXPECT_NEAR(gain["value"].get<double>() / kGains[j], 1, 0.05) << gain;
    EXPECT_EQ(gain["status"], j == 1 ? "given" : "identified");
    if (j != 1)
      inside +=
          gain["interval"][0].get<double>() <= kGains[j] && kGains[j] <= gain["interval"][1].get<double>();
  }
  EXPECT_GE(inside, 4);  // of five intervals of 95 %
  EXPECT_EQ(result["drives"].size(), 6U);
  // The new motion has torques in N·m: the scale is that of the joint whose gain is right.
  for (const json& run : result["validation"])
    if (run["fresh"].get<bool>()) {
      EXPECT_LE(run["residual"]["prepared"].get<double>(), 0.02);
    }
  EXPECT_THAT(text_of(folder_ / "out/report.html"), HasSubstr("Gains estimated with the signs"));
}

TEST_F(SignGains, ArePrintedWithTheSigns) {
  const Outcome outcome = steelyard({"signs", study_with_currents("gains: unknown")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Drive gains estimated with the signs"));
  EXPECT_THAT(outcome.out, HasSubstr("identified"));
  EXPECT_THAT(outcome.out, HasSubstr("given"));
}

// Nothing tells ampere from newton metre: the result says so, and whose gain counts as 1.
TEST_F(SignGains, ThatAreAllUnknownLeaveTheUnitOpen) {
  const std::string out = (folder_ / "out").string();
  const Outcome outcome = steelyard({"run", study_with_currents("gains: unknown"), "--out", out});
  EXPECT_EQ(outcome.code, 3) << outcome.err;  // the other motion is in N m, which the model is not
  EXPECT_THAT(outcome.out, HasSubstr("Arbitrary unit"));
  const json result = json::parse(text_of(out + "/result.json"));
  EXPECT_NE(result["verdict"]["level"], "good");
  EXPECT_THAT(text_of(out + "/report.html"), HasSubstr("Arbitrary unit"));
  EXPECT_EQ(std::count_if(result["findings"].begin(), result["findings"].end(),
                          [](const json& finding) { return finding["code"] == "arbitrary-unit"; }),
            1);
  // The joint with the largest logged effort is the one held fixed, as docs/signs.md says.
  const auto log = true_log();
  std::size_t strongest = 0;
  double largest = 0;
  for (std::size_t j = 0; j < 6; ++j) {
    double squares = 0;
    for (const double torque : log[13 + j]) squares += std::pow(torque / kGains[j], 2);
    if (squares > largest) strongest = j, largest = squares;
  }
  EXPECT_EQ(result["signs"]["scale"], "joint" + std::to_string(strongest + 1));
}

TEST_F(SignGains, ThatMakeNoSenseAreRefused) {
  Outcome outcome = steelyard({"signs", study_with_currents("gains: {a_priori: [1, 2]}")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("a_priori has 2 gains"));
  outcome = steelyard({"signs", study_with_currents("gains: {fixed: joint9}")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("joint9"));
  outcome = steelyard({"signs", study_with_currents("gains: guess")});
  EXPECT_EQ(outcome.code, 2);
  outcome = steelyard({"signs", study_with({{kNoise, kNoise + kCurrent}})});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("`signs: {gains: unknown}`"));
}

// Coulomb friction of about 0.3 RMS of every joint in the log and none in the model.
TEST_F(Signs, WithFrictionThatIsNotModelledSayWhatToAdd) {
  const std::string friction = "      friction: {coulomb: [FC], viscous: [FV]}\n";
  const auto log = true_log();
  std::string coulomb, viscous;
  for (std::size_t j = 0; j < 6; ++j) {
    double squares = 0;
    for (const double torque : log[13 + j]) squares += torque * torque;
    const double rms = std::sqrt(squares / static_cast<double>(log[13 + j].size()));
    coulomb += (j > 0 ? ", " : "") + std::to_string(0.3 * rms);
    viscous += (j > 0 ? ", " : "") + std::to_string(0.15 * rms);
  }
  std::string text = friction;
  replace_all(text, "FC", coulomb);
  replace_all(text, "FV", viscous);
  Outcome outcome = steelyard({"signs", study_with({{kNoise, kNoise + text}})});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("missing-friction (joint"));
  EXPECT_THAT(outcome.out, HasSubstr("add Coulomb friction to this joint's drive"));
  // With the friction in the model there is nothing to say.
  outcome = steelyard({"signs", study_with({{kNoise, kNoise + text},
                                            {"seed: 1\nruns:",
                                             "seed: 1\ndrives: {friction: [viscous, "
                                             "coulomb]}\nruns:"}})});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ::testing::Not(HasSubstr("missing-friction")));
}

// Expected efforts are no measurements: their blocks must not make intervals too narrow. 8 draws of the noise
// with 36 intervals of 95 % each; they are correlated, so that 90 % is asked for.
TEST_F(Signs, GiveIntervalsThatHoldTheTruth) {
  const std::string exact = study_with({{"    unsigned: true\n", ""}, {kNoise, ""}});
  ASSERT_EQ(steelyard({"run", exact, "--out", (folder_ / "exact").string(), "--quiet"}).code, 0);
  std::map<std::string, double> truth;
  const json known = json::parse(text_of(folder_ / "exact/result.json"));
  for (const json& base : known["base"]) truth[base["name"]] = base["value"];
  double inside = 0, all = 0;
  const std::string study = study_with({{kNoise, "      relative_effort_noise: 0.1\n"}});
  for (int seed = 1; seed <= 8; ++seed) {
    const std::string out = (folder_ / std::to_string(seed)).string();
    ASSERT_EQ(steelyard({"run", study, "--out", out, "--quiet", "--seed", std::to_string(seed)}).code, 0);
    const json result = json::parse(text_of(out + "/result.json"));
    EXPECT_TRUE(result["signs"]["completed"]["used"].get<bool>());
    for (const json& base : result["base"]) {
      const double value = truth.at(base["name"]);
      inside += base["interval"][0].get<double>() <= value && value <= base["interval"][1].get<double>();
      ++all;
    }
  }
  EXPECT_EQ(all, 8 * 36);
  EXPECT_GE(inside, 0.9 * all);
}

}  // namespace
