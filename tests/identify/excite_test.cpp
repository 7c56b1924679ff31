// Motions in studies: what is predicted against what simulated runs then show.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "steelyard/core/error.hpp"
#include "steelyard/excite/motion.hpp"
#include "steelyard/identify/excite.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard {
namespace excite_test {

const std::string kPath = STEELYARD_SOURCE_DIR "/examples/panda-excite/test.yaml";

std::string indented(const std::string& text, const std::string& by) {
  std::string out = by;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += by;
  }
  return out.substr(0, out.find_last_not_of(" \n") + 1) + "\n";
}

// Rows at 20 Hz with white noise of 0.05 N m, exact positions.
std::string run_text(const std::string& label, const std::string& motion) {
  return "  - label: " + label + "\n    simulate:\n" + indented(motion, "      ") +
         "      rate: 1000\n      friction: {viscous: 0.1, coulomb: 0.2, offset: 0.05}\n"
         "      effort_noise: 0.05\n";
}

// Few iterations: predictions hold for any motion, good or not.
std::string study_text(const std::string& robot, const std::string& runs, int iterations = 12) {
  return "robot: ../../robots/" + robot +
         ".yaml\n"
         "drives: {friction: [viscous, coulomb, offset]}\n" +
         (runs.empty() ? "" : "runs:\n" + runs) +
         "prepare: {decimate: 50, velocity: measured}\n"
         "estimate: {method: wls, intervals: {method: classical, bias_check: false}}\n"
         "excite: {duration: 20, rate: 20, noise: 0.05, starts: 1, points: 8, configurations: 8, "
         "iterations: " +
         std::to_string(iterations) +
         (robot == "kr5" ? ", limits: [{position: [-2.5, 2.5], velocity: 3, acceleration: 15}]" : "") + "}\n";
}

std::map<std::string, double> identified_sigma(const std::string& text) {
  std::map<std::string, double> sigma;
  for (const auto& entry : run_study(read_study_text(text, kPath)).result.base)
    sigma[entry.name] = entry.sigma_classical.value_or(std::nan(""));
  return sigma;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<Index>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

TEST(ExciteStudy, PredictsTheDeviationsThatSimulatedRunsThenHave) {
  const ExciteOutcome outcome = excite_study(read_study_text(study_text("panda", ""), kPath));
  const MotionFiles files =
      motion_files(outcome.robot, outcome.base, outcome.found.motion, outcome.options, outcome.output_rate);
  const auto sigma = identified_sigma(study_text("panda", run_text("excited", files.study)));
  std::vector<double> ratios;
  for (const Outlook& outlook : outcome.found.report.parameters) {
    ASSERT_TRUE(sigma.count(outlook.parameter));
    ratios.push_back(sigma.at(outlook.parameter) / outlook.sigma);
  }
  EXPECT_EQ(ratios.size(), 64U);
  EXPECT_GT(median(ratios), 0.8);
  EXPECT_LT(median(ratios), 1.2);
}

// Slow and small about one pose, as the public KR300 log is.
const char* const kPoorMotion =
    "motion:\n  multi_sine:\n    harmonics: 2\n    period: 10\n    duration: 20\n"
    "    center: [0, -1.2, 0.8, 0, 0.5, 0]\n    reach: 0.15\n";

TEST(NextStudy, ReducesTheWorstDeviationAsPredictedAfterAPoorFirstRun) {
  const std::string first = run_text("poor", kPoorMotion);
  const NextOutcome next = next_study(read_study_text(study_text("kr5", first), kPath));
  ASSERT_EQ(next.candidates.size(), 3U);
  const NextCandidate& best = next.candidates.front();
  ASSERT_TRUE(best.motion);
  const double worst_before = next.sigma.maxCoeff(), worst_predicted = best.sigma.maxCoeff();
  EXPECT_GT(worst_before / worst_predicted, 5);

  const MotionFiles files =
      motion_files(next.robot, next.base, best.motion->motion, next.options, next.output_rate);
  const std::string both = first + run_text("proposed", files.study);
  const auto sigma = identified_sigma(study_text("kr5", both));
  double worst_after = 0;
  std::vector<double> ratios;
  for (std::size_t k = 0; k < next.parameters.size(); ++k) {
    const double after = sigma.at(next.parameters[k]);
    worst_after = std::max(worst_after, after);
    ratios.push_back(after / best.sigma[static_cast<Index>(k)]);
  }
  EXPECT_GT(worst_before / worst_after, 5);
  EXPECT_LT(worst_after / worst_predicted, 1.5);
  EXPECT_GT(worst_after / worst_predicted, 1 / 1.5);
  EXPECT_NEAR(median(ratios), 1, 0.2);

  const auto json = nlohmann::json::parse(
      to_json(next_study(read_study_text(study_text("kr5", both, 1), kPath)), to_json(next)));
  ASSERT_EQ(json["achieved"].size(), next.parameters.size());
  std::vector<double> kept;
  for (const auto& one : json["achieved"])
    kept.push_back(one["achieved"].get<double>() / one["predicted"].get<double>());
  EXPECT_NEAR(median(kept), 1, 0.2);
}

// The proposed run lowers the forecast on typical motions to what was predicted.
TEST(NextStudy, LowersTheForecastAsPredicted) {
  const std::string first = run_text("poor", kPoorMotion);
  const NextOutcome next = next_study(read_study_text(study_text("kr5", first, 30), kPath));
  ASSERT_TRUE(next.forecast) << next.no_forecast;
  const NextCandidate& best = next.candidates.front();
  ASSERT_TRUE(best.forecast && best.motion);
  for (const NextCandidate& candidate : next.candidates)
    EXPECT_GE(candidate.forecast->expected, best.forecast->expected) << candidate.kind;
  EXPECT_LT(best.forecast->expected, 0.5 * next.forecast->expected);

  const MotionFiles files =
      motion_files(next.robot, next.base, best.motion->motion, next.options, next.output_rate);
  const auto typical = [&](const std::string& runs) {
    return run_study(read_study_text(study_text("kr5", runs), kPath)).result.forecast->typical.expected;
  };
  EXPECT_NEAR(typical(first), next.forecast->expected, 1e-9 * next.forecast->expected);
  const double after = typical(first + run_text("proposed", files.study));
  // Forecasts themselves are right within a factor of 1.7 (docs/forecast.md).
  EXPECT_LT(after, 1.7 * best.forecast->expected);
  EXPECT_GT(after, best.forecast->expected / 1.7);

  const auto json = nlohmann::json::parse(to_json(next));
  EXPECT_EQ(json["forecast"]["expected"].get<double>(), next.forecast->expected);
  EXPECT_EQ(json["candidates"][0]["forecast"]["joints"].size(), 6U);
}

TEST(NextStudy, HoldingStillShowsLessThanMovingAndALoadFixesTheGains) {
  std::string text = study_text("kr5", run_text("poor", kPoorMotion));
  text.replace(text.find("configurations"), 0, "payloads: [1, 4], ");
  const NextOutcome next = next_study(read_study_text(text, kPath));
  ASSERT_EQ(next.candidates.size(), 5U);
  EXPECT_EQ(next.candidates.back().kind, "configurations");
  EXPECT_EQ(next.candidates.back().poses.rows(), 8);
  std::map<double, const NextCandidate*> loads;
  for (const NextCandidate& candidate : next.candidates)
    if (candidate.kind == "payload") loads[candidate.load] = &candidate;
  ASSERT_EQ(loads.size(), 2U);
  const VectorXd light = loads.at(1)->gain_sigma, heavy = loads.at(4)->gain_sigma;
  ASSERT_EQ(light.size(), 6);
  // The common factor is seen by the load alone, so that it is known four times better with four times the
  // load.
  EXPECT_TRUE(light.allFinite());
  for (Index j = 0; j < 6; ++j) {
    EXPECT_GT(light[j] / heavy[j], 1.5);
    EXPECT_LT(light[j] / heavy[j], 4.5);
  }
  // The load changes nothing for the parameters where torques are known.
  EXPECT_EQ(loads.at(1)->sigma, next.candidates.front().sigma);
}

TEST(ExciteStudy, FilesReadBack) {
  const ExciteOutcome outcome = excite_study(read_study_text(
      "robot: ../../robots/two_r.yaml\nexcite: {motion: points, points: 5, duration: 10, starts: 1, "
      "iterations: 5, output_rate: 50}\n",
      kPath));
  const MotionFiles files =
      motion_files(outcome.robot, outcome.base, outcome.found.motion, outcome.options, outcome.output_rate);
  EXPECT_EQ(files.csv.substr(0, files.csv.find('\n')),
            "t_s,q1_rad,q2_rad,dq1_radps,dq2_radps,ddq1_radps2,ddq2_radps2,tau1_Nm,tau2_Nm");
  EXPECT_EQ(std::count(files.csv.begin(), files.csv.end(), '\n'), 502);
  const auto json = nlohmann::json::parse(files.json);
  ASSERT_EQ(json["points"].size(), 501U);
  EXPECT_EQ(json["joint_names"], nlohmann::json({"joint1", "joint2"}));
  const auto& point = json["points"][101];
  EXPECT_EQ(point["time_from_start"], nlohmann::json({{"sec", 2}, {"nanosec", 20000000}}));
  const JointState at = to_trajectory(outcome.found.motion).at(2.02);
  EXPECT_NEAR(point["positions"][1].get<double>(), at.q[1], 1e-15);
  EXPECT_NEAR(point["accelerations"][0].get<double>(), at.qdd[0], 1e-12);
  const auto result = nlohmann::json::parse(to_json(outcome));
  EXPECT_EQ(result["time_limit_reached"], false);
  EXPECT_EQ(result["parameters"].size(), outcome.base.base.size());
}

TEST(ExciteStudy, NamesWhatIsMissing) {
  const auto refusal = [](const std::string& text, auto&& run) {
    try {
      run(read_study_text(text, kPath));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto excite = [](const Study& study) { excite_study(study); };
  const auto next = [](const Study& study) { next_study(study); };
  const auto run = [](const Study& study) { run_study(study); };
  const std::string head = "robot: ../../robots/two_r.yaml\n";
  EXPECT_NE(refusal(head + "excite: {}\n", next).find("nothing has been run yet"), std::string::npos);
  EXPECT_NE(refusal(head + "excite: {}\n", run).find("no runs"), std::string::npos);
  EXPECT_NE(refusal(head + "excite: {harmonic: 3}\n", excite).find("harmonics"), std::string::npos);
  EXPECT_NE(refusal(head + "excite: {duration: 1}\n", excite).find("too short"), std::string::npos);
  EXPECT_NE(refusal(head + "excite: {limits: [{joint: elbow, velocity: 1}]}\n", excite).find("elbow"),
            std::string::npos);
  EXPECT_NE(refusal(head, excite).find("runs"), std::string::npos);
}

}  // namespace excite_test
}  // namespace steelyard
