// An earlier model is used on the robot that it is of, however its file is written, and on no other; and a log to
// which it was fitted is recognised, as a log and as folds.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "steelyard/core/error.hpp"
#include "steelyard/fold/fold_file.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/study/simulation.hpp"

namespace steelyard {
namespace earlier_robot_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kLog =
    "runs:\n  - label: a\n    simulate:\n      rate: 100\n      effort_noise: 0.05\n      velocity: none\n"
    "      motion: {multi_sine: {harmonics: 4, period: 5, center: [0, 0], reach: 1.5, seed: 3}}\n";

Study study_of(const std::string& more = "") {
  Study study =
      read_study_text("robot: " STEELYARD_SOURCE_DIR "/robots/two_r.yaml\n" + std::string(kLog) +
                          "drives: {friction: [viscous]}\n"
                          "prepare: {filter: {order: 4, cutoff: 8}, columns: filtered}\n"
                          "estimate: {method: wls, intervals: {bias_check: false, replicates: 20}}\n" +
                          more,
                      "study.yaml");
  study.robot = read_robot(study.robot_path).robot;
  return study;
}

std::string answer(const std::function<void()>& use) {
  try {
    use();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

class EarlierRobot : public testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = new Result(run_study(study_of()).result); }
  static void TearDownTestSuite() { delete model_; }
  void SetUp() override {
    path_ = testing::TempDir() + "earlier_robot_" + std::to_string(getpid()) + ".json";
    std::ofstream(path_) << to_json(*model_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  // What validate, forecast and retrieve say of a study with another robot.
  std::vector<std::string> answers(const Study& study) const {
    return {answer([&] { validate_study(study, *model_); }), answer([&] { forecast_study(study, *model_); }),
            answer([&] { retrieve_study(study, path_); })};
  }

  static Result* model_;
  std::string path_;
};
Result* EarlierRobot::model_ = nullptr;

TEST_F(EarlierRobot, ReversedGravityIsRefused) {
  Study study = study_of();
  study.robot->gravity = -study.robot->gravity;
  for (const std::string& said : answers(study))
    EXPECT_THAT(said,
                AllOf(HasSubstr("gravity is (0, 0, 9.81)"), HasSubstr("identified with (0, 0, -9.81)")));
}

TEST_F(EarlierRobot, OtherZerosLengthsAndAxesAreRefused) {
  const auto with = [](const std::function<void(Robot&)>& change) {
    Study study = study_of();
    change(*study.robot);
    return study;
  };
  const Study others[] = {with([](Robot& robot) {
                            robot.joints[1].before.push_back({Motion::turn_z, 0.01, "zero"});
                          }),
                          with([](Robot& robot) {
                            robot.joints[0].after.push_back({Motion::turn_x, 0.01, "bend"});
                          }),
                          with([](Robot& robot) {
                            robot.pairs = {{0, 1}};
                          })};
  for (const Study& study : others)
    for (const std::string& said : answers(study)) EXPECT_NE(said, "accepted");
}

// Names of links, limits, inertias, the tool, a pedestal, and gravity turned together with the base.
TEST_F(EarlierRobot, AnotherOfTheSameTypeIsNot) {
  Study study = study_of();
  Robot& robot = *study.robot;
  robot.name = robot.joints[0].link = "another";
  robot.joints[1].limits.velocity = 50;
  robot.joints[0].inertia = Inertia::from_standard(1.1 * robot.joints[0].inertia->to_standard());
  robot.tool = {{Motion::move_z, 0.2, "tool"}};
  robot.base = {{Motion::move_z, 1, "pedestal"}, {Motion::turn_x, 0.5, "lean"}};
  robot.gravity = to_pose(robot.base).rotation * Vector3(0, 0, -9.81);
  for (const std::string& said : answers(study)) EXPECT_EQ(said, "accepted");
  EXPECT_THAT(validate_study(study, *model_).warnings, IsEmpty());
}

TEST_F(EarlierRobot, ResultsWithoutTheProbeSaySo) {
  Result old = *model_;
  old.robot_probe.reset();
  EXPECT_THAT(validate_study(study_of(), old).warnings, IsEmpty()) << "it is the same robot file";
  Study study = study_of();
  study.robot->joints[1].limits.velocity = 50;
  const StudyOutcome outcome = validate_study(study, old);
  ASSERT_EQ(outcome.warnings.size(), 1U);
  EXPECT_THAT(outcome.warnings[0].what, HasSubstr("of an older version"));
  EXPECT_EQ(forecast_study(study, old).warnings.size(), 1U);
}

// A log of a file, its folds, and folds of the simulation itself.
TEST_F(EarlierRobot, FoldsKnowTheLogTheyAreOf) {
  const std::string folder = testing::TempDir() + "earlier_folds_" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  const auto as_folds = [&](const Study& of, bool old) {
    Study study = of;
    std::vector<FoldedRun> files = fold_study(of, {});
    if (old) files[0].log.clear();
    StudyRun& run = study.runs[0];
    run = {};
    run.file.label.label = "folded";
    relabel(files[0], "folded");
    run.file.path = folder + "/a.fold";
    write_fold_file(files, run.file.path);
    run.folded = std::make_shared<const FoldedRun>(read_fold_file(run.file.path).at(0));
    EXPECT_EQ(run.folded->log, files[0].log);
    return study;
  };
  const Study simulation = study_of();
  Study file = simulation;
  const std::vector<LogJoint> joints = log_joints(*simulation.robot);
  const SimulationSpec& spec = *simulation.runs[0].simulation;
  const steelyard::Run run = simulate(*simulation.robot, simulated_parameters(spec, *simulation.robot),
                                      simulated_motion(spec), spec.options);
  file.runs[0] = {};
  file.runs[0].file = standard_columns(folder + "/a.csv", run.samples.channels(), joints);
  file.runs[0].file.label.label = "a";
  write_csv(run, file.runs[0].file, joints);
  for (const Study& log : {simulation, file}) {
    const Study folds = as_folds(log, false);
    for (const auto& [fitted, used] : {std::pair{log, folds}, {folds, log}, {folds, folds}}) {
      const Result result = validate_study(used, run_study(fitted).result).result;
      EXPECT_FALSE(result.validation[0].fresh);
      EXPECT_TRUE(std::any_of(result.findings.begin(), result.findings.end(),
                              [](const Finding& finding) { return finding.code == "fitted-run"; }));
    }
    const Study old = as_folds(log, true);
    for (const auto& [fitted, used] : {std::pair{log, old}, {old, log}}) {
      const Result result = validate_study(used, run_study(fitted).result).result;
      EXPECT_TRUE(result.validation[0].fresh);
      EXPECT_THAT(result.unavailable, testing::Contains(HasSubstr("whether the model was fitted to run")));
    }
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace earlier_robot_test
}  // namespace steelyard
