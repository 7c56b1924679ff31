// Robots nobody would build, through everything: robot file, study, simulation, fold, estimate, validation,
// result.
//
// STEELYARD_ROBOTS=200 tries that many; by default a few, because base parameters of large trees take time.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "export/random_model.hpp"
#include "identify/true_base.hpp"
#include "oracle/sanitized.hpp"
#include "steelyard/export/formats.hpp"

namespace steelyard {
namespace random_robots_test {

namespace fs = std::filesystem;

constexpr int kMaxJoints = 12;

// 1 to 12 joints, chains and trees, revolute and prismatic, every way to describe a joint.
ExportModel drawn(std::uint64_t seed) {
  oracle::RandomRobotOptions robot_options;
  robot_options.joints = 1 + static_cast<int>((seed * 5) % kMaxJoints);
  robot_options.branches = seed % 2 == 0;
  robot_options.geometry = static_cast<oracle::Geometry>(seed % 4);
  oracle::Random random(seed);
  return oracle::random_model(oracle::random_robot(seed, robot_options), random);
}

std::string numbers(oracle::Random& random, int count, double from, double to) {
  std::vector<double> list;
  for (int i = 0; i < count; ++i) list.push_back(random.uniform(from, to));
  return fmt::format("[{}]", fmt::join(list, ", "));
}

std::string run_text(const std::string& label, const char* role, int joints, const std::string& friction,
                     std::uint64_t seed) {
  return fmt::format(
      "  - label: {}\n    role: {}\n    simulate:\n      motion: {{multi_sine: {{harmonics: 6, period: 10, "
      "center: "
      "[{}], reach: 1.2, seed: {}}}}}\n      rate: 200\n      friction: {}\n      velocity: exact\n",
      label, role, fmt::join(std::vector<int>(static_cast<std::size_t>(joints), 0), ", "), seed, friction);
}

Study drawn_study(std::uint64_t seed, const fs::path& folder) {
  const ExportModel model = drawn(seed);
  const int joints = model.robot.size();
  oracle::Random random(seed + 1000);
  const RobotFileText robot = to_robot_yaml(model);
  EXPECT_LT(robot.error, 1e-12);
  std::ofstream(folder / "robot.yaml") << robot.text;
  const std::string friction = fmt::format("{{viscous: {}, coulomb: {}}}", numbers(random, joints, 0.1, 2),
                                           numbers(random, joints, 0.1, 2));
  std::ofstream(folder / "study.yaml") << "robot: robot.yaml\ndrives: {friction: [viscous, coulomb]}\nruns:\n"
                                       << run_text("fit", "fit", joints, friction, seed)
                                       << run_text("fresh", "validate", joints, friction, seed + 1)
                                       << "prepare: {decimate: 1}\nestimate: {method: wls}\n";
  Study study = read_study((folder / "study.yaml").string());
  for (StudyRun& run : study.runs) run.simulation->options.acceleration = true;
  study.prepare.filter.cutoff = 0;
  study.prepare.column_filter.cutoff = 0;
  return study;
}

void expect_truth(std::uint64_t seed, const fs::path& folder) {
  const Study study = drawn_study(seed, folder);
  const Robot robot = study_robot(study);
  const BaseParameters base = base_parameters(robot);
  const VectorXd expected = true_base(study, robot, base);
  const Result result = run_study(study).result;
  ASSERT_EQ(static_cast<Index>(result.base.size()), expected.size());
  ASSERT_TRUE(result.condition_scaled.has_value());
  // Rounding, as much as the motion's condition enlarges it.
  const double limit = 1e-13 * *result.condition_scaled * expected.cwiseAbs().maxCoeff();
  for (std::size_t b = 0; b < result.base.size(); ++b)
    EXPECT_NEAR(result.base[b].value, expected[static_cast<Index>(b)], limit) << result.base[b].name;
  EXPECT_LT(result.residual.prepared, 1e-10);
  ASSERT_EQ(result.validation.size(), 2u);
  EXPECT_TRUE(result.validation[1].fresh);
  EXPECT_LT(result.validation[1].residual.prepared, 1e-9);
  for (const SelfCheck& check : result.self_checks) EXPECT_TRUE(check.passed()) << check.what;
  EXPECT_GE(result.self_checks.size(), 3u);
  const std::string text = to_json(result);
  EXPECT_EQ(to_json(result_from_json(text, "again")), text);
}

TEST(RandomRobots, GiveTheirTruthBackThroughTheWholePipeline) {
  const char* requested = std::getenv("STEELYARD_ROBOTS");
  const int count = requested != nullptr ? std::atoi(requested) : oracle::is_sanitized() ? 2 : 6;
  const fs::path folder = fs::path(testing::TempDir()) / "random_robots";
  fs::create_directories(folder);
  for (int k = 1; k <= count; ++k) {
    SCOPED_TRACE(fmt::format("seed {}, {} joints", k, drawn(static_cast<std::uint64_t>(k)).robot.size()));
    expect_truth(static_cast<std::uint64_t>(k), folder);
  }
  fs::remove_all(folder);
}

}  // namespace random_robots_test
}  // namespace steelyard
