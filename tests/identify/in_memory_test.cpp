// Studies made in code: a robot and samples in memory give what the same robot and samples in files give.
#include <gmock/gmock.h>

#include <filesystem>
#include <limits>

#include "steelyard/core/error.hpp"
#include "steelyard/identify/check.hpp"
#include "steelyard/identify/export_result.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace in_memory_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kRobot = STEELYARD_SOURCE_DIR "/robots/two_r.yaml";

// Two motions of the 2R arm with friction and noise.
Run simulated_run(const std::string& label, std::uint64_t seed) {
  const Robot robot = read_robot(kRobot).robot;
  RandomMotion motion;
  motion.period = 10;
  motion.center = VectorXd::Zero(2);
  motion.reach = VectorXd::Ones(1);
  SimulateOptions options;
  options.label.label = label;
  options.rate = 200;
  options.velocity = VelocityChannel::none;
  options.effort_noise = VectorXd::Constant(1, 0.05);
  options.seed = seed;
  TrueParameters truth = true_parameters(robot);
  truth.drives.resize(2);
  truth.drives[0].friction.viscous = truth.drives[1].friction.viscous = 0.7;
  return simulate(robot, truth, random_multi_sine(motion, seed), options);
}

MatrixXd channel_of(const Run& run, const char* name) {
  return Eigen::Map<const Eigen::MatrixXd>(run.samples.row(run.samples.find(name)), run.samples.size(), 2);
}

StudyRun from_arrays(const Run& run) {
  return run_from_arrays(run.label.label,
                         Eigen::Map<const Eigen::VectorXd>(run.samples.time(), run.samples.size()),
                         channel_of(run, "position"), channel_of(run, "torque"));
}

StudyRun from_file(const Run& run, const std::string& path) {
  const std::vector<LogJoint> joints = log_joints(read_robot(kRobot).robot);
  StudyRun out;
  out.file = standard_columns(path, run.samples.channels(), joints);
  write_csv(run, out.file, joints);
  out.file.label = run.label;
  out.path_as_written = path;
  return out;
}

Study settings() {
  Study study;
  study.drives.viscous = true;
  study.prepare.filter = study.prepare.column_filter = {4, 10};
  study.estimate.weighting = Weighting::by_row;
  return study;
}

Study in_memory() {
  Study study = settings();
  study.robot = read_robot(kRobot).robot;
  study.runs = {from_arrays(simulated_run("monday", 1)), from_arrays(simulated_run("tuesday", 2))};
  study.runs[1].file.label.role = RunRole::validate;
  return study;
}

Study in_files() {
  const std::string folder = testing::TempDir();
  Study study = settings();
  study.robot_path = study.robot_as_written = kRobot;
  study.runs = {from_file(simulated_run("monday", 1), folder + "/in_memory_1.csv"),
                from_file(simulated_run("tuesday", 2), folder + "/in_memory_2.csv")};
  study.runs[1].file.label.role = RunRole::validate;
  return study;
}

std::string refusal(const Study& study) {
  try {
    run_study(study);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(InMemory, GivesTheBitsOfFiles) {
  Result memory = run_study(in_memory()).result, files = run_study(in_files()).result;
  ASSERT_EQ(memory.base.size(), files.base.size());
  ASSERT_GT(memory.base.size(), 4U);
  for (std::size_t k = 0; k < memory.base.size(); ++k) {
    EXPECT_EQ(memory.base[k].value, files.base[k].value) << memory.base[k].name;
    EXPECT_EQ(memory.base[k].sigma, files.base[k].sigma);
  }
  EXPECT_NE(memory.robot_hash, files.robot_hash);
  memory.provenance = files.provenance = {};
  memory.robot_hash = files.robot_hash = "";
  EXPECT_EQ(to_json(memory), to_json(files));
}

TEST(InMemory, ProvenanceSaysSoWithHashes) {
  const Study study = in_memory();
  const Provenance told = run_study(study).result.provenance;
  ASSERT_EQ(told.inputs.size(), 3U);
  for (const InputFile& input : told.inputs) {
    EXPECT_THAT(input.path, StartsWith("in memory"));
    EXPECT_EQ(input.sha256.size(), 64U);
  }
  EXPECT_NE(told.inputs[1].sha256, told.inputs[2].sha256);
  EXPECT_EQ(told.inputs[0].sha256, robot_hash(study));
  EXPECT_THAT(told.options, HasSubstr(R"("robot":"in memory")"));
  EXPECT_THAT(told.options, HasSubstr(R"("file":"in memory: tuesday")"));
  EXPECT_TRUE(study_inputs(study).empty());
}

TEST(InMemory, EveryStepTakesIt) {
  const Study study = in_memory();
  const Result result = run_study(study).result;
  EXPECT_TRUE(check_study(study).is_trustworthy());
  EXPECT_EQ(study_scene(study).motions.size(), 2U);
  EXPECT_EQ(fold_study(study).size(), 2U);
  require_same_robot(study, study_robot(study), result);
  const StudyOutcome validated = validate_study(study, result);
  ASSERT_EQ(validated.result.validation.size(), 2U);
  EXPECT_FALSE(validated.result.validation[0].fresh) << "the model was fitted to these very samples";
  EXPECT_TRUE(validated.result.validation[1].fresh);

  Study other = study;
  other.robot->joints[1].inertia.reset();
  EXPECT_NE(robot_hash(other), robot_hash(study));
  EXPECT_THROW(require_same_robot(other, study_robot(other), result), InputError);
}

TEST(InMemory, FaultsAreRefusedByName) {
  const auto run = simulated_run("monday", 1);
  const VectorXd time = Eigen::Map<const Eigen::VectorXd>(run.samples.time(), run.samples.size());
  const MatrixXd q = channel_of(run, "position"), torque = channel_of(run, "torque");
  EXPECT_THROW(run_from_arrays("monday", time, q, torque.topRows(9)), InputError);
  EXPECT_THROW(run_from_arrays("monday", time.head(9), q, torque), InputError);
  EXPECT_THROW(run_from_arrays("monday", time, q, torque, q.leftCols(1)), InputError);

  Study study = in_memory();
  const auto with = [&](const VectorXd& t, const MatrixXd& positions, const MatrixXd& efforts) {
    study.runs[0] = run_from_arrays("monday", t, positions, efforts);
    return refusal(study);
  };
  VectorXd back = time;
  back[100] = back[99];
  EXPECT_THAT(with(back, q, torque), HasSubstr("run 'monday' in memory: time does not increase: sample 101"));
  MatrixXd broken = torque;
  broken(7, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(with(time, q, broken), HasSubstr("sample 8 of channel 'torque', joint 2 holds 'nan'"));
  EXPECT_THAT(with(time, q.leftCols(1), torque.leftCols(1)),
              HasSubstr("samples of 1 joints, the robot has 2"));
  EXPECT_THAT(with(time.head(1), q.topRows(1), torque.topRows(1)), HasSubstr("1 samples"));

  study = in_memory();
  study.runs[1].file.label.label = "monday";
  EXPECT_THAT(refusal(study), HasSubstr("two runs are labelled 'monday'"));
  study = in_memory();
  study.runs[0].file.path = "log.csv";
  EXPECT_THAT(refusal(study), HasSubstr("run 'monday' has more than one of samples in memory"));
  study = in_memory();
  study.runs[0].samples.reset();
  EXPECT_THAT(refusal(study), HasSubstr("run 'monday' has none of samples in memory"));
  study = in_memory();
  study.runs[0].file.label.role = RunRole::validate;
  EXPECT_THAT(refusal(study), HasSubstr("no run has the role 'fit'"));
  study = in_memory();
  study.robot->joints[1].axis = Vector3(0, 0, 2);
  EXPECT_NE(refusal(study), "accepted");
}

}  // namespace
}  // namespace in_memory_test
}  // namespace steelyard
